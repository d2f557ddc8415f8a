/* vector_avx2.c: with AVX2, as the build compiles this file where there is such a thing. */
#ifdef __AVX2__
#include "support/vector_loops.h"

const struct vector_loops *vector_loops_avx2(void);
const struct vector_loops *vector_loops_avx2(void) {
    return &loops;
}
#else
typedef int vector_without_avx2; /* a file of C has at least one declaration */
#endif
