"""Bugs to plant in the runtime: (name, file, text that is there once, what takes its place[, unit tests to run as well])."""
SRC = "runtime/src/"
HEADER = "runtime/include/oocc/oocc.h"

PLANTED = [
    # -- indices that emitted code asks for ----------------------------------------------------------------------------
    ("reflect_center off by one", HEADER, "return i >= n ? 2 * n - 2 - i : i;", "return i >= n ? 2 * n - 1 - i : i;"),
    ("the first cell beyond a ring stays there", HEADER, "i < 0 ? i + n : i >= n ? i - n : i; }", "i < 0 ? i + n : i > n ? i - n : i; }"),
    ("a series ends one sample early", HEADER, "return t < signal->samples ?", "return t + 1 < signal->samples ?"),
    ("pieces of a row begin before it", HEADER, "return at > 0 ? at : 0;", "return at > 1 ? at : 1;"),
    ("a tile too many", HEADER, "(hi - lo - lost) / least - 1;", "(hi - lo - lost) / least + 1;"),
    ("cells of the last block", HEADER, "return rest < g->cells ? rest : g->cells;", "return rest < g->cells ? rest - (rest > 1) : g->cells;"),
    ("points found one row late", HEADER, "if (set->cell[middle].row < row)", "if (set->cell[middle].row <= row)"),
    # -- the window ----------------------------------------------------------------------------------------------------
    ("rings have no room for what is read ahead", SRC + "stream/window.c", "(read <= 0 ? far_product(read_ahead, bz) : 0)",
     "(read <= 0 ? far_product(read_ahead - 1, bz) : 0)"),
    ("rings have no room for what is written behind", SRC + "stream/window.c", "if (written) ring = oocc_max(", "if (written && bz < 0) ring = oocc_max("),
    ("rings too short for past levels", SRC + "stream/window.c", "end += far_product(-read, lag) - f->delay_planes;", "end -= f->delay_planes;"),
    ("rings one plane short", SRC + "stream/window.c", ": 0) + steps + f->keep_planes;", ": 0) + steps + f->keep_planes - 1;"),
    ("a block is written from where the next is computed", SRC + "stream/overlap.c", "(read ? 1 : 0) + (written ? 1 : 0));", "(read ? 1 : 0) + (written && !read ? 1 : 0));"),
    ("halo of a block one plane short below", SRC + "stream/overlap.c", "block.lo - halo.head);", "block.lo - halo.head + 1);"),
    ("halo of a block one plane short above", SRC + "stream/overlap.c", "block.hi + halo.tail);", "block.hi + halo.tail - 1);"),
    ("wedge without what is read before", SRC + "stream/wedge.c", "beyond(bt, w->slope_lo, w->more_lo)", "beyond(bt, w->slope_lo, 0)"),
    ("copies around the ring from the wrong plane", SRC + "stream/wedge.c", "i < before ? v + planes : v - planes;",
     "i < before ? v + planes : v - planes + (v > planes);"),
    ("rings turned too far", SRC + "run/pass.c", "w->phase = (w->phase + bt) % w->slots;", "w->phase = (w->phase + bt + (bt > 2)) % w->slots;"),
    # -- passes --------------------------------------------------------------------------------------------------------
    ("outputs one step late", SRC + "observe/cut.c", "return e - level % e;", "return e - level % e + (level > 0);"),
    ("a condition in the middle of a pass ends it at its end", SRC + "run/pass.c", "stop.step == steps) break;", "stop.step <= steps) break;"),
    ("traces begin at the wrong level", SRC + "observe/record.c", "(pass->t0 / every + 1) * every;", "(pass->t0 / every + (pass->t0 == 0)) * every;"),
    ("weights of points swapped", SRC + "observe/points.c", "weight *= upper ? fraction : 1 - fraction;", "weight *= upper ? 1 - fraction : fraction;"),
    ("sums are cut off", SRC + "observe/gather.c", "if (drop > 0 && bit_at(", "if (drop > 9999 && bit_at("),
    # -- tiles, chains, borders, columns -------------------------------------------------------------------------------
    ("chains too narrow", SRC + "plan/tiles.c", "(t->slope_lo + t->slope_hi) + t->reach + 1;", "(t->slope_lo + t->slope_hi) / 2 + 1;"),
    ("column's halo one row short", SRC + "plan/columns.c", "column_lo(grid, &c) - halo(bt, t->slope_lo, t->shift_lo);",
     "column_lo(grid, &c) - halo(bt, t->slope_lo, t->shift_lo) + 1;"),
    ("column reads too few rows", SRC + "plan/columns.c", "c.outer_lo - t->more_lo) / grid->band_rows;", "c.outer_lo - t->more_lo + grid->band_rows) / grid->band_rows;"),
    ("groups of steps counted wrongly", SRC + "stream/flow.c", "(pass->bt - pass->first_step) / pass->ct + 1;", "(pass->bt - pass->first_step) / pass->ct + (pass->ct == 1);"),
    ("last group's items repeated", SRC + "stream/flow.c", "(place - f->first_group) / f->period, f->groups - 2);", "(place - f->first_group) / f->period, f->groups - 1);"),
    ("a chain waits for too few borders", SRC + "stream/flow.c", "*lo = j - f->near;", "*lo = j + 1;", "runtime_flow_test"),
    ("a border waits for one chain", SRC + "stream/flow.c", "wait_until(p, &f->chain_done[around(f, item->chain - 1)], item->group + 1);", "", "runtime_flow_test"),
    ("the last border is never done", SRC + "stream/flow.c", "if (j > 0) q->item[q->end++] = (struct oocc_item){g, j, true};",
     "if (j > 1) q->item[q->end++] = (struct oocc_item){g, j, true};"),
    # -- transfers -----------------------------------------------------------------------------------------------------
    ("read a plane too few", SRC + "stream/lanes.c", "oocc_slab_hi(pass, slab) - lane->delay);", "oocc_slab_hi(pass, slab) - lane->delay - 1);"),
    ("written a plane early", SRC + "stream/lanes.c", "pass->bt * program->step_delay - pass->head -", "pass->bt * program->step_delay - pass->head + 1 -"),
    ("reads do not wait for writes", SRC + "stream/parts.c", "if (spans_meet(planes, transfer_part(write, i), read->place.planes))",
     "if (!spans_meet(planes, transfer_part(write, i), read->place.planes))", "runtime_late_test"),
    ("a plane between parts is left out", SRC + "stream/parts.c", "lo + (part + 1) * each + oocc_min(part + 1, more)}", "lo + (part + 1) * each + oocc_min(part, more)}"),
    ("transfers run over a ring's end", SRC + "storage/store.c", "oocc_min(spot.planes, place.planes - (z + place.first) % place.planes);", "spot.planes;"),
    ("checksums ignored", SRC + "storage/store.c", "return *sum_of(run, region, generation, z, band) == store_sum(",
     "return region->planes > 0 || *sum_of(run, region, generation, z, band) == store_sum(", "runtime_store_test"),
    ("checked before it has come in", SRC + "stream/checks.c", "if (!io_batch_complete(c->arrives)) return false;", "if (c->arrives == NULL) return false;"),
    ("sealed while chains are at work", SRC + "stream/flow.c", "if (!is_done(&f->chain_done[j], f->groups)) return false;", "if (f->chains == 0) return false;",
     "runtime_flow_test"),
    ("sealed while borders are at work", SRC + "stream/flow.c", "if (is_border(f, b) && !is_done(&f->border_done[around(f, b)], f->groups)) return false;",
     "if (f->chains == 0) return false;", "runtime_flow_test"),
    ("checksums of the first band alone", SRC + "storage/store.c", "grid_band_offset(grid, region->field, band + 1) - from,", "grid_band_offset(grid, region->field, 1) / 2,", "runtime_store_test"),
]
