/* system_text.h: what the kernel says in a small file of /proc or /sys. */
#ifndef OOCC_SYSTEM_TEXT_H
#define OOCC_SYSTEM_TEXT_H

#include <stddef.h>

/* As much of it as there is room for, ended by 0. 0 or an errno, with an empty text. No memory is asked for, as a stream would: what is
 * refused then looks as if the file were not there. */
int system_text(const char *path, char *text, size_t size);

#endif
