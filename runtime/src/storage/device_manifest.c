/*
 * The manifest on a device: two places, written in turn, each with a block of its own before the text. A place
 * counts when block and text are sealed; of two the one that was written later. So a crash in the middle of a
 * write leaves the manifest before.
 */
#include "run/run.h"
#include "storage/device.h"
#include "support/calls.h"
#include "support/checksum.h"
#include "support/point.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLOT_FORMAT "oocc-slot 1\nsequence %020" PRId64 "\nbytes %020" PRId64 "\nxxh3 %016" PRIx64 "\n"

enum { SLOT_TEXT = 12 + 9 + 21 + 6 + 21 + 5 + 17, SEAL = 17 };

/* The block: what is written there, and the checksum of that. */
static void make_head(char head[SLOT_TEXT + SEAL + 1], int64_t sequence, const char *text, size_t length) {
    snprintf(head, SLOT_TEXT + 1, SLOT_FORMAT, sequence, (int64_t)length, checksum_bytes(text, length));
    snprintf(head + SLOT_TEXT, SEAL + 1, "%016" PRIx64 "\n", checksum_bytes(head, SLOT_TEXT));
}

int device_put_manifest(struct member *m, const char *text, size_t length) {
    const int64_t slot = (m->device.sequence + 1) % 2;
    const int64_t bytes = ((int64_t)length + 2 * DEVICE_BLOCK - 1) / DEVICE_BLOCK * DEVICE_BLOCK;
    char *data = bytes > m->device.slot_bytes ? NULL : calloc(1, (size_t)bytes);
    if (!data)
        return member_failed("write the manifest on", m->path, NULL, -1,
                             bytes > m->device.slot_bytes ? EFBIG : ENOMEM);
    make_head(data, m->device.sequence + 1, text, length);
    memcpy(data + DEVICE_BLOCK, text, length);
    oocc_point(POINT_MANIFEST_OPENED);
    int error = device_write(m->fd, SLOTS_AT + slot * m->device.slot_bytes, bytes, data, (size_t)bytes);
    oocc_point(POINT_MANIFEST_WRITTEN);
    if (!error && calls_fdatasync(m->fd)) error = errno;
    free(data);
    if (error)
        return member_failed("write the manifest on", m->path, NULL, SLOTS_AT + slot * m->device.slot_bytes,
                             error);
    m->device.sequence++;
    return 0;
}

struct place_of_manifest {
    bool blank, whole;
    int64_t sequence, bytes;
    char *text; /* of a whole one */
};

static bool is_head(const char *head, struct place_of_manifest *p, uint64_t *sum) {
    uint64_t seal;
    return !strncmp(head, "oocc-slot 1\n", 12) &&
           sscanf(head, "oocc-slot 1\nsequence %" SCNd64 "\nbytes %" SCNd64 "\nxxh3 %16" SCNx64, &p->sequence,
                  &p->bytes, sum) == 3 &&
           sscanf(head + SLOT_TEXT, "%16" SCNx64, &seal) == 1 && seal == checksum_bytes(head, SLOT_TEXT);
}

static int read_place(const struct member *m, int slot, struct place_of_manifest *p) {
    const int64_t at = SLOTS_AT + slot * m->device.slot_bytes, most = m->device.slot_bytes - DEVICE_BLOCK;
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
    p->whole = checksum_bytes(text, (size_t)p->bytes) == sum;
    if (p->whole)
        p->text = text;
    else
        free(text);
    return 0;
}

bool device_find_manifest(const struct member *m) {
    struct place_of_manifest place[2] = {{.text = NULL}};
    bool error = false;
    for (int slot = 0; slot < 2; slot++)
        error |= read_place(m, slot, &place[slot]) != 0;
    const bool none = !place[0].whole && !place[1].whole && (place[0].blank || place[1].blank);
    for (int slot = 0; slot < 2; slot++)
        free(place[slot].text);
    return error || !none;
}

int device_get_manifest(struct member *m, char **text, size_t *length) {
    struct place_of_manifest place[2] = {{.text = NULL}};
    char what[4200];
    int error = 0;
    snprintf(what, sizeof what, "%s holds no manifest", m->path);
    if (!m->device.slot_bytes) return member_nothing(what);
    for (int slot = 0; slot < 2 && !error; slot++)
        error = read_place(m, slot, &place[slot]);
    const int later = place[1].whole && (!place[0].whole || place[1].sequence > place[0].sequence);
    if (!error && place[later].whole) {
        free(place[!later].text);
        *text = place[later].text;
        *length = (size_t)place[later].bytes;
        m->device.sequence = place[later].sequence;
        return 0;
    }
    free(place[0].text);
    free(place[1].text);
    if (error) return member_failed("read the manifest on", m->path, NULL, SLOTS_AT, error);
    /* One that is not whole, and none before it: the first commit was not done. */
    if (place[0].blank || place[1].blank) return member_nothing(what);
    return run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again",
                    "the manifest on %s is damaged: neither of its places is whole", m->path);
}
