/*
 * ahead.h: how tiles of generated programs fetch into cache what they are going to need; a part of oocc.h, which includes it.
 * Hints to the processor only: no result depends on them.
 */
#ifndef OOCC_AHEAD_H
#define OOCC_AHEAD_H

/* What a tile is going to need soon, it fetches into cache while it computes: a few lines before every stretch of a row (all at once,
 * the processor would drop most of them). Memory would otherwise be idle while ct steps are made from cache, and then be waited for. */
enum { OOCC_MAX_AHEAD = 24, OOCC_LINE_BYTES = 64, OOCC_STRETCH = 128 /* cells */ };
struct oocc_lines {
    int64_t all;  /* bytes */
    int64_t each; /* lines to fetch before a stretch */
    int64_t left; /* bytes of the part at `at` */
    const char *at;
    int parts, next;
    const char *part[OOCC_MAX_AHEAD];
    int64_t bytes[OOCC_MAX_AHEAD];
};
struct oocc_ahead {
    const struct oocc_pass *pass;
    int64_t rows;               /* that the tile computes at this position, about */
    int64_t first, last;        /* rows (4-D: layers) to fetch of planes that the next position meets first */
    int64_t below, above;       /* rows beyond the tile's sides that a next step reads and others have made */
    int64_t lo, hi, made;       /* rows [lo, hi) are computed in this step, in all planes together `made` */
    struct oocc_lines position; /* for the next position of the wave */
    struct oocc_lines step;     /* for the next step */
};

/* In a row of so many cells. */
static inline int64_t oocc_stretches(int64_t cells)
{
    return cells > 0 ? (cells - 1) / OOCC_STRETCH + 1 : 0;
}

static inline void oocc_no_lines(struct oocc_lines *lines)
{
    lines->all = lines->each = lines->left = 0;
    lines->at = (const char *)0;
    lines->parts = lines->next = 0;
}

/* Rows between two sides of a tile, on average over steps in which both move evenly. */
static inline int64_t oocc_mean_rows(int64_t lo, int64_t lo_then, int64_t hi, int64_t hi_then)
{
    return (hi - lo + hi_then - lo_then) / 2;
}

/* For a position at which `rows` rows are computed, in all, more or less. Rows [first, last) are what the planes that come next are
 * fetched of; `below` and `above` is what others have made for the tile beyond its sides. */
static inline struct oocc_ahead oocc_look_ahead(const struct oocc_pass *p, int64_t rows, int64_t first, int64_t last, int64_t below, int64_t above)
{
    struct oocc_ahead ahead;
    ahead.pass = p;
    ahead.rows = rows;
    ahead.first = first;
    ahead.last = last;
    ahead.below = below;
    ahead.above = above;
    ahead.lo = ahead.hi = ahead.made = 0;
    oocc_no_lines(&ahead.position);
    oocc_no_lines(&ahead.step);
    return ahead;
}

/* Those of rows (4-D: layers) [lo, hi) of `planes` planes from z on of a field's level s that there are, are to be fetched as well, while
 * `rows` of them are computed. */
static inline void oocc_rows_ahead(const struct oocc_pass *p, struct oocc_lines *lines, int field, int64_t s, int64_t z, int64_t planes, int64_t lo,
        int64_t hi, int64_t rows)
{
    const struct oocc_layout *l = &p->grid->layout[field];
    const int64_t n = p->grid->extent[1], layer = p->grid->rows / n, row_bytes = l->row_elements * l->element_bytes * layer;
    const int64_t from = lo > 0 ? lo : 0, bytes = ((hi < n ? hi : n) - from) * row_bytes;
    if (!p->fetch_ahead || p->bt == 0 || bytes <= 0 || rows <= 0)
        return;
    for (int64_t plane = z > 0 ? z : 0; plane < z + planes && lines->parts < OOCC_MAX_AHEAD; plane++) {
        lines->part[lines->parts] = (const char *)oocc_plane(p, field, s, plane) + from * row_bytes;
        lines->bytes[lines->parts++] = bytes;
        lines->all += bytes;
    }
    lines->each = lines->all / (rows * layer * oocc_stretches(p->grid->cells) * OOCC_LINE_BYTES) + 1;
}

/* The next position meets these planes of a field's level s, which are not in cache. */
static inline void oocc_planes_ahead(struct oocc_ahead *ahead, int field, int64_t s, int64_t z, int64_t planes)
{
    oocc_rows_ahead(ahead->pass, &ahead->position, field, s, z, planes, ahead->first, ahead->last, ahead->rows);
}

/* Begins a step that computes rows [lo, hi) of so many planes; oocc_beside and oocc_behind say what the next one needs. */
static inline void oocc_next_step(struct oocc_ahead *ahead, int64_t planes, int64_t lo, int64_t hi)
{
    ahead->lo = lo;
    ahead->hi = hi;
    ahead->made = (hi - lo) * planes;
    oocc_no_lines(&ahead->step);
}

/* While planes from z on become level s of a field: the rows beside them that the next step reads were made by others, long ago. */
static inline void oocc_beside(struct oocc_ahead *ahead, int field, int64_t s, int64_t z, int64_t planes)
{
    oocc_rows_ahead(ahead->pass, &ahead->step, field, s, z, planes, ahead->lo - ahead->below, ahead->lo, ahead->made);
    oocc_rows_ahead(ahead->pass, &ahead->step, field, s, z, planes, ahead->hi, ahead->hi + ahead->above, ahead->made);
}

/* The next step reads planes from z on of a field's level s that the slab before has made, at its last positions. */
static inline void oocc_behind(struct oocc_ahead *ahead, int field, int64_t s, int64_t z, int64_t planes)
{
    oocc_rows_ahead(ahead->pass, &ahead->step, field, s, z, planes, ahead->lo - ahead->below, ahead->hi + ahead->above, ahead->made);
}

static inline void oocc_fetch_lines(struct oocc_lines *lines, int64_t rows)
{
    int64_t wanted = lines->each * rows;
    while (wanted > 0) {
        if (lines->left <= 0) {
            if (lines->next == lines->parts)
                return;
            lines->at = lines->part[lines->next];
            lines->left = lines->bytes[lines->next++];
        }
        const char *const at = lines->at;
        const int64_t there = (lines->left - 1) / OOCC_LINE_BYTES + 1, now = wanted < there ? wanted : there;
        for (int64_t i = 0; i < now; i++)
            __builtin_prefetch(at + i * OOCC_LINE_BYTES, 0, 2);
        lines->at = at + now * OOCC_LINE_BYTES;
        lines->left -= now * OOCC_LINE_BYTES;
        wanted -= now;
    }
}

/* Before a stretch of so many rows: fetches its share. */
static inline void oocc_fetch(struct oocc_ahead *ahead, int64_t rows)
{
    oocc_fetch_lines(&ahead->step, rows);
    oocc_fetch_lines(&ahead->position, rows);
}

#endif
