/* units.h: sizes and counts as people write them. */
#ifndef OOCC_UNITS_H
#define OOCC_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* "4G", "512MiB", "1.5G", "1000000" to bytes; false when it is not a size or does not fit 63 bits. */
bool parse_bytes(const char *text, int64_t *bytes);
/* "8.0 GiB" into buffer (at least 32 bytes), returned. */
const char *format_bytes(char *buffer, int64_t bytes);
/* "16,000" into buffer (at least 32 bytes), returned. */
const char *format_count(char *buffer, int64_t count);

#endif
