/* workers.h: threads that take requests in the order of their coming, but reads and writes by turns: a slab's reads and the
 * writes of the one before it are asked for one after the other, and most devices move more bytes when both directions are under
 * way. A request is linked into its queue where it lies (request->next), so nothing is allocated and the queues are bounded by
 * the batches in use. */
#ifndef OOCC_ENGINES_WORKERS_H
#define OOCC_ENGINES_WORKERS_H

#include "engines/engine.h"

struct workers;

/* Threads that call run(engine, request) for every request, as many as have requests at once and `most` at most; NULL when none can be
 * started. Urgent: run() only hands requests on, and does so at once (urgent.h). */
struct workers *workers_start(int most, bool urgent, struct engine *engine,
                              void (*run)(struct engine *engine, struct io_request *request));
void workers_submit(struct workers *workers, struct io_batch *batch);
/* One request, from any thread. */
void workers_push(struct workers *workers, struct io_request *request);
/* Ends the threads once the queue is empty. */
void workers_stop(struct workers *workers);

#endif
