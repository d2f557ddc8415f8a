// Files of fields: header and cells, .npy and .raw, of every type of element and number of dimensions.
#include "runtime.h"

#include <vector>

namespace {

const oocc_type kTypes[] = {OOCC_F64, OOCC_F32, OOCC_U8, OOCC_I32, OOCC_BOOL, OOCC_INT};

std::vector<int64_t> extents(int ndim) {
    const std::vector<int64_t> all{2, 3, 2, 5};
    return {all.end() - ndim, all.end()};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const Chosen chosen = choose(data, size);
    const int ndim = 1 + static_cast<int>(chosen.way % 4);
    TestProgram test(ndim, kTypes[chosen.way / 4 % 6]);
    require(test.layOut(extents(ndim)) == 0, "a grid that cannot be laid out");
    const std::filesystem::path path = folder() / (chosen.way / 24 % 4 == 0 ? "u.raw" : "u.npy");
    writeFile(path, chosen.rest);
    const Messages messages;
    field_file *file = nullptr;
    if (!messages.check(field_file_open(path.c_str(), &test.program, 0, &test.grid, &file))) return 0;
    const oocc_layout &layout = test.grid.layout[0];
    std::vector<char> plane(static_cast<size_t>(layout.plane_bytes));
    for (int64_t z = 0; z < test.grid.planes; ++z)
        if (!messages.check(field_file_read_plane(file, z, plane.data() + layout.origin_elements * layout.element_bytes))) break;
    field_file_close(file, false);
    return 0;
}
