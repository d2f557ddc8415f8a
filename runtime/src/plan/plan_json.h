/* plan_json.h: the parts that the plan's JSON and the report's have in common (docs/formats/plan.md). */
#ifndef OOCC_PLAN_JSON_H
#define OOCC_PLAN_JSON_H

#include "oocc/oocc.h"
#include "plan/run_plan.h"
#include "run/options.h"
#include "support/json.h"
#include "tuning/machine.h"

const char *schedule_name(enum schedule schedule);
const char *type_name(enum oocc_type type);
/* Members "program", "grid", "fields", "machine", "plan" of the object that is open. */
void plan_json_members(struct json *json, const struct oocc_program *program, const struct oocc_grid *grid,
                       const struct plan *plan, const struct machine *machine);

/* Member "machine" by itself. */
void plan_json_machine(struct json *json, const struct machine *machine);

/* The places of the scratch, "DIR1, DIR2"; buffer is at least 512 bytes long, and a longer list ends in "...". */
const char *scratch_list(char buffer[512], const struct plan *plan);

#endif
