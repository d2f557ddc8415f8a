/* beside.h: a file that gets its name only when it is whole: until then it has a temporary name beside the final one. */
#ifndef OOCC_BESIDE_H
#define OOCC_BESIDE_H

#include <stdbool.h>

struct beside {
    int fd;
    const char *path; /* the final name; the caller's, and stays */
    char *temporary;  /* NULL: there is no such file */
};

/* Creates the file: 0, or 73 or 77 with the error printed and beside->temporary NULL. */
int beside_create(struct beside *beside, const char *path);
/* Closes it; `keep`: brings it to stable storage and gives it its name, which replaces a file that has it. Otherwise, and
 * when that fails, it is removed. */
int beside_close(struct beside *beside, bool keep);
/* Prints that a file is not known to survive a power failure; 73 when there is no space, otherwise 74. */
int beside_cannot_sync(const char *path, int error);

#endif
