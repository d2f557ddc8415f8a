#include "plan/plan_json.h"

#include "observe/observe.h"
#include "plan/columns.h"
#include "plan/cost.h"
#include "stream/overlap.h"
#include "stream/wedge.h"
#include "support/element.h"
#include "tuning/figures.h"

#include <limits.h>
#include <string.h>

const char *schedule_name(enum schedule schedule) {
    static const char *const names[] = {"auto", "sweep", "stream", "resident", "overlap"};
    return names[schedule];
}

const char *type_name(enum oocc_type type) {
    static const char *const names[] = {"bool", "int", "f32", "f64", "u8", "i32"};
    return names[type];
}

const char *scratch_list(char buffer[512], const struct plan *plan) {
    size_t length = 0;
    for (const char *at = plan->scratch; *at && length < 500; at++) {
        buffer[length++] = *at;
        if (*at == ',') buffer[length++] = ' ';
    }
    snprintf(buffer + length, 512 - length, "%s", length < 500 ? "" : "...");
    return buffer;
}

static void scratch_json(struct json *json, const struct plan *plan) {
    json_open(json, "scratch", '[');
    for (const char *at = plan->scratch; at != NULL;) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%.*s", (int)strcspn(at, ","), at);
        json_string(json, NULL, path);
        at += strcspn(at, ",");
        at = *at == ',' ? at + 1 : NULL;
    }
    json_close(json, ']');
}

static void program_json(struct json *json, const struct oocc_program *program) {
    json_open(json, "program", '{');
    json_string(json, "name", program->name);
    json_string(json, "source", program->source);
    json_hash(json, "hash", program->hash);
    json_open(json, "params", '{');
    for (int i = 0; i < program->params; i++) {
        const struct oocc_param *param = &program->param[i];
        switch (param->type) {
        case OOCC_BOOL:
            json_bool(json, param->name, *(const bool *)param->value);
            break;
        case OOCC_INT:
            json_int(json, param->name, *(const int64_t *)param->value);
            break;
        case OOCC_F32:
            json_double(json, param->name, (double)*(const float *)param->value);
            break;
        case OOCC_U8: /* elements only: no parameter has it */
        case OOCC_I32:
            break;
        case OOCC_F64:
            json_double(json, param->name, *(const double *)param->value);
            break;
        }
    }
    json_close(json, '}');
    json_close(json, '}');
}

static void grid_json(struct json *json, const struct oocc_program *program, const struct oocc_grid *grid) {
    json_open(json, "grid", '{');
    json_open(json, "dims", '[');
    for (int d = 0; d < grid->ndim; d++)
        json_string(json, NULL, program->dim[d]);
    json_close(json, ']');
    json_open(json, "extent", '[');
    for (int d = 0; d < grid->ndim; d++)
        json_int(json, NULL, grid->extent[d]);
    json_close(json, ']');
    json_int(json, "points", grid_points(grid));
    json_int(json, "planes", grid->planes);
    json_int(json, "rows", grid->rows);
    json_int(json, "cells", grid->cells);
    json_int(json, "state_bytes", grid_state_bytes(program, grid));
    json_int(json, "coef_bytes", grid_coef_bytes(program, grid));
    json_close(json, '}');
}

static void fields_json(struct json *json, const struct oocc_program *program, const struct oocc_grid *grid,
                        const struct plan *plan) {
    json_open(json, "fields", '[');
    for (int f = 0; f < program->fields; f++) {
        const struct oocc_field *field = &program->field[f];
        json_open(json, NULL, '{');
        json_string(json, "name", field->name);
        json_string(json, "type", element_of(field->type)->name);
        json_bool(json, "coef", field->coef);
        json_int(json, "levels", field->levels);
        json_int(json, "plane_bytes", grid->layout[f].plane_bytes);
        json_open(json, "ring_planes", '[');
        for (int slot = 0; slot < field->slots; slot++)
            json_int(json, NULL,
                     window_ring_planes(program, grid, f, slot, plan->bt, plan->bz, plan->read_ahead,
                                        plan->write_behind, plan_window(plan)));
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

void plan_json_machine(struct json *json, const struct machine *machine) {
    json_open(json, "machine", '{');
    json_int(json, "cores", machine->cores);
    json_int(json, "memory_total_bytes", machine->memory_total_bytes);
    json_int(json, "memory_available_bytes", machine->memory_available_bytes);
    json_string(json, "memory_bound", machine->memory_bound);
    json_int(json, "l1_bytes", machine->l1_bytes);
    json_int(json, "l2_bytes", machine->l2_bytes);
    json_int(json, "l3_bytes", machine->l3_bytes);
    json_int(json, "swappable_bytes", machine->swappable_bytes);
    json_int(json, "page_bytes", machine->page_bytes);
    json_int(json, "memlock_bytes", machine->memlock_bytes);
    json_close(json, '}');
}

/* The date of what was measured, null: nominal. */
static void date_json(struct json *json, const char *date) {
    json_string(json, "measured", figures_measured(date) ? date : NULL);
}

static void figures_json(struct json *json, const struct machine *machine) {
    const struct figures *f = machine->figures != NULL ? machine->figures : &figures_nominal;
    json_open(json, "figures", '{');
    json_open(json, "machine", '{');
    date_json(json, f->machine.date);
    json_bool(json, "unsteady", f->machine.unsteady);
    json_double(json, "memory_bytes_per_second", f->machine.memory_bandwidth);
    json_double(json, "core_memory_bytes_per_second", f->machine.core_bandwidth);
    json_double(json, "core_shared_cache_bytes_per_second", f->machine.shared_cache);
    json_double(json, "core_own_cache_bytes_per_second", f->machine.own_cache);
    json_double(json, "shared_cache_bytes", f->machine.shared_bytes);
    json_double(json, "barrier_seconds", f->machine.barrier_seconds);
    json_open(json, "core", '{');
    json_bool(json, "measured", f->machine.core.measured);
    json_double(json, "operations_per_second", f->machine.core.flops);
    json_double(json, "cells_per_second", f->machine.core.cells);
    json_close(json, '}');
    json_close(json, '}');
    json_open(json, "device", '{');
    date_json(json, f->device.date);
    json_double(json, "read_bytes_per_second", f->device.read);
    json_double(json, "write_bytes_per_second", f->device.write);
    json_double(json, "both_bytes_per_second", f->device.both);
    json_double(json, "both_beside_computing_bytes_per_second", f->device.beside);
    json_double(json, "cores_share_beside_transfers", f->device.cores_share);
    json_double(json, "sync_seconds", f->device.sync_seconds);
    json_double(json, "sync_seconds_per_byte", f->device.sync_seconds_per_byte);
    json_close(json, '}');
    json_open(json, "kernel", '{');
    date_json(json, f->kernel.date);
    json_bool(json, "unsteady", f->kernel.unsteady);
    json_bool(json, "probed", f->kernel.probed);
    json_int(json, "points", f->kernel.points);
    json_double(json, "pace", figures_pace(&f->kernel));
    json_close(json, '}');
    json_close(json, '}');
}

void plan_json_members(struct json *json, const struct oocc_program *program, const struct oocc_grid *grid,
                       const struct plan *plan, const struct machine *machine) {
    program_json(json, program);
    grid_json(json, program, grid);
    fields_json(json, program, grid, plan);
    observe_json(json, program);
    plan_json_machine(json, machine);

    json_open(json, "plan", '{');
    json_string(json, "schedule", schedule_name(plan->schedule));
    json_string(json, "engine", plan->engine);
    json_string(json, "engine_reason", plan->engine_reason);
    json_bool(json, "in_place", plan->in_place);
    json_int(json, "io_depth", plan->io_depth);
    json_int(json, "io_request_bytes", plan->io_request_bytes);
    json_int(json, "threads", plan->threads);
    json_int(json, "steps", plan->steps);
    json_int(json, "bt", plan->bt);
    json_int(json, "bz", plan->bz);
    json_int(json, "ct", plan->ct);
    json_int(json, "yt", plan->yt);
    json_int(json, "tiles", plan->tiles);
    json_int(json, "chains", plan->chains);
    json_int(json, "xt", plan->xt);
    json_int(json, "pieces", plan->pieces);
    json_string(json, "layout", grid->dense ? "dense" : "padded");
    json_int(json, "columns", plan->cut.columns);
    json_string(json, "column_sides", plan->cut.columns <= 1 ? "none" : plan->cut.leans ? "lean" : "halo");
    json_int(json, "halo_rows", plan->cut.columns > 1 ? columns_halo(program, plan->cut, plan->bt) : 0);
    json_int(json, "strip_bytes", plan->strip_bytes);
    json_int(json, "head_planes", wedge_of(program, plan->bt).head);
    json_int(json, "tail_planes", wedge_of(program, plan->bt).tail);
    if (plan->schedule == SCHEDULE_OVERLAP) {
        const struct wedge halo = wedge_around(program, plan->bt);
        json_int(json, "blocks", overlap_blocks(grid, plan->bz));
        json_int(json, "halo_lo_planes", halo.head);
        json_int(json, "halo_hi_planes", halo.tail);
        json_double(json, "computed_times", overlap_work(program, grid, plan->bt, plan->bz));
    }
    json_int(json, "read_ahead_slabs", plan->read_ahead);
    json_int(json, "write_behind_slabs", plan->write_behind);
    json_int(json, "passes", plan->passes);
    json_int(json, "budget_bytes", plan->budget_bytes);
    json_int(json, "fixed_bytes", plan->fixed_bytes);
    json_int(json, "observed_bytes", plan->observed_bytes);
    json_int(json, "window_bytes", plan->window_bytes);
    json_int(json, "swapped_bytes", plan->swapped_bytes);
    scratch_json(json, plan);
    json_int(json, "store_bytes", plan->store_bytes);
    json_bool(json, "third_generation", plan->third_generation);
    json_int(json, "read_bytes", plan->read_bytes);
    json_int(json, "write_bytes", plan->write_bytes);
    json_int(json, "import_read_bytes", plan->import_read_bytes);
    json_int(json, "import_write_bytes", plan->import_write_bytes);
    json_int(json, "export_read_bytes", plan->export_read_bytes);
    json_open(json, "predicted", '{');
    json_string(json, "basis", plan->basis);
    json_double(json, "seconds", plan->seconds);
    json_double(json, "io_seconds", plan->io_seconds);
    json_double(json, "compute_seconds", plan->compute_seconds);
    json_double(json, "check_seconds", plan->check_seconds);
    json_double(json, "commit_seconds", plan->commit_seconds);
    json_double(json, "one_commit_seconds", plan->one_commit_seconds);
    json_double(json, "commit_every_seconds", commit_every(plan->commit_every, plan->one_commit_seconds));
    json_string(json, "bound", plan->bound);
    json_close(json, '}');
    json_string(json, "tuned", plan->tuned[0] != '\0' ? plan->tuned : NULL);
    figures_json(json, machine);
    char reason[128];
    json_string(json, "pass_ends", cut_reason(program, plan->in_place, reason));
    json_string(json, "why", plan->why);
    json_close(json, '}');
}
