/* suggest.h: "did you mean ...?" for a misspelt word. */
#ifndef OOCC_SUGGEST_H
#define OOCC_SUGGEST_H

struct suggestion {
    const char *wanted, *nearest; /* nearest: NULL until a candidate is near enough */
    int distance;
};

/* Keeps the candidate when it is nearer than those before. */
void suggest_consider(struct suggestion *suggestion, const char *candidate);
/* "did you mean 'PREFIX NEAREST'?" in buffer, or `otherwise` when nothing is near. */
const char *suggest_text(const struct suggestion *suggestion, const char *prefix, const char *otherwise,
                         char buffer[96]);

#endif
