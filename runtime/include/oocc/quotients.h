/*
 * quotients.h: division by what stays the same along a row, without dividing; a part of oocc.h, which includes it.
 *
 * With r = 1/c, rounded, the product x*r is within two units of x/c, and one step of Newton's, in fused multiply-adds, rounds it to the
 * very bits of the quotient, in less than half of the time that vectors take to divide. That is P. Markstein's (IBM J. Res. Dev. 34(1), 1990);
 * see N. Brisebarre, J.-M. Muller and S. K. Raina (IEEE Trans. Comput. 53(8), 2004). It holds of every x and c as long as nothing overflows
 * and nothing is rounded for being below the least normal number. A processor keeps a record of either (MXCSR), so loops ask it
 * afterwards, instead of looking at every cell, and divide the cells of that stretch where it says so.
 *
 * Where there are no fused multiply-adds, or no such record is known how to read, oocc_try_inverses says no, and all is divided. With
 * OOCC_DIVIDE defined as well; and where the compiler may take sums in any order.
 */
#ifndef OOCC_QUOTIENTS_H
#define OOCC_QUOTIENTS_H

#if defined __x86_64__ && defined __FMA__ && defined __GNUC__ && !defined OOCC_DIVIDE && !defined __FAST_MATH__ && !defined __ASSOCIATIVE_MATH__
#define OOCC_INVERSES 1
#else
#define OOCC_INVERSES 0
#endif

/* 1/c; 0 where quotients cannot be made of it: c < 0 would lose the sign of a zero. */
static inline double oocc_inverse_f64(double c)
{
    return c >= 0x1p-1000 && c <= 0x1p1000 ? 1 / c : 0;
}
static inline float oocc_inverse_f32(float c)
{
    return c >= 0x1p-120F && c <= 0x1p120F ? 1 / c : 0;
}

/* x/c, if oocc_inexact says no afterwards; r: oocc_inverse_f64(c). What is left over is exact, and of x = -0 it is 0, so that q keeps its sign.
 * (The inverse is negated, not what is left over: gcc takes -(a*b - c) for c - a*b, which is another zero.) */
static inline double oocc_over_f64(double x, double c, double r)
{
#if OOCC_INVERSES
    const double q = x * r, left = __builtin_fma(q, c, -x);
    return __builtin_fma(left, -r, q);
#else
    (void)r;
    return x / c;
#endif
}
static inline float oocc_over_f32(float x, float c, float r)
{
#if OOCC_INVERSES
    const float q = x * r, left = __builtin_fmaf(q, c, -x);
    return __builtin_fmaf(left, -r, q);
#else
    (void)r;
    return x / c;
#endif
}

#if OOCC_INVERSES

/* Invalid, as what is left over of an infinite product, and underflow. */
enum { OOCC_INEXACT = 0x01 | 0x10 };

/* The memory clobber keeps what loops load and store on its side. */
static inline unsigned oocc_exceptions(void)
{
    unsigned mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
    return mxcsr;
}
static inline void oocc_forget_exceptions(void)
{
    unsigned mxcsr = oocc_exceptions();
    if ((mxcsr & OOCC_INEXACT) == 0)
        return;
    mxcsr &= ~(unsigned)OOCC_INEXACT;
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}

/* What computes for a processor (valgrind) may keep no record. */
static inline bool oocc_keeps_exceptions(void)
{
    volatile double tiny = 0x1p-1000;
    oocc_forget_exceptions();
    tiny = tiny * tiny;
    return (oocc_exceptions() & OOCC_INEXACT) != 0;
}

/* Of a thread and a kernel. An inexact stretch costs what about four exact ones gain; where more are, some are divided at once, twice as
 * many as the last time, so that one of 64 is tried where all are. */
enum { OOCC_TRIES = 16, OOCC_COSTS = 4, OOCC_MOST_CREDIT = 12, OOCC_MOST_RESTS = 63 };
struct oocc_tries {
    int rest, next; /* stretches that are to be divided at once; the next time */
    int credit;
    bool known;
};
static _Thread_local struct oocc_tries oocc_tries[OOCC_TRIES];

#endif

/* Before a stretch: whether to compute it with inverses, all of which there are (`all`). */
static inline bool oocc_try_inverses(int kernel, bool all)
{
#if OOCC_INVERSES
    struct oocc_tries *tries = &oocc_tries[kernel % OOCC_TRIES];
    if (!all)
        return false;
    if (!tries->known) {
        tries->known = true;
        tries->rest = oocc_keeps_exceptions() ? 0 : -1;
    }
    if (tries->rest != 0) {
        tries->rest -= tries->rest > 0;
        return false;
    }
    oocc_forget_exceptions();
    return true;
#else
    (void)kernel, (void)all;
    return false;
#endif
}

/* After it: whether some of its quotients may be wrong. */
static inline bool oocc_inexact(int kernel)
{
#if OOCC_INVERSES
    struct oocc_tries *tries = &oocc_tries[kernel % OOCC_TRIES];
    const bool inexact = (oocc_exceptions() & OOCC_INEXACT) != 0;
    if (!inexact && tries->credit < OOCC_MOST_CREDIT)
        tries->credit++;
    else if (!inexact)
        tries->next = 1;
    else if (tries->credit >= OOCC_COSTS)
        tries->credit -= OOCC_COSTS;
    else {
        tries->credit = 0;
        tries->rest = tries->next;
        tries->next = tries->next < OOCC_MOST_RESTS / 2 ? 2 * tries->next + 1 : OOCC_MOST_RESTS;
    }
    return inexact;
#else
    (void)kernel;
    return false;
#endif
}

#endif
