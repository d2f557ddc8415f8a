/*
 * Blocks with halos. The blocks of a grid that is not periodic have no halo where the grid ends; where it is
 * periodic, the halo comes from the other end, as unrolled planes (wedge.h).
 */
#include "stream/overlap.h"

#include "stream/pipeline.h"
#include "stream/wedge.h"
#include "stream/window.h"

#include <inttypes.h>

int64_t overlap_blocks(const struct oocc_grid *grid, int64_t bz) {
    return (grid->planes - 1) / bz + 1;
}

struct block overlap_block(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt,
                           int64_t bz, int64_t i) {
    const int64_t head = wedge_of(program, bt).head;
    const struct wedge halo = wedge_around(program, bt);
    struct block block = {.lo = head + i * bz};
    block.hi = head + (grid->planes - i * bz <= bz ? grid->planes : (i + 1) * bz);
    block.first = oocc_max(0, block.lo - halo.head);
    block.end = oocc_min(wedge_planes(program, grid, bt), block.hi + halo.tail);
    return block;
}

int64_t overlap_most_planes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt,
                            int64_t bz) {
    const struct wedge halo = wedge_around(program, bt);
    return oocc_min(wedge_planes(program, grid, bt), oocc_min(bz, grid->planes) + halo.head + halo.tail);
}

int64_t overlap_copies(const struct oocc_grid *grid, int64_t bz, bool read, bool written) {
    return oocc_min(overlap_blocks(grid, bz), 1 + (read ? 1 : 0) + (written ? 1 : 0));
}

/* The sum of min(halo, first + i*step) for i in [0, count): what is left of halos near an end of the grid. */
static double clipped(double halo, double first, double step, double count) {
    double short_ones = first < halo ? (halo - first) / step : 0;
    short_ones = short_ones > (double)(int64_t)short_ones ? (double)((int64_t)short_ones + 1) : short_ones;
    if (short_ones > count) short_ones = count;
    return short_ones * first + step * short_ones * (short_ones - 1) / 2 + (count - short_ones) * halo;
}

/* All halos of the blocks together, when they reach `low` and `high` planes far. Exact below 2^53. */
static double halo_planes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bz,
                          double low, double high) {
    const int64_t blocks = overlap_blocks(grid, bz);
    const double others = (double)(blocks - 1), step = (double)bz;
    if (program->wedge.periodic) return (others + 1) * (low + high);
    const double last = (double)(grid->planes - (blocks - 1) * bz);
    return clipped(low, step, step, others) + clipped(high, last, step, others);
}

int64_t overlap_read_planes(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt,
                            int64_t bz) {
    const struct wedge halo = wedge_around(program, bt);
    const double planes = halo_planes(program, grid, bz, (double)halo.head, (double)halo.tail);
    return planes < 0x1p62 ? grid->planes + (int64_t)planes : INT64_MAX;
}

double overlap_work(const struct oocc_program *program, const struct oocc_grid *grid, int64_t bt, int64_t bz) {
    const double steps = (double)(oocc_max(bt, 1) - 1) / 2; /* that the average step has still before it */
    const double more = halo_planes(program, grid, bz, steps * (double)program->wedge.slope_lo,
                                    steps * (double)program->wedge.slope_hi);
    return 1 + more / (double)grid->planes;
}

const char *overlap_text(char *buffer, size_t size, const struct oocc_program *program,
                         const struct oocc_grid *grid, int64_t bt, int64_t bz) {
    const struct wedge halo = wedge_around(program, bt);
    const int64_t blocks = overlap_blocks(grid, bz);
    snprintf(buffer, size,
             "%" PRId64 " block%s of up to %" PRId64 " %s and halos of %" PRId64 " + %" PRId64
             ": a pass reads %.2f and computes %.2f times the grid",
             blocks, blocks == 1 ? "" : "s", oocc_min(bz, grid->planes),
             grid->ndim == 1 ? "blocks of cells" : "planes", halo.head, halo.tail,
             (double)overlap_read_planes(program, grid, bt, bz) / (double)grid->planes,
             overlap_work(program, grid, bt, bz));
    return buffer;
}

/* The pass as one block sees it: its planes are all there are, and one slab takes the wave through all of them. */
static struct oocc_pass pass_of(const struct oocc_run *run, const struct oocc_pass *pass,
                                const struct block *block) {
    const struct oocc_program *program = run->program;
    struct oocc_pass one = *pass;
    one.lo = block->lo;
    one.hi = block->hi;
    one.first = block->first;
    one.end = block->end;
    one.wave_lo = block->first + pass->first_step * program->step_delay + program->delay_min;
    one.wave_hi = block->end + pass->bt * program->step_delay + program->delay_max;
    one.bz = one.wave_hi - one.wave_lo;
    one.slabs = 1;
    return one;
}

int overlap_pass(struct oocc_run *run, const struct oocc_pass *pass) {
    const int64_t blocks = overlap_blocks(pass->grid, pass->bz);
    int status = 0;
    for (int64_t i = 0; i < blocks && !status; i++) {
        const struct block block = overlap_block(run->program, pass->grid, pass->bt, pass->bz, i);
        struct oocc_pass one = pass_of(run, pass, &block);
        window_use_block(run->rings, i);
        pipeline_use_block(run, pass, i);
        status = run->program->pass(&one);
    }
    return status;
}
