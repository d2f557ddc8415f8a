/* observe_show.c: points, records, watches and outputs in the plan, for people and for programs. */
#include "observe/observe.h"
#include "plan/plan_json.h"

#include <inttypes.h>

static const char *reduce_name(enum oocc_reduce op) {
    static const char *const names[] = {"sum", "min", "max", "mean"};
    return names[op];
}

static const char *times(char buffer[64], const int64_t *every) {
    if (observe_every(every) == 1) return "every step";
    snprintf(buffer, 64, "every %" PRId64 " steps", *every);
    return buffer;
}

static void begin_line(FILE *out, const char *label, bool first) {
    fprintf(out, "  %-12s", first ? label : "");
}

void observe_print(FILE *out, const struct oocc_program *program, const struct plan *plan) {
    char every[64], count[32], bytes[32];
    for (int i = 0; i < program->point_sets; i++) {
        const struct oocc_points *set = &program->points[i];
        begin_line(out, "points", i == 0);
        fprintf(out, "%s at %s cell%s%s%s\n", format_count(count, set->points),
                format_count(bytes, set->cells), set->cells == 1 ? "" : "s", set->path != NULL ? ", from " : "",
                set->path != NULL ? set->path : "");
    }
    for (int i = 0; i < program->records; i++) {
        const struct oocc_record *record = &program->record[i];
        begin_line(out, "records", i == 0);
        const int64_t points = program->points[record->points].points;
        fprintf(out, "%s %s at %s point%s to %s\n", program->field[record->field].name,
                times(every, record->every), format_count(count, points), points == 1 ? "" : "s",
                record->path);
    }
    for (int i = 0; i < program->watches; i++) {
        const struct oocc_watch *watch = &program->watch[i];
        begin_line(out, "watches", i == 0);
        fprintf(out, "%s (%s) %s%s\n", watch->name, reduce_name(watch->op), times(every, watch->every),
                watch->feeds ? ", used by the step" : "");
    }
    if (plan->observed_bytes > 0) {
        begin_line(out, "observed", true);
        fprintf(out, "%s of buffers for a pass\n", format_bytes(bytes, plan->observed_bytes));
    }
}

void observe_json(struct json *json, const struct oocc_program *program) {
    json_open(json, "points", '[');
    for (int i = 0; i < program->point_sets; i++) {
        json_open(json, NULL, '{');
        json_string(json, "file", program->points[i].path);
        json_int(json, "points", program->points[i].points);
        json_int(json, "cells", program->points[i].cells);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "records", '[');
    for (int i = 0; i < program->records; i++) {
        const struct oocc_record *record = &program->record[i];
        json_open(json, NULL, '{');
        json_string(json, "file", record->path);
        json_string(json, "field", program->field[record->field].name);
        json_int(json, "points", program->points[record->points].points);
        json_int(json, "every", observe_every(record->every));
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "watches", '[');
    for (int i = 0; i < program->watches; i++) {
        const struct oocc_watch *watch = &program->watch[i];
        json_open(json, NULL, '{');
        json_string(json, "name", watch->name);
        json_string(json, "op", reduce_name(watch->op));
        json_int(json, "every", observe_every(watch->every));
        json_bool(json, "feeds", watch->feeds);
        json_close(json, '}');
    }
    json_close(json, ']');
}
