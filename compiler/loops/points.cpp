// The runtime has sorted the cells that points touch by plane and row, so a stage finds those of its part of a plane by
// bisection and visits no others. Several points in one cell are added in the order of the file.
#include "loops/points.h"

#include "loops/expressions.h"
#include "loops/fields.h"
#include "loops/stages.h"
#include "loops/uses.h"
#include "stencil/printer.h"

namespace oocc::loops {

namespace {

class PointBuilder {
  public:
    PointBuilder(const Context &context, int stage)
        : context_(context), stage_(stage), s_(context.stencil.stages[stage]), names_(context) {}

    Function build() {
        Function function;
        function.comment = comment();
        function.returns = "void";
        function.name = stageName(context_, stage_);
        function.params = stageParams(context_);
        Body &body = function.body;
        if (context_.ndim() == 2 || context_.pieces())
            body.push_back(when(left() >= right(), {{Return{nullptr}}}));
        if (s_.kind == Stage::Kind::Record) returnUnlessDue(context_, stage_, body);
        const Body each = eachCell();
        body.push_back(
            declare("const struct oocc_points *const", "set", addressOf(at(var("points"), lit(s_.points)))));
        if (uses(each, "t"))
            body.push_back(declare("const int64_t", "t", var("p->t0") + var("s") - lit(1)));
        for (const Stmt &plane : planes_)
            body.push_back(plane);
        body.push_back(
            declare("const int64_t", "end", at(var("set->first"), var(context_.planeName()) + lit(1))));
        body.push_back(loop("k", firstCell(), var("end"), each));
        declarePlane(context_, body);
        markUnused(function);
        return function;
    }

  private:
    std::string comment() const {
        const std::string &name = context_.fieldName(s_.field);
        if (s_.kind == Stage::Kind::Record)
            return "Stage " + std::to_string(stage_) + ": records " + name +
                   " at points, where they lie in this part of the plane.";
        return "Stage " + std::to_string(stage_) + ": " + name +
               "[t+1] += " + (s_.value ? toString(context_.stencil, s_.value) : "the signal") + " at points.";
    }

    E left() const { return context_.ndim() == 2 ? var("lo") : var("left"); }
    E right() const { return context_.ndim() == 2 ? var("hi") : var("right"); }
    /// Rows of the plane that one index of the tiled dimension has.
    E rowsEach() const { return context_.ndim() == 4 ? context_.extent(2) : lit(1); }

    E firstCell() const {
        const E z = var(context_.planeName());
        if (context_.ndim() < 3) return at(var("set->first"), z);
        return call("oocc_point_from", {var("set"), z, var("lo") * rowsEach()});
    }

    /// The pointer to a field's plane at the stage's own or an earlier level; declared once.
    E plane(int field, int time) {
        const auto [name, isNew] = names_.take(field, time, 0);
        if (isNew) {
            const bool own = field == s_.field && time == 1 && s_.kind == Stage::Kind::Inject;
            planes_.push_back(
                declare((own ? "" : "const ") + context_.cType(field) + " *const", name,
                        call("oocc_plane", {var("p"), context_.fieldId(field), var("s") + lit(time - 1),
                                            var(context_.waveName())})));
        }
        return var(name);
    }
    E cell(int field, int time) {
        const E row = context_.ndim() > 2 ? var("c->row") * context_.stride(field) : lit(0);
        return at(plane(field, time), row + var("c->cell"));
    }

    /// Coordinates that the value asks for, from the cell's place in the plane.
    Body coordinates(const Body &using_) const {
        Body body;
        const auto add = [&](int dim, E value) {
            if (uses(using_, context_.coordName(dim)))
                body.push_back(declare("const int64_t", context_.coordName(dim), value));
        };
        if (context_.ndim() == 1) {
            add(0, var("block") * var("grid->cells") + var("c->cell"));
            return body;
        }
        if (context_.ndim() == 3) add(1, var("c->row"));
        if (context_.ndim() == 4) {
            add(1, binary(Op::Div, var("c->row"), context_.extent(2)));
            add(2, binary(Op::Mod, var("c->row"), context_.extent(2)));
        }
        add(context_.x(), var("c->cell"));
        return body;
    }

    Body eachCell() {
        Body action = s_.kind == Stage::Kind::Record ? record() : inject();
        const Body coords = coordinates(action);
        Body body{
            declare("const struct oocc_point_cell *const", "c", addressOf(at(var("set->cell"), var("k"))))};
        if (context_.ndim() > 2)
            body.push_back(when(var("c->row") >= var("hi") * rowsEach(), {{Return{nullptr}}}));
        if (context_.ndim() == 2 || context_.pieces())
            body.push_back(when(var("c->cell") < left() || var("c->cell") >= right(), {{Continue{}}}));
        body.insert(body.end(), coords.begin(), coords.end());
        body.insert(body.end(), action.begin(), action.end());
        return body;
    }

    Body record() {
        const E place =
            call("oocc_recorded",
                 {var("p"), addressOf(at(var("records"), var("RECORD_" + stageId(context_, stage_)))),
                  var("s"), var("c->slot")});
        return {assign(std::make_shared<const Expr>(Expr{Unary{'*', place}}),
                       var("c->weight") * cast("double", cell(s_.field, 1)))};
    }

    Body inject() {
        E value;
        Body body;
        if (s_.value) {
            Translator translator(context_, [&](const Read &read) { return cell(read.field, read.time); });
            translator.what = "an injection into " + context_.fieldName(s_.field);
            value = translator.translate(s_.value);
        } else {
            value = call("oocc_signal_at",
                         {addressOf(at(var("signals"), var("SIGNAL_" + stageId(context_, stage_)))), var("t"),
                          var("c->point")});
        }
        const std::string type = context_.cType(s_.field);
        const E target = cell(s_.field, 1);
        body.push_back(assign(target, target + cast(type, var("c->weight") * cast("double", value))));
        if (needsGhosts(context_, s_.field)) {
            const E row = context_.ndim() > 2 ? plane(s_.field, 1) + var("c->row") * context_.stride(s_.field)
                                              : plane(s_.field, 1);
            addGhosts(context_, body, {callGhosts(context_, s_.field, row, var("c->cell"), var("c->cell") + lit(1))});
        }
        return body;
    }

    const Context &context_;
    int stage_;
    const Stage &s_;
    Body planes_;
    PlaneNames names_;
};

} // namespace

Function buildPointStage(const Context &context, int stage) {
    return PointBuilder(context, stage).build();
}

} // namespace oocc::loops
