/*
 * options.c: the command line of a generated program. One table says what options there are; parsing, --help
 * and the suggestions for misspelt ones all come from it.
 */
#include "engines/engine.h"
#include "plan/plan_json.h"
#include "run/param.h"
#include "storage/member.h"
#include "support/fault.h"
#include "support/point.h"
#include "support/shown.h"
#include "support/suggest.h"

#include <getopt.h>
#include <string.h>

#ifndef OOCC_VERSION
#define OOCC_VERSION "unknown"
#endif

enum id {
    ID_STEPS = 256,
    ID_MEMORY,
    ID_THREADS,
    ID_SCRATCH,
    ID_ENGINE,
    ID_IO_DEPTH,
    ID_IO_REQUEST,
    ID_SCHEDULE,
    ID_BT,
    ID_BZ,
    ID_CT,
    ID_YT,
    ID_XT,
    ID_CHAINS,
    ID_COLUMNS,
    ID_PLAN,
    ID_MACHINE,
    ID_JSON,
    ID_RESUME,
    ID_RESTART,
    ID_KEEP,
    ID_REPORT,
    ID_PROGRESS,
    ID_COMMIT_EVERY,
    ID_PROBE,
    ID_TUNE,
    ID_TUNE_SECONDS,
    ID_BIND,
    ID_COLUMN_SIDES,
    ID_PREFETCH,
    ID_BARRIERS,
    ID_LAYOUT,
    ID_ADAPT,
    ID_TAKE_OVER,
    ID_FAULT,
    ID_RECORD_IO,
    ID_KILL_AT,
    ID_HELP,
    ID_VERSION
};

static const struct described {
    const char *name, *argument, *help; /* argument NULL: a switch */
    enum id id;
} table[] = {
    {"steps", "N", "advance N steps", ID_STEPS},
    {"memory", "SIZE", "stay within SIZE of memory (512M, 4G, 1.5G); default: most of what is available",
     ID_MEMORY},
    {"threads", "N", "compute with N threads; default: all that this process may use", ID_THREADS},
    {"scratch", "DIR,...",
     "keep what does not fit in memory there, in turn: directories or whole devices; default: NAME.scratch",
     ID_SCRATCH},
    {"engine", "NAME", "how bytes move: auto, uring, aio, threads, mmap, memory or swap", ID_ENGINE},
    {"io-depth", "N", "requests in flight at most; default: adapts itself", ID_IO_DEPTH},
    {"io-request", "SIZE", "requests are cut to SIZE; default: 4M", ID_IO_REQUEST},
    {"schedule", "NAME", "auto, stream, overlap, sweep or resident", ID_SCHEDULE},
    {"bt", "N", "steps that one pass over the scratch advances", ID_BT},
    {"bz", "N", "planes by which the window moves on", ID_BZ},
    {"ct", "N", "of the bt steps, so many while data is in cache", ID_CT},
    {"yt", "N", "rows (2-D: cells, 4-D: layers) of a tile, which is in cache", ID_YT},
    {"chains", "N", "chains of tiles: what threads take, with borders between them", ID_CHAINS},
    {"xt", "N", "cells of the pieces that long rows are cut into (3-D)", ID_XT},
    {"columns", "N", "columns that planes are cut into, streamed one after the other (3-D, 4-D)", ID_COLUMNS},
    {"column-sides", "HOW", "columns have a halo that is computed twice, or lean and leave strips to the next: auto, halo or lean", ID_COLUMN_SIDES},
    {"plan", NULL, "print the plan and its arithmetic, run nothing", ID_PLAN},
    {"machine", NULL, "print what is found of machine, scratch and engines as JSON, run nothing", ID_MACHINE},
    {"json", NULL, "with --plan: as JSON", ID_JSON},
    {"resume", NULL, "go on from the last commit in the scratch", ID_RESUME},
    {"restart", NULL, "discard what an earlier run left in the scratch", ID_RESTART},
    {"take-over", NULL, "use a scratch that a run on another host, which is no more, has left locked", ID_TAKE_OVER},
    {"keep", NULL, "keep the scratch when the run is done", ID_KEEP},
    {"commit-every", "SECONDS", "a pass of a resident run on disk ends, and is committed, so often",
     ID_COMMIT_EVERY},
    {"probe", "WHEN", "measure machine, disk and program before planning: auto (long runs, once), off or now",
     ID_PROBE},
    {"tune", NULL, "try the best few plans for a short time, keep the winner for runs like this one",
     ID_TUNE},
    {"tune-seconds", "SECONDS", "about how long --tune may take; default: 30", ID_TUNE_SECONDS},
    {"bind", "WHEN", "keep each thread on a core: auto (when they are as many), on or off", ID_BIND},
    {"prefetch", "WHEN", "tiles fetch planes ahead into cache: on or off, for studies", ID_PREFETCH},
    {"barriers", "WHEN", "threads meet between chains and their borders: on or off (the default), for studies", ID_BARRIERS},
    {"layout", "HOW", "rows and planes padded against cache conflicts, or dense, for studies; default: padded", ID_LAYOUT},
    {"adapt", "WHEN", "change tiles while running, as the clock says: on or off; random:SEED, for tests", ID_ADAPT},
    {"report", "FILE", "write figures of the run to FILE as JSON", ID_REPORT},
    {"progress", "WHEN", "auto (on), on or off", ID_PROGRESS},
    {"help", NULL, "print this and exit", ID_HELP},
    {"version", NULL, "print the version and exit", ID_VERSION},
    {"fault", "SPEC", "fail on purpose: eio@K, short:every=N,seed=S, ... (docs/testing.md)", ID_FAULT},
    {"record-io", "FILE", "write what is done to files to FILE (docs/formats/io-log.md)", ID_RECORD_IO},
    {"kill-at", "POINT", "end at a point at once, as by kill -9: LABEL or LABEL:N (docs/testing.md)", ID_KILL_AT},
};
enum { TABLE_SIZE = sizeof table / sizeof table[0], FOR_TESTS = 3 }; /* the last ones */

static const char *const engines[] = {"auto", "uring", "aio", "threads", "mmap", "memory", "swap", NULL};
static const char *const schedules[] = {"auto",     "sweep", "stream",
                                        "resident", "overlap", NULL};    /* as in enum schedule */
static const char *const progress_modes[] = {"auto", "on", "off", NULL}; /* as in enum progress_mode */
static const char *const probe_modes[] = {"auto", "off", "now", NULL};   /* as in enum probe_mode */
static const char *const layouts[] = {"padded", "dense", NULL};
static const char *const off_on[] = {"off", "on", NULL};
static const char *const sides[] = {"auto", "halo", "lean", NULL};       /* as in enum sides */
static const char *const bind_modes[] = {"auto", "on", "off", NULL};     /* as in enum bind_mode */

/* -- values ------------------------------------------------------------------------------------ */

/* Index of text in names, or -1 after the error has been printed. */
static int choose(const char *option, const char *text, const char *const names[]) {
    struct suggestion s = {.wanted = text};
    char all[96] = "one of", help[96];
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(text, names[i]) == 0) return i;
        suggest_consider(&s, names[i]);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s %s", i > 0 ? "," : "", names[i]);
    }
    run_fail(OOCC_USAGE, suggest_text(&s, "", all, help), "--%s: there is no '%s'", option, text);
    return -1;
}

static int want_count(const char *option, const char *text, int64_t least, int64_t most, int64_t *value) {
    if (param_parse_int(text, value) && *value >= least && *value <= most) return OOCC_OK;
    if (most == INT64_MAX)
        return run_fail(OOCC_USAGE, NULL, "--%s: '%s' is not a whole number of at least %lld", option, text,
                        (long long)least);
    return run_fail(OOCC_USAGE, NULL, "--%s: '%s' is not a whole number from %lld to %lld", option, text,
                    (long long)least, (long long)most);
}

/* Direct I/O moves whole blocks; what is more than a GiB the kernel cuts to pieces anyway. */
static int want_request_size(const char *value, int64_t *bytes) {
    if (parse_bytes(value, bytes) && *bytes >= 4096 && *bytes <= (int64_t)1 << 30 && *bytes % 4096 == 0)
        return OOCC_OK;
    return run_fail(OOCC_USAGE, "write for example 256K, 4M or 16M",
                    "--io-request: '%s' is not a multiple of 4096 bytes from 4K to 1G", value);
}

static int want_adapt(const char *value, struct options *options) {
    static const char random[] = "random:";
    int64_t seed;
    options->adapt = strcmp(value, "off") == 0 ? ADAPT_OFF : ADAPT_ON;
    if (strcmp(value, "on") == 0 || strcmp(value, "off") == 0) return OOCC_OK;
    if (strncmp(value, random, sizeof random - 1) != 0 || !param_parse_int(value + sizeof random - 1, &seed) || seed < 0)
        return run_fail(OOCC_USAGE, "one of on, off, random:SEED (a whole number)", "--adapt: there is no '%s'", value);
    options->adapt = ADAPT_RANDOM;
    options->adapt_seed = (uint64_t)seed;
    return OOCC_OK;
}

/* -- the whole line ---------------------------------------------------------------------------- */

static void print_help(const struct oocc_program *program) {
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
}

static int unknown_option(const char *text) {
    char word[40], help[96];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    struct suggestion s = {.wanted = word + strspn(word, "-")};
    for (int i = 0; i < TABLE_SIZE; i++)
        suggest_consider(&s, table[i].name);
    return run_fail(OOCC_USAGE, suggest_text(&s, "--", "--help lists the options", help),
                    "there is no option '%s', or it is ambiguous", word);
}

static int set_option(const struct oocc_program *program, int id, const char *value, struct options *options,
                      bool *stop) {
    int64_t count = 0;
    int status = OOCC_OK, index = 0;
    switch (id) {
    case 'D':
        return param_set(program, value);
    case ID_STEPS:
        return want_count("steps", value, 0, INT64_MAX, &options->steps);
    case ID_MEMORY:
        if (!parse_bytes(value, &options->memory_bytes) || options->memory_bytes == 0)
            return run_fail(OOCC_USAGE, "write for example 512M, 4G or 1.5G", "--memory: '%s' is not a size",
                            value);
        break;
    case ID_THREADS:
        status = want_count("threads", value, 1, 4096, &count);
        options->threads = (int)count;
        break;
    case ID_SCRATCH: {
        struct member member[MEMBERS_MOST];
        status = members_split(value, member, &index);
        members_forget(member, index);
        options->scratch = value;
        break;
    }
    case ID_REPORT:
        if (*value == '\0') return run_fail(OOCC_USAGE, NULL, "--report: the path is empty");
        options->report = value;
        break;
    case ID_ENGINE:
        if ((index = choose("engine", value, engines)) < 0) return OOCC_USAGE;
        options->engine = engines[index];
        break;
    case ID_IO_DEPTH:
        status = want_count("io-depth", value, 1, IO_DEPTH_MOST, &count);
        options->io_depth = (int)count;
        break;
    case ID_IO_REQUEST:
        return want_request_size(value, &options->io_request_bytes);
    case ID_SCHEDULE:
        if ((index = choose("schedule", value, schedules)) < 0) return OOCC_USAGE;
        options->schedule = (enum schedule)index;
        break;
    case ID_PROGRESS:
        if ((index = choose("progress", value, progress_modes)) < 0) return OOCC_USAGE;
        options->progress = (enum progress_mode)index;
        break;
    case ID_PROBE:
        if ((index = choose("probe", value, probe_modes)) < 0) return OOCC_USAGE;
        options->probe = (enum probe_mode)index;
        break;
    case ID_COLUMN_SIDES:
        if ((index = choose("column-sides", value, sides)) < 0) return OOCC_USAGE;
        options->column_sides = (enum sides)index;
        break;
    case ID_BIND:
        if ((index = choose("bind", value, bind_modes)) < 0) return OOCC_USAGE;
        options->bind = (enum bind_mode)index;
        break;
    case ID_PREFETCH:
        if ((index = choose("prefetch", value, off_on)) < 0) return OOCC_USAGE;
        options->no_prefetch = index == 0;
        break;
    case ID_BARRIERS:
        if ((index = choose("barriers", value, off_on)) < 0) return OOCC_USAGE;
        options->barriers = index == 1;
        break;
    case ID_LAYOUT:
        if ((index = choose("layout", value, layouts)) < 0) return OOCC_USAGE;
        options->dense = index == 1;
        break;
    case ID_ADAPT:
        return want_adapt(value, options);
    case ID_TAKE_OVER:
        options->take_over = true;
        break;
    case ID_KILL_AT:
        return point_arm(value);
    case ID_TUNE:
        options->tune = true;
        break;
    case ID_TUNE_SECONDS:
        if (!param_parse_real(value, false, &options->tune_seconds) || options->tune_seconds <= 0)
            return run_fail(OOCC_USAGE, NULL, "--tune-seconds: '%s' is not a positive number of seconds",
                            value);
        break;
    case ID_BT:
        return want_count("bt", value, 1, INT64_MAX, &options->bt);
    case ID_BZ:
        return want_count("bz", value, 1, INT64_MAX, &options->bz);
    case ID_CT:
        return want_count("ct", value, 1, INT64_MAX, &options->ct);
    case ID_YT:
        return want_count("yt", value, 1, INT64_MAX, &options->yt);
    case ID_XT:
        return want_count("xt", value, 1, INT64_MAX, &options->xt);
    case ID_CHAINS:
        return want_count("chains", value, 1, INT64_MAX, &options->chains);
    case ID_COLUMNS:
        return want_count("columns", value, 1, INT64_MAX, &options->columns);
    case ID_PLAN:
        options->plan_only = true;
        break;
    case ID_MACHINE:
        options->machine_only = true;
        break;
    case ID_JSON:
        options->json = true;
        break;
    case ID_RESUME:
        options->resume = true;
        break;
    case ID_RESTART:
        options->restart = true;
        break;
    case ID_KEEP:
        options->keep = true;
        break;
    case ID_COMMIT_EVERY:
        if (!param_parse_real(value, false, &options->commit_every) || options->commit_every < 0)
            return run_fail(OOCC_USAGE, NULL, "--commit-every: '%s' is not a number of seconds", value);
        break;
    case ID_FAULT:
        options->fault = value;
        return fault_set(value);
    case ID_RECORD_IO:
        if (*value == '\0') return run_fail(OOCC_USAGE, NULL, "--record-io: the path is empty");
        options->record_io = value;
        break;
    case ID_HELP:
        print_help(program);
        *stop = true;
        break;
    case ID_VERSION:
        printf("%s (oocc runtime %s)\n", program->name, OOCC_VERSION);
        *stop = true;
        break;
    default:
        return run_fail(OOCC_INTERNAL, NULL, "option %d is not handled", id);
    }
    return status;
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
        .steps = -1, .engine = engines[0], .io_request_bytes = IO_REQUEST_BYTES, .tune_seconds = 30};
}

int options_check(const struct oocc_program *program, const struct options *options) {
    if (options->tune && (options->schedule == SCHEDULE_SWEEP || options_fix_shape(program, options)))
        return run_fail(
            OOCC_USAGE, "leave out --tune, or what it is to find",
            "--tune chooses the plan: --bt, --bz, --ct, --yt and --xt, when compiling as well, and "
            "schedule sweep contradict it");
    if (options->resume && options->restart)
        return run_fail(OOCC_USAGE, "give one of them", "--resume and --restart contradict each other");
    return OOCC_OK;
}

int options_set(const struct oocc_program *program, struct options *options, const char *name, const char *value) {
    const struct described *found = NULL;
    for (int i = 0; i < TABLE_SIZE; i++)
        if (strcmp(table[i].name, name) == 0) found = &table[i];
    if (found == NULL) return unknown_option(name);
    if (found->id == ID_HELP || found->id == ID_VERSION || found->id == ID_PLAN || found->id == ID_JSON ||
        found->id == ID_PROGRESS)
        return run_fail(OOCC_USAGE, NULL, "option '%s' prints, which an application does itself", name);
    if (found - table >= TABLE_SIZE - FOR_TESTS)
        return run_fail(OOCC_USAGE, NULL, "option '%s' is for tests of programs on their own", name);
    if (found->argument != NULL && value == NULL)
        return run_fail(OOCC_USAGE, NULL, "option '%s' needs a value: %s", name, found->argument);
    if (found->argument == NULL && value != NULL)
        return run_fail(OOCC_USAGE, "give NULL", "option '%s' takes no value, and this is '%s'", name, value);
    bool stop = false;
    return set_option(program, (int)found->id, value, options, &stop);
}

int options_parse(const struct oocc_program *program, int argc, char **argv, struct options *options,
                  bool *stop) {
    *options = options_default();
    *stop = false;
    struct option longs[TABLE_SIZE + 1] = {{0}};
    for (int i = 0; i < TABLE_SIZE; i++)
        longs[i] = (struct option){.name = table[i].name,
                                   .has_arg = table[i].argument != NULL ? required_argument : no_argument,
                                   .val = (int)table[i].id};
    optind = 0; /* glibc: start anew, whoever used getopt before */
    opterr = 0;
    for (int id; !*stop && (id = getopt_long(argc, argv, "+:D:h", longs, NULL)) != -1;) {
        const char *word = argv[optind - 1];
        int status = OOCC_OK;
        if (id == ':')
            status = run_fail(OOCC_USAGE, "--help shows what it takes", "'%s' needs a value", word);
        else if (id == '?' && optopt >= ID_STEPS)
            status = run_fail(OOCC_USAGE, NULL, "'%s': the option takes no value", word);
        else if (id == '?')
            status = unknown_option(word);
        else
            status = set_option(program, id == 'h' ? (int)ID_HELP : id, optarg, options, stop);
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
