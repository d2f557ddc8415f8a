"""What oocc promises, and who tries it: rows of docs/reliability.md. A suite leaves counts of its promises, by their text, in
NAME.promises.json (support/suite.py, unit/schedule_test.cpp); of others, or beside these, the test cases count: `cases`,
a suite's name."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Promise:
    text: str
    how: str                # what is tried
    entry: str              # of ctest
    long: str = ""          # the command of the long run
    cases: str = ""


@dataclass(frozen=True)
class Area:
    title: str
    promises: tuple


RANDOM = "test/random/run.py --long"
FAULT = "OOCC_FAULT_LONG=1 test/fault/run.py"
CRASH = "test/crash/run.py --long"
KILLED = "killed at any instant, a run goes on to the same bits and leaves nothing behind"
REFUSED = "memory that is refused ends a run with 71 and one message"

AREAS = (
    Area("The right bits", (
        Promise("every schedule, engine and budget gives the bits of the interpreter",
                "random programs of the whole language, each run in random ways", "random", RANDOM),
        Promise("two interpreters, written apart, agree", "tiny random programs: one in numpy, one cell by cell", "random", RANDOM),
        Promise("a run that is stopped and goes on with other knobs ends in the same bits", "random programs: any step, any other plan", "random", RANDOM),
        Promise("every C compiler gives the same bits at every level", "gcc and clang, -O0 to -O3, for this machine or any", "random", RANDOM),
        Promise("emitted C runs clean under AddressSanitizer and UBSan", "some of the random programs", "random", RANDOM),
        Promise("no data race in the runtime and in emitted C", "every schedule on every engine, under ThreadSanitizer", "threads",
                "test/threads/run.py --rounds 20"),
        Promise("changes that must not matter do not", "order of declarations and of updates, names, places around a ring", "random", RANDOM),
        Promise("both interpreters give what is worked out by hand", "tiny programs", "random_oracle", cases="random_oracle"),
        Promise("no schedule breaks a dependence", "random stencils: every read against a model of the schedule", "schedule_test",
                "OOCC_STENCILS=50 build/release/bin/schedule_test"),
        Promise("functions of f32 are as near to the exact value as is said of them", "floats of all sizes", "runtime_functions_f32_test",
                "OOCC_FLOATS=1 build/release/bin/runtime_functions_f32_test"),
        Promise("results are those of closed forms, and exit statuses what they should be", "whole runs", "numerics", cases="numerics"),
        Promise("a bug that is planted in the compiler or the schedule is found", "a hundred mutations, one at a time, and random programs",
                "random_planted", "test/random/planted.py"),
    )),
    Area("What is emitted", (
        Promise("emitted C consists of what is on lists", "every example, with its names replaced, too", "audit", cases="audit"),
        Promise("no program is taken for something else by C, a shell or a terminal", "hostile programs and names", "hostile",
                "test/hostile/run.py --long", "hostile"),
        Promise("C that is lifted gives the bits of the C", "functions, compiled as they are and lifted", "lift", cases="lift"),
        Promise("whatever the input, one clear error or a right answer within a second of processor time and a GiB, under sanitizers: no crash, no undefined behaviour, no leak",
                "mutated programs, files and options", "fuzz", "test/fuzz/run.py --long"),
        Promise("programs and numbers of any size, depth and length: one clear error or a right answer, in bounded time and memory",
                "a table of texts and numbers", "broken"),
    )),
    Area("Devices that fail", (
        Promise("short transfers, EAGAIN, EINTR and requests not taken change no bit", "every engine", "fault", FAULT),
        Promise("a transfer of nothing is an error that names file and place", "every engine", "fault", FAULT),
        Promise("after an I/O error at any operation, what the message says ends in the same bits", "an error at every single operation", "fault", FAULT),
        Promise("after an I/O error of a run that goes on after kill -9, what the message says ends in the same bits",
                "an error at every single operation of a run that is resumed", "fault", FAULT),
        Promise("after an I/O error of the kernel in any transfer or sync of an engine, what the message says ends in the same bits",
                "every engine, while its requests are under way", "fault", FAULT),
        Promise("a cache that fails is no error", "errors at every operation", "fault", FAULT),
        Promise("after an I/O error at any operation on a device, what the message says ends in the same bits", "the same on a block device", "fault", FAULT),
        Promise("a disk that is full from any write on is said, and the run goes on later", "ENOSPC at every write", "fault", FAULT),
        Promise("a quota that is reached at any write is said, and the run goes on later", "EDQUOT at every write", "fault", FAULT),
        Promise("on a file system that is full, a run says so, and goes on when there is room", "small file systems", "fault", FAULT),
        Promise("where files may not grow any more, a run says so, and goes on when they may", "RLIMIT_FSIZE", "fault", FAULT),
        Promise("flipped bits, and swapped, stale, misdirected and misread records, are found before they are used", "while a run goes on", "fault", FAULT),
        Promise("what columns leave to each other is checked: mistakes of the same kinds are found before a pass is committed", "strips, while a run goes on", "fault", FAULT),
        Promise("a scratch that was changed between two runs is found out before it is used", "every file of a scratch", "fault", FAULT),
        Promise("verify finds a changed bit and names its place", "any byte of a scratch", "crash", CRASH),
    )),
    Area("Crashes", (
        Promise("after a crash, --resume ends in the same bits or refuses", "any subset of the writes that no sync covers, torn", "fault", FAULT),
        Promise("after a crash, --resume from a device ends in the same bits or refuses", "the same on a block device", "fault", FAULT),
        Promise(KILLED, "SIGKILL at random instants", "crash", CRASH),
        Promise(f"{KILLED} (block devices)", "SIGKILL at random instants", "crash", CRASH),
        Promise("stopped by a signal, a run ends with 75 and goes on to the same bits", "SIGINT and SIGTERM at random instants", "crash", CRASH),
        Promise("of runs that begin at once on one scratch, exactly one proceeds", "two and more at once", "crash", CRASH),
        Promise("links planted at the names of a scratch are never followed", "every name that a run makes", "crash", CRASH),
    )),
    Area("Memory", (
        Promise("what a run uses at its peak is within --memory", "random plans, measured", "crash", CRASH),
        Promise("what a run uses at its peak is within --memory (block devices)", "many checksums after every pass, measured", "crash"),
        Promise(REFUSED, "every single allocation refused", "crash", CRASH),
        Promise(f"{REFUSED}, also one that goes on after kill -9", "some of the allocations refused", "crash", CRASH),
        Promise(f"{REFUSED} (RLIMIT_AS)", "limits on the address space", "crash", CRASH),
        Promise(f"{REFUSED} (RLIMIT_DATA)", "limits on data", "crash", CRASH),
        Promise("a run that is short of memory discards nothing of another", "allocations refused, beside what kill -9 left uncommitted", "crash", CRASH),
        Promise("memory that is refused ends the compiler with 71 and one message", "limits on the address space", "crash", CRASH),
    )),
)


def promises():
    return [p for area in AREAS for p in area.promises]
