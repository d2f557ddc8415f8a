/* field_file.h: the values of a field in a file, plane by plane. */
#ifndef OOCC_FIELD_FILE_H
#define OOCC_FIELD_FILE_H

#include "oocc/oocc.h"

#include <stdbool.h>
#include <stdint.h>

/* One open .npy or .raw file, read or written a plane at a time; memory used is a buffer of a few MiB at most. */
struct field_file;
/* Opens for reading; checks header, type, shape and length against the field before anything is read: 65 with what the
 * file has and what is wanted. Little-endian, C order. */
int field_file_open(const char *path, const struct oocc_program *program, int field, const struct oocc_grid *grid,
                    struct field_file **file);
/* Creates beside the final name; field_file_close(.., true) renames it into place, (.., false) removes it. */
int field_file_create(const char *path, const struct oocc_program *program, int field, const struct oocc_grid *grid,
                      struct field_file **file);
/* Plane z, real cells only, to or from the plane's place in the window layout (cell (0, 0) at `cells`). Any order of z. */
int field_file_read_plane(struct field_file *file, int64_t z, void *cells);
int field_file_write_plane(struct field_file *file, int64_t z, const void *cells);
int field_file_close(struct field_file *file, bool keep);

#endif
