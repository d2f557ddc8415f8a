// The runtime's C headers for what a run observes, for tests in C++.
#pragma once

#include "runtime_c.h"

extern "C" {
#include "observe/observe.h"
}
