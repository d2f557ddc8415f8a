/* why.c: why a pass is not deeper, with the arithmetic. */
#include "plan/planner.h"

#include "observe/observe.h"

void planner_explain(struct planner *p) {
    struct plan *plan = p->plan;
    const long long bt = plan->bt;
    char a[32], b[32], c[32];
    const char *feeding = planner_feeding(p->program);
    if (feeding != NULL) {
        snprintf(plan->why, sizeof plan->why, planner_feeding_text, feeding);
        return;
    }
    if (plan->in_place || plan->schedule == SCHEDULE_RESIDENT) {
        const int length =
            snprintf(plan->why, sizeof plan->why,
                     planner_swaps(plan) && plan->in_place
                         ? "the whole grid is in memory that may be swapped out: %s, and %s besides; memory and "
                           "swap hold %s"
                         : "the whole grid is in memory: %s of window and %s besides, in a budget of %s",
                     format_bytes(a, plan->window_bytes), format_bytes(b, plan->fixed_bytes),
                     format_bytes(c, planner_swaps(plan) && plan->in_place ? p->machine->swappable_bytes
                                                                           : plan->budget_bytes));
        if (p->program->wedge.periodic && p->search.wanted.bt == 0 &&
            plan->bt < search_most_steps(&p->search))
            snprintf(plan->why + length, sizeof plan->why - (size_t)length,
                     "; with bt above %lld more would be computed twice than is saved", bt);
        return;
    }
    if (plan->schedule == SCHEDULE_SWEEP) {
        snprintf(plan->why, sizeof plan->why, "schedule sweep advances one step per pass");
        return;
    }
    if (plan->bt >= plan->steps) {
        snprintf(plan->why, sizeof plan->why, "bt %lld does all steps in one pass", bt);
        return;
    }
    if (plan->tuned[0] != '\0') {
        snprintf(plan->why, sizeof plan->why,
                 "bt %lld with bz %lld was the fastest when plans were tried (--tune) on %s", bt,
                 (long long)plan->bz, plan->tuned);
        return;
    }
    const int64_t most = search_most_steps(&p->search);
    char reason[128];
    if (plan->bt == most && cut_steps(p->program, plan->in_place, 0) == most) {
        snprintf(plan->why, sizeof plan->why, "bt %lld: %s", bt,
                 cut_reason(p->program, plan->in_place, reason));
        return;
    }
    if (plan->bt == most) {
        snprintf(
            plan->why, sizeof plan->why,
            "bt %lld is the deepest for a periodic %s: one level more would read more planes beyond the grid "
            "than it has",
            bt, p->program->dim[0]);
        return;
    }
    const int64_t deepest = search_deepest(&p->search, plan->bz, most);
    const int64_t deeper = search_needs(&p->search, plan->bt + 1, plan->bz);
    const bool blocks = plan->schedule == SCHEDULE_OVERLAP;
    if (blocks && p->search.wanted.bt == 0 && p->search.wanted.bz == 0)
        snprintf(plan->why, sizeof plan->why,
                 "bt %lld with blocks of bz %lld: deeper passes need wider halos, and the budget of %s, which holds "
                 "every block two to three times, narrower blocks: more would be read and computed twice than "
                 "is saved",
                 bt, (long long)plan->bz, format_bytes(a, plan->budget_bytes));
    else if (deepest == plan->bt && deeper <= INT64_MAX - plan->fixed_bytes)
        snprintf(plan->why, sizeof plan->why,
                 "bt %lld is the deepest that fits with bz %lld: one level more needs %s of a %s budget", bt,
                 (long long)plan->bz, format_bytes(a, deeper + plan->fixed_bytes),
                 format_bytes(b, plan->budget_bytes));
    else
        snprintf(plan->why, sizeof plan->why, "bt %lld %s; up to %lld fits with bz %lld", bt,
                 p->search.wanted.bt > 0 ? "was asked for" : "is predicted to be as fast as anything deeper",
                 (long long)deepest, (long long)plan->bz);
}
