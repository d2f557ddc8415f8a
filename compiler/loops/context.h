// What every builder of loop IR needs: the program, the facts, the plan, and the C names of the program's things.
// A user's name always follows a prefix of ours, so that it cannot meet a C keyword, a library name or another kind.
#pragma once

#include "loops/dsl.h"
#include "loops/run_constants.h"
#include "plan/plan.h"

#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace oocc::loops {

/// Hands out each name once, numbering the later askers: "row", "row_2", ...
class UniqueNames {
  public:
    std::string take(const std::string &wanted);

  private:
    std::set<std::string> taken_;
};

struct Context;

/// Names of the pointers to planes in one function. Field u one level back and field u__tm1 both ask for
/// plane_of_f_u__tm1: what a name stands for is kept beside it, so that each gets one of its own. The update of a field of_f_u is
/// plane_of_f_u, too: functions of stages have their names first.
class PlaneNames {
  public:
    explicit PlaneNames(const Context &context);
    /// The name of the field's plane at this level, so many planes from the stage's own; and whether it is new.
    std::pair<std::string, bool> take(int field, int time, int distance);

  private:
    const Context &context_;
    UniqueNames names_;
    std::map<std::array<int, 3>, std::string> known_;
};

struct Context {
    const Stencil &stencil;
    const Facts &facts;
    const Plan &plan;
    const RunConstants constants{stencil};

    bool unrolled() const { return plan.unrolled; }           ///< the streamed dimension is periodic
    bool ring() const { return plan.ring; }                   ///< the tiled dimension is
    bool pieces() const { return !plan.piece.stage.empty(); } ///< rows may be cut
    bool fetchesAhead() const { return ndim() >= 3; }         ///< planes are long enough to be worth it
    int ndim() const { return static_cast<int>(stencil.dims.size()); }
    int x() const { return ndim() - 1; } ///< the dimension along rows
    const std::string &fieldName(int field) const { return stencil.fields[field].name; }
    const std::string &dimName(int dim) const { return stencil.dims[dim].name; }

    std::vector<int> storedFields() const;     ///< those that have a place in the tables: all but local temps
    std::string cType(int field) const;        ///< of its cells: a bool is a byte that is 0 or 1
    E fieldId(int field) const;                ///< FIELD_u: its index in the tables
    std::string scalarLocal(int scalar) const; ///< p_alpha, l_dt
    E scalarGlobal(int scalar) const;          ///< param.p_alpha, let.l_dt
    E constantGlobal(const std::string &name) const; ///< constant.k_1
    std::string coordName(int dim) const;      ///< i_x
    std::string extentName(int dim) const;     ///< n_x
    E extent(int dim) const;                   ///< size.n_x
    E stride(int field) const;                 ///< size.row_u: elements from one row to the next
    std::string planeName() const;             ///< i_z, or block in 1-D: the plane of the grid
    std::string
    waveName() const; ///< the same as the schedule counts it: v where the streamed dimension is periodic
    /// Elements from a plane's first row to the one with these coordinates (only those of dimensions 1 .. x-1 count).
    E rowOffset(int field, const std::vector<E> &coords) const;
    /// The value as an element of the field: u8 holds it modulo 256.
    E stored(int field, E value) const;
    /// The coordinate that stands for `coord` (of the same lap) where a face of the field moves reads that leave the grid
    /// towards `side`; null when that face does not.
    E movedTo(int field, int dim, int side, E coord) const;
    /// f_u, f_u__zm1, f_u__tm1_yp2: a read with the row dimension left out.
    std::string rowName(int field, int time, const Offsets &offset) const;
    /// "__zp1_yp1" of an offset (without the row dimension), "" of none.
    std::string shiftSuffix(const Offsets &offset) const;

    /// True when the field has a Dirichlet value at this face.
    bool hasValueBeyond(int field, int dim, int side) const {
        return stencil.fields[field].edge[dim][side].kind == EdgeKind::Dirichlet;
    }
    bool movesBeyond(int field, int dim, int side) const {
        return movesReads(stencil.fields[field].edge[dim][side].kind);
    }
    /// True when the stage writes where this read of it stands: the same slot, the same point.
    bool inPlace(const Read &read, int stage) const;
};

std::string cTypeOf(Type type);
/// "_zp1", "_tm2"; "" of 0.
std::string shiftName(const std::string &dim, int by);

} // namespace oocc::loops
