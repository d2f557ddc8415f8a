"""The documents as tests see them: fenced blocks, and what hidden comments right before a block say of it.

A comment `<!-- KEY: TEXT -->` or `<!-- KEY NAME: TEXT -->` belongs to the next block; readers do not see it.
"""
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]

MARK = re.compile(r"<!-- *(\w+)(?: +(\w+))?(?:: *(.*?))? *-->", re.S)
PIECE = re.compile(r"^```(\w*)\n(.*?)^```$|^" + MARK.pattern, re.S | re.M)  # indented ones are shown, not meant


@dataclass
class Mark:
    key: str
    name: str
    text: str


@dataclass
class Block:
    page: Path
    line: int  # of the opening fence
    language: str
    text: str
    marks: list = field(default_factory=list)

    def __str__(self):
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def mark(self, key):
        """The only mark of this kind, or None."""
        found = [m for m in self.marks if m.key == key]
        if len(found) > 1:
            raise ValueError(f"{self}: two marks '{key}'")
        return found[0] if found else None


def blocks(page):
    """The page's fenced blocks in order, with their marks."""
    text = page.read_text()
    marks, found, end = [], [], 0
    for piece in PIECE.finditer(text):
        if piece.group(1) is None:
            marks.append(Mark(piece.group(3), piece.group(4) or "", (piece.group(5) or "").strip()))
            continue
        line = text.count("\n", 0, piece.start()) + 1
        found.append(Block(page, line, piece.group(1), piece.group(2), marks))
        marks = []
    if marks:
        raise ValueError(f"{page}: no block follows the mark '{marks[0].key}'")
    return found
