// Passes whose transfers are late: what is read may take places that are being written, but only when they are free.
#include "runtime_late_engine.h"
#include "runtime_layers.h"
#include "runtime_ring.h"
#include "runtime_waves.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>

namespace {

// A program that computes nothing: every plane of every level holds a number of its own, and before a slab makes
// what it makes, all that its stages may read is looked at. Fields, their levels, slots and delays come at random.
namespace tokens {

constexpr int kMost = 3, kWrong = 95;
int64_t n, steps;
const oocc_grid *grid;
std::vector<oocc_field> fields;
std::vector<oocc_output> outputs;
std::array<std::string, kMost> names, paths;
oocc_program program;

int64_t token(int field, int64_t z, int64_t t) {
    return 1 + field + 10 * (t + 100) + 100000 * z;
}

void put(void *plane, int field, int64_t z, int64_t t) {
    for (int64_t y = 0; y < grid->rows; y++)
        for (int64_t x = 0; x < grid->cells; x++)
            static_cast<int64_t *>(plane)[y * grid->layout[field].row_elements + x] = token(field, z, t);
}

bool holds(const void *plane, int field, int64_t z, int64_t t) {
    bool good = true;
    for (int64_t y = 0; y < grid->rows; y++)
        for (int64_t x = 0; x < grid->cells; x++)
            good &= static_cast<const int64_t *>(plane)[y * grid->layout[field].row_elements + x] ==
                    token(field, z, t);
    return good;
}

template <int field> void fill(void *plane, int64_t z, int64_t level) {
    put(plane, field, z, level);
}

// The plane up to which level s is there when the wave has come to w, and slab [.., hi) has been read.
int64_t top(const oocc_field &f, int64_t s, int64_t w, int64_t hi) {
    return s <= 0 ? hi - s * program.step_delay - f.delay_planes : w - s * program.step_delay - f.made_planes;
}

void look(const oocc_pass *p, int f, int64_t lo, int64_t hi) {
    const oocc_field &field = fields[size_t(f)];
    const int64_t bottom = std::max<int64_t>(0, lo - p->bt * program.step_delay - field.keep_planes);
    for (int64_t first = 0; first < field.slots; first++)
        for (int64_t v = bottom; v < p->end; v++) {
            int64_t last = -99; // the level that plane v of this slot has
            for (int64_t s = 1 - field.levels; s <= (field.coef ? 0 : p->bt); s++)
                if ((s + 16 * field.slots) % field.slots == first && v < top(field, s, lo, hi)) last = s;
            if (last == -99) continue;
            const int64_t t = field.coef ? 0 : p->t0 + last;
            if (!holds(oocc_plane(p, f, last, v), f, oocc_plane_of(p, v), t)) {
                std::fprintf(stderr, "field %d plane %ld has not level %ld\n", f, long(v), long(last));
                std::fflush(nullptr);
                _exit(kWrong);
            }
        }
}

int pass(oocc_pass *p) {
    int status = oocc_read_ahead(p, 0);
    for (int64_t i = 0; i < p->slabs && !status; i++) {
        if ((status = oocc_read_ahead(p, i + 1)) || (status = oocc_wait_for(p, i))) break;
        const int64_t lo = oocc_slab_lo(p, i), hi = oocc_slab_hi(p, i);
        for (int f = 0; f < program.fields; f++) {
            look(p, f, lo, hi);
            for (int64_t s = 1; s <= p->bt && !fields[size_t(f)].coef; s++)
                for (int64_t v = std::max<int64_t>(0, top(fields[size_t(f)], s, lo, hi));
                     v < std::min(p->end, top(fields[size_t(f)], s, hi, hi)); v++)
                    put(oocc_plane(p, f, s, v), f, oocc_plane_of(p, v), p->t0 + s);
        }
        status = oocc_write_back(p, i);
    }
    const int finished = oocc_finish(p);
    return status ? status : finished;
}

// Returns the options of a run that suits the program.
std::string draw(unsigned seed) {
    std::mt19937 random(seed);
    const auto any = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    static constexpr void (*fills[kMost])(void *, int64_t, int64_t) = {fill<0>, fill<1>, fill<2>};
    n = any(8, 60);
    program = {};
    program.step_delay = any(0, 3);
    program.delay_max = 4;
    program.delay_min = -2;
    fields.clear();
    outputs.clear();
    for (int f = 0, count = any(1, kMost); f < count; f++) {
        oocc_field field{};
        names[size_t(f)] = std::string(1, char('a' + f));
        paths[size_t(f)] = names[size_t(f)] + ".raw";
        field.type = OOCC_INT;
        field.coef = f > 0 && any(0, 3) == 0;
        field.levels = field.coef ? 1 : any(f == 0 ? 1 : 0, 3);
        field.slots = field.coef ? 1 : any(std::max(field.levels, 1), 4);
        field.delay_planes = any(field.coef ? -2 : 0, 3);
        field.keep_planes = std::max<int64_t>(0, field.delay_planes) + any(0, 4);
        field.made_planes =
            any(int(std::max<int64_t>(0, field.delay_planes - field.slots * program.step_delay)),
                int(std::max<int64_t>(0, field.delay_planes)));
        if (field.levels > 0) field.fill = fills[f];
        if (field.levels > 0) outputs.push_back({f, paths[size_t(f)].c_str(), nullptr});
        fields.push_back(field);
    }
    for (size_t f = 0; f < fields.size(); f++)
        fields[f].name = names[f].c_str();
    if (any(0, 2) == 0) program.wedge = {true, any(0, 2), any(0, 2), any(0, 2), any(0, 2)};
    steps = any(1, 12);
    program.abi = OOCC_ABI;
    program.name = "tokens";
    program.source = "tokens.stn";
    program.ndim = 3;
    program.dim = waves::description.dim;
    program.setup = [](int64_t extent[], int64_t *count) {
        extent[0] = n;
        extent[1] = 3;
        extent[2] = 5;
        *count = steps;
    };
    program.use_grid = [](const oocc_grid *g) { grid = g; };
    program.fields = int(fields.size());
    program.field = fields.data();
    program.outputs = int(outputs.size());
    program.output = outputs.data();
    program.stages = 1;
    program.flops_per_cell = 1;
    program.pass = pass;
    oocc_grid planes{};
    planes.planes = n;
    const int64_t bt = std::min({int64_t(any(1, 7)), steps, wedge_deepest(&program, &planes)});
    return "--engine memory --schedule stream --bt " + std::to_string(bt) + " --bz " +
           std::to_string(any(1, 12)) + " --io-request " + (any(0, 3) ? "4K" : "16K");
}

} // namespace tokens

TEST(LateTransfers, NeverMeetWhatIsStillNeeded) {
    for (unsigned seed = 0; seed < 100; seed++) {
        const std::string options = tokens::draw(seed);
        late::seed = seed;
        late::atOnce = seed % 8 == 0;
        trial::Trial run(tokens::program);
        ASSERT_EQ(run(options), 0) << "seed " << seed << " " << options << "\n" << run.errors();
        for (const oocc_output &output : tokens::outputs) {
            const std::string file = run.output(output.path);
            const int64_t cells = 15, t = tokens::fields[size_t(output.field)].coef ? 0 : tokens::steps;
            ASSERT_EQ(file.size(), size_t(tokens::n * cells * 8));
            for (int64_t z = 0; z < tokens::n; z++)
                ASSERT_EQ(reinterpret_cast<const int64_t *>(file.data())[z * cells + 7],
                          tokens::token(output.field, z, t))
                    << "seed " << seed << " plane " << z;
        }
    }
    late::atOnce = false;
}

// What computes has a look at the bits, too.
template <typename Program> void comparesBits(const char *options) {
    for (unsigned seed = 0; seed < 2; seed++)
        for (const int64_t bt : {1, 2, 3, 4})
            for (const int64_t bz : {1, 3, 6}) {
                late::seed = seed;
                Program run;
                ASSERT_EQ(run("--engine memory --schedule stream --io-request 4K --bt " + std::to_string(bt) +
                              " --bz " + std::to_string(bz) + options),
                          0)
                    << "bt " << bt << " bz " << bz << "\n"
                    << run.errors();
                EXPECT_TRUE(run.matches(7)) << "seed " << seed << " bt " << bt << " bz " << bz;
            }
}

TEST(LateTransfers, GiveTheBitsOfTheNaiveLoop) {
    waves::n = 29;
    comparesBits<waves::Trial>(" -D n=29");
    waves::n = 12;
    comparesBits<ring::Trial>("");
    comparesBits<layers::Trial>("");
}

TEST(LateTransfers, FailedWriteEndsTheRunAndNothingIsReadInItsPlace) {
    waves::n = 29;
    for (const bool atOnce : {false, true})
        for (int64_t failing = 320; failing < 900; failing += 23) { // in any pass
            late::seed = unsigned(failing);
            late::atOnce = atOnce;
            late::failing = failing;
            waves::Trial run;
            EXPECT_EQ(run("--engine memory --schedule stream --io-request 4K -D n=29 --bt 2 --bz 6"),
                      OOCC_IO_ERROR);
            const std::string errors = run.errors();
            const size_t at = errors.find("error: cannot write gen");
            EXPECT_NE(at, std::string::npos) << errors;
            EXPECT_NE(errors.find(" at byte "), std::string::npos) << errors;
            EXPECT_EQ(errors.find("error: ", at + 1), std::string::npos) << "one error is enough: " << errors;
        }
    late::failing = -1;
    late::atOnce = false;
    waves::n = 12;
}

} // namespace
