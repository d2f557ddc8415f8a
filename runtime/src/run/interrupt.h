/*
 * interrupt.h: SIGINT, SIGTERM and SIGHUP ask a run to end. While there is nothing to lose it ends at once; later the signal is
 * kept in mind, and the run looks for it wherever it can stop: it drains what is in flight and ends with
 * status 75. A second one ends it as the signal does by default. Signals that were ignored when the run began (nohup, jobs in
 * the background of a script) stay ignored.
 */
#ifndef OOCC_INTERRUPT_H
#define OOCC_INTERRUPT_H

#include <stdbool.h>

/* From now on a signal ends the process with status 75 and the message, at once. */
void interrupt_catch(const char *message);
/* From now on it is interrupt_seen() that tells of it. */
void interrupt_defer(void);
/* What was done with the signals before is done with them again. */
void interrupt_release(void);

bool interrupt_seen(void);
const char *interrupt_name(void); /* "SIGTERM" */
double interrupt_age(void);       /* seconds since then */
/* An application asks for the same; and goes on. */
void interrupt_ask(void);
void interrupt_forget(void);

#endif
