/*
 * The kernel itself refuses to open a device exclusively that it uses; what is found out here says by whom, and is
 * not known to every kernel in every case. What the kernel cannot know is that an idle device carries somebody's
 * data: libblkid knows the signatures.
 */
#include "storage/device_check.h"

#include "oocc/oocc.h"
#include "support/error.h"
#include "support/system_text.h"

#include <blkid/blkid.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The device, its partitions, and the disk that it is a partition of. */
enum { FAMILY_MOST = 256 };
struct family {
    dev_t device[FAMILY_MOST];
    int devices;
};

static void add(struct family *family, dev_t device) {
    if (family->devices < FAMILY_MOST) family->device[family->devices++] = device;
}

static bool is_in(const struct family *family, dev_t device) {
    for (int i = 0; i < family->devices; i++)
        if (family->device[i] == device) return true;
    return false;
}

/* The number that a file `dev` of sysfs holds. */
static bool read_number(const char *path, dev_t *device) {
    char text[32];
    unsigned int high, low;
    if (system_text(path, text, sizeof text) || sscanf(text, "%u:%u", &high, &low) != 2) return false;
    *device = makedev(high, low);
    return true;
}

/* A folder of sysfs; *entries is null where there is none, or none that may be read. */
static int open_folder(const char *path, const char *folder, DIR **entries) {
    *entries = opendir(folder);
    if (*entries || errno == ENOENT || errno == ENOTDIR || errno == EACCES) return 0;
    return run_fail(errno == ENOMEM ? OOCC_NO_MEMORY : OOCC_IO_ERROR, NULL,
                    "cannot see what uses the device %s: %s: %s", path, folder, strerror(errno));
}

static int find_family(struct family *family, const char *of, dev_t device) {
    char folder[64], path[64 + 300];
    dev_t other;
    add(family, device);
    snprintf(folder, sizeof folder, "/sys/dev/block/%u:%u", major(device), minor(device));
    snprintf(path, sizeof path, "%s/partition", folder);
    if (!access(path, F_OK)) {
        snprintf(path, sizeof path, "%s/../dev", folder);
        if (read_number(path, &other)) add(family, other);
    }
    DIR *entries;
    const int status = open_folder(of, folder, &entries);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        snprintf(path, sizeof path, "%s/%s/partition", folder, entry->d_name);
        if (entry->d_name[0] == '.' || access(path, F_OK)) continue;
        snprintf(path, sizeof path, "%s/%s/dev", folder, entry->d_name);
        if (read_number(path, &other)) add(family, other);
    }
    if (entries) closedir(entries);
    return status;
}

/* The kernel's name of a device of the family: "sda1". */
static const char *name_of(dev_t device, char name[64]) {
    char link[64], target[4096];
    snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(device), minor(device));
    const ssize_t length = readlink(link, target, sizeof target - 1);
    if (length > 0) {
        target[length] = 0;
        const char *slash = strrchr(target, '/');
        snprintf(name, 64, "%.63s", slash ? slash + 1 : target);
    } else {
        snprintf(name, 64, "%u:%u", major(device), minor(device));
    }
    return name;
}

static bool names_member(const struct family *family, const char *path, dev_t *device) {
    struct stat info;
    if (stat(path, &info) || !S_ISBLK(info.st_mode) || !is_in(family, info.st_rdev)) return false;
    *device = info.st_rdev;
    return true;
}

static int in_use(const char *path, dev_t device, const char *how, const char *where) {
    char name[64];
    return run_fail(OOCC_DENIED, "choose another device with --scratch: everything on it is written over",
                    "the device %s is in use: %s %s %s", path, name_of(device, name), how, where);
}

/* A line is "id parent MAJOR:MINOR root MOUNTPOINT options ... - type SOURCE ..."; a file system of several devices has
 * a number of its own there, and one of them as its source. */
static int check_mounts(const char *path, const struct family *family) {
    struct system_lines lines;
    int status = 0;
    system_lines_open(&lines, "/proc/self/mountinfo");
    for (const char *line; !status && (line = system_line(&lines));) {
        unsigned int high, low;
        char point[4097], source[4097] = "";
        if (sscanf(line, "%*d %*d %u:%u %*s %4096s", &high, &low, point) != 3) continue;
        const char *rest = strstr(line, " - ");
        dev_t device = makedev(high, low);
        if (rest) (void)!sscanf(rest, " - %*s %4096s", source);
        if (is_in(family, device) || (*source == '/' && names_member(family, source, &device)))
            status = in_use(path, device, "is mounted on", point);
    }
    system_lines_close(&lines);
    return status;
}

static int check_swaps(const char *path, const struct family *family) {
    struct system_lines lines;
    int status = 0;
    system_lines_open(&lines, "/proc/swaps");
    for (char *line; !status && (line = system_line(&lines));) {
        dev_t device;
        line[strcspn(line, " \t")] = 0;
        if (*line == '/' && names_member(family, line, &device))
            status = in_use(path, device, "is", "swap space");
    }
    system_lines_close(&lines);
    return status;
}

static int check_holders(const char *path, dev_t device) {
    char folder[80];
    DIR *entries;
    snprintf(folder, sizeof folder, "/sys/dev/block/%u:%u/holders", major(device), minor(device));
    int status = open_folder(path, folder, &entries);
    for (const struct dirent *entry; entries && !status && (entry = readdir(entries));)
        if (entry->d_name[0] != '.') status = in_use(path, device, "is part of", entry->d_name);
    if (entries) closedir(entries);
    return status;
}

int device_check_free(const char *path, dev_t device) {
    struct family family = {.devices = 0};
    int status = find_family(&family, path, device);
    if (!status) status = check_mounts(path, &family);
    if (!status) status = check_swaps(path, &family);
    for (int i = 0; i < family.devices && !status; i++)
        status = check_holders(path, family.device[i]);
    return status;
}

static int carries(blkid_probe probe, const char *path, int found) {
    const char *kind = NULL, *what = "several things at once";
    if (found == 0) {
        kind = "a file system or the like";
        if (blkid_probe_lookup_value(probe, "TYPE", &what, NULL)) {
            kind = "a partition table";
            if (blkid_probe_lookup_value(probe, "PTTYPE", &what, NULL)) what = "unknown";
        }
    }
    return run_fail(
        OOCC_NO_SPACE,
        "choose another device with --scratch; if nothing on it is needed, wipefs --all erases the "
        "signature",
        "the device %s is not blank: it carries %s%s%s%s", path, kind ? kind : what, kind ? " (" : "",
        kind ? what : "", kind ? ")" : "");
}

int device_check_blank(const char *path, int fd) {
    blkid_probe probe = blkid_new_probe();
    if (!probe) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    int status = 0;
    if (blkid_probe_set_device(probe, fd, 0, 0) || blkid_probe_enable_superblocks(probe, 1) ||
        blkid_probe_enable_partitions(probe, 1)) {
        status = run_fail(OOCC_IO_ERROR, NULL, "cannot look for signatures on %s", path);
    } else {
        const int found = blkid_do_safeprobe(probe); /* 0: one, 1: none, -2: several, -1: error */
        if (found == 0 || found == -2)
            status = carries(probe, path, found);
        else if (found != 1)
            status = run_fail(OOCC_IO_ERROR, NULL, "cannot look for signatures on %s", path);
    }
    blkid_free_probe(probe);
    return status;
}
