/*
 * oocc-verify: reads all that a run keeps in its scratch, between runs, and compares checksums. It needs neither the program nor the right
 * to write, and changes nothing (docs/interruptions.md).
 */
#include "verify.h"

#include "storage/scratch.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ID_PROGRESS = 256 };

static const char usage[] =
    "Usage: oocc verify [OPTION]... DIR[,DIR...]\n\n"
    "Reads every record that a run keeps in its scratch and compares checksums; changes nothing. Name all places that the run\n"
    "was given with --scratch, in any order: directories or devices.\n\n"
    "Options:\n"
    "  -h,--help             print this and exit\n"
    "  --progress WHEN       auto (on), on or off\n\n"
    "Exit status: 0 all is well; 2 usage; 65 there is no scratch; 71 out of memory; 74 something cannot be read;\n"
    "76 something is damaged; 77 permission, or the scratch is in use.\n";

static int parse(int argc, char **argv, enum progress_mode *progress, const char **places) {
    static const struct option longs[] = {
        {"progress", required_argument, NULL, ID_PROGRESS}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    static const char *const modes[] = {"auto", "on", "off"}; /* as in enum progress_mode */
    opterr = 0;
    for (int id; (id = getopt_long(argc, argv, ":h", longs, NULL)) != -1;) {
        int mode = 0;
        switch (id) {
        case 'h':
            fputs(usage, stdout);
            return OOCC_OK;
        case ID_PROGRESS:
            while (mode < 3 && strcmp(modes[mode], optarg))
                mode++;
            if (mode == 3) return run_fail(OOCC_USAGE, "one of auto, on, off", "--progress: there is no '%s'", optarg);
            *progress = (enum progress_mode)mode;
            break;
        default:
            return run_fail(OOCC_USAGE, "--help shows what there is", "'%s' is not understood", argv[optind - 1]);
        }
    }
    if (optind + 1 != argc)
        return run_fail(OOCC_USAGE, "oocc verify DIR, or oocc verify DIR1,DIR2,...",
                        optind == argc ? "which scratch is not said" : "one scratch at a time is verified");
    *places = argv[optind];
    return OOCC_OK;
}

/* A place that is not there at all, or is a file, has no scratch. */
static int check_places(const char *places) {
    struct member member[MEMBERS_MOST];
    int members;
    int status = members_split(places, member, &members);
    for (int m = 0; m < members && !status; m++) {
        struct stat info;
        if (stat(member[m].path, &info) || (!S_ISDIR(info.st_mode) && !S_ISBLK(info.st_mode)))
            status = run_fail(OOCC_BAD_INPUT, "name the place that the run was given with --scratch",
                              "%s is neither a directory nor a block device", member[m].path);
    }
    members_forget(member, members);
    return status;
}

static int tell(const struct described *d, const struct findings *f, const char *places, double seconds) {
    char bytes[32], bands[32], all[32];
    if (!f->damaged && !f->unread) {
        say("%s: level %" PRId64 " of %" PRId64 " of %s: all is well: %s in %.1f s (%.2f GB/s)\n", places,
               d->manifest.level, d->manifest.steps, d->program_name, format_bytes(bytes, f->bytes), seconds,
               seconds > 0 ? (double)f->bytes / seconds * 1e-9 : 0);
        return OOCC_OK;
    }
    fflush(stdout);
    return run_fail(f->unread ? OOCC_IO_ERROR : OOCC_CORRUPT, "begin again with --restart, or bring back a copy of the scratch",
                    "%s: %s of %s checksums %s (level %" PRId64 " of %s)", places,
                    format_count(bands, f->damaged + f->unread), format_count(all, f->bands),
                    f->unread ? "could not be compared or do not match" : "do not match", d->manifest.level, d->program_name);
}

static int verify(struct described *d, struct store *store, const char *places) {
    char *text = NULL, *at;
    struct findings findings = {0};
    const double began = machine_seconds();
    int status = manifest_get(store, &text, &at, &d->manifest);
    if (!status) status = describe(store, &at, d);
    if (!status) status = store_lay_out(&d->run, store);
    if (!status) status = manifest_read_sums(&d->run, store, d->manifest.generation, at);
    free(text);
    store->member[0].records = d->traces; /* on a device they lie by their number */
    if (!status) status = scrub(d, store, &findings);
    if (!status) status = scrub_traces(d, store, &findings);
    return status ? status : tell(d, &findings, places, machine_seconds() - began);
}

int main(int argc, char **argv) {
    static struct described described;
    enum progress_mode progress = PROGRESS_AUTO;
    const char *places = NULL;
    run_set_name("oocc verify");
    run_watch_end();
    int status = parse(argc, argv, &progress, &places);
    if (status || !places) return status ? status : run_check_stdout();
    struct store *store = calloc(1, sizeof *store);
    if (!store) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    described.run.options.scratch = places;
    progress_begin(progress, "oocc verify");
    if (!(status = check_places(places)) && !(status = scratch_open(&described.run, store, MEMBER_VERIFY)))
        status = verify(&described, store, places);
    progress_end();
    scratch_close(store, true);
    for (int i = 0; i < SUMS; i++)
        free(store->sum[i]);
    free(store->trace_sum);
    free(store->region);
    free(store);
    described_forget(&described);
    return status ? status : run_check_stdout();
}
