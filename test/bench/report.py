#!/usr/bin/env python3
"""Makes the document of a session's JSON: `report.py results.json [--doc docs/performance.md]`, plots beside it in images/.

Of several files, which measured one section each or the same ones at other times, one document is made: ratios are taken within a round
of one file. `--keep` writes what they say together to one file, of which the same document is made: the record of a document
lies beside it, and with D for docs/performance `report.py D.json another.json --doc D.md --keep D.json` adds what was measured since.
`--note TEXT` puts a paragraph at the beginning, which stays in the file of `--keep`.
"""
import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.append(str(HERE.parent.parent / "compiler" / "study" / "scripts"))  # plot.py; what has the name of a file here is found here

import chapters
import figures
import plot
from results import View

MODES = {"quick": "\n**These are figures of a quick run on small grids, to see that the bench works. They say little about speed.**\n",
         "smoke": "\n**These are figures of a run at toy size, to see that the bench works. They say nothing about speed.**\n"}


def document(view, images):
    """The whole text; `images` names the plots that were drawn."""
    note = f"\n{view.data['note']}\n" if view.data.get("note") else ""
    parts = [chapters.opening(view, note + MODES.get(view.data["mode"], ""))]
    for chapter in chapters.ALL:
        parts.append(chapter(view, images))
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def with_device(session):
    """Its records; where the device was measured, each says how fast it was in that session: another day has another device."""
    rate = chapters.mixed_bandwidth(View(session))
    return [{"device_rate": rate, **record} if rate else record for record in session["records"]]


def kind_of(machine):
    return machine["cpu"], machine["cores"], machine.get("vectors"), machine.get("caches")


def joined(sessions):
    """One session of several of the same machine and mode. Rounds are counted on, and so are seconds."""
    if any(one.get("format") != "oocc-bench" or one.get("version") != 1 for one in sessions):
        raise ValueError("this is not a file of oocc's bench, or of another version")
    first, *others = sessions
    data = {**first, "records": with_device(first)}
    for other in others:
        if (other["mode"], kind_of(other["machine"])) != (first["mode"], kind_of(first["machine"])):
            raise ValueError("these files are of different machines or modes")
        rounds = max((r["round"] for r in data["records"]), default=0)
        seconds = max((r["at"] for r in data["records"]), default=0)
        data["records"] += [{**r, "round": r["round"] + rounds, "at": r["at"] + seconds} for r in with_device(other)]
        for key, value in other.items():
            data.setdefault(key, value)
        if "large_parts" in other:  # by program
            data["large_parts"] = {**other["large_parts"], **data["large_parts"]}
        options, more = data["options"], other["options"]
        data["options"] = {**more, **options, "sections": sorted({*options.get("sections", []), *more.get("sections", [])})}
        data["complete"] = data.get("complete") and other.get("complete")
    return data


def write(data, path):
    """Writes the document and its plots; returns their paths."""
    view, path = View(data), Path(path)
    folder = path.parent / "images"
    folder.mkdir(parents=True, exist_ok=True)
    written, images = [], {}
    for name, panels in figures.all_of(view):
        image = folder / f"{path.stem}-{name}.svg"
        image.write_text(plot.svg(panels))
        images[name] = f"images/{image.name}"
        written.append(image)
    path.write_text(document(view, images))
    return [path, *written]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("--doc", type=Path, default=HERE.parent.parent / "docs/performance.md")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="where to keep all that these files say, as one")
    parser.add_argument("--note", metavar="TEXT", help="a paragraph for the beginning, such as what the code was then")
    options = parser.parse_args()
    try:
        data = joined([json.loads(file.read_text()) for file in options.results])
        if options.note:
            data["note"] = options.note
        for path in write(data, options.doc):
            print(path)
        if options.keep:
            options.keep.write_text(json.dumps(data, indent=1) + "\n")
    except (OSError, ValueError) as error:
        print(f"report: {', '.join(map(str, options.results))}: {error}", file=sys.stderr)
        return 65
    return 0


if __name__ == "__main__":
    sys.exit(main())
