/* probe_device.h: files behind the scratch and what moves to and from them, for the parts of the probe that measure the device:
 * by itself (probe_device.c), and beside the program's loops (probe_beside.c). */
#ifndef OOCC_PROBE_DEVICE_H
#define OOCC_PROBE_DEVICE_H

#include "engines/engine.h"
#include "plan/run_plan.h"

/* Two files, so that one is read while the other is written; batches of each that take turns; directories at most. */
enum { PROBING_FILES = 2, PROBING_BATCHES = 2, PROBING_MEMBERS = 16 };

/* Bytes that move in one direction: file after buffer after buffer, up to its end. */
struct stream {
    struct io_file *file;
    bool write;
    char *buffer; /* PROBING_BATCHES parts */
    int64_t end;  /* of the file's part that is gone through, again and again */
    struct io_batch batch[PROBING_BATCHES];
    int64_t at, moved;
};

struct probing {
    struct engine *engine;
    int members; /* directories of the scratch */
    struct io_file file[PROBING_FILES][PROBING_MEMBERS];
    char *mapping, *memory; /* all buffers, in huge pages */
    int64_t mapping_bytes, part; /* bytes of one batch */
    int64_t filled[PROBING_FILES]; /* of every file of a pair, from its beginning */
    double sync_seconds;           /* of the last probing_move(): at its end, to make what was written durable */
};

/* Files without names, of which nothing is left, and buffers of random bytes, of up to part_bytes a batch (of all members together). False:
 * there is no room, or something failed; then, too, it has to be closed. */
bool probing_open(struct probing *p, const struct plan *plan, const char *scratch, int64_t room_bytes, int64_t part_bytes);
void probing_close(struct probing *p);

/* Writes both files, each for half a second at most, and sets `filled`: at least a part. False: something failed. */
bool probing_fill(struct probing *p);

/* A stream for every member: through file `index` up to `end`. */
void probing_aim(struct probing *p, struct stream *streams, int index, bool write, int64_t end);
void probing_begin(struct stream *streams, int count);
/* Waits for the batch, and fills it again unless the stream is to end. False: something failed. */
bool probing_turn(struct probing *p, struct stream *s, int index, bool more);
/* Waits for all that is under way. */
void probing_end(struct probing *p, struct stream *streams, int count);
/* All streams at once, each until `most` bytes have moved or half a second is over. Returns seconds, made durable when something
 * was written; 0 when something failed. */
double probing_move(struct probing *p, struct stream *streams, int count, int64_t most);
/* Bytes that all of them have moved. */
double probing_bytes(const struct stream *streams, int count);

#endif
