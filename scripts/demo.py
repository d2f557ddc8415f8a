"""What scripts/demo does once oocc is built."""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import slice_png

ROOT = Path(__file__).resolve().parent.parent
STEPS = 100
MIB = 1 << 20
WAITED = 0.2                # the share of time from which on waiting is worth a word
LARGE, SMALL = 800, 512     # cells along each edge: a sixteenth of the larger grid holds enough planes for deep passes


def show(command):
    print("\n$ " + " ".join(str(part) for part in command).replace(f"{ROOT}/", ""), flush=True)


def run(command, folder):
    show(command)
    status = subprocess.run([str(part) for part in command], cwd=folder, stdin=subprocess.DEVNULL).returncode
    if status:
        sys.exit(f"demo: that command ended with status {status}")


def plan(command, folder):
    """A plan says what a run would do, and runs nothing."""
    done = subprocess.run([str(part) for part in command] + ["--plan", "--json"], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)["plan"] if done.returncode == 0 else None


def available_memory():
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 0


def state_bytes(n):
    return n ** 3 * 8


def room_of_sweep(n):
    """Two levels of the grid, and what a program needs besides."""
    return 9 * state_bytes(n) // 4 + 256 * MIB


def fits_in_memory(n):
    return available_memory() > 1.2 * room_of_sweep(n)


def fits_on_disk(n, folder):
    return shutil.disk_usage(folder).free >= 5 * state_bytes(n)


def gib(count):
    return f"{count / (1 << 30):.2f} GiB" if count >= 1 << 30 else f"{count / MIB:.0f} MiB"


def table(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for number, row in enumerate(rows):
        print("  " + row[0].ljust(widths[0]) + "".join("  " + cell.rjust(w) for cell, w in zip(row[1:], widths[1:])))
        if number == 0:
            print("  " + "-" * (sum(widths) + 2 * len(widths) - 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, help="along each edge of the cube")
    n = parser.parse_args().cells
    folder = ROOT / "build/demo"
    folder.mkdir(parents=True, exist_ok=True)
    if n is None:
        n = LARGE if fits_in_memory(LARGE) and fits_on_disk(LARGE, folder) else SMALL
    grid, budget = state_bytes(n), max(16, state_bytes(n) // 16 // MIB) * MIB
    if not fits_on_disk(n, folder):
        sys.exit(f"demo: {folder} needs {gib(5 * grid)} of free space; `N=256 scripts/demo` needs {gib(5 * state_bytes(256))}")

    with tempfile.TemporaryDirectory(dir=folder, prefix="run-") as work:
        work = Path(work)
        run([ROOT / "build/release/bin/oocc", ROOT / "examples/heat3d/heat3d.stn", "--emit=exe", "-o", work / "heat3d"],
            work)
        size = ["-D", f"n={n}", "--steps", STEPS]
        small = ["--memory", f"{budget // MIB}M"]
        print(f"\nA cube of {n}^3 cells is {gib(grid)}. It gets {gib(budget)} of memory and {STEPS} steps:", flush=True)
        run(["./heat3d", *size, *small, "--schedule", "stream", "--progress", "on", "--report", "stream.json"], work)
        picture = folder / "heat3d.png"
        slice_png.draw(work / "heat3d.npy", picture, rows=(5 * n // 16, 11 * n // 16))
        (work / "heat3d.npy").unlink()

        if fits_in_memory(n):
            print("\nThe same the ordinary way, one step after the other, with the whole grid in memory:", flush=True)
            sweep = ["--schedule", "sweep", "--engine", "memory", "--memory", f"{room_of_sweep(n) // MIB}M"]
        else:
            print("\nThe same the ordinary way, one step after the other; the grid does not fit in this machine's "
                  "memory, so every step moves all of it, which takes a while:", flush=True)
            sweep = ["--schedule", "sweep", *small]
        run(["./heat3d", *size, *sweep, "--progress", "on", "--report", "sweep.json"], work)
        streamed, swept = (json.loads((work / name).read_text()) for name in ("stream.json", "sweep.json"))
        from_disk = plan(["./heat3d", *size, "--schedule", "sweep", *small], work)

    a, b = streamed["measured"], swept["measured"]
    same = a["result_hash"] == b["result_hash"]

    def moved(figures):
        total = figures["read_bytes"] + figures["write_bytes"]
        return gib(total) if total else "nothing"

    print()
    table([
        ("heat3d, " + f"{n}^3 cells, {STEPS} steps", "streamed", "plain sweep"),
        ("grid", gib(grid), gib(grid)),
        ("memory budget", gib(streamed["plan"]["budget_bytes"]), gib(swept["plan"]["budget_bytes"])),
        ("memory used at most", gib(a["peak_bytes"]), gib(b["peak_bytes"])),
        ("passes over the grid", str(a["passes"]), str(b["passes"])),
        ("moved to and from disk", moved(a), moved(b)),
        ("waiting for the disk", f"{100 * a['wait_share']:.0f}%", f"{100 * b['wait_share']:.0f}%"),
        ("time", f"{a['pass_seconds']:.1f} s", f"{b['pass_seconds']:.1f} s"),
        ("cell updates per second", f"{a['glups']:.2f} billion", f"{b['glups']:.2f} billion"),
        ("hash of the result", a["result_hash"], b["result_hash"]),
    ])
    print(f"\n  same bits as the sweep: {'yes' if same else 'NO'}")
    if from_disk and swept["plan"]["in_place"]:
        total = from_disk["read_bytes"] + from_disk["write_bytes"]
        print(f"  a sweep with {gib(budget)} would have moved {gib(total)}, "
              f"{total / (a['read_bytes'] + a['write_bytes']):.0f} times as much")
    if a["wait_share"] > WAITED and swept["plan"]["in_place"]:
        print(f"  the disk bounds such a small run: {gib(budget)} hold {streamed['plan']['bt']} steps a pass. Of larger grids a sixteenth\n"
              "  holds more planes, and so more steps: docs/performance.md has one of 16 GiB")
    print(f"  picture of the middle of the cube: {picture.relative_to(ROOT)}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
