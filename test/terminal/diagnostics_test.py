"""Diagnostics as JSON and as SARIF: docs/formats/diagnostics.md."""
import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import programs
import sarif
from programs import call, compiler

GOOD = "stencil a;\ngrid (x: 4);\nfield u : f64;\nstep { u[t+1] = u; }\nsteps 2;\n"
# Two errors with positions behind characters of two, three and four bytes; one with a note, one with a help.
BAD = ("stencil a; /* ü € 😀 */ grid (x: 4);\r\n"
       "field u : f64;\n"
       "/* 😀 */\tfield u : f32;\n"
       "step { u[t+1] = uu + sqr(u); }\n"
       "steps 2;\n")
MISSING = "stencil a; /* € */ grid (x: 4)\nfield u : f64;\nstep { u[t+1] = u; }\nsteps 2;\n"
WARNED = GOOD + "let half = 1/2;\nfn unused(a) = a;\n"


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="oocc-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def put(self, text, name="a.stn"):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def call(self, *words, status=0, **more):
        return call([compiler(), *words], self.folder, status, **more)

    def json(self, *words, status=0):
        done = self.call(*words, "--diagnostics=json", status=status)
        document = json.loads(done.stderr)
        self.assertEqual((document["format"], document["version"], document["status"]), ("oocc-diagnostics", 1, status))
        self.assertEqual(list(document)[:6], ["format", "version", "oocc", "file", "status", "diagnostics"])
        for one in document["diagnostics"]:
            self.assertEqual(list(one), ["file", "severity", "rule", "message", "range", "notes", "help", "fix"])
            self.assertTrue(one["rule"], one)
        return document

    def sarif(self, *words, status=0):
        done = self.call(*words, "--diagnostics", "sarif", status=status)
        run = sarif.check(json.loads(done.stderr))
        invocation, = run["invocations"]
        self.assertEqual((invocation["exitCode"], invocation["executionSuccessful"]), (status, status == 0))
        return run


class Json(Case):
    def test_positions_are_those_of_the_text(self):
        document = self.json(self.put(BAD), status=65)
        self.assertEqual(document["file"], "a.stn")
        self.assertEqual([d["rule"] for d in document["diagnostics"]], ["names", "names", "expressions"])
        text = BAD.encode()
        ranges = [d["range"] for d in document["diagnostics"]]
        ranges += [note["range"] for d in document["diagnostics"] for note in d["notes"]]
        self.assertEqual([text[r["start"]["offset"]:r["end"]["offset"]].decode() for r in ranges], ["u", "uu", "sqr", "u"])
        for point in [r[end] for r in ranges for end in ["start", "end"]]:
            before = text[:point["offset"]].decode()
            self.assertEqual((point["line"], point["column"]),
                             (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1))

    def test_messages_are_those_of_the_text_format(self):
        self.put(BAD)
        document = self.json("a.stn", status=65)
        text = self.call("a.stn", status=65).stderr
        for d in document["diagnostics"]:
            start = d["range"]["start"]
            self.assertIn(f"a.stn:{start['line']}:{start['column']}: {d['severity']}: {d['message']}\n", text)
            self.assertIn(f"help: {d['help']}\n" if d["help"] else "", text)
            for note in d["notes"]:
                start = note["range"]["start"]
                self.assertIn(f"a.stn:{start['line']}:{start['column']}: note: {note['message']}\n", text)

    def test_a_fix_fixes(self):
        one, = self.json(self.put(MISSING), status=65)["diagnostics"]
        span = one["fix"]["range"]
        text = MISSING.encode()
        self.put(text[:span["start"]["offset"]] + one["fix"]["text"].encode() + text[span["end"]["offset"]:])
        self.assertEqual(self.json("a.stn", "-o", "a.c")["diagnostics"], [])

    def test_all_of_many_errors_are_there(self):
        many = GOOD + "".join(f"let l{i} = nothing{i};\n" for i in range(50))
        self.assertEqual(len(self.json(self.put(many), status=65)["diagnostics"]), 50)

    def test_warnings_do_not_fail(self):
        found = self.json(self.put(WARNED), "-o", "a.c")["diagnostics"]
        self.assertEqual([(d["severity"], d["rule"]) for d in found],
                         [("warning", "integer-division"), ("warning", "unused-function")])

    def test_usage(self):
        for words in [[], ["a.stn", "--emti=c"], ["a.stn", "--emit=tea"], ["a.stn", "b.stn"], ["run", "a.stn", "-o", "b"]]:
            with self.subTest(words):
                one, = self.json(*words, status=2)["diagnostics"]
                self.assertEqual((one["rule"], one["severity"], one["range"]), ("usage", "error", None))
                self.assertEqual(self.call(*words, status=2).stderr, f"oocc: {one['message']}\n")

    def test_files(self):
        one, = self.json("none.stn", status=65)["diagnostics"]
        self.assertEqual((one["rule"], one["message"]), ("files", "cannot read 'none.stn': No such file or directory"))
        one, = self.json(self.put(GOOD), "-o", "no/a.c", status=73)["diagnostics"]
        self.assertEqual((one["rule"], one["message"]), ("files", "cannot create 'no/a.c': No such file or directory"))

    def test_a_full_standard_output(self):
        self.put(GOOD)
        with open("/dev/full", "w") as full:
            done = subprocess.run([compiler(), "a.stn", "--diagnostics=json"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 74)
        one, = json.loads(done.stderr)["diagnostics"]
        self.assertIn("cannot write 'standard output'", one["message"])

    def test_what_the_c_compiler_says_is_inside(self):
        cc = self.folder / "cc"
        cc.write_text("#!/bin/sh\necho 'program.c:1: error: no'\nexit 3\n")
        cc.chmod(0o755)
        words = [self.put(GOOD), "--emit=exe", "-o", "a", "--cc", "./cc"]
        one, = self.json(*words, status=70)["diagnostics"]
        self.assertEqual((one["rule"], one["notes"][0]["message"]), ("c-compiler", "program.c:1: error: no\n"))
        run = self.sarif(*words, status=70)
        one, = run["invocations"][0]["toolExecutionNotifications"]
        self.assertIn("error: no", one["message"]["text"])
        one, = self.json(*words[:-1], "./none", status=73)["diagnostics"]
        self.assertEqual(one["help"], "install one, or name yours with --cc")

    def test_a_parameter_that_is_not_there(self):
        one, = self.json(self.put(GOOD), "-D", "m=3", status=65)["diagnostics"]
        self.assertEqual((one["rule"], one["file"], one["range"]), ("declarations", None, None))
        run = self.sarif("a.stn", "-D", "m=3", status=65)
        self.assertEqual(len(run["invocations"][0]["toolConfigurationNotifications"]), 1)

    def test_a_name_that_is_no_parameter(self):
        one, = self.json(self.put(GOOD), "-D", "u=3", status=65)["diagnostics"]
        self.assertEqual((one["range"], one["notes"][0]["range"]["start"]["line"]), (None, 3))
        run = self.sarif("a.stn", "-D", "u=3", status=65)
        one, = run["invocations"][0]["toolConfigurationNotifications"]
        self.assertEqual(one["locations"][0]["physicalLocation"]["region"]["startLine"], 3)

    def test_text_that_is_not_utf8(self):
        document = self.json(self.put(b"stencil a;\nlet \xff = 1; // \xfe\n"), status=65)
        self.assertTrue(document["diagnostics"])
        self.sarif("a.stn", status=65)

    def test_times(self):
        document = self.json(self.put(GOOD), "-o", "a.c", "--time")
        self.assertEqual(list(document["milliseconds"]), ["parse", "resolve", "analyse", "plan", "loops", "emit"])
        done = self.call("run", "a.stn", "--diagnostics=json", "--time", "--", "--version")
        self.assertIn("emit", json.loads(done.stderr)["milliseconds"])

    def test_a_program_runs_after_its_document(self):
        done = self.call("run", self.put(WARNED), "--diagnostics=json", "--", "--progress", "off", "--engin=x", status=2)
        document, end = json.JSONDecoder().raw_decode(done.stderr)
        self.assertEqual((document["status"], len(document["diagnostics"])), (0, 2))
        self.assertIn("--engine: there is no 'x'", done.stderr[end:])


class Sarif(Case):
    def test_of_errors(self):
        run = self.sarif(self.put(BAD), status=65)
        self.assertEqual(run["columnKind"], "unicodeCodePoints")
        self.assertEqual([r["level"] for r in run["results"]], ["error"] * 3)
        self.assertEqual(len(run["results"][0]["relatedLocations"]), 1)
        for result in run["results"]:
            region = result["locations"][0]["physicalLocation"]["region"]
            line = BAD.split("\n")[region["startLine"] - 1]
            self.assertEqual(line[region["startColumn"] - 1:region["endColumn"] - 1], region["snippet"]["text"])
        self.assertIn("\nhelp: did you mean 'sqrt'?", run["results"][2]["message"]["text"])

    def test_a_fix_fixes(self):
        run = self.sarif(self.put(MISSING), status=65)
        replacement, = run["results"][0]["fixes"][0]["artifactChanges"][0]["replacements"]
        region = replacement["deletedRegion"]
        lines = MISSING.split("\n")
        self.assertEqual(region["startLine"], region["endLine"])
        line = lines[region["startLine"] - 1]
        lines[region["startLine"] - 1] = (line[:region["startColumn"] - 1] + replacement["insertedContent"]["text"] +
                                          line[region["endColumn"] - 1:])
        self.put("\n".join(lines))
        self.assertEqual(self.sarif("a.stn", "-o", "a.c")["results"], [])

    def test_of_nothing_and_of_warnings(self):
        run = self.sarif(self.put(GOOD), "-o", "a.c")
        self.assertEqual((run["results"], run["tool"]["driver"]["rules"]), ([], []))
        run = self.sarif(self.put(WARNED), "-o", "a.c")
        self.assertEqual([r["ruleId"] for r in run["results"]], ["integer-division", "unused-function"])

    def test_of_usage_and_files(self):
        run = self.sarif("a.stn", "--emti", status=2)
        one, = run["invocations"][0]["toolConfigurationNotifications"]
        self.assertEqual(one["message"]["text"], "unknown option '--emti'; did you mean '--emit'?")
        self.assertEqual((run["results"], run["artifacts"]), ([], []))
        run = self.sarif("none.stn", status=65)
        self.assertEqual(len(run["invocations"][0]["toolExecutionNotifications"]), 1)

    def test_paths_are_uris(self):
        run = self.sarif(self.put(BAD, "a ü%#.stn"), status=65)
        self.assertEqual(run["artifacts"][0]["location"]["uri"], "a%20%C3%BC%25%23.stn")
        run = self.sarif(self.folder / "a ü%#.stn", status=65)
        self.assertTrue(run["artifacts"][0]["location"]["uri"].startswith("file:///"))


class Files(Case):
    def test_documents_go_to_a_file(self):
        for format in ["json", "sarif", "text"]:
            with self.subTest(format):
                done = self.call(self.put(BAD), f"--diagnostics={format}", "--diagnostics-file", "out", status=65)
                self.assertEqual((done.stdout, done.stderr), ("", ""))
                text = (self.folder / "out").read_text()
                self.assertIn("uu", text)
                self.assertNotIn("\033", text)

    def test_a_file_that_cannot_be_made(self):
        done = self.call(self.put(GOOD), "-o", "a.c", "--diagnostics=json", "--diagnostics-file=no/out", status=73)
        self.assertEqual(done.stderr, "oocc: error: cannot create 'no/out': No such file or directory\n")
        self.call(self.put(BAD), "--diagnostics=json", "--diagnostics-file=no/out", status=65)

    def test_a_file_that_is_the_program_or_the_output(self):
        for words in [["-o", "a.c", "--diagnostics-file=a.c"], ["-o", "./a.c", "--diagnostics-file", "a.c"], ["-oa.c",
                      "--diagnostics-file=./a.c"], ["--diagnostics-file=a.stn"], ["--diagnostics-file", "./a.stn"]]:
            with self.subTest(words):
                self.put("kept", "a.c")
                done = self.call(self.put(GOOD), *words, status=2)
                self.assertEqual(done.stderr, "oocc: --diagnostics-file needs a file of its own\n")
                self.assertEqual((self.folder / "a.stn").read_text(), GOOD)
                self.assertEqual((self.folder / "a.c").read_text(), "kept")

    def test_formats(self):
        done = self.call(self.put(GOOD), "--diagnostics=jsn", status=2)
        self.assertEqual(done.stderr, "oocc: --diagnostics cannot be 'jsn'; did you mean 'json'?\n")


class Rules(unittest.TestCase):
    """Every file of the compiler that reports has a rule, and every rule is described once."""

    def test_every_reporter_has_a_rule(self):
        table = (programs.ROOT / "compiler/support/rules.cpp").read_text()
        rules = re.findall(r'^    \{"([a-z-]+)", "[A-Z]', table, re.M)
        self.assertEqual(len(rules), len(set(rules)))
        reporters = dict(re.findall(r'^    \{"([a-z_]+/[a-z_.]*)", "([a-z-]+)"\}', table, re.M))
        self.assertLessEqual(set(reporters.values()), set(rules))
        said = set()
        for path in sorted((programs.ROOT / "compiler").rglob("*.cpp")):
            name = path.relative_to(programs.ROOT / "compiler").as_posix()
            text = path.read_text()
            said |= set(re.findall(r'\.of\("([a-z-]+)"\)', text))
            if re.search(r"[dD]iagnostics_?\s*\.\s*(error|warning)\(|outside\(\)\s*\.\s*error\(|outside_\.error\(", text):
                self.assertTrue(name in reporters or name.split("/")[0] + "/" in reporters,
                                f"{name} reports: give it a row in compiler/support/rules.cpp")
        self.assertLessEqual(said, set(rules))
        documented = re.findall(r"^\| `([a-z-]+)` \|", (programs.ROOT / "docs/formats/diagnostics.md").read_text().split(
            "## Rules")[1], re.M)
        self.assertEqual(documented, rules)
