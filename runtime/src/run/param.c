#include "run/param.h"

#include "plan/plan_json.h"
#include "support/error.h"
#include "support/number.h"
#include "support/suggest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool param_parse_int(const char *text, int64_t *value) {
    char *end;
    errno = 0;
    const long long v = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno == ERANGE || *text == ' ') return false;
    *value = v;
    return true;
}

/* Numbers only: no nan, no infinity, nothing that overflows. */
bool param_parse_real(const char *text, bool single, double *value) {
    char *end;
    const double v = single ? (double)strtof(text, &end) : strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(v) || *text == ' ') return false;
    *value = v;
    return true;
}

void param_print(FILE *out, const struct oocc_param *param) {
    char text[NUMBER_TEXT];
    switch (param->type) {
    case OOCC_BOOL:
        fputs(*(const bool *)param->value ? "true" : "false", out);
        break;
    case OOCC_INT:
        fprintf(out, "%lld", (long long)*(const int64_t *)param->value);
        break;
    case OOCC_F32:
        fputs(format_number(text, (double)*(const float *)param->value, true), out);
        break;
    case OOCC_U8: /* elements only: no parameter has it */
    case OOCC_I32:
        break;
    case OOCC_F64:
        fputs(format_number(text, *(const double *)param->value, false), out);
        break;
    }
}

static int not_a_value(const struct oocc_param *param, const char *text) {
    return run_fail(OOCC_USAGE, param->type == OOCC_BOOL ? "write true or false" : NULL,
                    "-D %s: '%s' is not %s %s value that fits", param->name, text,
                    param->type == OOCC_BOOL ? "a" : "an", type_name(param->type));
}

static int set_value(const struct oocc_param *param, const char *text) {
    bool same = false;
    bool truth = strcmp(text, "true") == 0;
    int64_t whole = 0;
    double real = 0;
    switch (param->type) {
    case OOCC_BOOL:
        if (!truth && strcmp(text, "false") != 0) return not_a_value(param, text);
        same = truth == *(bool *)param->value;
        break;
    case OOCC_INT:
        if (!param_parse_int(text, &whole)) return not_a_value(param, text);
        same = whole == *(int64_t *)param->value;
        break;
    case OOCC_F32:
        if (!param_parse_real(text, true, &real)) return not_a_value(param, text);
        same = (float)real == *(float *)param->value;
        break;
    case OOCC_U8: /* elements only: no parameter has it */
    case OOCC_I32:
        break;
    case OOCC_F64:
        if (!param_parse_real(text, false, &real)) return not_a_value(param, text);
        same = real == *(double *)param->value;
        break;
    }
    if (param->given != NULL) *param->given = true;
    if (same) return OOCC_OK;
    if (param->constant)
        return run_fail(OOCC_USAGE, "compile again with another value, or without -D to leave it open",
                        "-D %s=%s: '%s' was fixed when the program was compiled", param->name, text,
                        param->name);
    switch (param->type) {
    case OOCC_BOOL:
        *(bool *)param->value = truth;
        break;
    case OOCC_INT:
        *(int64_t *)param->value = whole;
        break;
    case OOCC_F32:
        *(float *)param->value = (float)real;
        break;
    case OOCC_U8: /* elements only: no parameter has it */
    case OOCC_I32:
        break;
    case OOCC_F64:
        *(double *)param->value = real;
        break;
    }
    return OOCC_OK;
}

/* Written as on a command line, it is the same value again. */
static void write_value(char text[40], const struct oocc_param *param, const void *value) {
    switch (param->type) {
    case OOCC_BOOL:
        snprintf(text, 40, "%s", *(const bool *)value ? "true" : "false");
        break;
    case OOCC_INT:
        snprintf(text, 40, "%lld", (long long)*(const int64_t *)value);
        break;
    case OOCC_U8: /* elements only: no parameter has it */
    case OOCC_I32:
        *text = '\0';
        break;
    case OOCC_F32:
    case OOCC_F64:
        snprintf(text, 40, "%.17g", *(const double *)value);
        break;
    }
}

int param_give(const struct oocc_program *program, const char *name, const void *value) {
    char text[40];
    for (int i = 0; i < program->params; i++) {
        if (strcmp(program->param[i].name, name) != 0) continue;
        write_value(text, &program->param[i], value);
        return set_value(&program->param[i], text);
    }
    return run_fail(OOCC_INTERNAL, NULL, "the program has no parameter '%s'", name);
}

int param_set(const struct oocc_program *program, const char *text) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        return run_fail(OOCC_USAGE, "write -D name=value", "-D: '%s' gives no value", text);
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)oocc_min(equals - text, (int64_t)sizeof name - 1), text);
    struct suggestion s = {.wanted = name};
    for (int i = 0; i < program->params; i++) {
        if (strcmp(program->param[i].name, name) == 0) return set_value(&program->param[i], equals + 1);
        suggest_consider(&s, program->param[i].name);
    }
    char help[96];
    return run_fail(OOCC_USAGE, suggest_text(&s, "-D ", "--help lists the parameters", help),
                    "-D: the program has no parameter '%s'", name);
}
