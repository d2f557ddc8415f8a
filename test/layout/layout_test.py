"""Checks the repository against the layout rules, and that each rule bites when a breach is planted."""
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import layout
import suite


class Repository(unittest.TestCase):
    def test_keeps_the_rules(self):
        self.assertEqual(list(layout.breaches(HERE.parent.parent)), [])


class PlantedBreach(unittest.TestCase):
    def bites(self, path, text, part, beside=()):
        with tempfile.TemporaryDirectory() as folder:
            for each in [path, *beside]:
                file = Path(folder) / each
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            found = list(layout.breaches(folder))
        self.assertEqual(len(found), 1, found)
        self.assertIn(path, found[0])
        self.assertIn(part, found[0])

    def passes(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            self.assertEqual(list(layout.breaches(folder)), [])

    def test_command_that_cannot_be_executed(self):
        self.bites("test/bench/run.py", "#!/usr/bin/env python3\n", "executed")

    def test_output_left_at_the_top(self):
        self.bites("-", "/* heat7: made by oocc */\n", "at the top")

    def test_antlr_outside_syntax(self):
        self.bites("compiler/sema/names.cpp", '#include "antlr4-runtime.h"\n', "ANTLR")

    def test_system_call_past_the_seam(self):
        self.bites("runtime/src/storage/directory.c", "int f(int d) { return fsync(d); }\n", "fsync")

    def test_the_cache_past_the_seam(self):
        self.bites("runtime/src/tuning/cache.c", 'FILE *f(void) { return fopen("x", "we"); }\n', "fopen")

    def test_points_past_the_seam(self):
        self.bites("runtime/src/observe/points.c", 'FILE *f(void) { return fopen("x", "re"); }\n', "fopen")

    def test_what_asks_the_kernel_is_no_file_of_a_run(self):
        self.passes("runtime/src/storage/holder.c", 'FILE *f(void) { return fopen("/proc/self/stat", "re"); }\n')

    def test_system_call_through_the_seam(self):
        self.passes("runtime/src/storage/directory.c", "/* fsync(d) */ int f(int d) { return calls_fsync(d); }\n")

    def test_generated_parser_outside_syntax(self):
        self.bites("compiler/driver/pipeline.cpp", '#include "StnParser.h"\n', "ANTLR")

    def test_antlr_inside_syntax_is_fine(self):
        self.passes("compiler/syntax/parse.cpp", '#include <antlr4-runtime.h>\n#include "ast/ast.h"\n')

    def test_analysis_reads_no_loops(self):
        self.bites("compiler/analysis/reach.cpp", '  #  include "loops/loops.h"\n', "compiler/analysis may include")

    def test_plan_reads_no_tree(self):
        self.bites("compiler/plan/plan.cpp", '#include "ast/ast.h"\n', "compiler/plan may include")

    def test_the_formatter_sees_words_and_no_tree(self):
        self.bites("compiler/format/format.cpp", '#include "ast/ast.h"\n', "compiler/format may include")

    def test_emit_sees_only_loops(self):
        self.bites("compiler/emit/c.cpp", '#include "stencil/stencil.h"\n', "compiler/emit may include")

    def test_compiler_knows_only_the_public_header(self):
        self.bites("compiler/emit/c.cpp", '#include "run.h"\n', "oocc/oocc.h only")

    def test_libaio_in_one_engine(self):
        self.bites("runtime/src/engines/mmap.c", "#include <libaio.h>\n", "only runtime/src/engines/aio.c")

    def test_liburing_in_one_engine(self):
        self.bites("runtime/src/engines/aio.c", "#include <liburing.h>\n", "only runtime/src/engines/uring.c")

    def test_libblkid_in_one_place(self):
        self.bites("runtime/src/storage/device.c", "#include <blkid/blkid.h>\n", "only runtime/src/storage/device_check.c")

    def test_no_cpp_in_the_runtime(self):
        self.bites("runtime/src/window.cpp", "int x;\n", "without C++")

    def test_runtime_knows_no_compiler(self):
        self.bites("runtime/src/stream/grid.c", '#include "stencil/stencil.h"\n', "nothing of the compiler")

    def test_headers_of_both_that_have_one_path(self):
        self.bites("runtime/src/plan/plan.h", "int x;\n", "the same path", beside=["compiler/plan/plan.h"])

    def test_long_file(self):
        self.bites("compiler/emit/c.cpp", "\n" * 601, "601 lines")


if __name__ == "__main__":
    sys.exit(suite.run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])))
