/*
 * trial.h: some slabs from the middle of a pass, where all its steps are at work, done for the time they take. The planes
 * are those of the real grid and the loops the program's own; what comes out is dropped. They are from the middle of the grid, too:
 * layers that are computed otherwise lie at faces more often than not.
 */
#ifndef OOCC_TRIAL_H
#define OOCC_TRIAL_H

#include "plan/cost.h"
#include "run/run.h"

/* Memory for the windows of one trial after the other: to make its pages anew would take longer than what is timed. */
struct trial_memory {
    char *mapping; /* NULL: none yet */
    int64_t bytes;
    int64_t room_bytes; /* at most; found before there is any, of which some is resident and some is not */
};
/* At least so many bytes, of any contents; NULL, and errno, when they cannot be had. What was taken before is gone. */
char *trial_memory_take(struct trial_memory *memory, int64_t bytes);
void trial_memory_close(struct trial_memory *memory);

#define TRIAL_NOWHERE INT64_MIN

struct timed_slabs {
    struct trial_memory *memory; /* of the window; NULL: it has its own */
    bool transfers; /* planes are read and written, as in the run; false: only computed */
    int64_t warm;   /* slabs before the clock starts */
    double since;   /* when it did */
    int64_t end;    /* of the wave's positions: where the slabs of the latest pass ended; TRIAL_NOWHERE before the first one */
    double place;   /* of the next slabs, as a share of all such positions; negative: after the latest ones */
};

struct trial_result {
    double seconds; /* of one slab, in the best moments */
    double usual_seconds; /* and on the average */
    double updates; /* cells times steps of one slab */
    int64_t slabs;  /* timed */
    double all_over; /* only of trial_all_over() */
};

/* Computes with a window in `memory`; as many slabs as fill about `seconds`, one at least. False: it does not fit, or something
 * failed. */
bool trial_compute(const struct oocc_run *run, const struct shape *shape, struct trial_memory *memory, double seconds,
                   struct trial_result *result);

/* How many times as long slabs take all over the grid as in its middle: so many of them, evenly spread, each by turns with one that lies there.
 * 0: they do not fit, or something failed. */
double trial_all_over(const struct oocc_run *run, const struct shape *shape, struct trial_memory *memory, int places);

/* Runs on the store of the run, whose window, records and watches are closed: reads the whole generation, writes the
 * other one. 0 or an exit status, the error printed. */
int trial_stream(struct oocc_run *run, double seconds, struct trial_result *result);

#endif
