#include "support/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Insertions, deletions, replacements and swaps of neighbours that make b of a; long words count as far. */
static int distance(const char *a, const char *b) {
    enum { LONGEST = 31 };
    const size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST || n > LONGEST) return LONGEST;
    int d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= m; i++)
        for (size_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (int)(i + j);
                continue;
            }
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[m][n];
}

void suggest_consider(struct suggestion *s, const char *candidate) {
    const int limit = strlen(s->wanted) < 4 ? 1 : strlen(s->wanted) < 8 ? 2 : 3;
    const int d = distance(s->wanted, candidate);
    if (d <= limit && d < (int)strlen(candidate) && (s->nearest == NULL || d < s->distance)) {
        s->nearest = candidate;
        s->distance = d;
    }
}

const char *suggest_text(const struct suggestion *s, const char *prefix, const char *otherwise,
                         char buffer[96]) {
    if (s->nearest == NULL) return otherwise;
    snprintf(buffer, 96, "did you mean '%s%s'?", prefix, s->nearest);
    return buffer;
}
