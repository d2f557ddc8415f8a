"""Emitted C holds nothing but what the emitter has a business to write, and no name of a program but behind a prefix."""
import concurrent.futures
import re
import tempfile
import unittest
from pathlib import Path

import emitted
import rename


class Audited(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="oocc-audit-")
        self.folder = Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()


class Programs(Audited):
    def of(self, source):
        files = []
        for number, options in enumerate(emitted.ways(source)):
            files.append(self.folder / f"{source.stem}-{number}.c")
            emitted.emit(source, files[-1], *options)
        return emitted.audit(*files)[1]

    def test_hold_nothing_else(self):
        sources = emitted.sources()
        self.assertGreater(len(sources), 20)
        with concurrent.futures.ThreadPoolExecutor(emitted.jobs()) as pool:
            findings = [line for lines in pool.map(self.of, sources) for line in lines]
        self.assertEqual(findings, [])


class Renaming(Audited):
    def differences(self, source):
        """The same program with other names gives the same identifiers, but for those names, each behind a prefix."""
        text, names = rename.renamed(source.read_text())
        other = self.folder / f"{source.stem}.stn"
        other.write_text(text)
        prefixed = re.compile(emitted.prefixes() + r"zq\d+qz([pm]\d+)?(_\w*)?")
        for options in ([], ["--jam", "1x1", "--fma"]):
            emitted.emit(source, self.folder / f"{source.stem}.old.c", *options)
            emitted.emit(other, self.folder / f"{source.stem}.new.c", *options)
            old = emitted.identifiers(self.folder / f"{source.stem}.old.c")
            new = emitted.identifiers(self.folder / f"{source.stem}.new.c")
            if not any("zq" in word for word in new):
                yield f"{source}: no name of the program is in the C"
            if [rename.restored(word, names) for word in new] != old:
                yield f"{source}: other names give other C"
            for word in sorted({word for word in new if "zq" in word and not prefixed.fullmatch(word)}):
                yield f"{source}: '{rename.restored(word, names)}' has the name of a thing of the program behind no prefix"

    def test_changes_names_behind_prefixes_only(self):
        with concurrent.futures.ThreadPoolExecutor(emitted.jobs()) as pool:
            found = [line for lines in pool.map(lambda s: list(self.differences(s)), emitted.sources()) for line in lines]
        self.assertEqual(found, [])


class Planted(Audited):
    """Every rule bites: a breach is planted in a program's C and found where it stands, by the rule that is meant."""

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="oocc-audit-") as folder:
            emitted.emit(emitted.ROOT / "examples/heat3d/heat3d.stn", Path(folder) / "clean.c")
            cls.clean = (Path(folder) / "clean.c").read_text()

    def bites(self, old, new, at, rule):
        """`at` begins where the finding is to be; all that stands in for `old` is in the file once."""
        self.assertEqual(self.clean.count(old), 1, old)
        text = self.clean.replace(old, new)
        before = text[:text.index(at, self.clean.index(old))]
        place = f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
        file = self.folder / "planted.c"
        file.write_bytes(text.encode("latin-1"))
        status, findings = emitted.audit(file)
        self.assertEqual(status, 1)
        self.assertTrue(any(f.startswith(f"{file}:{place}: {rule}: ") for f in findings), (place, rule, findings))

    def in_main(self, statement, at, rule):
        self.bites("{ return oocc_main(&program, argc, argv); }",
                   "{ " + statement + " return oocc_main(&program, argc, argv); }", at, rule)

    def at_file_scope(self, declaration, at, rule):
        self.bites("int main(", declaration + "\nint main(", at, rule)

    def test_nothing_planted(self):
        file = self.folder / "clean.c"
        file.write_text(self.clean)
        self.assertEqual(emitted.audit(file), (0, []))

    def test_include(self):
        self.bites("#include <math.h>", "#include <stdlib.h>", "#include <stdlib", "include")
        self.bites("#include <math.h>", '#include "math.h"', "#include", "directive")

    def test_other_directives(self):
        for line in ("#define w_x 1", "#undef NAN", '#line 7 "x.c"', "#if 1\n#endif", "#ifdef NAN\n#endif", "#error", "# 7"):
            self.at_file_scope(line, "#", "directive")
        self.at_file_scope("#define p_x 1", "p_x", "macro")

    def test_pragma(self):
        self.at_file_scope("#pragma GCC poison p", "#pragma GCC", "pragma")
        self.at_file_scope("#pragma omp parallel for", "#pragma omp", "pragma")
        self.at_file_scope('_Pragma("omp parallel")', "_Pragma", "name")

    def test_calls(self):
        self.in_main("system(argv[0]);", "system", "call")
        self.in_main('printf("%d", argc);', '"%d"', "literal")
        self.in_main("(*program.pass)(0);", "(*program", "call")
        self.in_main("program.stop();", "program.stop()", "call")

    def test_linkage(self):
        self.at_file_scope("int p_x;", "p_x", "linkage")
        self.at_file_scope("extern int p_x;", "extern", "name")
        self.at_file_scope("int p_x(void) { return 0; }", "p_x", "linkage")
        self.at_file_scope("static int oocc_thread2(void);", "oocc_thread2", "linkage")
        self.in_main("static int p_x;", "p_x", "linkage")

    def test_assembly_and_attributes(self):
        self.in_main('__asm__("nop");', "__asm__", "name")
        self.at_file_scope('__asm__("nop");', "__asm__", "asm")
        self.at_file_scope("static __attribute__((unused)) int p_x;", "unused", "attribute")

    def test_statements(self):
        self.in_main("goto p_x; p_x:", "goto", "node")
        self.in_main("argc = ({ 1; });", "({ 1", "node")
        self.in_main("switch (argc) {}", "switch", "node")
        self.in_main("argv = (char **)(size_t)argc;", "(char **)", "cast")
        self.in_main("struct p_x { int i; };", "p_x", "declaration")

    def test_names(self):
        self.at_file_scope("static const int unprefixed = 1;", "unprefixed", "name")
        self.at_file_scope("static const int p_ = 1;", "p_ ", "name")

    def test_literals(self):
        self.at_file_scope('static const char *const names[] = {"x"};', '"x"', "literal")
        self.bites('.name = "alpha"', '.name = "al\\ntha"', "\\ntha", "literal")
        self.bites('.name = "alpha"', '.name = "al?pha"', "?pha", "literal")
        self.bites('.name = "alpha"', '.name = u8"alpha"', '"alpha', "literal")
        self.in_main("argc = 'a';", "'a'", "token")
        self.in_main("argc = 0x7f;", "0x7f", "number")
        self.in_main("argc = 077;", "077", "number")

    def test_bytes(self):
        self.bites("/* Parameters, with", "/* Param\xe2\x80\xae, with", "\xe2", "bytes")
        self.bites("/* Parameters, with", "/* Param\r, with", "\r", "bytes")
        self.bites("/* Parameters, with", "/* Param\t, with", "\t", "bytes")

    def test_comments(self):
        self.bites("/* Parameters, with", "/* Param /*, with", "/*, with", "comment")
        self.bites("/* Parameters, with", "/* Param */ unprefixed /*, with", "unprefixed", "name")
        self.bites("/* Parameters, with", "/* Param\\\n, with", "\\\n", "splice")
        self.bites("/* Parameters, with", "/* Param??/\n, with", "??/", "trigraph")
        self.at_file_scope("// line", "// line", "token")

    def test_syntax(self):
        file = self.folder / "broken.c"
        file.write_text(self.clean + "static int p_x\n")
        self.assertIn(f"{file}:1:1: syntax: the compiler refuses it", emitted.audit(file)[1])


if __name__ == "__main__":
    unittest.main()
