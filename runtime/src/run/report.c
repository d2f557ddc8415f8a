/* report.c: what the run did, as a table for people and as JSON (docs/formats/report.md) for programs. */
#include "field_io/beside.h"
#include "field_io/field_io.h"
#include "plan/plan_json.h"
#include "stream/wedge.h"
#include "support/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Of the passes: import and export are told apart. */
static double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

static double updates(const struct oocc_grid *grid, const struct stats *stats) {
    return (double)grid_points(grid) * (double)stats->steps_done;
}

/* The last value of every reduction, and what ended the run. */
static void observed_json(struct json *json, const struct oocc_program *program, const struct stats *stats) {
    json_open(json, "values", '{');
    for (int i = 0; i < program->watches; i++)
        json_double(json, program->watch[i].name, *program->watch[i].value);
    json_close(json, '}');
    if (stats->stop_text == NULL) {
        json_string(json, "stopped", NULL);
        return;
    }
    json_open(json, "stopped", '{');
    json_string(json, "condition", stats->stop_text);
    json_int(json, "level", stats->stop_level);
    json_close(json, '}');
}

static void adapted_json(struct json *json, const struct adapted *adapted) {
    if (!adapted->on) {
        json_string(json, "adapt", NULL);
        return;
    }
    json_open(json, "adapt", '{');
    json_int(json, "tried", adapted->tried);
    json_int(json, "ct", adapted->ct);
    json_int(json, "tiles", adapted->tiles);
    json_int(json, "yt", adapted->yt);
    json_bool(json, "fetch", adapted->fetch);
    json_double(json, "gain", adapted->gain);
    json_close(json, '}');
}

struct passes stats_passes(const struct stats *stats) {
    return (struct passes){.steps = stats->steps_done,
                           .seconds = stats->pass_seconds,
                           .wait_seconds = stats->read_wait_seconds + stats->write_wait_seconds,
                           .commit_seconds = stats->commit_seconds};
}

/* Those after the first one; no steps: there are none, or the first is not told apart. */
static struct passes later_passes(const struct stats *stats) {
    const struct passes all = stats_passes(stats), first = stats->first_pass;
    if (first.steps == 0) return first;
    return (struct passes){.steps = all.steps - first.steps,
                           .seconds = all.seconds - first.seconds,
                           .wait_seconds = all.wait_seconds - first.wait_seconds,
                           .commit_seconds = all.commit_seconds - first.commit_seconds};
}

static double passes_glups(const struct oocc_grid *grid, struct passes passes) {
    return share((double)grid_points(grid) * (double)passes.steps, passes.seconds) * 1e-9;
}

static void passes_json(struct json *json, const char *name, const struct oocc_grid *grid, struct passes passes) {
    if (passes.steps == 0) {
        json_string(json, name, NULL);
        return;
    }
    json_open(json, name, '{');
    json_int(json, "steps", passes.steps);
    json_double(json, "seconds", passes.seconds);
    json_double(json, "glups", passes_glups(grid, passes));
    json_double(json, "wait_share", share(passes.wait_seconds, passes.seconds));
    json_double(json, "commit_share", share(passes.commit_seconds, passes.seconds));
    json_close(json, '}');
}

static void stats_json(struct json *json, const struct oocc_program *program, const struct oocc_grid *grid,
                       const struct stats *stats) {
    const double cell_steps = updates(grid, stats);
    const struct passes all = stats_passes(stats);
    json_open(json, "measured", '{');
    json_int(json, "steps", stats->steps_done);
    json_int(json, "passes", stats->passes_done);
    json_int(json, "commits", stats->commits);
    json_double(json, "pass_seconds", stats->pass_seconds);
    json_double(json, "compute_seconds", stats->compute_seconds);
    json_double(json, "read_wait_seconds", stats->read_wait_seconds);
    json_double(json, "write_wait_seconds", stats->write_wait_seconds);
    json_double(json, "commit_seconds", stats->commit_seconds);
    json_double(json, "check_seconds", stats->check_seconds);
    json_double(json, "import_seconds", stats->import_seconds);
    json_double(json, "export_seconds", stats->export_seconds);
    json_int(json, "read_bytes", stats->read_bytes);
    json_int(json, "write_bytes", stats->write_bytes);
    json_int(json, "import_read_bytes", stats->import_read_bytes);
    json_int(json, "import_write_bytes", stats->import_write_bytes);
    json_int(json, "export_read_bytes", stats->export_read_bytes);
    json_int(json, "requests", stats->requests);
    json_int(json, "io_depth", stats->io_depth);
    json_string(json, "io_note", *stats->io_note != '\0' ? stats->io_note : NULL);
    json_double(json, "glups", passes_glups(grid, all));
    json_double(json, "read_gb_per_second", share((double)stats->read_bytes, stats->pass_seconds) * 1e-9);
    json_double(json, "write_gb_per_second", share((double)stats->write_bytes, stats->pass_seconds) * 1e-9);
    json_double(json, "bytes_per_update",
                share((double)(stats->read_bytes + stats->write_bytes), cell_steps));
    json_double(json, "wait_share", share(all.wait_seconds, all.seconds));
    json_double(json, "commit_share", share(all.commit_seconds, all.seconds));
    passes_json(json, "first_pass", grid, stats->first_pass);
    passes_json(json, "later_passes", grid, later_passes(stats));
    json_int(json, "peak_bytes", machine_peak_bytes());
    adapted_json(json, &stats->adapted);
    observed_json(json, program, stats);
    json_double(json, "subnormal_share", stats->subnormal_share);
    json_hash(json, "result_hash", stats->result_hash);
    json_close(json, '}');
}

static int write_json(int fd, const char *path, const struct oocc_program *program, const struct oocc_grid *grid, const struct plan *plan,
                      const struct machine *machine, const struct stats *stats) {
    struct text text;
    FILE *out = text_begin(&text, TEXT_LIKELY);
    if (out == NULL) return run_fail(OOCC_NO_MEMORY, NULL, "no memory for the report");
    struct json json;
    json_begin(&json, out);
    json_open(&json, NULL, '{');
    json_string(&json, "format", "oocc-report");
    json_int(&json, "version", 1);
    plan_json_members(&json, program, grid, plan, machine);
    stats_json(&json, program, grid, stats);
    json_close(&json, '}');
    char *whole = text_end(&text);
    const int status = whole ? field_write(fd, path, whole, (int64_t)text.length, 0)
                             : run_fail(OOCC_NO_MEMORY, NULL, "no memory for the report");
    free(whole);
    return status;
}

/* Beside the final name first: a reader never sees half a report. */
int report_write(const char *path, const struct oocc_program *program, const struct oocc_grid *grid,
                 const struct plan *plan, const struct machine *machine, const struct stats *stats) {
    struct beside beside;
    int status = beside_create(&beside, path);
    if (status != OOCC_OK) return status;
    status = write_json(beside.fd, path, program, grid, plan, machine, stats);
    const int closed = beside_close(&beside, status == OOCC_OK);
    return status != OOCC_OK ? status : closed;
}

void report_print(FILE *out, const struct oocc_program *program, const struct oocc_grid *grid,
                  const struct plan *plan, const struct stats *stats) {
    char a[32], b[32], text[160], list[512];
    const double cell_steps = updates(grid, stats);
    fprintf(out, "%s\n  %-14s", program->name, "grid");
    for (int d = 0; d < grid->ndim; d++)
        fprintf(out, "%s%s", d > 0 ? " x " : "", format_count(a, grid->extent[d]));
    fprintf(out, " cells, state %s\n", format_bytes(a, grid_state_bytes(program, grid)));
    fprintf(out, "  %-14s%s peak, budget %s\n", "memory", format_bytes(a, machine_peak_bytes()),
            format_bytes(b, plan->budget_bytes));
    fprintf(out, "  %-14s%s on engine %s, %d thread%s\n", "schedule", schedule_name(plan->schedule),
            plan->engine, plan->threads, plan->threads == 1 ? "" : "s");
    if (program->wedge.periodic)
        fprintf(out, "  %-14s%s\n", "", wedge_text(text, sizeof text, program, grid, plan));
    if (plan->scratch != NULL) fprintf(out, "  %-14s%s\n", "scratch", scratch_list(list, plan));
    fprintf(out, "  %-14s%" PRId64 " in %" PRId64 " pass%s of up to %" PRId64 "\n", "steps",
            stats->steps_done, stats->passes_done, stats->passes_done == 1 ? "" : "es", plan->bt);
    const struct adapted *now = &stats->adapted;
    if (now->gain > 1 && now->fetch != plan->fetch)
        fprintf(out, "  %-14s%s\n", "tiles", now->fetch ? "fetch planes ahead after all" : "fetch nothing ahead, the processor does");
    if (now->gain > 1 && (now->ct != plan->ct || now->tiles != plan->tiles))
        fprintf(out, "  %-14sct %" PRId64 ", yt %" PRId64 " (planned ct %" PRId64 ", yt %" PRId64 "; %.2f times as fast)\n",
                "tiles", now->ct, now->yt, plan->ct, plan->yt, now->gain);
    if (stats->stop_text != NULL)
        fprintf(out, "  %-14sat t=%" PRId64 ": %s\n", "stopped", stats->stop_level, stats->stop_text);
    if (!plan->in_place) {
        fprintf(out, "  %-14s%s (%.3f bytes per cell and step)\n", "read", format_bytes(a, stats->read_bytes),
                share((double)stats->read_bytes, cell_steps));
        fprintf(out, "  %-14s%s (%.3f bytes per cell and step)\n", "written",
                format_bytes(a, stats->write_bytes), share((double)stats->write_bytes, cell_steps));
    }
    if (!plan->in_place) {
        fprintf(out, "  %-14s%" PRId64 " of up to %s, up to %d in flight\n", "requests", stats->requests,
                format_bytes(a, plan->io_request_bytes), stats->io_depth);
        if (*stats->io_note != '\0') fprintf(out, "  %-14s%s\n", "", stats->io_note);
    }
    fprintf(out, "  %-14s%.3f s, import %.3f s, export %.3f s\n", "time", stats->pass_seconds,
            stats->import_seconds, stats->export_seconds);
    const struct passes later = later_passes(stats);
    fprintf(out, "  %-14s%.4g GLUP/s", "speed", passes_glups(grid, stats_passes(stats)));
    if (later.steps > 0)
        fprintf(out, " (first pass %.4g, later %.4g)", passes_glups(grid, stats->first_pass), passes_glups(grid, later));
    fputc('\n', out);
    if (!plan->in_place)
        fprintf(out, "  %-14s%.1f%% of the time for reads, %.1f%% for writes, %.1f%% for commits\n",
                "waiting", 100 * share(stats->read_wait_seconds, stats->pass_seconds),
                100 * share(stats->write_wait_seconds, stats->pass_seconds),
                100 * share(stats->commit_seconds, stats->pass_seconds));
    fprintf(out, "  %-14s%016" PRIx64 "\n", "result", stats->result_hash);
}
