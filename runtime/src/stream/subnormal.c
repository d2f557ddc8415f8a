#include "stream/subnormal.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>

/* Two bits of the register that says how SSE and AVX compute: results become 0 (FTZ), operands are taken as 0 (DAZ). */
enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040 };

static _Thread_local unsigned mode_before;

bool subnormal_can_be_zero(void) {
    return true;
}

void subnormal_enter(const struct oocc_pass *pass) {
    if (!pass->run->options.subnormals_zero) return;
    mode_before = _mm_getcsr();
    _mm_setcsr(mode_before | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
}

void subnormal_leave(const struct oocc_pass *pass) {
    if (pass->run->options.subnormals_zero) _mm_setcsr(mode_before);
}

#else

bool subnormal_can_be_zero(void) {
    return false;
}

void subnormal_enter(const struct oocc_pass *pass) {
    (void)pass;
}

void subnormal_leave(const struct oocc_pass *pass) {
    (void)pass;
}

#endif

/* -- how many there are --------------------------------------------------------------------------------------- */

static int64_t count_f32(const char *cells, int64_t count) {
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, cells + i * (int64_t)sizeof bits, sizeof bits);
        found += (bits & 0x7FFFFFFFu) - 1 < 0x007FFFFFu; /* no exponent, but not 0 */
    }
    return found;
}

static int64_t count_f64(const char *cells, int64_t count) {
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, cells + i * (int64_t)sizeof bits, sizeof bits);
        found += (bits & 0x7FFFFFFFFFFFFFFFu) - 1 < 0x000FFFFFFFFFFFFFu;
    }
    return found;
}

void subnormal_count(struct oocc_run *run, enum oocc_type type, const char *cells, int64_t count) {
    const int64_t found = type == OOCC_F32 ? count_f32(cells, count) : count_f64(cells, count);
    __atomic_fetch_add(&run->subnormal.cells, count, __ATOMIC_RELAXED);
    if (found > 0) __atomic_fetch_add(&run->subnormal.found, found, __ATOMIC_RELAXED);
}

/* One of a thousand, if each takes a hundred times as long, is a tenth of the time. */
static const double share_told = 0.001, seconds_told = 1;

void subnormal_tell(struct oocc_run *run) {
    struct subnormal *s = &run->subnormal;
    const double share = s->cells > 0 ? (double)s->found / (double)s->cells : 0;
    run->stats.subnormal_share = oocc_max_f64(run->stats.subnormal_share, share);
    s->cells = s->found = 0;
    if (s->told || share < share_told || run->stats.compute_seconds < seconds_told || run->options.subnormals_zero ||
        !subnormal_can_be_zero())
        return;
    s->told = true;
    run_note("%.3g%% of the cells are less than the least normal number, which takes many processors a hundred times as long: "
             "a run with --subnormals zero takes them as 0",
             100 * share);
}
