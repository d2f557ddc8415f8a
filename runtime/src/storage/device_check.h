/* device_check.h: whether a block device is free to be written over. */
#ifndef OOCC_DEVICE_CHECK_H
#define OOCC_DEVICE_CHECK_H

#include <sys/types.h>

/* Refuses (77) a device that is mounted, swapped to, or held by another device (RAID, LVM, device mapper), as are its
 * partitions and the disk that it is a partition of. */
int device_check_free(const char *path, dev_t device);

/* Refuses (73) a device that carries a file system, a partition table, or anything else that libblkid knows. */
int device_check_blank(const char *path, int fd);

#endif
