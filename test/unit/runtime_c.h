// The runtime's C headers, for tests in C++.
#pragma once

#define _Noreturn [[noreturn]]
extern "C" {
#include "engines/engine.h"
#include "engines/workers.h"
#include "observe/observe.h"
#include "plan/planner.h"
#include "run/run.h"
#include "storage/manifest.h"
#include "storage/store.h"
#include "stream/checks.h"
#include "stream/flow.h"
#include "stream/overlap.h"
#include "stream/parts.h"
#include "stream/shares.h"
#include "stream/subnormal.h"
#include "stream/wedge.h"
#include "stream/window.h"
#include "support/checksum.h"
#include "support/number.h"
#include "tuning/climb.h"
#include "tuning/probe.h"
#include "tuning/race.h"
}
#undef _Noreturn
