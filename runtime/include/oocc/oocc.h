/*
 * oocc.h: what a generated program and the runtime say to each other.
 *
 * A generated program describes itself in one struct oocc_program (its parameters, fields and the facts the compiler
 * worked out), gives the kernels, and calls oocc_main(). The runtime plans, allocates, moves bytes, commits and reports;
 * for each pass over the grid it calls program->pass, which is the algorithm in plain sight and calls back the four
 * functions under "inside a pass".
 *
 * Words: a *level* is the state after a number of steps; a *plane* is all cells with one index of the slowest dimension;
 * a *row* is a run of cells contiguous in memory; a *slab* is the number of planes by which the window moves on at a time.
 * How dimensions are stored:
 *     1-D (x)        a plane is a block of cells, one row          planes = ceil(x / block), rows = 1
 *     2-D (y, x)     a plane is one row                            planes = y, rows = 1, cells = x
 *     3-D (z, y, x)  a plane is y rows of x cells                  planes = z, rows = y, cells = x
 *     4-D (w,z,y,x)  a plane is z*y rows of x cells                planes = w, rows = z*y, cells = x
 *
 * Where the streamed (slowest) dimension is periodic, a pass works on *unrolled* planes: v = 0, 1, ... runs over the end of
 * the grid (`head` planes of it), the whole grid, and its beginning again, so that nothing wraps around inside a pass. The
 * plane z of the grid that v stands for is (v - head) mod planes; planes that are computed twice give the same bits. Planes
 * are counted in v everywhere inside a pass, and in z everywhere else; otherwise head is 0 and both are the same.
 * All sizes are 64-bit; bytes unless the name says planes, rows, cells or elements.
 */
#ifndef OOCC_OOCC_H
#define OOCC_OOCC_H

#include "oocc/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define OOCC_ABI 10
#define OOCC_MAX_DIMS 4
#define OOCC_MAX_SLOTS 16

/* Of parameters: OOCC_BOOL, OOCC_INT (int64_t), OOCC_F32, OOCC_F64. Of a field's elements: any. */
enum oocc_type { OOCC_BOOL, OOCC_INT, OOCC_F32, OOCC_F64, OOCC_U8, OOCC_I32 };

/* A parameter of the program. `value` points to its storage: bool, int64_t, float or double, holding the default. */
struct oocc_param {
    const char *name;
    enum oocc_type type;
    void *value;
    bool constant; /* compiled in with -D: a run may not give another value */
    bool *given;   /* set when a run gives the value; NULL: the default is in `value` from the start. Otherwise the
                      default follows from other parameters, and setup() stores it unless the value was given. */
};

/* One field: state that evolves, or a coefficient that is stored once and only read. */
struct oocc_field {
    const char *name;
    enum oocc_type type;
    bool coef;
    int levels;              /* levels carried from step to step, and stored: t, t-1, ... (a coefficient: 1; a temp,
                                which lives for one step only: 0) */
    int slots;               /* levels kept in the window at once (a coefficient: 1) */
    int64_t delay_planes;    /* step s makes plane w - s*step_delay - delay at wave position w; for a coefficient (and for
                                level 0 of a state field, s = 0) the plane that must have been read at w. May be negative
                                for a coefficient that is read ahead of the wave. */
    int64_t keep_planes;     /* the last plane anyone needs at w is w - bt*step_delay - keep; keep >= delay, except
                                for a coefficient that is read ahead of the wave */
    int64_t made_planes;     /* step s begins to make plane w - s*step_delay - made (made <= delay: a plane may be
                                changed again before the step is done with it, by points) */
    int64_t ghost_lo_cells;  /* cells kept before the first and after the last cell of every row: what reads that leave */
    int64_t ghost_hi_cells;  /* the grid along x see (1-D: none, there they are gathered when they are read) */
    int64_t first_cell;      /* rows are laid out so that this cell, where vector loops begin, begins a cache
                                line */
    const char *path;        /* file the initial values come from, or NULL */
    /* Writes the initial values of the real cells of one plane (level 0, -1, ...). NULL: zero, or from the file. */
    void (*fill)(void *plane, int64_t z, int64_t level);
    /* The same of values that are made of coefficients; those of a coefficient stand before it in the table. source_plane[i] is
     * the first cell of the same plane of field source[i]. */
    void (*fill_from)(void *plane, const void *const *source_plane, int64_t z, int64_t level);
    const int *source;
    int sources;
    bool unread;             /* a coefficient that other values alone are made of: no step reads it, and so no pass does */
    /* Writes the ghost cells of every row of a plane that holds level t. NULL: there is nothing to write. */
    void (*ghosts)(void *plane, int64_t z, int64_t t);
    int64_t lean_rows;       /* where columns lean (oocc_tiling.leans), a column is given so many rows of every level that the */
    int64_t lean_shift;      /* one before has made, up to the line between them: in step s that is row outer - (s - 1)*slope_hi
                                - lean_shift, where `outer` is oocc_pass.outer_hi of one and outer_lo of the other */
};

struct oocc_output {
    int field;
    const char *path;     /* .npy or .raw; "{t}" stands for the level */
    const int64_t *every; /* at every level that is a multiple of it (setup() stores it; < 1 is refused); NULL: at the end */
};

/* One cell that a point touches: on the grid a point is one cell of weight 1, off it the up to 2^ndim cells around it with
 * their multilinear weights. */
struct oocc_point_cell {
    int64_t plane, row, cell; /* plane of the grid (not unrolled); row within the plane; 1-D: plane is the block */
    int64_t point;            /* which point, in the order of the file */
    int64_t slot;             /* this cell's place in the order (point, corner): where its recorded value is put */
    double weight;
};

/* A set of points. The generated program gives `path` or `at`; the runtime reads, checks and sorts it before the first
 * pass. */
struct oocc_points {
    const char *path;  /* a text file, one point per line, ndim numbers in the grid's order; NULL: one point, `at` */
    const double *at;  /* ndim numbers, stored by setup() */
    int64_t points;
    int64_t cells;
    const struct oocc_point_cell *cell; /* sorted by plane, row, cell, point */
    const int64_t *first;               /* planes + 1 numbers: cells of plane z are [first[z], first[z+1]) */
};

/* A table of signals: sample t is for the step that leads from level t to t + 1. Samples beyond the last are 0. Either injected at
 * points, or a series, which expressions read. */
struct oocc_signal {
    const char *path;    /* .npy of f32 or f64, (samples) for all points alike or (samples, points) */
    int points;          /* index of the point set: the numbers of points must agree; -1: a series, of shape (samples) */
    int64_t samples, columns;
    const double *value; /* samples * columns, read by the runtime */
};

/* Traces: the field's value at points, after every step whose new level is a multiple of *every. */
struct oocc_record {
    const char *path;     /* .npy of (samples, points), of the field's type */
    int field;
    int points;           /* index of the point set */
    const int64_t *every; /* NULL: 1 */
    double *value;        /* of this pass: [sample][slot of the cell]; the runtime's */
    int64_t first_level;  /* of row 0 of value */
    int64_t slots;
};

enum oocc_reduce { OOCC_SUM, OOCC_MIN, OOCC_MAX, OOCC_MEAN };

/* What one thread has gathered for one reduction and one step. Sums are exact (a superaccumulator: Kulisch, "Computer
 * Arithmetic and Validity"; limbs of 32 bits held in 64, so that 2^30 additions need no carry), extrema are extrema, so
 * the result depends neither on the order nor on how the grid is cut. */
enum { OOCC_SUM_LIMBS = 68 };
struct oocc_gather {
    int64_t limb[OOCC_SUM_LIMBS];
    int64_t since_carry; /* additions since the limbs were normalised */
    int64_t count;       /* cells */
    double extreme;      /* starts as +inf (min) or -inf (max) */
    double special;      /* sum of the nans and infinities met */
};

/* A reduction over the grid: `monitor`, or `scalar` when updates use it. */
struct oocc_watch {
    const char *name;
    enum oocc_reduce op;
    double *value;        /* the runtime stores the last result here; nan before the first one */
    const int64_t *every; /* NULL: 1 */
    bool feeds;           /* updates use it: it is evaluated at step 0 as well, and every pass is one step long */
};

/* How one field's plane lies in memory and on disk: rows `row_elements` apart, cell (row 0, cell 0) at
 * `origin_elements`, `plane_bytes` in all (a multiple of 4096). In memory planes are `stride_bytes` apart: a little more,
 * so that neighbouring planes do not share cache sets. Elements are of the field's type. */
struct oocc_layout {
    int64_t element_bytes;
    int64_t row_elements;
    int64_t origin_elements;
    int64_t plane_bytes, stride_bytes;
};

/* The grid as stored; the generated program's kernels read it, the runtime fills it before anything else is called. */
struct oocc_grid {
    int ndim;
    int64_t extent[OOCC_MAX_DIMS]; /* cells per dimension, slowest first */
    int64_t planes, rows, cells;   /* cells: of a full row (1-D: the block) */
    int64_t bands, band_rows;      /* parts of a stored plane that have a checksum each: 3-D `band_rows` rows, 4-D so
                                      many layers (the last may have fewer); otherwise a plane is one band */
    const struct oocc_layout *layout; /* one per field */
    bool dense;                    /* without the padding that keeps rows and planes apart in cache; for studies */
    int64_t cut_bands;             /* so many bands are whole blocks of 4096 bytes in every field: where a plane may be cut so
                                      that parts can be written */
};

/* One slot of a field's window: a ring of planes; plane z lives at index z mod planes. */
struct oocc_ring {
    char *base;
    int64_t planes;
};

struct oocc_window {
    struct oocc_ring ring[OOCC_MAX_SLOTS];
    int64_t slots;
    int64_t phase; /* slot of level s (counted from the pass's start) is (s + phase) mod slots; phase >= levels - 1 */
    int64_t stride_bytes;
    int64_t origin_bytes;
};

struct oocc_run;  /* the runtime's own */
struct oocc_flow;

/* One pass over the grid: advances every plane by `bt` levels. */
struct oocc_pass {
    const struct oocc_grid *grid;
    const struct oocc_window *window; /* one per field */
    int64_t t0;             /* level before the pass's first step */
    int64_t bt;             /* steps of this pass, numbered 1..bt */
    int64_t ct;             /* of which so many are done while a slab is in cache */
    int64_t bz;             /* planes in a slab */
    int64_t tiles;          /* tiles a slab is cut into, so small that one is in cache (3-D: along y, 2-D: along x) */
    int64_t chains;         /* of tiles that follow each other: what threads take; at most as many */
    /* Rows (2-D: cells, 4-D: layers): where the first tile begins and the last one ends in step 1. An inner side is the
     * border of a column and moves with every step, the others are the grid's edges. */
    int64_t outer_lo, outer_hi;
    bool inner_lo, inner_hi;
    bool leans;             /* the low side is where the column before ends, and moves to the low side as that one's high side does */
    int64_t pieces;         /* pieces a row is cut into, one after the other (3-D) */
    int64_t head;           /* v of plane 0 */
    int64_t lo, hi;         /* planes that are to have made all steps: those of the grid, or of a block of it */
    int64_t first, end;     /* planes there are: step s makes those of [first, end) that the later ones need for [lo, hi) */
    int64_t first_step;     /* 1; 0 in a pass of bt = 0, which only evaluates what feeds the first step */
    int64_t slabs;          /* slab i holds wave positions [oocc_slab_lo(p, i), oocc_slab_hi(p, i)) */
    int64_t wave_lo, wave_hi;
    char *edge_rows;        /* scratch rows, program->edge_rows per thread, each edge_row_bytes long */
    int64_t edge_row_bytes;
    int64_t edge_origin_bytes;
    bool fetch_ahead;       /* tiles fetch what the next position of the wave meets first */
    struct oocc_flow *flow; /* who does what in a slab, and what is done: the runtime's own */
    struct oocc_run *run;
};

/* The slopes of split tiling: step s (counted from 0 within a group) of stage k leaves out s*slope + shift[k] rows at
 * the low and at the high side of a tile. The runtime needs only the largest shift, to know how wide a tile must be. */
struct oocc_tiling {
    int64_t slope_lo, slope_hi;
    int64_t shift_lo, shift_hi;
    int64_t reach;       /* the furthest read along the tiled dimension */
    int64_t more_lo, more_hi; /* rows that step 1 reads beyond where a tile begins and ends, at most */
    int64_t piece_slope; /* cells by which pieces of rows shift with every step (3-D) */
    bool whole_rows;     /* rows are never cut into pieces */
    bool ring;           /* the tiled dimension is periodic: the first and the last tile have a border between them */
    bool leans;          /* columns may lean as tiles do: each row of a level is made by one of two neighbours */
};

/* What planes [lo, hi) need of those around them: step s of a pass of bt steps computes planes
 * [lo - ((bt-s)*slope_lo + ..), hi + ((bt-s)*slope_hi + ..)), and the pass reads bt*slope_lo + more_lo planes before lo and
 * bt*slope_hi + more_hi planes from hi on. Where the streamed dimension is periodic, as many are unrolled before the grid
 * (head) and after it; under schedule overlap they are the halos of a block. */
struct oocc_wedge {
    bool periodic;
    int64_t slope_lo, slope_hi;
    int64_t more_lo, more_hi;
};

struct oocc_program {
    int abi; /* OOCC_ABI */
    const char *name;
    const char *source;       /* the .stn file's name, for messages */
    uint64_t hash;            /* of the stencil IR, and whose functions it calls: a scratch made by another program is not resumed */
    int params;
    const struct oocc_param *param;
    int ndim;
    const char *const *dim;   /* names, slowest first */
    /* Computes what follows from the parameters; calls oocc_overflow() when a size does not fit. */
    void (*setup)(int64_t extent[OOCC_MAX_DIMS], int64_t *steps);
    /* Told once, after the layout is known and before fill, ghosts or pass are called. */
    void (*use_grid)(const struct oocc_grid *grid);
    int fields;
    const struct oocc_field *field;
    int outputs;
    const struct oocc_output *output;
    int stages;
    int64_t step_delay;             /* R: planes by which a step lags behind the one before */
    int64_t delay_min, delay_max;   /* over the stages */
    int64_t block_min_cells;        /* 1-D: a block is at least as long as the furthest read; otherwise 0 */
    int64_t share_least;            /* 1-D: wave positions that a share has at least: as many as lie between any value's making and
                                       reading, or between its reading and being overwritten; otherwise 0 */
    bool tiled;                     /* false in 1-D, where a slab's wave positions are shared out instead */
    struct oocc_tiling tiling;
    struct oocc_wedge wedge;
    int64_t min_extent[OOCC_MAX_DIMS]; /* cells that edges and offsets ask for (0: any) */
    int point_sets;
    struct oocc_points *points;
    int signals;
    struct oocc_signal *signal;
    int records;
    struct oocc_record *record;
    int watches;
    const struct oocc_watch *watch;
    /* The index of the first stop condition that holds now, or -1. Called after each step that evaluated a watch. */
    int (*stop)(void);              /* NULL: none */
    const char *const *stop_text;   /* the conditions, as the program has them */
    bool stop_on_nan;               /* the run ends when a floating field of the state holds nan or inf */
    int edge_rows;                  /* scratch rows a thread needs for rows beyond the grid */
    double flops_per_cell;          /* of one step; a call of the C library counts as many as take as long */
    bool planes_differ;             /* which plane a cell is in decides how it is computed: not all take as long */
    int64_t bt, bz, ct, yt, xt, columns; /* asked for when compiling; 0: the planner chooses */
    bool embedded;                  /* an application drives it (embed.h): a call may end at any level, not only passes */
    int (*pass)(struct oocc_pass *p);
};

/* The whole run: command line, plan, import, passes, commits, export. Returns the exit status. With the arguments of main() it may start
 * the process anew at first (docs/schedule.md, Threads), so it is the first thing that main() does. */
int oocc_main(const struct oocc_program *program, int argc, char **argv);

/* -- inside a pass: each returns 0 or an exit status that the pass returns at once --------------------------------- */

/* Starts reading the planes that slab i needs and no earlier slab did. i >= slabs: nothing to do. Waits first, if it
 * must, until the ring's places are no longer being written back. */
int oocc_read_ahead(struct oocc_pass *p, int64_t i);
/* Waits until the planes of slab i are in the window and their checksums hold. */
int oocc_wait_for(struct oocc_pass *p, int64_t i);
/* Starts writing what slab i finished (planes whose last level of this pass is done); shows progress. */
int oocc_write_back(struct oocc_pass *p, int64_t i);
/* Waits until everything the pass wrote has left the window. */
int oocc_finish(struct oocc_pass *p);

static inline int64_t oocc_slab_lo(const struct oocc_pass *p, int64_t i) { return p->wave_lo + i * p->bz; }
static inline int64_t oocc_slab_hi(const struct oocc_pass *p, int64_t i)
{
    const int64_t hi = p->wave_lo + (i + 1) * p->bz;
    return hi < p->wave_hi ? hi : p->wave_hi;
}

/* -- inside a slab: chains of tiles, and the borders between them -------------------------------------------------- */

/* One piece of work: chain `chain` in a group of steps, or the border at its low side. */
struct oocc_item {
    int64_t group; /* -1: none */
    int64_t chain;
    bool border;
};

static inline struct oocc_item oocc_no_item(void)
{
    const struct oocc_item none = {-1, 0, false};
    return none;
}

/* Before the threads of a slab start. */
void oocc_share_out(const struct oocc_pass *p);
/* The item that a thread had is done (its results are there for every thread that gets an item which needs them); the
 * next one, when all that it needs is done. false: there is none left. */
bool oocc_next_item(const struct oocc_pass *p, struct oocc_item *item);
/* Rows [lo, hi) of a chain have been through the steps of a group, up to s_hi. If that is the last step of the pass, they are sealed for the
 * disk while caches have them; returns the first row that is not. */
int64_t oocc_rows_done(const struct oocc_pass *p, int64_t s_hi, int64_t lo, int64_t hi);

/* The steps [lo, hi] of a group. */
static inline int64_t oocc_group_lo(const struct oocc_pass *p, int64_t group) { return p->first_step + group * p->ct; }
static inline int64_t oocc_group_hi(const struct oocc_pass *p, int64_t group)
{
    const int64_t hi = oocc_group_lo(p, group) + p->ct - 1;
    return hi < p->bt ? hi : p->bt;
}

/* -- inside a slab of a 1-D grid: shares of its wave positions ------------------------------------------------------ */

/* Positions [lo, hi), with which one thread goes through all steps. */
struct oocc_share {
    int64_t index; /* -1: none */
    int64_t lo, hi;
    int64_t stages; /* that it has begun */
};

static inline struct oocc_share oocc_no_share(void)
{
    const struct oocc_share none = {-1, 0, 0, 0};
    return none;
}

/* Before the threads of a slab start: its positions [from, to) are to be shared out. */
void oocc_share_positions(const struct oocc_pass *p, int64_t from, int64_t to);
/* The share that a thread had is done; the next one. false: there is none left, and all are done. */
bool oocc_next_share(const struct oocc_pass *p, struct oocc_share *share);
/* Before each stage of each step, in order: the stages before it are done in the share, and there for whoever follows; waits until the share
 * below has been through as many. */
void oocc_follow(const struct oocc_pass *p, struct oocc_share *share);

/* -- inside a kernel ----------------------------------------------------------------------------------------------- */

/* The plane of the grid that unrolled plane v stands for. */
static inline int64_t oocc_plane_of(const struct oocc_pass *p, int64_t v)
{
    const int64_t z = v - p->head;
    return z < 0 ? z + p->grid->planes : z >= p->grid->planes ? z - p->grid->planes : z;
}

/* Cell (row 0, cell 0) of plane z (unrolled) of a field's level s, counted from the pass's start (s <= 0: levels that
 * were read). */
static inline void *oocc_plane(const struct oocc_pass *p, int field, int64_t s, int64_t z)
{
    const struct oocc_window *w = &p->window[field];
    const struct oocc_ring *ring = &w->ring[(s + w->phase) % w->slots];
    return ring->base + (z % ring->planes) * w->stride_bytes + w->origin_bytes;
}

#include "oocc/ahead.h"

/* Of row kernels: never inlined. A compiler that knows where a row comes from computes an address for each of x - 1, x and
 * x + 1, and those of a wide stencil do not fit in registers; of a row that it is given, it adds the offset to one address. */
#if defined(__GNUC__)
#define OOCC_APART __attribute__((noinline))
#else
#define OOCC_APART
#endif

/* Of row kernels that choose between values, besides: gcc would make one branch of all choices by a condition, and load by masks what only
 * one side of it reads. OOCC_WIDE: of those that read many cells of each row; it would keep what a later vector reads again, and spill it. */
#if defined(__GNUC__) && !defined(__clang__)
#define OOCC_CHOOSING __attribute__((noinline, optimize("no-thread-jumps")))
#define OOCC_WIDE __attribute__((noinline, optimize("no-thread-jumps", "no-predictive-commoning")))
#else
#define OOCC_CHOOSING OOCC_APART
#define OOCC_WIDE OOCC_APART
#endif

/* The number of the calling thread in its team. */
int oocc_thread(void);

/* Cell 0 of the calling thread's scratch row i (of `rows`); there is room for a full row and the widest ghost cells
 * around it. */
static inline void *oocc_edge_row(const struct oocc_pass *p, int rows, int i)
{
    return p->edge_rows + ((int64_t)oocc_thread() * rows + i) * p->edge_row_bytes + p->edge_origin_bytes;
}

/* Where chain j begins of those that share rows [lo, hi): they are as equal as can be. */
static inline int64_t oocc_chain_lo(const struct oocc_pass *p, int64_t lo, int64_t hi, int64_t j)
{
    const int64_t extent = hi - lo;
    return lo + j * (extent / p->chains) + (j < extent % p->chains ? j : extent % p->chains);
}

/* How many tiles are in chain j. */
static inline int64_t oocc_tiles_of(const struct oocc_pass *p, int64_t j)
{
    return p->tiles / p->chains + (j < p->tiles % p->chains ? 1 : 0);
}

/* How many of them rows [lo, hi) have room for when the first one has lost `lost` rows after all steps: none may have fewer than
 * `least`, so that what a face of the grid mirrors stays in its tile. */
static inline int64_t oocc_tiles_in(int64_t lo, int64_t hi, int64_t lost, int64_t least, int64_t tiles)
{
    const int64_t most = (hi - lo - lost) / least - 1;
    return tiles < most ? tiles : most > 1 ? most : 1;
}

/* Where tile j > 0 of so many begins: they are as equal as can be, averaged over the steps, and of whole jams of `jam` rows where
 * they are wide enough, counted from the high side, which leans as they do. */
static inline int64_t oocc_tile_lo(int64_t lo, int64_t hi, int64_t tiles, int64_t lost, int64_t least, int64_t jam, int64_t j)
{
    const int64_t spare = (hi - lo - lost - least) / tiles;
    const int64_t more = lost + least - spare > lost / 2 ? lost + least - spare : lost / 2;
    const int64_t extent = hi - lo - more, each = extent / tiles;
    const int64_t at = lo + more + j * each + (j < extent % tiles ? j : extent % tiles);
    return each < least + jam ? at : hi - (hi - at) / jam * jam;
}

/* Where piece j of a row of `extent` cells begins for a stage that lags by `lag` cells; the first begins, and the last
 * ends, at the row's end. Pieces that are not short are whole cache lines, of f32 and so of all types. */
static inline int64_t oocc_piece_lo(const struct oocc_pass *p, int64_t j, int64_t lag, int64_t extent)
{
    if (j == 0)
        return 0;
    if (j == p->pieces)
        return extent;
    const int64_t line = OOCC_LINE_BYTES / 4, cells = extent / p->pieces;
    const int64_t at = (cells < OOCC_STRETCH ? cells : cells / line * line) * j - lag;
    return at > 0 ? at : 0;
}

/* Cells in block z of a 1-D grid (the last may be shorter); otherwise the row's length. */
static inline int64_t oocc_cells(const struct oocc_grid *g, int64_t z)
{
    if (g->ndim != 1)
        return g->cells;
    const int64_t rest = g->extent[0] - z * g->cells;
    return rest < g->cells ? rest : g->cells;
}

static inline int64_t oocc_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t oocc_max(int64_t a, int64_t b) { return a > b ? a : b; }

/* The smaller and the larger of two values as one comparison, in every schedule alike. */
static inline float oocc_min_f32(float a, float b) { return a < b ? a : b; }
static inline float oocc_max_f32(float a, float b) { return a > b ? a : b; }
static inline double oocc_min_f64(double a, double b) { return a < b ? a : b; }
static inline double oocc_max_f64(double a, double b) { return a > b ? a : b; }
static inline int32_t oocc_min_i32(int32_t a, int32_t b) { return a < b ? a : b; }
static inline int32_t oocc_max_i32(int32_t a, int32_t b) { return a > b ? a : b; }

#include "oocc/integers.h"

/* -- reads beyond a face that another cell stands for: the index of that cell -------------------------------------- */

static inline int64_t oocc_wrap(int64_t i, int64_t n) { return i < 0 ? i + n : i >= n ? i - n : i; }
static inline int64_t oocc_nearest_lo(int64_t i) { return i < 0 ? 0 : i; }
static inline int64_t oocc_nearest_hi(int64_t i, int64_t n) { return i >= n ? n - 1 : i; }
static inline int64_t oocc_mirror_lo(int64_t i) { return i < 0 ? -1 - i : i; }
static inline int64_t oocc_mirror_hi(int64_t i, int64_t n) { return i >= n ? 2 * n - 1 - i : i; }
static inline int64_t oocc_centre_lo(int64_t i) { return i < 0 ? -i : i; }
static inline int64_t oocc_centre_hi(int64_t i, int64_t n) { return i >= n ? 2 * n - 2 - i : i; }

/* -- points -------------------------------------------------------------------------------------------------------- */

/* True after the steps whose new level is a multiple of `every`. */
static inline bool oocc_due(const struct oocc_pass *p, int64_t s, int64_t every) { return (p->t0 + s) % every == 0; }

/* The first cell of the set in plane z whose row is at least `row`; the plane's cells end at set->first[z+1]. */
static inline int64_t oocc_point_from(const struct oocc_points *set, int64_t z, int64_t row)
{
    int64_t lo = set->first[z], hi = set->first[z + 1];
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (set->cell[middle].row < row)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static inline double oocc_signal_at(const struct oocc_signal *signal, int64_t t, int64_t point)
{
    return t < signal->samples ? signal->value[t * signal->columns + (signal->columns > 1 ? point : 0)] : 0;
}

/* Where the weighted value of a cell goes after step s, which is due. */
static inline double *oocc_recorded(const struct oocc_pass *p, const struct oocc_record *record, int64_t s, int64_t slot)
{
    const int64_t every = record->every ? *record->every : 1;
    return &record->value[(p->t0 + s - record->first_level) / every * record->slots + slot];
}

#include "oocc/functions.h"
#include "oocc/gather.h"
#include "oocc/quotients.h"

/* -- integer arithmetic that is checked: used by setup, where sizes are made --------------------------------------- */

/* Says what does not fit and where it came from, and ends the run with OOCC_BAD_INPUT; does not come back. */
_Noreturn void oocc_overflow(const char *what);
/* The same of an integer that is divided by zero. */
_Noreturn void oocc_zero_division(const char *what);

static inline int64_t oocc_add(int64_t a, int64_t b, const char *what)
{
    int64_t r;
    if (__builtin_add_overflow(a, b, &r))
        oocc_overflow(what);
    return r;
}
static inline int64_t oocc_sub(int64_t a, int64_t b, const char *what)
{
    int64_t r;
    if (__builtin_sub_overflow(a, b, &r))
        oocc_overflow(what);
    return r;
}
static inline int64_t oocc_mul(int64_t a, int64_t b, const char *what)
{
    int64_t r;
    if (__builtin_mul_overflow(a, b, &r))
        oocc_overflow(what);
    return r;
}
static inline int64_t oocc_div(int64_t a, int64_t b, const char *what)
{
    if (b == 0)
        oocc_zero_division(what);
    if (b == -1)
        return oocc_sub(0, a, what);
    return a / b;
}
static inline int64_t oocc_mod(int64_t a, int64_t b, const char *what)
{
    if (b == 0)
        oocc_zero_division(what);
    return b == -1 ? 0 : a % b;
}

#endif
