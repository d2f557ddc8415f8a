/* verify.h: reading a scratch without the program whose run made it. */
#ifndef OOCC_VERIFY_H
#define OOCC_VERIFY_H

#include "storage/manifest.h"

/* As much of a run as its manifest tells. */
struct described {
    struct oocc_run run;
    struct oocc_program program;
    struct oocc_field *field;
    struct oocc_layout *layout;
    char **name; /* of the fields */
    struct trace_line *trace;
    int traces;
    char program_name[256];
    struct manifest manifest;
};

/* Takes grid and fields out of the lines from `program` on; *at is moved to the checksums. Errors: 71, 76. */
int describe(const struct store *store, char **at, struct described *described);
void described_forget(struct described *described);

/* What reading everything has shown. */
struct findings {
    int64_t bytes, bands;
    int64_t damaged, unread; /* bands */
};

/* Reads all records of the whole generation and of the coefficients; prints every band that is not as it was written. */
int scrub(struct described *described, struct store *store, struct findings *findings);

/* The same of the traces; one counts as a band. */
int scrub_traces(const struct described *described, struct store *store, struct findings *findings);

/* On stdout; what is of the manifest or the command line may hold anything. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
