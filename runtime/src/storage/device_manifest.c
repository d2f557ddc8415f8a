/*
 * The manifests on a device: of the committed and of the recent one two places each, written in turn, each with a block of its
 * own before the text. A place counts when block and text are sealed; of two the one that was written later. So a crash in the
 * middle of a write leaves the manifest before.
 */
#include "oocc/oocc.h"
#include "storage/device.h"
#include "support/calls.h"
#include "support/checksum.h"
#include "support/error.h"
#include "support/point.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOT_FORMAT "oocc-slot 1\nsequence %020" PRId64 "\nbytes %020" PRId64 "\nxxh3 %016" PRIx64 "\n"

enum pair { COMMITTED, RECENT };

enum { SLOT_TEXT = 12 + 9 + 21 + 6 + 21 + 5 + 17, SEAL = 17 };

/* The block: what is written there, and the checksum of that. */
static void make_head(char head[SLOT_TEXT + SEAL + 1], int64_t sequence, const char *text, size_t length) {
    snprintf(head, SLOT_TEXT + 1, SLOT_FORMAT, sequence, (int64_t)length, checksum_bytes(text, length));
    snprintf(head + SLOT_TEXT, SEAL + 1, "%016" PRIx64 "\n", checksum_bytes(head, SLOT_TEXT));
}

static int64_t place_at(const struct member *m, int place) {
    return SLOTS_AT + place * m->device.slot_bytes;
}

/* Of a pair, the place whose turn it is. */
static int next_place(const struct member *m, enum pair pair) {
    return 2 * pair + (m->device.sequence[pair] + 1) % 2;
}

/* Writes the place whose turn it is, its block last; the caller counts it once it is there. 0 or an errno. */
static int write_place(const struct member *m, enum pair pair, const char *text, size_t length) {
    const int64_t at = place_at(m, next_place(m, pair)), blocks = ((int64_t)length + DEVICE_BLOCK - 1) / DEVICE_BLOCK;
    char head[SLOT_TEXT + SEAL + 1];
    if ((1 + blocks) * DEVICE_BLOCK > m->device.slot_bytes) return EFBIG;
    make_head(head, m->device.sequence[pair] + 1, text, length);
    const int error = device_write(m->fd, at + DEVICE_BLOCK, blocks * DEVICE_BLOCK, text, length);
    return error ? error : device_write(m->fd, at, DEVICE_BLOCK, head, sizeof head - 1);
}

static int blank_place(struct member *m, int place) {
    m->device.put_at = place_at(m, place);
    return device_write(m->fd, m->device.put_at, DEVICE_BLOCK, NULL, 0);
}

int device_put_manifest(struct member *m, const char *text, size_t length) {
    oocc_point(POINT_MANIFEST_OPENED);
    int error = write_place(m, COMMITTED, text, length);
    oocc_point(POINT_MANIFEST_WRITTEN);
    if (!error && calls_fdatasync(m->fd)) error = errno;
    if (error) return member_failed("write the manifest on", m->path, NULL, place_at(m, next_place(m, COMMITTED)), error);
    m->device.sequence[COMMITTED]++;
    return 0;
}

/* The one before goes at once, since the next pass writes to what it names. */
int device_put_recent(struct member *m, const char *text, size_t length) {
    int error = write_place(m, RECENT, text, length);
    oocc_point(POINT_RECENT_WRITTEN);
    if (error) return error;
    m->device.sequence[RECENT]++;
    error = blank_place(m, next_place(m, RECENT));
    oocc_point(POINT_RECENT_DONE);
    return error;
}

/* The one before first: it is no better than the last one. */
int device_drop_recent(struct member *m) {
    if (!m->device.slot_bytes) return 0;
    const int error = blank_place(m, next_place(m, RECENT));
    return error ? error : blank_place(m, 2 * RECENT + m->device.sequence[RECENT] % 2);
}

int device_drop_manifests(struct member *m) {
    int error = device_drop_recent(m);
    for (int i = 0; i < 2 && m->device.slot_bytes && !error; i++)
        error = blank_place(m, 2 * COMMITTED + i);
    return error;
}

struct place_of_manifest {
    bool blank;
    int64_t sequence, bytes;
    char *text; /* NULL: it is not whole */
};

static bool is_head(const char *head, struct place_of_manifest *p, uint64_t *sum) {
    uint64_t seal;
    return !strncmp(head, "oocc-slot 1\n", 12) &&
           sscanf(head, "oocc-slot 1\nsequence %" SCNd64 "\nbytes %" SCNd64 "\nxxh3 %16" SCNx64, &p->sequence,
                  &p->bytes, sum) == 3 &&
           sscanf(head + SLOT_TEXT, "%16" SCNx64, &seal) == 1 && seal == checksum_bytes(head, SLOT_TEXT);
}

static int read_place(const struct member *m, int place, struct place_of_manifest *p) {
    const int64_t at = place_at(m, place), most = m->device.slot_bytes - DEVICE_BLOCK;
    static const char zeros[SLOT_TEXT];
    char *head, *text;
    uint64_t sum;
    int error = device_read(m->fd, at, DEVICE_BLOCK, &head);
    if (error) return error;
    p->blank = !memcmp(head, zeros, SLOT_TEXT);
    const bool sealed = is_head(head, p, &sum) && p->sequence > 0 && p->bytes > 0 && p->bytes < most;
    free(head);
    if (!sealed) return 0;
    const int64_t bytes = (p->bytes + DEVICE_BLOCK) / DEVICE_BLOCK * DEVICE_BLOCK; /* and a 0 behind */
    if ((error = device_read(m->fd, at + DEVICE_BLOCK, bytes, &text))) return error;
    text[p->bytes] = 0;
    if (checksum_bytes(text, (size_t)p->bytes) == sum)
        p->text = text;
    else
        free(text);
    return 0;
}

/* The later one that is whole, which the caller frees, or none, and whether a place is blank. 0, or an errno and none. */
static int read_pair(struct member *m, enum pair pair, struct place_of_manifest *found) {
    struct place_of_manifest place[2] = {{.text = NULL}};
    int error = 0;
    for (int i = 0; i < 2 && !error; i++)
        error = read_place(m, 2 * pair + i, &place[i]);
    const int later = place[1].text && (!place[0].text || place[1].sequence > place[0].sequence);
    *found = place[later];
    found->blank = place[0].blank || place[1].blank;
    free(place[!later].text);
    if (error) free(found->text), found->text = NULL;
    if (found->text) m->device.sequence[pair] = found->sequence;
    return error;
}

bool device_find_manifest(struct member *m) {
    struct place_of_manifest found;
    const int error = read_pair(m, COMMITTED, &found);
    free(found.text);
    return error || found.text || !found.blank;
}

int device_get_manifest(struct member *m, char **text, size_t *length) {
    struct place_of_manifest found;
    char what[4200];
    snprintf(what, sizeof what, "%s holds no manifest", m->path);
    if (!m->device.slot_bytes) return member_nothing(what);
    const int error = read_pair(m, COMMITTED, &found);
    *text = found.text;
    *length = (size_t)found.bytes;
    if (error) return member_failed("read the manifest on", m->path, NULL, SLOTS_AT, error);
    if (found.text) return 0;
    /* One that is not whole, and none before it: the first commit was not done. */
    if (found.blank) return member_nothing(what);
    return run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again",
                    "the manifest on %s is damaged: neither of its places is whole", m->path);
}

int device_get_recent(struct member *m, char **text, size_t *length) {
    struct place_of_manifest found = {.text = NULL};
    const int error = m->device.slot_bytes ? read_pair(m, RECENT, &found) : 0;
    *text = found.text;
    *length = (size_t)found.bytes;
    return error ? member_failed("read the recent manifest on", m->path, NULL, place_at(m, 2 * RECENT), error) : 0;
}
