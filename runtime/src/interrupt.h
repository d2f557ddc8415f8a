/* interrupt.h: SIGINT and SIGTERM ask a run that can be resumed to stop at the next slab; a second one kills
 * it. */
#ifndef OOCC_INTERRUPT_H
#define OOCC_INTERRUPT_H

#include <stdbool.h>

void interrupt_catch(void);
/* What was done with the signals before is done with them again. */
void interrupt_release(void);
bool interrupt_seen(void);
/* An application asks for the same; and goes on. */
void interrupt_ask(void);
void interrupt_forget(void);

#endif
