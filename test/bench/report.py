#!/usr/bin/env python3
"""Makes the document of a session's JSON: `report.py results.json [--doc docs/performance.md]`, plots beside it in images/."""
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
    parts = [chapters.opening(view, MODES.get(view.data["mode"], ""))]
    for chapter in chapters.ALL:
        parts.append(chapter(view, images))
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def write(data, path):
    """Writes the document and its plots; returns their paths."""
    if data.get("format") != "oocc-bench" or data.get("version") != 1:
        raise ValueError("this is not a file of oocc's bench, or of another version")
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
    parser.add_argument("results", type=Path)
    parser.add_argument("--doc", type=Path, default=HERE.parent.parent / "docs/performance.md")
    options = parser.parse_args()
    try:
        for path in write(json.loads(options.results.read_text()), options.doc):
            print(path)
    except (OSError, ValueError) as error:
        print(f"report: {options.results}: {error}", file=sys.stderr)
        return 65
    return 0


if __name__ == "__main__":
    sys.exit(main())
