// The cells that the loops of a kernel read: in which rows they lie, and the names of those that are loaded first.
#pragma once

#include "loops/kernels.h"

#include <map>
#include <utility>

namespace oocc::loops {

class CellReads {
  public:
    /// New rows are added to `rows`, with names that are taken from `names`.
    CellReads(const Context &context, std::vector<RowRead> &rows, UniqueNames &names) : context_(context), rows_(rows), names_(names) {}

    /// No cell has this name, in any loop.
    void reserve(const std::string &name) { reserved_.take(name); }

    /// Another loop begins. Where an alternative of a choice alone reads a cell (`chosen`), a processor that loads by no mask has no vectors
    /// for it, if it is not loaded before.
    void begin(std::vector<Read> chosen);

    /// The cell that is read at `index`; loaded before, if it is chosen, or `always`, as it is where several rows read it.
    E cell(const Read &read, const std::string &index, bool always);

    /// Declarations of cells that this loop has loaded since they were taken last.
    Body takeLoads() { return std::exchange(loads_, {}); }

    /// Cells beside the first one of each row, in all loops.
    size_t beside() const { return cells_.size() - rows_.size(); }

  private:
    size_t rowOf(const Read &read);
    bool isChosen(const Read &read) const;
    E loaded(const RowRead &row, int x, E cell);

    const Context &context_;
    std::vector<RowRead> &rows_;
    UniqueNames &names_;
    UniqueNames reserved_, locals_;
    std::set<std::pair<size_t, int>> cells_;                         ///< their row, and where along it
    std::map<std::pair<std::string, int>, std::string> loadedNames_; ///< by row and offset along it
    std::vector<Read> chosen_;
    Body loads_;
};

} // namespace oocc::loops
