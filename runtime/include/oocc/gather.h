/*
 * gather.h: what generated programs gather reductions over the grid with; a part of oocc.h, which includes it.
 */
#ifndef OOCC_GATHER_H
#define OOCC_GATHER_H

/* What the calling thread gathers for a watch at step s. */
struct oocc_gather *oocc_gather(const struct oocc_pass *p, int watch, int64_t s);
void oocc_gather_carry(struct oocc_gather *g);

static inline void oocc_gather_sum(struct oocc_gather *g, double value)
{
    union {
        double value;
        uint64_t bits;
    } u = {value};
    const int64_t exponent = (int64_t)(u.bits >> 52 & 2047);
    if (exponent == 2047) {
        g->special += value;
        return;
    }
    /* value = +-mantissa * 2^(at - 1075), at >= 1; limb i counts units of 2^(32*i - 1074) */
    const uint64_t fraction = u.bits & 0xFFFFFFFFFFFFFu;
    const uint64_t mantissa = exponent ? fraction | (uint64_t)1 << 52 : fraction;
    const int64_t shift = exponent ? exponent - 1 : 0;
    const int64_t at = shift >> 5, by = shift & 31;
    const uint64_t low = (mantissa & 0xFFFFFFFFu) << by, high = (mantissa >> 32) << by;
    const int64_t a = (int64_t)(low & 0xFFFFFFFFu), b = (int64_t)((low >> 32) + (high & 0xFFFFFFFFu)),
                  c = (int64_t)(high >> 32);
    const bool negative = u.bits >> 63;
    g->limb[at] += negative ? -a : a;
    g->limb[at + 1] += negative ? -b : b;
    g->limb[at + 2] += negative ? -c : c;
    if (++g->since_carry >= (int64_t)1 << 29)
        oocc_gather_carry(g);
}

/* The same for `cells` values, at most OOCC_SUM_CELLS, which it changes: the leading bits of all are split off by adding and
 * subtracting a power of two that is large against their sum (Rump, Ogita, Oishi: "Accurate floating-point summation"), so
 * that both parts are exact and the leading parts add without rounding, in any order; then those of what is left. */
#ifdef _OPENMP
#define OOCC_PRAGMA(text) _Pragma(#text)
#else
#define OOCC_PRAGMA(text)
#endif
enum { OOCC_SUM_CELLS = 512, OOCC_SUM_SPLITS = 4, OOCC_SUM_CELL_BITS = 10 }; /* 2^10 >= OOCC_SUM_CELLS + 2 */
static inline void oocc_gather_sums(struct oocc_gather *g, double *value, int64_t cells)
{
    union {
        double value;
        int64_t bits;
    } u;
    const int64_t all_but_sign = INT64_MAX;
    int64_t most = 0; /* magnitudes are in the order of their bits */
    OOCC_PRAGMA(omp simd private(u) reduction(max : most))
    for (int64_t i = 0; i < cells; i++) {
        u.value = value[i];
        most = (u.bits & all_but_sign) > most ? u.bits & all_but_sign : most;
    }
    int64_t left = most;
    const int64_t exponent = (most >> 52) + 1 + OOCC_SUM_CELL_BITS;
    if (exponent < 2046) { /* no infinity, no nan, and room for the power of two */
        u.bits = exponent << 52;
        double large = u.value;
        for (int split = 0; split < OOCC_SUM_SPLITS && left != 0; split++) {
            double sum = 0;
            left = 0;
            OOCC_PRAGMA(omp simd private(u) reduction(+ : sum) reduction(| : left))
            for (int64_t i = 0; i < cells; i++) {
                const double leading = (large + value[i]) - large;
                u.value = value[i] - leading;
                value[i] = u.value;
                sum += leading;
                left |= u.bits & all_but_sign;
            }
            oocc_gather_sum(g, sum);
            large *= 0x1p-43; /* 2^(OOCC_SUM_CELL_BITS - 53): what is left is that much smaller */
        }
    }
    for (int64_t i = 0; left != 0 && i < cells; i++)
        oocc_gather_sum(g, value[i]);
}

static inline void oocc_gather_min(struct oocc_gather *g, double value)
{
    if (value != value)
        g->special += value;
    else if (value < g->extreme)
        g->extreme = value;
}
static inline void oocc_gather_max(struct oocc_gather *g, double value)
{
    if (value != value)
        g->special += value;
    else if (value > g->extreme)
        g->extreme = value;
}

/* Numbers (not nans) in the order of their keys, -0 before 0, and back: integers have a vector form of min and max. */
static inline int64_t oocc_order_key(double value)
{
    union {
        double value;
        int64_t bits;
    } u = {value};
    return u.bits ^ (u.bits < 0 ? INT64_MAX : 0);
}
static inline double oocc_of_order_key(int64_t key)
{
    union {
        int64_t bits;
        double value;
    } u = {key ^ (key < 0 ? INT64_MAX : 0)};
    return u.value;
}

#endif
