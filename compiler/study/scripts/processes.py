"""Starting programs, so that none outlives the study: not when it is stopped, and not when it is killed."""
import contextlib
import ctypes
import os
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def uninterrupted():
    """What is inside is done whole: an interrupt waits for its end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start(command, **options):
    """A process of a session of its own: an interrupt from the terminal reaches the study alone, which ends it."""
    parent = os.getpid()

    def follow():
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(127)
    return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, start_new_session=True,
                            preexec_fn=follow, **options)


def end(process):
    """It and what it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def run(command, timeout=None, **options):
    """Runs to the end: (status, what it printed, seconds); status None when the time was up."""
    began = time.monotonic()
    process = start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    try:
        text, _ = process.communicate(timeout=timeout)
        return process.returncode, text, time.monotonic() - began
    except subprocess.TimeoutExpired:
        return None, "", time.monotonic() - began
    finally:
        if process.poll() is None:
            end(process)
        process.stdout.close()
