/* survey.h: --machine, what the runtime finds where it is: docs/formats/machine.md. */
#ifndef OOCC_SURVEY_H
#define OOCC_SURVEY_H

#include "run/options.h"
#include "tuning/machine.h"

#include <stdio.h>

/* Tries every engine on every place of the scratch. 0 or an exit status. */
int survey_print(FILE *out, const struct options *options, const struct machine *machine);

#endif
