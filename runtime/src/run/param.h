/* param.h: the program's parameters on the command line, -D name=value. */
#ifndef OOCC_PARAM_H
#define OOCC_PARAM_H

#include "oocc/oocc.h"

#include <stdio.h>

/* Sets a parameter from "name=value": 0, or OOCC_USAGE with the error printed. */
int param_set(const struct oocc_program *program, const char *text);
/* An application's value: a bool, int64_t or, of both types of real, a double, as the parameter's type has it. */
int param_give(const struct oocc_program *program, const char *name, const void *value);
void param_print(FILE *out, const struct oocc_param *param);

/* The whole text as a decimal integer of 64 bits, or as a finite number (single: that f32 can hold). */
bool param_parse_int(const char *text, int64_t *value);
bool param_parse_real(const char *text, bool single, double *value);

#endif
