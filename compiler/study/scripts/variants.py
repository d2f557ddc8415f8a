"""The manifest that `oocc --variants` leaves (docs/formats/variants.md)."""
import difflib
import json
from dataclasses import dataclass
from pathlib import Path

from failure import BAD_INPUT, USAGE, Failure


@dataclass(frozen=True)
class Variant:
    name: str
    source: Path      # its C
    program: str      # hash of what is computed: with the same hash, results have the same bits
    cflags: tuple
    arguments: tuple  # of a run
    knobs: dict       # "auto": left to the program


class Variants:
    def __init__(self, folder):
        self.folder = Path(folder)
        path = self.folder / "manifest.json"
        remedy = "oocc PROGRAM.stn --variants SPACE.json -o DIR makes one"
        try:
            manifest = json.loads(path.read_text())
        except FileNotFoundError:
            raise Failure(BAD_INPUT, f"{path} is not there", remedy) from None
        except OSError as error:
            raise Failure(BAD_INPUT, f"cannot read {path}: {error.strerror}") from None
        except ValueError as error:
            raise Failure(BAD_INPUT, f"{path} is not JSON: {error}", remedy) from None
        if not isinstance(manifest, dict) or (manifest.get("format"), manifest.get("version")) != ("oocc-variants", 1):
            raise Failure(BAD_INPUT, f"{path} is not a manifest of variants, version 1", remedy)
        self.oocc, self.program, self.space, self.build = (manifest[name] for name in ("oocc", "program", "space", "build"))
        self.left_out = manifest["left_out"]
        programs = {file["file"]: file["program_hash"] for file in manifest["files"]}
        self.all = {each["name"]: Variant(each["name"], self.folder / each["file"], programs[each["file"]],
                                          tuple(each["cflags"]), tuple(each["arguments"]), each["knobs"])
                    for each in manifest["variants"]}

    def pick(self, names):
        """Those that are named, or all."""
        for name in names:
            if name not in self.all:
                near = difflib.get_close_matches(name, self.all, 1)
                raise Failure(USAGE, f"there is no variant '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
        return [self.all[name] for name in dict.fromkeys(names)] if names else list(self.all.values())

    def knobs(self):
        """Name and values of every knob, in the space's order; what conditions leave to the program is a value, too."""
        found = {}
        for knob in self.space["knobs"]:
            values = list(knob["values"])
            if any(each.knobs[knob["name"]] == "auto" for each in self.all.values()) and "auto" not in values:
                values.append("auto")
            found[knob["name"]] = values
        return found

    def options(self):
        """Options of a run that are knobs."""
        return {word for each in self.all.values() for word in each.arguments[::2]}
