#include "loops/cell_reads.h"

#include <algorithm>

namespace oocc::loops {

void CellReads::begin(std::vector<Read> chosen) {
    chosen_ = std::move(chosen);
    loadedNames_.clear();
    locals_ = reserved_;
}

E CellReads::cell(const Read &read, const std::string &index, bool always) {
    const size_t number = rowOf(read);
    const RowRead &row = rows_[number];
    const int x = read.offset[context_.x()];
    cells_.insert({number, x});
    const E cell = at(var(row.name), var(index) + lit(x));
    return always || isChosen(read) ? loaded(row, x, cell) : cell;
}

/// The index of its row among those the kernel reads; added when it is new.
size_t CellReads::rowOf(const Read &read) {
    Offsets offset = read.offset;
    offset[context_.x()] = 0;
    const auto same = [&](const RowRead &row) {
        return row.field == read.field && row.time == read.time && row.offset == offset;
    };
    auto found = std::ranges::find_if(rows_, same);
    if (found == rows_.end()) {
        rows_.push_back({names_.take(context_.rowName(read.field, read.time, offset)), read.field, read.time, offset});
        found = rows_.end() - 1;
    }
    found->lo = std::max(found->lo, -read.offset[context_.x()]);
    found->hi = std::max(found->hi, read.offset[context_.x()]);
    return static_cast<size_t>(found - rows_.begin());
}

bool CellReads::isChosen(const Read &read) const {
    return std::ranges::any_of(chosen_, [&](const Read &each) {
        return each.field == read.field && each.time == read.time && each.offset == read.offset;
    });
}

E CellReads::loaded(const RowRead &row, int x, E cell) {
    const auto [known, isNew] = loadedNames_.insert({{row.name, x}, ""});
    if (isNew) {
        const std::string level = shiftName("t", row.time), shift = context_.shiftSuffix(row.offset);
        const std::string along = shiftName(context_.dimName(context_.x()), x);
        const std::string all = level + (shift.empty() ? "" : shift.substr(1)) + along;
        known->second = locals_.take("v_" + context_.fieldName(row.field) + (all.empty() ? "" : "_" + all));
        loads_.push_back(declare("const " + context_.cType(row.field), known->second, cell));
    }
    return var(known->second);
}

} // namespace oocc::loops
