// The runtime's C headers, for tests in C++.
#pragma once

#define _Noreturn [[noreturn]]
extern "C" {
#include "checksum.h"
#include "climb.h"
#include "engine.h"
#include "flow.h"
#include "manifest.h"
#include "overlap.h"
#include "parts.h"
#include "planner.h"
#include "run.h"
#include "store.h"
#include "wedge.h"
#include "window.h"
}
#undef _Noreturn
