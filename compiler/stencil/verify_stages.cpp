#include "stencil/verify_parts.h"

namespace oocc::verifying {

namespace {

class StageVerifier {
  public:
    StageVerifier(const Stencil &stencil, int index)
        : s_(stencil), index_(index), stage_(stencil.stages[static_cast<size_t>(index)]) {}

    void run() {
        switch (stage_.kind) {
        case Stage::Kind::Update:
            return update();
        case Stage::Kind::Inject:
            return inject();
        case Stage::Kind::Reduce:
            return reduction("reduction", Scalar::Kind::Reduced);
        case Stage::Kind::Monitor:
            return reduction("monitor", Scalar::Kind::Watched);
        case Stage::Kind::Record:
            return record();
        }
    }

  private:
    const Field &field(const std::string &what) const {
        checkIndex(stage_.field, s_.fields.size(), what + " field");
        return s_.fields[static_cast<size_t>(stage_.field)];
    }

    void update() const {
        const Field &f = field("an update's");
        const std::string name = "update of " + f.name;
        check(!f.coef, name + ": a coefficient never changes");
        value(name, valueType(f.type), true);
        region(name, !f.temp);
        only(name, false, false, false);
        check(!stage_.every, name + ": it happens in every step");
    }
    void inject() const {
        const Field &f = field("an injection's");
        const std::string name = "injection into " + f.name;
        check(!f.coef && !f.temp && isFloat(f.type), name + ": its field is floating, and kept");
        check((stage_.value == nullptr) != stage_.signal.empty(), name + ": a value or a signal");
        if (stage_.value) value(name, valueType(f.type), true);
        region(name, false);
        only(name, true, !stage_.signal.empty(), false);
        check(!stage_.every, name + ": it happens in every step");
        points(name);
    }
    void reduction(const std::string &what, Scalar::Kind kind) const {
        checkIndex(stage_.scalar, s_.scalars.size(), "a " + what + "'s scalar");
        const Scalar &scalar = s_.scalars[static_cast<size_t>(stage_.scalar)];
        const std::string name = what + " " + scalar.name;
        check(scalar.kind == kind, name + ": the kind of its scalar");
        check(stage_.field < 0, name + ": it has no field");
        value(name, Type::F64, kind == Scalar::Kind::Watched);
        region(name, true);
        only(name, false, false, false);
        check(!stage_.every || kind == Scalar::Kind::Watched, name + ": it happens in every step");
        every(name);
    }
    void record() const {
        const Field &f = field("a record's");
        const std::string name = "record of " + f.name;
        check(!f.coef && !f.temp, name + ": its field is kept");
        value(name, valueType(f.type), true);
        const auto *read = std::get_if<Read>(&stage_.value->node);
        check(read && read->field == stage_.field && read->time == 1 && read->offset == Offsets{},
              name + ": it reads what its field has become");
        region(name, false);
        only(name, true, false, true);
        every(name);
        points(name);
    }

    void value(const std::string &name, Type type, bool time) const {
        verifyValue(s_, stage_.value, type, {.name = name, .coords = true, .time = time, .stage = index_});
    }
    void only(const std::string &name, bool points, bool signal, bool path) const {
        check((stage_.points >= 0) == points, name + ": its points");
        check(stage_.signal.empty() == !signal, name + ": its signal");
        check(stage_.path.empty() == !path, name + ": its path");
        const bool reduces = stage_.kind == Stage::Kind::Reduce || stage_.kind == Stage::Kind::Monitor;
        check((stage_.scalar >= 0) == reduces, name + ": its scalar");
    }
    void every(const std::string &name) const {
        if (stage_.every) verifyValue(s_, stage_.every, Type::Int, {.name = name + ", every"});
    }
    void region(const std::string &name, bool allowed) const {
        for (size_t d = 0; d < kMaxDims; ++d)
            for (const ExprPtr &bound : stage_.region[d]) {
                if (!bound) continue;
                check(allowed && d < s_.dims.size(), name + ": no bounds here");
                verifyValue(s_, bound, Type::Int, {.name = name + ", bound"});
            }
    }
    void points(const std::string &name) const {
        checkIndex(stage_.points, s_.points.size(), name + ": its set of points");
        const Points &points = s_.points[static_cast<size_t>(stage_.points)];
        check(points.at.empty() != points.file.empty(), name + ": points from a file or from the program");
        check(points.at.empty() || points.at.size() == s_.dims.size(),
              name + ": a point has every dimension");
        for (const ExprPtr &at : points.at)
            verifyValue(s_, at, Type::F64, {.name = name + ", point"});
    }

    const Stencil &s_;
    int index_;
    const Stage &stage_;
};

} // namespace

void verifyStages(const Stencil &stencil) {
    for (size_t k = 0; k < stencil.stages.size(); ++k) {
        check(k == 0 || stencil.stages[k - 1].kind <= stencil.stages[k].kind,
              "stages are in order: updates, injections, reductions, monitors, records");
        StageVerifier(stencil, static_cast<int>(k)).run();
    }
}

} // namespace oocc::verifying
