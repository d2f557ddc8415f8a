"""What is promised of any program: one clear error, or C that passes the audit and compiles without a warning. And of one with
hostile names: the C of the same program with plain ones, but for the names."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "audit"), str(HERE.parent / "support")]

import emitted
import programs

FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fopenmp", "-ffp-contract=off"]
INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
POSITION = re.compile(r":\d+:\d+: error: .")


def compilers():
    """gcc and clang, whichever there are; the test says which."""
    found = [c for c in (os.environ.get("CC", "cc"), shutil.which("clang-19") or shutil.which("clang")) if c]
    return [c for c in found if shutil.which(c)]


def build():
    return Path(programs.compiler()).parent.parent


def unclean(text):
    """What a terminal must not be given, or None."""
    try:
        found = INVISIBLE.search(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        return f"bytes that are no UTF-8 ({error})"
    return f"{found.group()!r}" if found else None


def run(command, cwd, timeout=120):
    return subprocess.run([os.fsencode(part) if isinstance(part, (str, Path)) else part for part in command],
                          cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)


def compile_program(source, out, *options, usage=False):
    """(True, None) when there is C, (False, None) when the program was refused as it should be, else (.., what is wrong)."""
    done = run([programs.compiler(), source, "-o", out, *options], Path(os.fsdecode(out)).parent)
    head = done.stderr[:400].decode("utf-8", "replace")
    wrong = unclean(done.stderr)
    if wrong:
        return False, f"{wrong} in a message: {done.stderr[:400]!r}"
    if len(done.stderr) > 20000:
        return False, f"{len(done.stderr)} bytes of messages, which nobody reads: {head}"
    if done.returncode == 0:
        return True, None
    if done.returncode == 65 and (POSITION.search(done.stderr.decode()) or b"oocc: error: " in done.stderr):
        return False, None
    if usage and done.returncode == 2 and done.stderr.startswith(b"oocc: ") and done.stderr.count(b"\n") == 1:
        return False, None
    return False, f"status {done.returncode}: {head}"


def check_c(*files):
    """None, or what the audit or a compiler says against emitted files."""
    if emitted.tool():
        status, findings = emitted.audit(*files)
        if status:
            return "\n".join(findings[:10])
    for cc in compilers():
        done = run([cc, *FLAGS, "-I", build() / "include", "-fsyntax-only", *files], Path(files[0]).parent, 600)
        if done.returncode or done.stderr:
            return f"{cc}: {done.stderr[:600].decode('utf-8', 'replace')}"
    return None


def same_but_names(plain, hostile):
    """None, or where two files differ by more than names: within each function, one name must stand for one name."""
    ours, theirs = emitted.identifiers(plain), emitted.identifiers(hostile)
    if len(ours) != len(theirs):
        return f"{len(theirs)} identifiers instead of {len(ours)}"
    there, back = {}, {}
    for a, b in zip(ours, theirs):
        if a == "}":
            there, back = {}, {}
        if there.setdefault(a, b) != b or back.setdefault(b, a) != a:
            return f"'{b}' stands for '{a}', and for '{back.get(b)}'; '{a}' is also '{there[a]}'"
    return None


def build_program(c, exe):
    libraries = ["-L", str(build() / "lib"), "-loocc_runtime"]
    more = re.search(r"OOCC_LINK_OPTIONS:INTERNAL=(.*)", (build() / "CMakeCache.txt").read_text())
    return programs.call([compilers()[0], *FLAGS, "-O1", "-fno-math-errno", "-fno-trapping-math", "-I", build() / "include", c,
                          *libraries, *(more.group(1).split() if more else []), "-o", exe], Path(c).parent)
