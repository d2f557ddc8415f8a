/* element.h: the types that a field's elements may have. */
#ifndef OOCC_ELEMENT_H
#define OOCC_ELEMENT_H

#include "oocc/oocc.h"

struct element {
    const char *name; /* as a program writes it */
    int64_t bytes;
    const char *descr; /* in a .npy header */
    const char *numpy; /* for remedies */
};

const struct element *element_of(enum oocc_type type);

#endif
