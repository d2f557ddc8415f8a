/* device.h: the beginning of a block device that is a member of a scratch (docs/formats/scratch.md). */
#ifndef OOCC_DEVICE_H
#define OOCC_DEVICE_H

#include "storage/member.h"

/* The label, the owner's process id, the places of manifests, slot_bytes each: two of the committed, two of the recent one. */
enum { DEVICE_BLOCK = 4096, OWNER_AT = 128 << 10, SLOTS_AT = 1 << 20, SLOTS = 4, OWNER_BYTES = 1024 };

/* Whole blocks at a multiple of a block. 0 or an errno; what is read is the caller's to free, what is written is `length`
 * bytes of data and zeros behind them. */
int device_read(int fd, int64_t at, int64_t bytes, char **out);
int device_write(int fd, int64_t at, int64_t bytes, const void *data, size_t length);

/* (device_open.c) As members do it: opened, locked, its size known; for a run that writes only where nothing but a run is on it. */
int device_open(struct member *member, enum member_access access);

/* (device_manifest.c) Two places in turn: while one is written the other one is whole. As members do it (member.h), but a device that
 * is no home has no manifest, and nothing to drop. */
int device_put_manifest(struct member *member, const char *text, size_t length);
int device_get_manifest(struct member *member, char **text, size_t *length);
int device_put_recent(struct member *member, const char *text, size_t length);
int device_get_recent(struct member *member, char **text, size_t *length);
int device_drop_recent(struct member *member);
/* Whether anything may have been committed: one that is whole, or two that are damaged. */
bool device_find_manifest(struct member *member);
/* The recent one first; nothing is synced. 0 or an errno. */
int device_drop_manifests(struct member *member);

#endif
