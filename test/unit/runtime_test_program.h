// A program as the compiler would describe it, for tests of the runtime's parts: a 7-point Jacobi step in
// 3-D, and its like in the other dimensions. Nothing here is ever computed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "runtime_c.h"

struct TestProgram {
    int64_t n = 100;
    float alpha = 0.5F;
    double h = 0.25;
    bool flag = true;
    int64_t fixedCount = 7;
    std::vector<oocc_param> params{{"n", OOCC_INT, &n, false, nullptr},
                                   {"alpha", OOCC_F32, &alpha, false, nullptr},
                                   {"h", OOCC_F64, &h, false, nullptr},
                                   {"flag", OOCC_BOOL, &flag, false, nullptr},
                                   {"count", OOCC_INT, &fixedCount, true, nullptr}};
    std::vector<oocc_field> fields;
    std::vector<oocc_output> outputs{{0, "u.npy", nullptr}};
    const char *dims[OOCC_MAX_DIMS] = {"w", "z", "y", "x"};
    oocc_program program{};
    oocc_grid grid{};
    bool dense = false;
    machine host{};
    options options_{};

    explicit TestProgram(int ndim = 3, oocc_type type = OOCC_F64) {
        oocc_field u{};
        u.name = "u";
        u.type = type;
        u.levels = 1;
        u.slots = 2;
        u.keep_planes = 1;
        fields.push_back(u);
        program.abi = OOCC_ABI;
        program.name = "heat";
        program.source = "heat.stn";
        program.hash = 0x0123456789abcdefULL;
        program.params = static_cast<int>(params.size());
        program.param = params.data();
        program.ndim = ndim;
        program.dim = dims + (OOCC_MAX_DIMS - ndim);
        program.outputs = 1;
        program.output = outputs.data();
        program.stages = 1;
        program.step_delay = 1;
        program.block_min_cells = ndim == 1 ? 1 : 0;
        program.tiled = ndim > 1;
        program.tiling = {1, 1, 0, 1, 1, 1, 1, 1, false, false, false};
        program.edge_rows = 1;
        program.flops_per_cell = 8;
        useFields();
        options_.steps = -1;
        options_.engine = "auto";
        options_.scratch = ".";
        host.cores = 4;
        host.memory_total_bytes = host.memory_available_bytes = host.swappable_bytes = int64_t{16} << 30;
        host.memory_bound = "MemAvailable";
        host.l1_bytes = 32 << 10;
        host.l2_bytes = 1 << 20;
        host.l3_bytes = 8 << 20;
        host.page_bytes = 4096;
    }
    TestProgram(const TestProgram &) = delete;
    TestProgram &operator=(const TestProgram &) = delete;
    ~TestProgram() { dropGrid(); }

    void useFields() {
        program.fields = static_cast<int>(fields.size());
        program.field = fields.data();
    }
    void dropGrid() {
        free(const_cast<oocc_layout *>(grid.layout));
        grid.layout = nullptr;
    }
    int layOut(std::vector<int64_t> extent) {
        dropGrid();
        extent.resize(OOCC_MAX_DIMS);
        return grid_layout(&program, extent.data(), dense, &grid);
    }
};
