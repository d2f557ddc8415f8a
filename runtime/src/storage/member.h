/*
 * member.h: one place of the scratch: a directory or a block device (docs/formats/scratch.md). The store stripes its
 * files over all members; the first one is the home, which keeps the manifest and the traces as well.
 */
#ifndef OOCC_MEMBER_H
#define OOCC_MEMBER_H

#include "engines/engine.h"
#include "storage/label.h"

#include <stddef.h>

/* Files of a store: generations, of which there are two or three, and the coefficients. */
enum { STORE_COEF = STORE_GENERATIONS, STORE_FILES };
extern const char *const store_file_name[STORE_FILES];

struct member;
struct member_rows;

/* PEEK only reads, and locks nothing. VERIFY only reads as well, but shares a lock, so that no run begins meanwhile. */
enum member_access { MEMBER_PEEK, MEMBER_VERIFY, MEMBER_RESUME, MEMBER_BEGIN };

struct member_ops {
    /* Opens the place, and, unless it is only looked at, locks it. */
    int (*open)(struct member *member, enum member_access access);
    /* What the place is labelled as; `present` is false when nothing is there. Quiet: nothing is printed of one that is
     * damaged (76), of another version (65) or no file (76). */
    int (*read_label)(struct member *member, struct label *label, bool quiet);
    /* Refuses (73) when an earlier run has left something. */
    int (*refuse_leftovers)(const struct member *member);
    /* Works out where the store's files lie. When they are made anew, a device that has no room for them is
     * refused (73), quietly if it is only asked; directories are checked together, by file system (scratch.c). */
    int (*fit)(struct member *member, bool anew, bool quiet);
    /* Whether a manifest is there, be it damaged, or may be there: something may have been committed. Of the home. */
    bool (*has_manifest)(struct member *member);
    /* Removes it for good: nothing can be resumed any more. Of the home, before anything else goes. 0 or an errno. */
    int (*drop_manifest)(struct member *member);
    /* Discards what an earlier run has left; the label goes last. */
    int (*clear)(struct member *member);
    /* Makes the files, their space reserved, and the label: on stable storage before the first manifest. */
    int (*create)(struct member *member, const struct label *label);
    /* Opens the files of the run to resume. */
    int (*reopen)(struct member *member);
    /* Replaces the manifest, as a whole or not at all. 0 or an exit status, the error printed. */
    int (*put_manifest)(struct member *member, const char *text, size_t length);
    /* The manifest's text, ended by 0; the caller frees it. 73 when there is none. */
    int (*get_manifest)(struct member *member, char **text, size_t *length);
    /* A recent manifest, of a state that nothing has made durable, and itself not synced. Of the home. `put` replaces it, as a whole or not
     * at all, and `drop` removes it: 0 or an errno. `get`: its text, ended by 0, which the caller frees; NULL when there is none. 0 or an
     * exit status, the error printed. */
    int (*put_recent)(struct member *member, const char *text, size_t length);
    int (*get_recent)(struct member *member, char **text, size_t *length);
    int (*drop_recent)(struct member *member);
    /* Opens the rows of a record: O_RDWR, with O_CREAT | O_EXCL to make them, or O_RDONLY. */
    int (*open_rows)(const struct member *member, int index, int flags, struct member_rows *rows);
    void (*close)(struct member *member, bool keep);
};

struct member {
    const struct member_ops *ops; /* NULL: an engine that keeps nothing on disk */
    char *path;                   /* as it was given */
    bool named;                   /* by the user */
    bool take_over;               /* what another host has locked */
    int fd;                       /* the directory or the device */
    int lock_fd;
    bool gone; /* while it was being opened, another run removed the directory */
    bool made;                        /* the directory was made for this run */
    bool owns;                        /* what is there is this run's */
    struct io_file file[STORE_FILES]; /* a device has the first one only */
    char *file_path[STORE_FILES];
    int64_t share[STORE_FILES]; /* of every file of the store: bytes that are kept here */
    int64_t base[STORE_FILES];  /* where the share begins in its io_file */
    /* Of the home: */
    int64_t manifest_bytes; /* no manifest of this run is longer; 0: not the home */
    int records;
    int64_t rows_bytes; /* of the longest record */
    /* Of a device: */
    struct {
        int64_t bytes;      /* that it has */
        int64_t used_bytes; /* that it had when the store was made */
        int64_t slot_bytes; /* of each of the places of manifests */
        int64_t end;        /* of the store's files */
        int64_t sequence[2]; /* of the last manifest, and of the last recent one */
        int64_t put_at;     /* where label, owner or zeros were last written; -1: they were made durable */
    } device;
};

/* The rows of a record in the home. */
struct member_rows {
    int fd;
    int64_t offset; /* of row 0 */
    int64_t bytes;  /* there already */
    int64_t room;   /* INT64_MAX: as much as the file system has */
};

extern const struct member_ops member_directory, member_device;

/* Splits DIR1,DIR2,... into at most MEMBERS_MOST paths, which the caller frees by members_forget(). Errors: 2. */
int members_split(const char *list, struct member member[MEMBERS_MOST], int *members);
void members_forget(struct member *member, int members);
/* Several names with `between` between them, in `text`. */
const char *member_join(char *text, size_t size, const char *const name[], int names, const char *between);

/* The io_file in which a member keeps its share of a file of the store. */
static inline struct io_file *member_file(struct member *member, int file) {
    return &member->file[member->ops == &member_device ? 0 : file];
}

/* Prints that a place cannot be used: 77 when it is a matter of permission, else 73. */
int member_cannot(const char *what, const char *directory, const char *file, int error);
/* Prints that a read, write or sync failed, at a byte (-1: nowhere in particular). */
int member_failed(const char *what, const char *directory, const char *file, int64_t at, int error);
/* Prints who has it; 77. `text` is what that process has written into the lock, or nothing. */
int member_in_use(const char *path, const char *text);
/* The kernel has given us the lock, in which somebody is named: 0, with a note, when that run is dead, otherwise 77. */
int member_take_over(const struct member *member, const char *text);
/* (lock.c) Of a directory. */
int lock_directory(struct member *member);
int lock_share(struct member *member);
int lock_release(struct member *member); /* 0 or an errno */
int member_nothing(const char *what);

#endif
