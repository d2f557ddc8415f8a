// Stencil and plan become the loops of the generated program.
#pragma once

#include "loops/loops.h"
#include "plan/plan.h"

namespace oocc::loops {

/// `source` is the program's file name, for messages of the generated program; `hash` identifies the stencil.
Module build(const Stencil &stencil, const Facts &facts, const Plan &plan, const std::string &source,
             uint64_t hash, Form form = Form::Program);

/// Throws std::logic_error when a function uses a name that nothing declares, or declares one twice.
void verify(const Module &module);

} // namespace oocc::loops
