/* plan.c: shows the plan with its arithmetic, so that a reader can check it and see what to change. */
#include "observe/observe.h"
#include "plan/columns.h"
#include "plan/cost.h"
#include "plan/plan_json.h"
#include "plan/strip.h"
#include "plan/tiles.h"
#include "stream/overlap.h"
#include "stream/wedge.h"
#include "support/element.h"

#include <inttypes.h>
#include <string.h>

void plan_print_json(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid,
                     const struct plan *plan, const struct machine *machine) {
    struct json json;
    json_begin(&json, out);
    json_open(&json, NULL, '{');
    json_string(&json, "format", "oocc-plan");
    json_int(&json, "version", 1);
    plan_json_members(&json, program, grid, plan, machine);
    json_close(&json, '}');
}

static void line(FILE *out, const char *label) {
    fprintf(out, "  %-12s", label);
}

static void print_grid(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid) {
    char text[32];
    line(out, "grid");
    for (int d = 0; d < grid->ndim; d++)
        fprintf(out, "%s%s %s", d > 0 ? " x " : "", program->dim[d], format_count(text, grid->extent[d]));
    fprintf(out, " = %s cells\n", format_count(text, grid_points(grid)));
    if (grid->ndim == 1)
        fprintf(out, "  %-12s%s blocks of %" PRId64 " cells\n", "", format_count(text, grid->planes),
                grid->cells);
    line(out, "state");
    fprintf(out, "%s\n", format_bytes(text, grid_state_bytes(program, grid)));
    if (grid_coef_bytes(program, grid) > 0) {
        line(out, "coefs");
        fprintf(out, "%s\n", format_bytes(text, grid_coef_bytes(program, grid)));
    }
    for (int f = 0; f < program->fields; f++) {
        const struct oocc_field *field = &program->field[f];
        fprintf(out, "  %-12s%-10s %s ", "", field->name, element_of(field->type)->name);
        if (field->levels == 0)
            fprintf(out, "temp");
        else
            fprintf(out, "%s, %d level%s", field->coef ? "coef" : "field", field->levels,
                    field->levels == 1 ? "" : "s");
        fprintf(out, ", planes of %s%s\n", format_bytes(text, grid->layout[f].plane_bytes), field->unread ? ", for others alone" : "");
    }
}

static void print_memory(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid,
                         const struct plan *plan, const struct machine *machine) {
    char a[32], b[32];
    line(out, "memory");
    fprintf(out, "%s budget (%s available by %s)\n", format_bytes(a, plan->budget_bytes),
            format_bytes(b, machine->memory_available_bytes), machine->memory_bound);
    fprintf(out, "  %-12s%10s  program, stacks, tables, buffers%s\n", "", format_bytes(a, plan->fixed_bytes),
            !plan->in_place && strcmp(plan->engine, "memory") == 0 ? ", and the store" : "");
    const bool swaps = strcmp(plan->engine, "swap") == 0;
    fprintf(out, "  %-12s%10s  window%s\n", "", format_bytes(a, plan->window_bytes),
            swaps && plan->in_place ? ", which may be swapped out and is not in the budget" : "");
    if (swaps && !plan->in_place)
        fprintf(out, "  %-12s%10s  store, which may be swapped out and is not in the budget\n", "",
                format_bytes(a, plan->store_bytes));
    if (swaps)
        fprintf(out, "  %-12s%10s  that memory and swap hold\n", "", format_bytes(a, machine->swappable_bytes));
    for (int f = 0; f < program->fields; f++) {
        const int64_t kept = plan->cut.columns > 1 ? columns_stride(program, grid, f, plan->cut, plan->bt)
                                               : grid->layout[f].plane_bytes;
        fprintf(out, "  %-12s%10s    %s: ", "", "", program->field[f].name);
        for (int slot = 0; slot < program->field[f].slots; slot++)
            fprintf(out, "%s%" PRId64, slot > 0 ? " + " : "",
                    window_ring_planes(program, grid, f, slot, plan->bt, plan->bz, plan->read_ahead,
                                       plan->write_behind, plan_window(plan)));
        fprintf(out, " %splanes of %s\n", plan->cut.columns > 1 ? "cut " : "", format_bytes(a, kept));
    }
}

/* What columns cost: rows beyond their own, read for every pass and computed by halves; or strips. */
static void print_columns(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid,
                          const struct plan *plan) {
    const char *unit = grid->ndim == 4 ? "layers" : "rows";
    char text[32];
    if (plan->cut.columns <= 1) return;
    const double once = (double)columns_read_bytes(program, grid, (struct cut){1, false}, plan->bt);
    const double more = (double)columns_read_bytes(program, grid, plan->cut, plan->bt) / once - 1;
    const double twice = columns_redundancy(program, grid, plan->cut, plan->bt) - 1;
    fprintf(out, "  %-12s%" PRId64 " columns of %s ", "", plan->cut.columns, unit);
    if (plan->cut.leans)
        fprintf(out, "that lean: strips of %s are left to the next one with every slab, %.1f%% more is read besides\n",
                format_bytes(text, strip_bytes(program, grid, plan->cut, plan->bt, plan->bz)), 100 * more);
    else
        fprintf(out, "with halos of %" PRId64 " %s in all: %.1f%% more is read, %.1f%% computed\n",
                columns_halo(program, plan->cut, plan->bt), tile_unit(grid), 100 * more, 100 * twice);
}

static void print_schedule(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid,
                           const struct plan *plan) {
    char a[32], b[32], text[160], list[512];
    line(out, "schedule");
    fprintf(out, "%s on engine %s (%s), %d thread%s\n", schedule_name(plan->schedule), plan->engine,
            plan->engine_reason, plan->threads, plan->threads == 1 ? "" : "s");
    fprintf(out, "  %-12sbt %" PRId64 " steps a pass, ct %" PRId64 " of them in cache\n", "", plan->bt,
            plan->ct);
    if (plan->schedule == SCHEDULE_OVERLAP)
        fprintf(out, "  %-12sblocks of bz %" PRId64 " %s", "", plan->bz,
                grid->ndim == 1 ? "blocks of cells" : "planes");
    else if (plan->bz >= grid->planes)
        fprintf(out, "  %-12sone slab", "");
    else
        fprintf(out, "  %-12sslabs of bz %" PRId64 " %s", "", plan->bz,
                grid->ndim == 1 ? "blocks" : "planes");
    if (grid->ndim == 1)
        fprintf(out, ", its blocks shared out to the threads\n");
    else
        fprintf(out, ", %" PRId64 " tile%s of up to yt %" PRId64 " %s in %" PRId64 " chain%s\n", plan->tiles,
                plan->tiles == 1 ? "" : "s", plan->yt, tile_unit(grid), plan->chains, plan->chains == 1 ? "" : "s");
    if (plan->pieces > 1)
        fprintf(out, "  %-12srows in %" PRId64 " pieces of up to xt %" PRId64 " cells\n", "", plan->pieces,
                plan->xt);
    print_columns(out, program, grid, plan);
    if (plan->schedule == SCHEDULE_OVERLAP)
        fprintf(out, "  %-12s%s\n", "", overlap_text(text, sizeof text, program, grid, plan->bt, plan->bz));
    else if (program->wedge.periodic)
        fprintf(out, "  %-12s%s\n", "", wedge_text(text, sizeof text, program, grid, plan));
    line(out, "passes");
    fprintf(out, "%" PRId64 " for %" PRId64 " steps\n", plan->passes, plan->steps);
    char reason[128];
    if (cut_reason(program, plan->in_place, reason)) fprintf(out, "  %-12s%s\n", "", reason);
    if (!plan->in_place) {
        line(out, "requests");
        fprintf(out, "of up to %s, ", format_bytes(a, plan->io_request_bytes));
        if (plan->io_depth > 0)
            fprintf(out, "%d in flight at most\n", plan->io_depth);
        else
            fprintf(out, "as many in flight as make bytes move faster\n");
        line(out, "store");
        fprintf(out, "%s: two generations of the state%s\n", format_bytes(a, plan->store_bytes),
                grid_coef_bytes(program, grid) > 0 ? ", and the coefs" : "");
        if (plan->third_generation)
            fprintf(out, "  %-12sand a third one where there is room, so that not every pass need be committed\n", "");
        if (plan->scratch != NULL)
            fprintf(out, "  %-12s%s %s\n", "", strchr(plan->scratch, ',') != NULL ? "striped over" : "in",
                    scratch_list(list, plan));
        line(out, "moved");
        fprintf(out, "%s read, %s written by the passes\n", format_bytes(a, plan->read_bytes),
                format_bytes(b, plan->write_bytes));
        fprintf(out, "  %-12s%s written by the import, %s read by the export\n", "",
                format_bytes(a, plan->import_write_bytes), format_bytes(b, plan->export_read_bytes));
        if (plan->import_read_bytes > 0)
            fprintf(out, "  %-12s%s read again by the import, for values that are made from coefs\n", "",
                    format_bytes(a, plan->import_read_bytes));
    }
}

/* "measured 2026-01-31", "measured on a busy machine" or "nominal" */
static const char *origin(char buffer[48], const char *date, bool unsteady) {
    if (!figures_measured(date)) return "nominal";
    if (unsteady) return "measured on a busy machine";
    snprintf(buffer, 48, "measured %s", date);
    return buffer;
}

static double rate(double amount, double seconds) {
    return seconds > 0 ? amount / seconds * 1e-9 : 0;
}

/* What disk and cores have to do, at which rate, and how long that takes them. */
static void print_arithmetic(FILE *out, const struct oocc_grid *grid, const struct plan *plan) {
    char a[32], b[32];
    const double loops = plan->compute_seconds - plan->check_seconds;
    const double updates = (double)grid_points(grid) * (double)plan->steps;
    if (!plan->in_place)
        fprintf(out, "  %-12sdisk   %8.3g s: %s read, %s written, %.3g GB/s together\n", "", plan->io_seconds,
                format_bytes(a, plan->read_bytes), format_bytes(b, plan->write_bytes),
                rate((double)plan->read_bytes + (double)plan->write_bytes, plan->io_seconds));
    fprintf(out, "  %-12scores  %8.3g s: %.3g cell updates, %.3g GLUP/s", "", plan->compute_seconds, updates,
            rate(updates, loops));
    fprintf(out, plan->check_seconds > 0 ? "; %.3g s of it for checks\n" : "\n", plan->check_seconds);
    if (!plan->in_place && plan->one_commit_seconds > 0)
        fprintf(out, "  %-12scommits%8.3g s: one takes %.2g s, and comes %.3g s after the last one or later\n", "", plan->commit_seconds,
                plan->one_commit_seconds, commit_every(plan->commit_every, plan->one_commit_seconds));
}

static void print_figures(FILE *out, const struct plan *plan, const struct machine *machine) {
    const struct figures *f = machine->figures != NULL ? machine->figures : &figures_nominal;
    char text[48];
    line(out, "figures");
    fprintf(out, "memory %.1f GB/s, shared cache %.0f GB/s a core", f->machine.memory_bandwidth * 1e-9,
            f->machine.shared_cache * 1e-9);
    if (f->machine.shared_bytes > 0)
        fprintf(out, " up to %s in all", format_bytes(text, (int64_t)f->machine.shared_bytes));
    fprintf(out, " (%s)\n", origin(text, f->machine.date, f->machine.unsteady));
    if (!plan->in_place)
        fprintf(out, "  %-12sdisk %.2f GB/s read, %.2f GB/s write, %.2f GB/s both at once; beside the loops %.2f GB/s, and these at %.0f%% (%s)\n", "",
                f->device.read * 1e-9, f->device.write * 1e-9, f->device.both * 1e-9, f->device.beside * 1e-9,
                100 * f->device.cores_share, origin(text, f->device.date, false));
    const bool paced = f->kernel.points == 0 && f->kernel.pace > 0;
    const struct core_figures *core = paced ? &figures_nominal.machine.core : &f->machine.core;
    if (f->kernel.points == 0)
        fprintf(out, "  %-12s%.0f GFLOP/s a core (%s)", "", core->flops * 1e-9, core->measured ? "measured" : "nominal");
    else
        fprintf(out, "  %-12sthe program's loops at %d depths and widths%s (%s)", "", f->kernel.points, f->kernel.probed ? "" : " that runs have tried",
                origin(text, f->kernel.date, f->kernel.unsteady));
    if (paced)
        fprintf(out, ", for which runs took %.2f times as long as expected (%s)", f->kernel.pace, origin(text, f->kernel.date, false));
    fprintf(out, f->kernel.probed ? "\n" : "; --probe once times the program's loops\n");
    if (plan->tuned[0] != '\0') fprintf(out, "  %-12sthe plan was tuned on %s\n", "", plan->tuned);
}

static void print_prediction(FILE *out, const struct oocc_grid *grid, const struct plan *plan,
                             const struct machine *machine) {
    line(out, "predicted");
    fprintf(out, "%.3g s; bound by %s (%s figures)\n", plan->seconds, plan->bound, plan->basis);
    if (plan->steps > 0) print_arithmetic(out, grid, plan);
    print_figures(out, plan, machine);
}

void plan_print(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid,
                const struct plan *plan, const struct machine *machine) {
    fprintf(out, "Plan of %s (%s)\n", program->name, program->source);
    print_grid(out, program, grid);
    observe_print(out, program, plan);
    print_memory(out, program, grid, plan, machine);
    print_schedule(out, program, grid, plan);
    print_prediction(out, grid, plan, machine);
    line(out, "why");
    fprintf(out, "%s\n", plan->why);
}
