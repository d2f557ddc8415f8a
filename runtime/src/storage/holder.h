/*
 * holder.h: who holds a scratch: what a run writes into its lock, so that others can say whom to wait for, and tell a lock that
 * a dead run has left behind from one that counts (docs/formats/scratch.md).
 */
#ifndef OOCC_HOLDER_H
#define OOCC_HOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct holder {
    int64_t pid;         /* 0: unknown */
    char host[256];
    char boot[64];       /* of its kernel: another one each time the machine starts */
    int64_t started;     /* clock ticks from there to the process's start: with pid and boot, which process it is */
    char program[128];
    char since[32];      /* in words */
};

/* Of the kernel that runs now; nothing when it does not tell. 0, or an errno: it is not known now, and may be later. */
int holder_boot(char *boot, size_t size);
/* This process, as text of at most `size` bytes; returns the length. */
size_t holder_text(char *text, size_t size);
/* What was written; unknown parts are empty. */
struct holder holder_parse(const char *text);
/* "process 17 on host (heat3d, since 2026-01-02 03:04:05 UTC)" */
const char *holder_name(char *buffer, size_t size, const struct holder *holder);

/* Of a lock that the kernel has given to us although somebody is named in it. */
enum holder_state {
    HOLDER_NONE,  /* nobody is named */
    HOLDER_DEAD,  /* the process is no more, or its number belongs to another one */
    HOLDER_ALIVE, /* the file system does not honour locks */
    HOLDER_AWAY   /* it is, or was, on another host, of which nothing can be said here */
};
enum holder_state holder_state(const struct holder *holder);

#endif
