"""Every ```stn block of every document: compiles without a word, and so does its C; or is refused as its mark says.

    <!-- refused: MESSAGE -->     the compiler ends with 65 and says this
    <!-- warns: MESSAGE -->       compiles, and says this
"""
import tempfile
import unittest
from pathlib import Path

import frames
from pages import PAGES, ROOT, blocks
from programs import call, compiler

C_FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fopenmp", "-fsyntax-only", f"-I{ROOT}/runtime/include"]


class Snippets(unittest.TestCase):
    """One test per block, made below."""

    def compiles(self, block, text):
        refused, warns = block.mark("refused"), block.mark("warns")
        with tempfile.TemporaryDirectory(prefix="oocc-docs-") as folder:
            source = Path(folder) / "snippet.stn"
            source.write_text(text)
            done = call([compiler(), source, "-o", "snippet.c"], folder, None)
            said = " ".join(done.stderr.split())
            context = f"{block} as\n{text}\n{done.stderr}"
            if refused:
                self.assertEqual(done.returncode, 65, context)
                self.assertIn(" ".join(refused.text.split()), said, context)
                return
            self.assertEqual(done.returncode, 0, context)
            if warns:
                self.assertIn(" ".join(warns.text.split()), said, context)
            else:
                self.assertEqual(said, "", context)
            call(["cc", *C_FLAGS, "snippet.c"], folder)


def add_tests():
    for page in PAGES:
        known = {}
        for block in blocks(page):
            if block.language != "stn" or any(m.key in ("file", "edit") for m in block.marks):
                continue  # the tutorial's files are compiled when it is done
            text = frames.program(block, known)
            name = f"test_{page.relative_to(ROOT).with_suffix('')}_line_{block.line}"
            setattr(Snippets, name, lambda self, block=block, text=text: self.compiles(block, text))


add_tests()
