/* vector_avx512.c: with AVX-512, as the build compiles this file where there is such a thing. */
#ifdef __AVX512F__
#include "support/vector_loops.h"

const struct vector_loops *vector_loops_avx512(void);
const struct vector_loops *vector_loops_avx512(void) {
    return &loops;
}
#else
typedef int vector_without_avx512; /* a file of C has at least one declaration */
#endif
