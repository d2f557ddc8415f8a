"""One run of one variant."""
import datetime
import hashlib
import json
import shutil
import stat
from pathlib import Path

import processes
from failure import BAD_INPUT, CANNOT_CREATE, USAGE, NO_MEMORY, Failure

REFUSED = (USAGE, NO_MEMORY)  # the planner's: the knobs contradict the sizes, or each other, or the memory
PLAN = ("schedule", "engine", "in_place", "threads", "bt", "bz", "ct", "yt", "xt", "tiles", "chains", "pieces", "columns", "layout")


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="microseconds")


def first_error(text):
    """The line that says what is wrong, without the program's name."""
    lines = [line for line in text.splitlines() if line.strip()]
    for line in lines:
        if "error: " in line:
            return line.split("error: ", 1)[1]
    return lines[-1] if lines else ""


class Bench:
    """The folder in which variants run, with the files that they read, and the scratch that they share in turn."""

    def __init__(self, variants, folder, scratch, inputs):
        self.work, self.inputs, self.outputs = folder / "work", {}, variants.program["outputs"]
        for name in variants.program["inputs"]:
            path = Path(inputs, name).absolute()
            if not path.is_file():
                raise Failure(BAD_INPUT, f"the program reads '{name}', which is not in {inputs}",
                              "say with --inputs FOLDER where its files are")
            if not Path(name).is_absolute():
                self.inputs[name] = path
        self.members = [self.member(place, folder) for place in scratch.split(",")] if scratch else [self.work / "scratch"]

    @staticmethod
    def member(place, folder):
        """A folder of our own in a directory; a device as it is."""
        try:
            mode = Path(place).stat().st_mode
        except OSError as error:
            raise Failure(CANNOT_CREATE, f"the scratch '{place}' cannot be used: {error.strerror}") from None
        if stat.S_ISBLK(mode):
            return Path(place)
        return Path(place).absolute() / f"oocc-study-{hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:8]}"

    def clear(self):
        for member in self.members:
            if member.is_dir():
                shutil.rmtree(member)
        shutil.rmtree(self.work, ignore_errors=True)

    def prepare(self):
        self.clear()
        self.work.mkdir()
        for name, path in self.inputs.items():
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).symlink_to(path)
        for name in self.outputs:
            if not Path(name).is_absolute():
                (self.work / name).parent.mkdir(parents=True, exist_ok=True)

    def run(self, exe, variant, arguments, timeout):
        """What the journal keeps of it."""
        self.prepare()
        began, report = now(), self.work / "oocc-study-report.json"
        command = [exe.absolute(), "--progress", "off", "--restart", "--report", report.absolute(),
                   "--scratch", ",".join(str(member.absolute()) for member in self.members), *variant.arguments, *arguments]
        status, text, seconds = processes.run(command, timeout, cwd=self.work)
        found = {"began": began, "wall_seconds": round(seconds, 6)}
        if status is None:
            found.update(status="timeout", message=f"still running after {timeout:g} s")
        elif status == 0:
            data = json.loads(report.read_text())
            found.update(status="done", measured=data["measured"], extent=data["grid"]["extent"],
                         plan={name: data["plan"][name] for name in PLAN})
        else:
            message = first_error(text) or (f"ended by signal {-status}" if status < 0 else "it said nothing")
            found.update(status="refused" if status in REFUSED else "error", exit=status, message=message)
        self.clear()
        return found
