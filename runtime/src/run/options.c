/*
 * options.c: the command line of a generated program. One table says what options there are and how each is taken (take.h);
 * parsing, --help and the suggestions for misspelt ones all come from it.
 */
#include "engines/engine.h"
#include "plan/plan_json.h"
#include "run/param.h"
#include "run/take.h"
#include "stream/subnormal.h"
#include "support/shown.h"
#include "support/suggest.h"

#include <getopt.h>
#include <string.h>

#ifndef OOCC_VERSION
#define OOCC_VERSION "unknown"
#endif

static taker show_help;

static int show_version(const struct described *option, const char *value, const struct line *line) {
    (void)option, (void)value;
    printf("%s (oocc runtime %s)\n", line->program->name, OOCC_VERSION);
    *line->stop = true;
    return OOCC_OK;
}

/* -- the table --------------------------------------------------------------------------------- */

static const char *const engines[] = {"auto", "uring", "aio", "threads", "mmap", "memory", "swap", NULL};
static const char *const schedules[] = {"auto",     "sweep", "stream",
                                        "resident", "overlap", NULL};    /* as in enum schedule */
static const char *const probe_modes[] = {"auto", "off", "now", "once", NULL}; /* as in enum probe_mode */
static const char *const layouts[] = {"padded", "dense", NULL};
static const char *const auto_on_off[] = {"auto", "on", "off", NULL}; /* as in enum progress_mode, bind_mode and prefetch_mode */
static const char *const off_on[] = {"off", "on", NULL};
static const char *const keep_zero[] = {"keep", "zero", NULL};
static const char *const sides[] = {"auto", "halo", "lean", NULL};       /* as in enum sides */

#define AT(member) offsetof(struct options, member)
static const struct described table[] = {
    {"steps", "N", "advance N steps", take_steps, 0, NULL},
    {"memory", "SIZE", "stay within SIZE of memory (512M, 4G, 1.5G); default: most of what is available",
     take_memory, 0, NULL},
    {"threads", "N", "compute with N threads; default: all that this process may use", take_threads, 0, NULL},
    {"scratch", "DIR,...",
     "keep what does not fit in memory there, in turn: directories or whole devices; default: NAME.scratch",
     take_scratch, 0, NULL},
    {"engine", "NAME", "how bytes move: auto, uring, aio, threads, mmap, memory or swap", take_engine, 0, engines},
    {"io-depth", "N", "requests in flight at most; default: adapts itself", take_depth, 0, NULL},
    {"io-request", "SIZE", "requests are cut to SIZE; default: 4M", take_request, 0, NULL},
    {"schedule", "NAME", "auto, stream, overlap, sweep or resident", take_choice, AT(schedule), schedules},
    {"bt", "N", "steps that one pass over the scratch advances", take_count, AT(bt), NULL},
    {"bz", "N", "planes by which the window moves on", take_count, AT(bz), NULL},
    {"ct", "N", "of the bt steps, so many while data is in cache", take_count, AT(ct), NULL},
    {"yt", "N", "rows (2-D: cells, 4-D: layers) of a tile, which is in cache", take_count, AT(yt), NULL},
    {"chains", "N", "chains of tiles: what threads take, with borders between them", take_count, AT(chains), NULL},
    {"xt", "N", "cells of the pieces that long rows are cut into (3-D)", take_count, AT(xt), NULL},
    {"columns", "N", "columns that planes are cut into, streamed one after the other (3-D, 4-D)", take_count, AT(columns), NULL},
    {"column-sides", "HOW", "columns have a halo that is computed twice, or lean and leave strips to the next: auto, halo or lean", take_choice, AT(column_sides), sides},
    {"plan", NULL, "print the plan and its arithmetic, run nothing", take_switch, AT(plan_only), NULL},
    {"machine", NULL, "print what is found of machine, scratch and engines as JSON, run nothing", take_switch, AT(machine_only), NULL},
    {"json", NULL, "with --plan: as JSON", take_switch, AT(json), NULL},
    {"resume", NULL, "go on with the run in the scratch", take_switch, AT(resume), NULL},
    {"restart", NULL, "discard what an earlier run left in the scratch", take_switch, AT(restart), NULL},
    {"take-over", NULL, "use a scratch that a run on another host, which is no more, has left locked", take_switch, AT(take_over), NULL},
    {"keep", NULL, "keep the scratch when the run is done", take_switch, AT(keep), NULL},
    {"commit-every", "SECONDS", "seconds between commits at least (default: 100 times what one takes); 0: after every pass",
     take_commit_every, 0, NULL},
    {"probe", "WHEN", "before planning, measure machine, disk and loops: auto (for long runs), off, once (what is missing) or now (anew)",
     take_choice, AT(probe), probe_modes},
    {"tune", NULL, "try the best few plans for a short time, keep the winner for runs like this one",
     take_switch, AT(tune), NULL},
    {"tune-seconds", "SECONDS", "about how long --tune may take; default: 30", take_tune_seconds, 0, NULL},
    {"bind", "WHEN", "keep each thread on a core: auto (when they are as many), on or off", take_choice, AT(bind), auto_on_off},
    {"prefetch", "WHEN", "tiles fetch planes ahead into cache: auto (where that is faster), on or off", take_choice, AT(prefetch), auto_on_off},
    {"barriers", "WHEN", "threads meet between chains and their borders: on or off (the default), for studies", take_either, AT(barriers), off_on},
    {"layout", "HOW", "rows and planes padded against cache conflicts, or dense, for studies; default: padded", take_either, AT(dense), layouts},
    {"adapt", "WHEN", "change tiles while running, as the clock says: on or off; random:SEED, for tests", take_adapt, 0, NULL},
    {"subnormals", "HOW", "numbers below the least normal one, which take many processors a hundred times as long: keep (the default), or zero: a step takes them as 0", take_either, AT(subnormals_zero), keep_zero},
    {"report", "FILE", "write figures of the run to FILE as JSON", take_path, AT(report), NULL},
    {"progress", "WHEN", "auto (on), on or off", take_choice, AT(progress), auto_on_off},
    {"help", NULL, "print this and exit", show_help, 0, NULL},
    {"version", NULL, "print the version and exit", show_version, 0, NULL},
    {"fault", "SPEC", "fail on purpose: eio@K, short:every=N,seed=S, ... (docs/testing.md)", take_fault, 0, NULL},
    {"record-io", "FILE", "write what is done to files to FILE (docs/formats/io-log.md)", take_path, AT(record_io), NULL},
    {"kill-at", "POINT", "end at a point at once, as by kill -9: LABEL or LABEL:N (docs/testing.md)", take_kill_at, 0, NULL},
};
#undef AT
enum { TABLE_SIZE = sizeof table / sizeof table[0], FOR_TESTS = 3 }; /* the last ones */

static const struct described *find(const char *name) {
    for (int i = 0; i < TABLE_SIZE; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    return NULL;
}

/* -- the whole line ---------------------------------------------------------------------------- */

static int show_help(const struct described *option, const char *value, const struct line *line) {
    (void)option, (void)value;
    const struct oocc_program *program = line->program;
    printf("Usage: %s [-D NAME=VALUE]... [OPTION]...\n\nRuns the stencil program ", program->name);
    put_shown(stdout, program->source, "");
    printf(".\n\nOptions:\n");
    printf("  %-24s%s\n", "-D NAME=VALUE", "set a parameter");
    for (int i = 0; i < TABLE_SIZE; i++) {
        char left[40];
        if (i == TABLE_SIZE - FOR_TESTS) printf("\nFor tests:\n");
        snprintf(left, sizeof left, "--%s%s%s", table[i].name, table[i].argument != NULL ? " " : "",
                 table[i].argument != NULL ? table[i].argument : "");
        printf("  %-24s%s\n", left, table[i].help);
    }
    if (program->params > 0) printf("\nParameters (-D NAME=VALUE):\n");
    for (int i = 0; i < program->params; i++) {
        char left[80];
        snprintf(left, sizeof left, "%s : %s", program->param[i].name, type_name(program->param[i].type));
        printf("  %-24s", left);
        if (program->param[i].given != NULL)
            printf("follows from other parameters");
        else
            param_print(stdout, &program->param[i]);
        printf("%s\n", program->param[i].constant ? " (fixed when compiled)" : "");
    }
    printf(
        "\nExit status: 0 done; 2 usage; 65 bad program or input file; 70 internal error; 71 out of memory;\n"
        "73 no space or cannot create; 74 I/O error; 75 stopped, can be resumed; 76 stored data is corrupt;\n"
        "77 permission, or scratch in use by another run.\n");
    *line->stop = true;
    return OOCC_OK;
}

/* nx, or param and set with nx=512 to follow, as other programs take parameters. */
static bool gives_param(const struct oocc_program *program, const char *name) {
    bool gives = strcmp(name, "param") == 0 || strcmp(name, "set") == 0;
    for (int i = 0; i < program->params && !gives; i++)
        gives = strcmp(program->param[i].name, name) == 0;
    return gives;
}

/* `params`: how parameters are given instead. */
static int unknown_option(const struct oocc_program *program, const char *text, const char *params) {
    char word[40], help[96];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    struct suggestion s = {.wanted = word + strspn(word, "-")};
    if (gives_param(program, s.wanted))
        return run_fail(OOCC_USAGE, params, "there is no option '%s'", word);
    for (int i = 0; i < TABLE_SIZE; i++)
        suggest_consider(&s, table[i].name);
    return run_fail(OOCC_USAGE, suggest_text(&s, "--", "--help lists the options", help),
                    "there is no option '%s', or it is ambiguous", word);
}

bool options_adapt(const struct oocc_program *program, const struct options *options) {
    return options->adapt != ADAPT_OFF && options->ct == 0 && options->yt == 0 && program->ct == 0 && program->yt == 0;
}

bool options_fix_shape(const struct oocc_program *program, const struct options *options) {
    return options->bt > 0 || options->bz > 0 || options->ct > 0 || options->yt > 0 || options->xt > 0 ||
           program->bt > 0 || program->bz > 0 || program->ct > 0 || program->yt > 0 || program->xt > 0;
}

struct options options_default(void) {
    return (struct options){
        .steps = -1, .engine = engines[0], .io_request_bytes = IO_REQUEST_BYTES, .commit_every = -1, .tune_seconds = 30};
}

int options_check(const struct oocc_program *program, const struct options *options) {
    if (options->tune && (options->schedule == SCHEDULE_SWEEP || options_fix_shape(program, options)))
        return run_fail(
            OOCC_USAGE, "leave out --tune, or what it is to find",
            "--tune chooses the plan: --bt, --bz, --ct, --yt and --xt, when compiling as well, and "
            "schedule sweep contradict it");
    if (options->resume && options->restart)
        return run_fail(OOCC_USAGE, "give one of them", "--resume and --restart contradict each other");
    if (options->subnormals_zero && !subnormal_can_be_zero())
        return run_fail(OOCC_USAGE, "leave out --subnormals", "this processor cannot take subnormal numbers as 0");
    return OOCC_OK;
}

/* What prints is not for applications, which do that themselves. */
static bool prints(const char *name) {
    static const char *const printing[] = {"help", "version", "plan", "json", "progress"};
    for (size_t i = 0; i < sizeof printing / sizeof *printing; i++)
        if (strcmp(printing[i], name) == 0) return true;
    return false;
}

int options_set(const struct oocc_program *program, struct options *options, const char *name, const char *value) {
    const struct described *found = find(name);
    if (found == NULL) return unknown_option(program, name, "parameters are given by functions of their own");
    if (prints(name)) return run_fail(OOCC_USAGE, NULL, "option '%s' prints, which an application does itself", name);
    if (found - table >= TABLE_SIZE - FOR_TESTS)
        return run_fail(OOCC_USAGE, NULL, "option '%s' is for tests of programs on their own", name);
    if (found->argument != NULL && value == NULL)
        return run_fail(OOCC_USAGE, NULL, "option '%s' needs a value: %s", name, found->argument);
    if (found->argument == NULL && value != NULL)
        return run_fail(OOCC_USAGE, "give NULL", "option '%s' takes no value, and this is '%s'", name, value);
    bool stop = false;
    return found->take(found, value, &(struct line){program, options, &stop});
}

int options_parse(const struct oocc_program *program, int argc, char **argv, struct options *options,
                  bool *stop) {
    enum { FIRST = 256 }; /* beyond all characters */
    const struct line line = {program, options, stop};
    *options = options_default();
    *stop = false;
    struct option longs[TABLE_SIZE + 1] = {{0}};
    for (int i = 0; i < TABLE_SIZE; i++)
        longs[i] = (struct option){.name = table[i].name,
                                   .has_arg = table[i].argument != NULL ? required_argument : no_argument,
                                   .val = FIRST + i};
    optind = 0; /* glibc: start anew, whoever used getopt before */
    opterr = 0;
    while (!*stop) {
        const int at = optind > 0 ? optind : 1; /* where getopt stays while it is in the middle of "-abc" */
        const int id = getopt_long(argc, argv, "+:D:h", longs, NULL);
        if (id == -1) break;
        const char *word = argv[at];
        const struct described *option = id >= FIRST ? &table[id - FIRST] : NULL;
        int status;
        if (id == ':')
            status = run_fail(OOCC_USAGE, "--help shows what it takes", "'%s' needs a value", word);
        else if (id == '?' && optopt >= FIRST)
            status = run_fail(OOCC_USAGE, NULL, "'%s': the option takes no value", word);
        else if (id == '?')
            status = unknown_option(program, word, "parameters are given as -D name=value");
        else if (id == 'D')
            status = param_set(program, optarg);
        else
            status = option ? option->take(option, optarg, &line) : show_help(NULL, NULL, &line);
        if (status != OOCC_OK) return status;
    }
    if (*stop) return OOCC_OK;
    if (optind < argc)
        return run_fail(OOCC_USAGE, "--help lists the options; parameters are given as -D name=value",
                        "unexpected argument '%s'", argv[optind]);
    if (options->json && !options->plan_only)
        return run_fail(OOCC_USAGE, "use --report FILE for the figures of a run", "--json goes with --plan");
    return options_check(program, options);
}
