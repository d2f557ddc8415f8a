/* vector.c: picks the loops that the machine at hand can run (docs/speed.md, "Checksums"). */
#include "support/vector_loops.h"

#ifdef OOCC_VECTOR_AVX2
const struct vector_loops *vector_loops_avx2(void);
#endif
#ifdef OOCC_VECTOR_AVX512
const struct vector_loops *vector_loops_avx512(void);
#endif

const struct vector_loops *vector_loops(void) {
#ifdef OOCC_VECTOR_AVX512
    if (__builtin_cpu_supports("avx512f")) return vector_loops_avx512();
#endif
#ifdef OOCC_VECTOR_AVX2
    if (__builtin_cpu_supports("avx2")) return vector_loops_avx2();
#endif
    return &loops;
}
