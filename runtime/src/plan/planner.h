/* planner.h: the parts of plan_make(): model.c chooses, wanted.c checks what was asked for, budget.c what there is room for, why.c
 * explains. */
#ifndef OOCC_PLANNER_H
#define OOCC_PLANNER_H

#include "plan/run_plan.h"
#include "plan/search.h"

struct planner {
    const struct oocc_program *program;
    const struct options *options;
    const struct machine *machine;
    const struct oocc_grid *grid;
    struct plan *plan;
    struct search search;
    struct plan before; /* made earlier, budget_bytes 0: none; what was said or tried then is not once more */
};

/* Everything up to the choice of the shape: engine, schedule, what was asked for, what there is room for. */
int planner_open(struct planner *p, const struct oocc_program *program, const struct options *options,
                 const struct machine *machine, const struct oocc_grid *grid, int64_t remaining, struct plan *plan);

/* Takes what was asked for into search.wanted; refuses contradictions, and depths that the program does not allow. */
int planner_check_wanted(struct planner *p);
/* The same for columns, once engine and schedule are chosen; then for tiles and pieces, once the search is set up. */
int planner_check_columns(struct planner *p);
int planner_check_tiles(struct planner *p);

/* The name of a reduction that updates use, which makes every step wait for the one before, all over the grid; or
 * NULL. planner_feeding_text is the reason in words, for its name. */
const char *planner_feeding(const struct oocc_program *program);
extern const char planner_feeding_text[];

/* What all of it may take: --memory, else most of what is available. */
void planner_choose_budget(struct planner *p);
/* What the store holds, what import and export move, and what memory is taken besides the window; for engine and schedule. */
void planner_count_bytes(struct planner *p);
/* What the passes move; for the shape that was chosen. */
void planner_count_moved(struct planner *p);
/* 71: `what` needs so large a window, and what to do; otherwise: besides a larger --memory, or NULL. */
int planner_refuse(const struct planner *p, const char *what, int64_t window, const char *otherwise);
/* 0, or 71: memory and swap do not hold what engine swap leaves there. */
int planner_check_swap(const struct planner *p);

/* Engine swap: the state, or the window that holds all of it, is not in the budget. */
bool planner_swaps(const struct plan *plan);

/* Says in plan->why what keeps bt from being larger. */
void planner_explain(struct planner *p);

#endif
