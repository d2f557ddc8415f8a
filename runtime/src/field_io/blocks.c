/*
 * blocks.c: block k of the file lies in slot k mod SLOTS of the memory; its transfer is the batch of that slot. An engine moves
 * whole pages only, so what is behind the file's last whole page goes through the cache.
 */
#include "field_io/blocks.h"

#include "engines/engine.h"
#include "field_io/field_io.h"
#include "support/error.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_BYTES = 4096, BLOCK_BYTES = 512 << 10, SLOTS = 4, DEPTH = SLOTS - 1, SAMPLES = 16 };
static const int64_t LEAST_BYTES = (int64_t)16 << 20;

struct blocks {
    struct engine *engine;
    struct io_file file;
    int flags; /* of the file, before the engine had it */
    bool write;
    char *memory;            /* slots, one huge page together */
    struct io_batch batch[SLOTS];
    int64_t first, end;      /* where block 0 begins, on a page; where the file ends */
    int64_t at;              /* the next byte of the file */
    int64_t ready;           /* the block that may be touched; -1: none yet */
    char tail[PAGE_BYTES];   /* when reading, what is behind the last whole page */
};

static int64_t last_page(const struct blocks *b) {
    return b->end / PAGE_BYTES * PAGE_BYTES;
}

/* Most of a few pages, evenly spread, are in the cache. Reads that are not to wait would tell as well, but also have the kernel
 * read ahead, so that the next run found them there. Where the kernel does not tell (of other people's files), they count as cached. */
static bool is_cached(int fd, int64_t bytes) {
    char *file = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (file == MAP_FAILED) return true;
    int found = 0;
    for (int i = 0; i < SAMPLES; i++) {
        unsigned char there;
        const int64_t page = bytes / SAMPLES * i / PAGE_BYTES * PAGE_BYTES;
        found += mincore(file + page, PAGE_BYTES, &there) != 0 || (there & 1);
    }
    munmap(file, (size_t)bytes);
    return found > SAMPLES / 2;
}

bool blocks_pay(int fd, bool write, int64_t bytes) {
    return bytes >= LEAST_BYTES && (write || !is_cached(fd, bytes));
}

static char *slot(const struct blocks *b, int64_t block) {
    return b->memory + block % SLOTS * BLOCK_BYTES;
}

/* Whole pages of a block, up to a place in the file. */
static int submit(struct blocks *b, int64_t block, int64_t until) {
    const int64_t from = b->first + block * BLOCK_BYTES;
    const int64_t bytes = oocc_min(BLOCK_BYTES, until / PAGE_BYTES * PAGE_BYTES - from);
    if (bytes <= 0) return OOCC_OK;
    struct io_batch *batch = &b->batch[block % SLOTS];
    const int status = io_batch_add(batch, &b->file, b->write, slot(b, block), bytes, from);
    if (status == OOCC_OK) io_batch_submit(b->engine, batch);
    return status;
}

static int wait_for(struct blocks *b, int64_t block) {
    struct io_batch *batch = &b->batch[block % SLOTS];
    const int error = io_batch_error(batch);
    const int64_t at = batch->failed.offset + batch->failed.done;
    return error == 0 ? OOCC_OK : field_cannot_move(b->write, b->file.name, at, b->end, error);
}

static void release(struct blocks *b) {
    for (int i = 0; i < SLOTS; i++) {
        io_batch_drain(&b->batch[i]);
        io_batch_free(&b->batch[i]);
    }
    if (b->file.attached) {
        b->engine->ops->detach(b->engine, &b->file);
        fcntl(b->file.fd, F_SETFL, b->flags);
    }
    engine_close(b->engine);
    free(b->memory);
    free(b);
}

static int attach(struct blocks *b) {
    int status = engine_open("threads", DEPTH, &b->engine);
    if (status == OOCC_OK) status = b->engine->ops->attach(b->engine, &b->file);
    b->file.attached = status == OOCC_OK;
    for (int64_t k = 0; k < SLOTS && !b->write && status == OOCC_OK; k++)
        status = submit(b, k, b->end);
    return status;
}

int blocks_open(int fd, const char *path, bool write, int64_t begin, int64_t end, struct blocks **blocks) {
    struct blocks *b = calloc(1, sizeof *b);
    if (b != NULL) b->memory = aligned_alloc(SLOTS * BLOCK_BYTES, SLOTS * BLOCK_BYTES);
    if (b == NULL || b->memory == NULL) {
        free(b);
        return run_fail(OOCC_NO_MEMORY, NULL, "no memory to %s %s", write ? "write" : "read", path);
    }
    madvise(b->memory, SLOTS * BLOCK_BYTES, MADV_HUGEPAGE);
    b->file = (struct io_file){.name = path, .fd = fd, .bytes = end, .index = -1, .apart = true};
    b->flags = fcntl(fd, F_GETFL);
    b->write = write;
    b->first = begin / PAGE_BYTES * PAGE_BYTES;
    b->end = end;
    b->at = begin;
    b->ready = -1;
    for (int i = 0; i < SLOTS; i++)
        io_batch_init(&b->batch[i]);
    int status = write ? OOCC_OK : field_read(fd, path, b->tail, end - last_page(b), last_page(b));
    if (status == OOCC_OK) status = attach(b);
    if (status == OOCC_OK)
        *blocks = b;
    else
        release(b);
    return status;
}

int blocks_move(struct blocks *b, char *data, int64_t bytes) {
    while (bytes > 0) {
        const int64_t block = (b->at - b->first) / BLOCK_BYTES, within = (b->at - b->first) % BLOCK_BYTES;
        const bool behind = !b->write && b->at >= last_page(b);
        int64_t part = oocc_min(bytes, BLOCK_BYTES - within);
        int status = OOCC_OK;
        if (!b->write && !behind) part = oocc_min(part, last_page(b) - b->at);
        if (block != b->ready && (status = wait_for(b, block)) != OOCC_OK) return status;
        b->ready = block;
        if (b->write)
            memcpy(slot(b, block) + within, data, (size_t)part);
        else
            memcpy(data, behind ? b->tail + (b->at - last_page(b)) : slot(b, block) + within, (size_t)part);
        b->at += part;
        data += part;
        bytes -= part;
        if (within + part == BLOCK_BYTES)
            status = b->write ? submit(b, block, b->at) : submit(b, block + SLOTS, b->end);
        if (status != OOCC_OK) return status;
    }
    return OOCC_OK;
}

/* What was given since the last whole block. */
static int write_rest(struct blocks *b) {
    const int64_t block = (b->at - b->first) / BLOCK_BYTES, pages = b->at / PAGE_BYTES * PAGE_BYTES;
    int status = submit(b, block, b->at);
    for (int64_t k = 0; k < SLOTS && status == OOCC_OK; k++)
        status = wait_for(b, k);
    if (status != OOCC_OK || pages == b->at) return status;
    b->engine->ops->detach(b->engine, &b->file);
    b->file.attached = false;
    fcntl(b->file.fd, F_SETFL, b->flags);
    return field_write(b->file.fd, b->file.name, slot(b, block) + (pages - b->first) % BLOCK_BYTES, b->at - pages, pages);
}

int blocks_close(struct blocks *b, bool whole) {
    if (b == NULL) return OOCC_OK;
    const int status = b->write && whole ? write_rest(b) : OOCC_OK;
    release(b);
    return status;
}
