/* mover.h: keeps the device behind the scratch busy while loops are timed, as a pass does: one file is read, the other one written, as fast as
 * that goes or at a pace. */
#ifndef OOCC_MOVER_H
#define OOCC_MOVER_H

#include "tuning/probe_device.h"

#include <pthread.h>

struct mover {
    struct probing files;
    pthread_t thread; /* mostly waits */
    bool stop, good;
    double pace; /* bytes per second, of both directions together, that are not to be exceeded; 0: as fast as they go */
    double rate; /* bytes per second that have moved */
};

/* Two files, both written, and buffers in so many bytes. False: there is no room, or something failed; then, too, it has to be closed. */
bool mover_open(struct mover *m, const struct plan *plan, const char *scratch, int64_t room_bytes);
void mover_close(struct mover *m);

/* From here on bytes move at that pace, until mover_stop(). False: there is no thread for it. */
bool mover_start(struct mover *m, double pace);
/* Another pace, from now on. */
void mover_set_pace(struct mover *m, double pace);
/* Bytes per second since it was started; 0 when something failed. */
double mover_stop(struct mover *m);

#endif
