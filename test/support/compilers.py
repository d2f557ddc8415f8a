"""C compilers and flags that a random program is compiled with: only operations that IEEE 754 rounds exactly are drawn, so all of
them give the same bits. A wrapper stands for the compiler: what it appends wins over the flags that oocc gives."""
import functools
import os
import platform
import random
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g1"]


@functools.cache
def works(compiler, *flags):
    """Whether it makes programs with OpenMP here."""
    if not shutil.which(compiler):
        return False
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "try.c"
        source.write_text("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
        done = subprocess.run([compiler, "-fopenmp", *flags, source, "-o", Path(folder) / "try"], capture_output=True)
        return done.returncode == 0 and subprocess.run([Path(folder) / "try"], capture_output=True).returncode == 0


@functools.cache
def found():
    """The compilers that are there: gcc, and the newest clang that has OpenMP."""
    clangs = ["clang", *(f"clang-{n}" for n in range(25, 13, -1))]
    return [c for c in ["gcc"] if works(c)] + [c for c in clangs if works(c)][:1]


def sanitized():
    """Whether the runtime is: only its own compiler links with it then."""
    return bool(os.environ.get("OOCC_SANITIZE"))


def shadowed():
    """Whether a run's memory has a shadow, as much again and more: no budget is kept then."""
    return "thread" in os.environ.get("OOCC_SANITIZE", "")


def budget(mib):
    """A budget for --memory; what a sanitizer takes before a run has taken anything is added."""
    return f"{mib + (64 if shadowed() else 16 if sanitized() else 0)}M"


def kept():
    """Bytes that a sanitizer's allocator keeps beside what a run has at its peak."""
    return 4 << 20 if sanitized() else 0


def counted():
    """The environment of a run whose memory is counted: AddressSanitizer would keep what is freed, to see who uses it still."""
    return {**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=0"}


def draw(seed):
    """(compiler, flags); None: the usual ones."""
    rng = random.Random(f"compiler {seed}")
    if sanitized() or not found() or rng.random() < 0.3:
        return None
    compiler = rng.choice(found())
    flags = [rng.choice(["-O0", "-O1", "-O2", "-O3", "-O3"])]
    if platform.machine() == "x86_64" and rng.random() < 0.4:
        flags.append("-march=x86-64")
    if rng.random() < 0.12 and works(compiler, *SANITIZERS):
        flags = ["-O1", *SANITIZERS]
    return compiler, tuple(flags)


def fast(choice, seed):
    """The compiler that was drawn, or oocc's own, at a level where it is fast, without sanitizers: for many programs."""
    compiler, flags = choice or ("cc", ())
    level = random.Random(f"fast {seed}").choice(["-O0", "-O0", "-O0", "-O1"])
    return compiler, (level, *(flag for flag in flags if flag.startswith("-march")))


def is_sanitized(choice):
    return bool(choice) and SANITIZERS[0] in choice[1]


def wrapper(choice, folder):
    """A program to give to --cc."""
    compiler, flags = choice
    path = Path(folder) / f"cc-{abs(hash(choice)):x}"
    path.write_text(f"#!/bin/sh\nexec {shlex.quote(shutil.which(compiler))} \"$@\" {shlex.join(flags)}\n")
    path.chmod(0o755)
    return path


@functools.cache
def wrapper_for(choice):
    """The same in a folder of its own, which stays as long as the tests run."""
    return wrapper(choice, _folder().name)


@functools.cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="oocc-cc-")
