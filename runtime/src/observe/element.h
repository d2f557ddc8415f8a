/* element.h: a value as an element of a field's type. */
#ifndef OOCC_ELEMENT_H
#define OOCC_ELEMENT_H

#include "oocc/oocc.h"

/* Of whole numbers the nearest one in the type's range. `to` has room for an element and need not be aligned. */
void element_put(char *to, enum oocc_type type, double value);

#endif
