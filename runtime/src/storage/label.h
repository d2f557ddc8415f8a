/*
 * label.h: what every member of a scratch says of itself (docs/formats/scratch.md): of which store it is a part,
 * and where the others are. So members may be given in any order, and one that is missing, or of another run, is
 * refused by name.
 */
#ifndef OOCC_LABEL_H
#define OOCC_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MEMBERS_MOST = 16, STORE_ID = 32, STORE_GENERATIONS = 3 };

struct label {
    bool present;
    char id[STORE_ID + 1]; /* of the store: random, hexadecimal */
    int index, members;
    int generations; /* of the state */
    char *path[MEMBERS_MOST];         /* of all members, absolute */
    int64_t device_bytes, slot_bytes; /* of a device; otherwise 0 */
};

#define LABEL_MAGIC "oocc-member "

/* A new store's id. */
int label_make_id(char id[STORE_ID + 1]);

/* The label as text, sealed; the caller frees it. NULL: out of memory. */
char *label_text(const struct label *label, size_t *length);

/* Reads a text; `where` is for messages; NULL: there are none. Errors: 65 another version, 71, 76 damaged. */
int label_parse(const char *where, const char *text, size_t length, struct label *label);

void label_forget(struct label *label);

#endif
