/* device.h: the beginning of a block device that is a member of a scratch (docs/formats/scratch.md). */
#ifndef OOCC_DEVICE_H
#define OOCC_DEVICE_H

#include "storage/member.h"

/* The label, the owner's process id, the first place of a manifest; the second one is slot_bytes further on. */
enum { DEVICE_BLOCK = 4096, OWNER_AT = 128 << 10, SLOTS_AT = 1 << 20, OWNER_BYTES = 1024 };

/* Whole blocks at a multiple of a block. 0 or an errno; what is read is the caller's to free, what is written is `length`
 * bytes of data and zeros behind them. */
int device_read(int fd, int64_t at, int64_t bytes, char **out);
int device_write(int fd, int64_t at, int64_t bytes, const void *data, size_t length);

/* (device_manifest.c) Two places in turn: while one is written the other one is whole. */
int device_put_manifest(struct member *member, const char *text, size_t length);
/* Whether anything may have been committed: one that is whole, or two that are damaged. */
bool device_find_manifest(const struct member *member);
int device_get_manifest(struct member *member, char **text, size_t *length);

#endif
