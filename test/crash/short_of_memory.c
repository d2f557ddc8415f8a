/*
 * A library to be loaded before a program (LD_PRELOAD): its k-th request for memory or for a thread is refused, or all from the k-th on.
 * Requests are counted from main() on; what libraries do before that is not the program's to handle.
 *
 *     SHORT_AT=k        which; 0: none
 *     SHORT_ON=1        and all after it
 *     SHORT_COUNT=FILE  the number of requests is written there when the process ends
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long requests;
static atomic_bool counting;
static long at;
static int on;
static int (*real_main)(int, char **, char **);
static pid_t self;

static int refused(void) {
    if (!atomic_load(&counting) || getpid() != self) return 0;
    const long k = atomic_fetch_add(&requests, 1) + 1;
    return at > 0 && (on ? k >= at : k == at);
}

static void *none(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) {
    return refused() ? none() : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return refused() ? none() : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    return size && refused() ? none() : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    return refused() ? none() : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return refused() ? none() : __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    void *got = refused() ? NULL : __libc_memalign(alignment, size);
    if (got) *memory = got;
    return got ? 0 : ENOMEM;
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset) {
    if (refused()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (refused()) return EAGAIN;
    const bool counted = atomic_exchange(&counting, 0);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    atomic_store(&counting, counted);
    return real(thread, attributes, start, argument);
}

static void write_count(void) {
    const char *path = getenv("SHORT_COUNT");
    atomic_store(&counting, 0);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", atomic_load(&requests));
    fclose(file);
}

static int counted_main(int argc, char **argv, char **environment) {
    const char *text = getenv("SHORT_AT");
    at = text ? atol(text) : 0;
    on = getenv("SHORT_ON") != NULL;
    self = getpid();
    if (getenv("SHORT_COUNT")) atexit(write_count);
    atomic_store(&counting, 1);
    return real_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end) {
    int (*real)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return real(counted_main, argc, argv, init, fini, loader_fini, stack_end);
}
