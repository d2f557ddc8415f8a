#pragma once

#include "emit/writer.h"
#include "loops/loops.h"

namespace oocc {

void writeFunction(CWriter &out, const loops::Function &function);
void writeVariables(CWriter &out, const loops::Variables &variables);
void writeTable(CWriter &out, const loops::Table &table);
void writeConstants(CWriter &out, const std::vector<loops::Constant> &constants);

} // namespace oocc
