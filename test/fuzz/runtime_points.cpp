// Files of points: cells on the grid, in order, whose weights add up to one for every point.
#include "runtime.h"

extern "C" {
#include "observe/observe.h"
}

#include <cmath>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const Chosen chosen = choose(data, size);
    const int ndim = 1 + static_cast<int>(chosen.way % 4);
    TestProgram test(ndim);
    const std::vector<int64_t> all{2, 3, 4, 50};
    require(test.layOut({all.end() - ndim, all.end()}) == 0, "a grid that cannot be laid out");
    const std::filesystem::path path = folder() / "points.csv";
    writeFile(path, chosen.rest);
    oocc_points set{};
    set.path = path.c_str();
    const Messages messages;
    if (messages.check(points_read(&test.program, &test.grid, &set))) {
        std::vector<double> weight(static_cast<size_t>(set.points));
        require(set.points > 0 && set.cells >= set.points && set.first[test.grid.planes] == set.cells, "points without cells");
        for (int64_t i = 0; i < set.cells; ++i) {
            const oocc_point_cell &cell = set.cell[i];
            require(cell.plane >= 0 && cell.plane < test.grid.planes && cell.row >= 0 && cell.row < test.grid.rows && cell.cell >= 0 &&
                        cell.cell < oocc_cells(&test.grid, cell.plane) && cell.slot >= 0 && cell.slot < set.cells,
                    "a cell beside the grid");
            require(i < set.first[cell.plane + 1] && i >= set.first[cell.plane], "cells that are not in order");
            weight.at(static_cast<size_t>(cell.point)) += cell.weight;
        }
        for (const double sum : weight)
            require(std::abs(sum - 1) < 1e-9, "weights that do not add up");
    }
    points_free(&set);
    return 0;
}
