/* checksum_avx2.c: with AVX2, as the build compiles this file where there is such a thing. */
#ifdef __AVX2__
#include "support/checksum_loops.h"

const struct checksum_loops *checksum_loops_avx2(void);
const struct checksum_loops *checksum_loops_avx2(void) {
    return &checksum_loops;
}
#else
typedef int checksum_without_avx2; /* a file of C has at least one declaration */
#endif
