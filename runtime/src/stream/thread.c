#include "oocc/oocc.h"

#include <omp.h>

/* Here and not in the header, so that generated programs compile where a compiler comes without omp.h. */
int oocc_thread(void) { return omp_get_thread_num(); }
