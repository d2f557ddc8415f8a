"""What is audited: every example, every program of the benchmark, and one of which no example has the like, in every way in which the
emitter's C differs."""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "support"))

import programs

ROOT = programs.ROOT
WAYS = [[], ["--fma", "--jam", "2x2"], ["--jam", "1x1"],
        ["--bt", "4", "--bz", "3", "--ct", "2", "--yt", "16", "--xt", "32", "--columns", "2", "--jam", "3x2"]]


def sources():
    return sorted([*ROOT.glob("examples/*/*.stn"), *ROOT.glob("test/bench/programs/*.stn"), ROOT / "test/emit/made_from_coefs.stn",
                   ROOT / "test/emit/run_constants.stn", ROOT / "test/emit/wide_rows.stn", ROOT / "test/emit/choosing.stn", ROOT / "test/emit/quotients.stn",
                   ROOT / "test/emit/sponge.stn"])


def defines(source):
    """-D for every parameter whose default is a number: the same program, and no parameter is left to the run."""
    pairs = re.findall(r"^param\s+(\w+)\s*:\s*\w+\s*=\s*([0-9.eE+-]+)\s*;", source.read_text(), re.MULTILINE)
    return [part for name, value in pairs for part in ("-D", f"{name}={value}")]


def ways(source):
    return [*WAYS, [*defines(source), "--jam", "4x1"]]


def emit(source, out, *options):
    programs.call([programs.compiler(), source, "-o", out, *options], Path(out).parent)


def tool():
    """oocc-audit, or None where it is not built: without Clang's libraries."""
    path = Path(programs.compiler()).parent / "oocc-audit"
    return str(path) if path.is_file() else None


def audit(*files):
    """(status, findings) of the tool."""
    done = subprocess.run([tool(), *map(str, files)], capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 1):
        raise programs.Failure(f"oocc-audit: status {done.returncode}\n{done.stderr}")
    return done.returncode, done.stdout.splitlines()


def identifiers(file):
    return subprocess.run([tool(), "--list-identifiers", str(file)], capture_output=True, text=True, check=True,
                          timeout=300).stdout.split()


def prefixes():
    return subprocess.run([tool(), "--list-prefixes"], capture_output=True, text=True, check=True, timeout=300).stdout.strip()


def jobs():
    return min(2, os.cpu_count() or 1)
