"""The rules of docs/architecture.md that can be read off the sources: who may include what, how long a file may be, and which
is a command.

`breaches(root)` yields one line of text per breach.
"""
import re
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
SOURCES = {".c", ".h", ".cpp", ".hpp", ".g4", ".py", ".in", ".stn", ".cmake", ""}
CODE = {".c", ".h", ".cpp", ".hpp"}
MAX_LINES = 600
ENGINE_LIBRARIES = {"libaio.h": "runtime/src/engines/aio.c", "liburing.h": "runtime/src/engines/uring.c",
                    "blkid/blkid.h": "runtime/src/storage/device_check.c"}

FOLDERS = {"driver", "study", "variants", "support", "syntax", "ast", "sema", "stencil", "analysis", "plan", "loops", "emit",
           "doctor", "init", "completion", "format", "lsp", "lift"}

# compiler/<folder>: the compiler folders whose headers it may include, besides its own.
MAY_INCLUDE = {
    "support": set(),
    "ast": {"support"},
    "syntax": {"support", "ast"},
    "stencil": {"support"},
    "sema": {"support", "ast", "stencil"},
    "analysis": {"support", "stencil"},
    "plan": {"support", "stencil", "analysis"},
    "loops": {"support", "stencil", "analysis", "plan"},
    "emit": {"support", "loops"},
    "variants": {"support", "stencil", "analysis", "plan"},
    "study": {"support", "driver"},
    "doctor": {"support", "driver"},
    "init": {"support", "driver", "syntax", "sema"},
    "completion": {"support", "driver", "syntax", "ast"},
    "format": {"support", "syntax", "driver"},
    "lsp": {"support", "ast", "syntax", "sema", "stencil", "analysis", "format", "driver"},
    "lift": {"support", "stencil", "driver"},
    "driver": FOLDERS - {"lift"},
}

# The files at the top, hidden ones apart.
TOP = {"CMakeLists.txt", "CMakePresets.json", "README.md"}

# Whatever these do with files goes through calls.h, where tests can watch it and stand in its way.
WATCHED = re.compile(r"runtime/src/(storage/(?!device_check|holder)\w+|field_io/\w+|observe/\w+|run/report|tuning/cache)\.c")
CALL = re.compile(r"(?<![\w.>*])(fopen|freopen|open|openat|creat|remove|mkostemp|"
                  r"pread|pwrite|preadv|pwritev|read|write|fsync|fdatasync|rename|renameat|renameat2|"
                  r"unlink|unlinkat|mkdir|rmdir|ftruncate|truncate|fallocate|posix_fallocate)\(")


def files(root, folder, suffixes):
    return sorted(p for p in (root / folder).rglob("*") if p.is_file() and p.suffix in suffixes)


def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace"))


def compiler_breaches(root):
    for path in files(root, "compiler", CODE):
        name = path.relative_to(root)
        folder = name.parts[1] if len(name.parts) > 2 else None
        for header in includes(path):
            first = header.split("/")[0]
            if ("antlr4" in header or re.search(r"Stn(Lexer|Parser)", header)) and folder != "syntax":
                yield f"{name}: includes {header}; only compiler/syntax may know ANTLR"
            if re.match(r"(clang|llvm)/", header) and folder != "lift":
                yield f"{name}: includes {header}; only compiler/lift may know Clang"
            if first in FOLDERS and folder in MAY_INCLUDE and first not in MAY_INCLUDE[folder] | {folder}:
                allowed = ", ".join(sorted(MAY_INCLUDE[folder] | {folder}))
                yield f"{name}: includes {header}; compiler/{folder} may include {allowed} only"
            if (header.startswith("oocc/") and header not in ("oocc/oocc.h", "oocc/functions.h")) or "runtime/" in header or header == "run.h":
                yield f"{name}: includes {header}; compiler and runtime share oocc/oocc.h only, and its functions.h"


def runtime_breaches(root):
    for path in files(root, "runtime", CODE | {".cc", ".cxx"}):
        name = path.relative_to(root)
        if path.suffix not in {".c", ".h"}:
            yield f"{name}: the runtime is C11, without C++"
        below = name.as_posix().removeprefix("runtime/src/")
        if path.suffix == ".h" and (root / "compiler" / below).is_file():
            yield f"{name}: compiler/{below} has the same path to all who include it; tests see both"
        for header in includes(path):
            only = ENGINE_LIBRARIES.get(header, name.as_posix())
            if name.as_posix() != only:
                yield f"{name}: includes {header}; only {only} may"
            own = (root / "runtime/src" / header).is_file()
            if header.startswith("antlr4") or (header.split("/")[0] in FOLDERS and not own) or "compiler/" in header:
                yield f"{name}: includes {header}; the runtime knows nothing of the compiler"


def call_breaches(root):
    for path in files(root, "runtime", {".c"}):
        name = path.relative_to(root).as_posix()
        if not WATCHED.fullmatch(name):
            continue
        for found in CALL.finditer(re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)):
            yield f"{name}: calls {found[1]}(); files of a run are touched through calls.h only"


def length_breaches(root):
    for folder in ("compiler", "runtime", "grammar", "test", "examples", "scripts"):
        for path in files(root, folder, SOURCES):
            lines = path.read_text(encoding="utf-8", errors="replace").count("\n")
            if lines > MAX_LINES:
                yield f"{path.relative_to(root)}: {lines} lines; more than {MAX_LINES} is more than one thing"


def top_breaches(root):
    for path in sorted(p for p in root.iterdir() if p.is_file() and not p.name.startswith(".")):
        if path.name not in TOP:
            yield f"{path.name}: is at the top, where only {', '.join(sorted(TOP))} are; it may be the output of a command"


def mode_breaches(root):
    for folder in ("examples", "scripts", "test"):
        for path in files(root, folder, {".py", ".sh", ""}):
            if path.read_bytes()[:2] == b"#!" and not path.stat().st_mode & 0o100:
                yield f"{path.relative_to(root)}: begins with #! and cannot be executed"


def breaches(root):
    root = Path(root)
    yield from compiler_breaches(root)
    yield from runtime_breaches(root)
    yield from call_breaches(root)
    yield from length_breaches(root)
    yield from top_breaches(root)
    yield from mode_breaches(root)
