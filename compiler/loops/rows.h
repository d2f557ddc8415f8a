// How a stage finds the rows it reads: the plane of each in the window, the row within it, and what stands for a row that
// lies beyond a face.
#pragma once

#include "loops/kernels.h"

namespace oocc::loops {

class Rows {
  public:
    Rows(const Context &context, const Kernel &kernel);

    /// Declarations of the planes that are read, one for each (3-D and 4-D).
    Body planes();
    /// Declarations in front of a row's kernel (of rows that may lie beyond the grid), and the rows as arguments.
    Body declare(std::vector<E> &arguments);
    /// Scratch rows that a thread needs for rows beyond the grid.
    int scratchRows() const;
    /// True when t is needed to tell what lies beyond the grid.

  private:
    bool mayCross(const RowRead &row, int dim) const; ///< the row may lie beyond the face it is read towards
    bool mayLeave(const RowRead &row) const;          ///< ... where a Dirichlet value stands
    int sideOf(const RowRead &row, int dim) const { return row.offset[dim] < 0 ? 0 : 1; }
    E coordinate(const RowRead &row, int dim) const; ///< moved by a face that does so
    E inside(const RowRead &row, int dim) const;     ///< null when it cannot meet a Dirichlet face
    E inside(const RowRead &row) const;
    E planeOf(const RowRead &row) const;
    E rowBeyond(const RowRead &row, int scratch) const;

    const Context &context_;
    int stage_;
    const Kernel &kernel_;
    PlaneNames planes_;
};

} // namespace oocc::loops
