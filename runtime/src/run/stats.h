/* stats.h: what a run has done and how long that took. */
#ifndef OOCC_STATS_H
#define OOCC_STATS_H

#include <stdbool.h>
#include <stdint.h>

/* What became of the tiles while the run was going on (adapt.h). */
struct adapted {
    bool on;
    int64_t tried;         /* shapes */
    int64_t ct, tiles, yt; /* that the run came to */
    bool fetch;            /* these fetch planes ahead */
    double gain;           /* how many times as fast as the planned shape */
};

/* A part of a run's passes: what they have made, how long that took, and how long of it they waited for transfers and committed. */
struct passes {
    int64_t steps;
    double seconds, wait_seconds, commit_seconds;
};

struct stats {
    double started;                         /* machine_seconds() when the passes began */
    double pass_seconds, compute_seconds, read_wait_seconds, write_wait_seconds, commit_seconds;
    double last_commit_seconds;             /* of a pass or the import */
    double check_seconds;                   /* checksums made and verified */
    double import_seconds, export_seconds;
    int64_t read_bytes, write_bytes;        /* of the passes, counted by the engine */
    int64_t import_read_bytes, import_write_bytes, export_read_bytes;
    int64_t requests;
    int io_depth;        /* requests that were in flight at once, at most */
    char io_note[160];   /* what the engine had to do without, or empty */
    int64_t steps_done, passes_done, commits;
    double subnormal_share;                 /* of the cells that were looked at after a pass, at most */
    uint64_t result_hash;                   /* XXH3-64 of the per-plane hashes of the real cells of the final level */
    const char *stop_text; /* the condition that ended the run before its last step, or NULL */
    int64_t stop_level;    /* the level at which it held */
    int64_t given_up_level; /* at which a pass would have ended that was left when the run was stopped; 0: none */
    double given_up_seconds; /* of work on it */
    struct adapted adapted;
    /* It writes the generation that the import has left alone, which many disks do more slowly than they write it again. No steps: there is
     * none yet, or passes are in place, write nothing, and end as tiles are looked for. */
    struct passes first_pass;
};
/* All passes so far. */
struct passes stats_passes(const struct stats *stats);

#endif
