#include "observe/element.h"

#include <math.h>
#include <string.h>

/* The nearest whole number in the type's range. */
static int64_t whole(double value, int64_t least, int64_t most) {
    const double nearest = rint(value);
    if (!(nearest > (double)least)) return least;
    return nearest >= (double)most ? most : (int64_t)nearest;
}

void element_put(char *to, enum oocc_type type, double value) {
    union {
        uint8_t u8;
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
    } element;
    size_t bytes = sizeof element.f64;
    switch (type) {
    case OOCC_BOOL:
        element.u8 = value != 0;
        bytes = sizeof element.u8;
        break;
    case OOCC_U8:
        element.u8 = (uint8_t)whole(value, 0, UINT8_MAX);
        bytes = sizeof element.u8;
        break;
    case OOCC_I32:
        element.i32 = (int32_t)whole(value, INT32_MIN, INT32_MAX);
        bytes = sizeof element.i32;
        break;
    case OOCC_INT:
        element.i64 = whole(value, INT64_MIN, INT64_MAX);
        break;
    case OOCC_F32:
        element.f32 = (float)value;
        bytes = sizeof element.f32;
        break;
    case OOCC_F64:
        element.f64 = value;
        break;
    }
    memcpy(to, &element, bytes);
}
