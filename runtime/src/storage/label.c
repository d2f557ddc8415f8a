#include "storage/label.h"

#include "oocc/oocc.h"
#include "support/checksum.h"
#include "support/error.h"
#include "support/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define VERSION_LINE LABEL_MAGIC "3\n"

int label_make_id(char id[STORE_ID + 1]) {
    unsigned char bytes[STORE_ID / 2];
    ssize_t got;
    while ((got = getrandom(bytes, sizeof bytes, 0)) < 0 && errno == EINTR)
        ;
    if (got != (ssize_t)sizeof bytes)
        return run_fail(OOCC_IO_ERROR, NULL, "the system gives no random numbers: %s", strerror(errno));
    for (int i = 0; i < STORE_ID / 2; i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
    return 0;
}

/* A path is told to people, never opened: what would break its line is replaced. */
static void print_path(FILE *out, int index, const char *path) {
    fprintf(out, "path %d ", index);
    for (; *path; path++)
        fputc((unsigned char)*path < ' ' ? '?' : *path, out);
    fputc('\n', out);
}

char *label_text(const struct label *label, size_t *length) {
    struct text text;
    FILE *out = text_begin(&text, TEXT_LIKELY);
    if (!out) return NULL;
    fprintf(out, VERSION_LINE "store %s generations %d\nmember %d of %d\ndevice %" PRId64 " slots %" PRId64 "\n", label->id,
            label->generations, label->index, label->members, label->device_bytes, label->slot_bytes);
    for (int i = 0; i < label->members; i++)
        print_path(out, i, label->path[i]);
    const char *so_far = text_so_far(&text);
    if (so_far) fprintf(out, "xxh3 %016" PRIx64 "\n", checksum_bytes(so_far, text.length));
    char *whole = text_end(&text);
    *length = text.length;
    return whole;
}

static int damaged(const char *where) {
    if (!where) return OOCC_CORRUPT;
    return run_fail(OOCC_CORRUPT, "--restart discards the scratch and begins again",
                    "%s is damaged: it is no label of a scratch", where);
}

static int take_paths(const char *where, char *at, struct label *label) {
    for (int i = 0; i < label->members; i++) {
        int index, used = 0;
        char *end = strchr(at, '\n');
        if (!end || sscanf(at, "path %d %n", &index, &used) != 1 || !used || index != i || at + used >= end)
            return damaged(where);
        label->path[i] = strndup(at + used, (size_t)(end - at - used));
        if (!label->path[i]) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        at = end + 1;
    }
    return *at ? damaged(where) : 0;
}

static int take(const char *where, char *text, size_t length, struct label *label) {
    enum { SEAL = 5 + 16 + 1 };
    uint64_t sum;
    int used = 0;
    if (length < SEAL || text[length - 1] != '\n' ||
        sscanf(text + length - SEAL, "xxh3 %16" SCNx64, &sum) != 1 ||
        sum != checksum_bytes(text, length - SEAL))
        return damaged(where);
    text[length - SEAL] = 0;
    if (sscanf(text + strlen(VERSION_LINE),
               "store %32[0-9a-f] generations %d\nmember %d of %d\ndevice %" SCNd64 " slots %" SCNd64 "\n%n", label->id,
               &label->generations, &label->index, &label->members, &label->device_bytes, &label->slot_bytes, &used) != 6 ||
        !used || strlen(label->id) != STORE_ID || label->members < 1 || label->members > MEMBERS_MOST ||
        label->generations < 2 || label->generations > STORE_GENERATIONS || label->index < 0 || label->index >= label->members || label->device_bytes < 0 ||
        label->slot_bytes < 0)
        return damaged(where);
    return take_paths(where, text + strlen(VERSION_LINE) + used, label);
}

int label_parse(const char *where, const char *text, size_t length, struct label *label) {
    *label = (struct label){0};
    if (length < strlen(LABEL_MAGIC) || strncmp(text, LABEL_MAGIC, strlen(LABEL_MAGIC)))
        return damaged(where);
    if (length < strlen(VERSION_LINE) || strncmp(text, VERSION_LINE, strlen(VERSION_LINE)))
        return !where ? OOCC_BAD_INPUT : run_fail(OOCC_BAD_INPUT, "go on with the version of oocc that began the run, or --restart",
                        "%s is of another version: %.*s", where, (int)strcspn(text, "\n"), text);
    char *copy = strndup(text, length);
    if (!copy) return run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
    const int status = take(where, copy, strlen(copy), label);
    free(copy);
    label->present = !status;
    if (status) label_forget(label);
    return status;
}

void label_forget(struct label *label) {
    for (int i = 0; i < MEMBERS_MOST; i++)
        free(label->path[i]);
    *label = (struct label){0};
}
