#include "support/element.h"

const struct element *element_of(enum oocc_type type) {
    static const struct element table[] = {
        [OOCC_BOOL] = {"bool", 1, "|b1", "numpy.bool_"}, [OOCC_INT] = {"i64", 8, "<i8", "numpy.int64"},
        [OOCC_F32] = {"f32", 4, "<f4", "numpy.float32"}, [OOCC_F64] = {"f64", 8, "<f8", "numpy.float64"},
        [OOCC_U8] = {"u8", 1, "|u1", "numpy.uint8"},     [OOCC_I32] = {"i32", 4, "<i4", "numpy.int32"},
    };
    return &table[type];
}
