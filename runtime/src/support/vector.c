/* vector.c: picks the loops that the machine at hand can run (docs/speed.md, "Checksums"). */
#include "support/vector_loops.h"

#ifdef OOCC_VECTOR_AVX2
const struct vector_loops *vector_loops_avx2(void);
#endif

const struct vector_loops *vector_loops(void) {
#ifdef OOCC_VECTOR_AVX2
    if (__builtin_cpu_supports("avx2")) return vector_loops_avx2();
#endif
    return &loops;
}
