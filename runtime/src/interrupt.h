/* interrupt.h: SIGINT and SIGTERM ask a run that can be resumed to stop at the next slab; a second one kills
 * it. */
#ifndef OOCC_INTERRUPT_H
#define OOCC_INTERRUPT_H

#include <stdbool.h>

void interrupt_catch(void);
bool interrupt_seen(void);

#endif
