"""Runs a command within limits, and says what of its promise it breaks."""
import os
import re
import resource
import subprocess
import tempfile
import threading

SANITIZED = bool(os.environ.get("OOCC_SANITIZE"))  # sanitizers need addresses and time of their own
BYTES = 1 << 30
LONG_TEXT = 64 << 10
MOST_MESSAGES = 40000  # bytes: beyond it nobody reads
ENOUGH = {0, 1, 2, 65, 71, 73}
POSITION = re.compile(rb":\d+:\d+: error: .")


class Count:
    """For the report on promises."""

    def __init__(self):
        self.tried, self.failed, self.kinds = 0, [], {}

    def add(self, kind, wrong):
        self.tried += 1
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if wrong:
            self.failed.append(wrong)


COUNT = Count()


def limit(seconds):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if SANITIZED:  # frames are several times as large
        resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))
    else:
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (2 * seconds + 1, 2 * seconds + 1))


def run(command, folder, seconds):
    """(status, stdout's length, stderr, seconds of processors)."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        environment = {**os.environ, "OMP_NUM_THREADS": "2"}
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment,
                                 preexec_fn=lambda: limit(seconds))
        late = threading.Timer(60 * seconds, child.kill)
        late.start()
        _, status, used = os.wait4(child.pid, 0)
        late.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0, os.SEEK_END)
        err.seek(0)
        return child.returncode, out.tell(), err.read(1 << 20), used.ru_utime + used.ru_stime


def wrong(kind, command, folder, seconds, expected=None, position=False):
    """None, or what is wrong. `expected`: statuses; `position`: an error says where in the text."""
    status, length, err, used = run(command, folder, seconds)
    said = f"{' '.join(map(str, command))[-300:]}: status {status}, {used:.2f} s: {err[:300]!r}"
    problem = None
    if status not in (expected or ENOUGH):
        problem = "the status: " + said
    elif used > seconds and not SANITIZED:
        problem = f"more than {seconds} s: " + said
    elif len(err) > MOST_MESSAGES:
        problem = f"{len(err)} bytes of messages: " + said
    elif status not in (0, 1) and not err.count(b"error: ") and status != 2:
        problem = "no error is said: " + said
    elif position and status == 65 and not POSITION.search(err) and b"larger than 64 MiB" not in err:
        problem = "no position: " + said
    elif b"please report" in err:
        problem = "an internal error: " + said
    COUNT.add(kind, problem)
    return problem
