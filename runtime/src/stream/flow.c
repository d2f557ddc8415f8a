/*
 * Items are handed out in a fixed order in which everything that an item needs comes before it. So of the items that have
 * been handed out and are not done, the first one in the order never waits, and the slab goes on with any number of
 * threads. Borders come a few chains late, when the chains beside them are likely to be done.
 *
 * What a chain of group g + 1 needs: it meets rows up to `reach` beyond its own. An item of group g that may still be at
 * work beyond border b meets rows from b minus all its slopes and `reach` on. So far apart are they when the borders up
 * to `near` chains further are done (and with them the chains between).
 */
#include "stream/flow.h"

#include "plan/tiles.h"
#include "stream/pipeline.h"
#include "stream/shares.h"
#include "stream/subnormal.h"
#include "stream/waiting.h"

#include <stdlib.h>

struct oocc_flow {
    /* The order for two groups: what is handed out while the chains of the first are, of the second, and then. Of more
     * groups each goes like the second. */
    struct oocc_item *order;
    int64_t items;               /* in order */
    int64_t first_group, period; /* items */
    int64_t total;               /* items of the slab */
    int64_t groups;
    int64_t chains, near;
    int64_t *begin;  /* of every chain, of the last group; then the last one's end */
    int64_t slopes;  /* so far from there a group's tiles may lean, and read */
    bool ring;
    bool meets; /* all chains of a group are done before its borders begin, and these before the next group's tiles */
    int64_t next; /* of order: taken by threads */
    int64_t *chain_done, *border_done; /* groups that are done, per chain and per border at a chain's low side */
    int64_t items_done;
    struct waiting waiting;
    struct shares *shares; /* of 1-D; otherwise NULL */
};

static int64_t around(const struct oocc_flow *f, int64_t j) {
    return ((j % f->chains) + f->chains) % f->chains;
}

static bool is_border(const struct oocc_flow *f, int64_t j) {
    return f->chains > 1 && (f->ring || (j > 0 && j < f->chains));
}

/* Borders [lo, hi] of the group before must be done for chain j; along a ring they are counted on beyond its ends. */
static void needed(const struct oocc_flow *f, int64_t j, int64_t *lo, int64_t *hi) {
    *lo = j - f->near;
    *hi = j + 1 + f->near;
    if (f->ring && *hi - *lo >= f->chains) {
        *lo = 0;
        *hi = f->chains - 1;
    } else if (!f->ring) {
        *lo = oocc_max(*lo, 1);
        *hi = oocc_min(*hi, f->chains - 1);
    }
}

/* -- the order ------------------------------------------------------------------------------------- */

struct queue { /* of borders that have not been given a place in the order */
    struct oocc_item *item;
    int64_t first, end;
};

static void place_first(struct oocc_flow *f, struct queue *q) {
    f->order[f->items++] = q->item[q->first++];
}

/* Borders of the group before that chain j needs. */
static void place_needed(struct oocc_flow *f, struct queue *q, int64_t group, int64_t j) {
    int64_t lo, hi, last = -1;
    needed(f, j, &lo, &hi);
    for (int64_t i = q->first; i < q->end; i++)
        for (int64_t b = lo; b <= hi; b++)
            if (q->item[i].group < group && q->item[i].chain == around(f, b)) last = i;
    while (q->first <= last)
        place_first(f, q);
}

static void put_in_order(struct oocc_flow *f, struct queue *q, int64_t late) {
    for (int64_t g = 0; g < oocc_min(f->groups, 2); g++) {
        for (int64_t j = 0; j < f->chains; j++) {
            place_needed(f, q, g, j);
            f->order[f->items++] = (struct oocc_item){g, j, false};
            if (j > 0) q->item[q->end++] = (struct oocc_item){g, j, true};
            if (j == f->chains - 1 && is_border(f, 0)) q->item[q->end++] = (struct oocc_item){g, 0, true};
            while (q->end - q->first > late)
                place_first(f, q);
        }
        if (g == 0) f->first_group = f->items;
        f->period = f->items - f->first_group;
    }
    while (q->first < q->end)
        place_first(f, q);
    f->total = f->items + oocc_max(f->groups - 2, 0) * f->period;
}

static struct oocc_item item_at(const struct oocc_flow *f, int64_t place) {
    if (place < f->first_group || f->groups <= 2) return f->order[place];
    const int64_t later = oocc_min((place - f->first_group) / f->period, f->groups - 2);
    struct oocc_item item = f->order[place - later * f->period];
    item.group += later;
    return item;
}

struct oocc_flow *flow_open(const struct oocc_run *run, const struct oocc_pass *pass) {
    const struct oocc_tiling *t = &run->program->tiling;
    struct oocc_flow *f = calloc(1, sizeof *f);
    const int64_t chains = run->program->tiled ? pass->chains : 0;
    struct queue q = {.item = calloc((size_t)(2 * chains) + 1, sizeof *q.item)};
    if (f) {
        f->chains = chains;
        f->ring = t->ring;
        f->groups = (pass->bt - pass->first_step) / pass->ct + 1;
        f->order = calloc((size_t)(4 * chains) + 1, sizeof *f->order);
        f->chain_done = calloc((size_t)chains + 1, sizeof *f->chain_done);
        f->border_done = calloc((size_t)chains + 1, sizeof *f->border_done);
        f->begin = calloc((size_t)chains + 1, sizeof *f->begin);
    }
    if (f && !run->program->tiled) f->shares = shares_open(run, pass);
    if (!f || !q.item || !f->order || !f->chain_done || !f->border_done || !f->begin || (!run->program->tiled && !f->shares)) {
        flow_close(f);
        free(q.item);
        run_fail(OOCC_NO_MEMORY, NULL, "out of memory");
        return NULL;
    }
    if (chains > 0) {
        const struct row_range last = pass_rows(run->program, pass, oocc_group_lo(pass, f->groups - 1));
        const struct row_range first = pass_rows(run->program, pass, pass->first_step);
        const int64_t narrowest = oocc_min(first.hi - first.lo, last.hi - last.lo) / chains; /* from border to border */
        const int64_t slopes = oocc_max(t->shift_lo + pass->ct * t->slope_lo, t->shift_hi + pass->ct * t->slope_hi);
        /* With the sides of a column, borders move from one group to the next. */
        const int64_t moved = oocc_max(pass->inner_lo ? pass->ct * t->slope_lo : 0, pass->inner_hi || pass->leans ? pass->ct * t->slope_hi : 0);
        f->near = (slopes + moved + 2 * t->reach) / oocc_max(narrowest, 1);
        f->slopes = slopes + moved + t->reach;
        for (int64_t j = 0; j <= chains; j++)
            f->begin[j] = oocc_chain_lo(pass, last.lo, last.hi, j);
        f->meets = run->options.barriers;
        if (f->meets) f->near = chains;
        put_in_order(f, &q, f->meets ? chains : oocc_min(run->plan.threads, chains - 1));
    }
    free(q.item);
    return f;
}

void flow_close(struct oocc_flow *f) {
    if (!f) return;
    free(f->order);
    free(f->chain_done);
    free(f->border_done);
    free(f->begin);
    shares_close(f->shares);
    free(f);
}

struct shares *flow_shares(const struct oocc_flow *f) {
    return f->shares;
}

/* -- inside a slab --------------------------------------------------------------------------------- */

void oocc_share_out(const struct oocc_pass *p) {
    struct oocc_flow *f = p->flow;
    f->next = f->items_done = 0;
    for (int64_t j = 0; j < f->chains; j++)
        f->chain_done[j] = f->border_done[j] = 0;
}

/* Whether chain j of the last group, or what is beside it, may meet rows [lo, hi). Rows that the last group has lost at the sides of a column
 * count as its outer chains'. */
static bool meets_rows(const struct oocc_flow *f, int64_t j, int64_t lo, int64_t hi) {
    const int64_t from = f->begin[j] - f->slopes, to = f->begin[j + 1] + f->slopes, rows = f->begin[f->chains];
    if (f->ring) return (lo < to && hi > from) || (from < 0 && hi > from + rows) || (to > rows && lo < to - rows);
    return (lo < to || j == f->chains - 1) && (hi > from || j == 0);
}

bool flow_has_finished(const struct oocc_flow *f, int64_t lo, int64_t hi) {
    if (f->chains == 0) return false;
    for (int64_t j = 0; j < f->chains; j++) {
        if (!meets_rows(f, j, lo, hi)) continue;
        if (!waiting_is_done(&f->chain_done[j], f->groups)) return false;
        for (int64_t b = j; b <= j + 1; b++)
            if (is_border(f, b) && !waiting_is_done(&f->border_done[around(f, b)], f->groups)) return false;
    }
    return true;
}

static void wait_until(const struct oocc_pass *p, const int64_t *done, int64_t goal) {
    waiting_until(p, &p->flow->waiting, done, goal);
}

static void wait_for(const struct oocc_pass *p, const struct oocc_item *item) {
    const struct oocc_flow *f = p->flow;
    if (item->border && f->meets) {
        for (int64_t j = 0; j < f->chains; j++)
            wait_until(p, &f->chain_done[j], item->group + 1);
        return;
    }
    if (item->border) {
        wait_until(p, &f->chain_done[item->chain], item->group + 1);
        wait_until(p, &f->chain_done[around(f, item->chain - 1)], item->group + 1);
        return;
    }
    wait_until(p, &f->chain_done[item->chain], item->group);
    int64_t lo, hi;
    needed(f, item->chain, &lo, &hi);
    for (int64_t b = lo; b <= hi && f->chains > 1; b++)
        wait_until(p, &f->border_done[around(f, b)], item->group);
}

bool oocc_next_item(const struct oocc_pass *p, struct oocc_item *item) {
    struct oocc_flow *f = p->flow;
    if (item->group < 0) subnormal_enter(p);
    if (item->group >= 0)
        __atomic_store_n(item->border ? &f->border_done[item->chain] : &f->chain_done[item->chain], item->group + 1,
                         __ATOMIC_RELEASE);
    if (item->border && item->group + 1 == f->groups)
        pipeline_seal_ready(p, f->begin[item->chain] - f->slopes, f->begin[item->chain] + f->slopes);
    if (item->group >= 0) {
        __atomic_fetch_add(&f->items_done, 1, __ATOMIC_RELEASE);
        waiting_tell(&f->waiting);
    }
    const int64_t place = __atomic_fetch_add(&f->next, 1, __ATOMIC_RELAXED);
    if (place >= f->total) {
        subnormal_leave(p);
        waiting_idle(p, &f->waiting, &f->items_done, f->total); /* what others have taken */
        return false;
    }
    *item = item_at(f, place);
    wait_for(p, item);
    return true;
}
