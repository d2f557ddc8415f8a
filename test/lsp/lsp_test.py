"""The language server against transcripts, and against itself: what it knows after thousands of edits is what `oocc` says of
the text that they have made."""
import random
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import transcript
from client import Client
from programs import ROOT, compiler

HERE = Path(__file__).resolve().parent


class Transcripts(unittest.TestCase):
    """One test per file, made below; `run.py --update` writes down what the server says."""
    maxDiff = None


def add_transcripts():
    for path in sorted((HERE / "transcripts").glob("*.txt")):
        def test(self, path=path):
            expected, actual = transcript.play(path)
            self.assertEqual(actual, expected)
        setattr(Transcripts, f"test_{path.stem}", test)


add_transcripts()


def units(text):
    return len(text.encode("utf-16-le")) // 2


class Editor:
    """A text as an editor has it: edits go to the server as ranges in UTF-16 units, and apply here, too."""
    LINE_END = re.compile(r"\r\n|\n|\r")

    def __init__(self, client, uri, text):
        self.client, self.uri, self.text, self.version = client, uri, text, 1
        client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "stn", "version": 1, "text": text}})

    def position(self, offset):
        line = start = 0
        for end in self.LINE_END.finditer(self.text):
            if end.end() > offset:
                break
            line, start = line + 1, end.end()
        return {"line": line, "character": units(self.text[start:offset])}

    def offset(self, position):
        start = 0
        ends = list(self.LINE_END.finditer(self.text))
        if position["line"] > 0:
            start = ends[position["line"] - 1].end()
        at = start
        while units(self.text[start:at]) < position["character"]:
            at += 1
        return at

    def replace(self, edits):
        """Several changes of one notification; each is (begin, end, by) in the text that the one before has left."""
        changes = []
        for begin, end, by in edits:
            changes.append({"range": {"start": self.position(begin), "end": self.position(end)}, "text": by})
            self.text = self.text[:begin] + by + self.text[end:]
        self.version += 1
        self.client.notify("textDocument/didChange", {"textDocument": {"uri": self.uri, "version": self.version},
                                                      "contentChanges": changes})

    def ask(self, method, **params):
        return self.client.call(method, {"textDocument": {"uri": self.uri}, **params})

    def formatted(self):
        edits = self.ask("textDocument/formatting", options={})[0]["result"]
        if edits is None:
            return None
        text = self.text
        for edit in reversed(edits):
            begin, end = self.offset(edit["range"]["start"]), self.offset(edit["range"]["end"])
            text = text[:begin] + edit["newText"] + text[end:]
        return text

    def diagnostics(self):
        """(offset, severity, message) of each, as last published: a request comes after that."""
        self.ask("textDocument/documentSymbol")
        published = self.client.published[self.uri]
        assert published["version"] == self.version, published
        return [(self.offset(d["range"]["start"]), {1: "error", 2: "warning"}[d["severity"]], d["message"].split("\n")[0])
                for d in published["diagnostics"]]


SCRAPS = ["u", "t", "+", "-", " * ", "(", ")", "[", "]", "{", "}", ";", ",", "=", "if ", " then ", " else ", "where ", "// é𝜋\n",
          "/*", "*/", '"', "\n", " ", "1", "1e", ".5", "x-1", "[t+1]", "step {", "param n : int = 8;\n", "field v : f32;", "𝜋",
          "sum(o in box(1)) ", "laplace(", "order: 4", "d(p, x)", "\t", "\r\n", "é", "0", "^", "not ", "u8", "  \n\n", "boundary "]


class RandomEdits(unittest.TestCase):
    def compile(self, text):
        """What oocc says of a text: (offset, severity, message), at most 20, and whether that is all."""
        with tempfile.TemporaryDirectory(prefix="oocc-lsp-") as folder:
            (Path(folder) / "p.stn").write_bytes(text.encode())
            done = subprocess.run([compiler(), "p.stn", "--emit=facts"], cwd=folder, capture_output=True, timeout=60)
        self.assertIn(done.returncode, (0, 65), done.stderr)
        starts = [0] + [m.end() for m in re.finditer("\n", text)]
        found = re.findall(r"^p\.stn:(\d+):(\d+): (error|warning): (.*)$", done.stderr.decode(), re.M)
        return [(starts[int(line) - 1] + int(column) - 1, kind, message) for line, column, kind, message in found]

    def agree(self, editor):
        expected = self.compile(editor.text)
        self.assertEqual(editor.diagnostics()[:len(expected)], expected, editor.text)
        if not expected:
            self.assertEqual(editor.diagnostics(), [], editor.text)
        done = subprocess.run([compiler(), "fmt", "-"], input=editor.text.encode(), capture_output=True, timeout=60)
        self.assertIn(done.returncode, (0, 65), done.stderr)
        self.assertEqual(editor.formatted(), done.stdout.decode() if done.returncode == 0 else None, editor.text)

    def random_edit(self, rng, editor):
        size = len(editor.text)
        begin = rng.randint(0, size)
        end = min(size, begin + rng.choice([0, 0, 0, 1, 1, 3, 20]))
        by = rng.choice(SCRAPS + [""] * 12)
        if rng.random() < 0.1:  # a piece of the text itself
            at = rng.randint(0, size)
            by = editor.text[at:at + rng.randint(1, 60)]
        while 0 < begin < size and editor.text[begin - 1:begin + 1] == "\r\n":
            begin -= 1  # there is no position inside of a line's end
        while 0 < end < size and editor.text[end - 1:end + 1] == "\r\n":
            end += 1
        return begin, end, by

    def ask(self, rng, editor):
        position = editor.position(rng.randint(0, len(editor.text)))
        method, more = rng.choice([
            ("hover", {}), ("definition", {}), ("completion", {}), ("completion", {}), ("signatureHelp", {}),
            ("references", {"context": {"includeDeclaration": True}}), ("documentHighlight", {}), ("prepareRename", {}),
            ("rename", {"newName": rng.choice(["u", "zz", "then", "x", "q"])}), ("semanticTokens/full", None),
            ("documentSymbol", None), ("codeAction", {"range": {"start": position, "end": position}, "context": {"diagnostics": []}})])
        answer, _ = editor.ask("textDocument/" + method, **({} if more is None else {"position": position, **more}))
        if "error" in answer:
            self.assertIn(method, ("rename", "prepareRename"), answer)
            self.assertEqual(answer["error"]["code"], -32803, answer)

    def edits(self, name, seed, count):
        rng = random.Random(seed)
        original = (ROOT / "examples" / name / f"{name}.stn").read_text()
        with Client() as client:
            client.start()
            editor = Editor(client, f"file:///{name}.stn", original)
            done = 0
            while done < count:
                burst = rng.randint(1, 6)
                for _ in range(burst):
                    editor.replace([self.random_edit(rng, editor) for _ in range(rng.choice([1, 1, 1, 3]))])
                done += burst
                for _ in range(rng.randint(0, 3)):
                    self.ask(rng, editor)
                if rng.random() < 0.06:
                    self.agree(editor)
                if rng.random() < 0.15 or len(editor.text) > 3 * len(original):
                    editor.replace([(0, len(editor.text), original)])
            self.agree(editor)
            self.assertEqual(client.stop(), 0)

    def test_acoustic(self):
        self.edits("acoustic", 1, 1500)

    def test_life(self):
        self.edits("life", 2, 1500)

    def test_heat2d(self):
        self.edits("heat2d", 3, 1500)


class Renames(unittest.TestCase):
    """A program whose names have all been changed is the same program."""

    def test_every_name_of_every_example(self):
        for path in sorted((ROOT / "examples").glob("*/*.stn")):
            with self.subTest(path.stem), Client() as client:
                client.start()
                editor = Editor(client, path.as_uri(), path.read_text())
                before = self.ast(editor.text)
                names = sorted({s["name"] for s in editor.ask("textDocument/documentSymbol")[0]["result"]
                                if re.fullmatch(r"\w+", s["name"]) and s["name"] not in ("grid", "step")})
                self.assertGreater(len(names), 3)
                for name in names:
                    at = re.search(rf"\b{name}\b", re.sub(r"//.*", lambda m: " " * len(m[0]), editor.text)).start()
                    answer, _ = editor.ask("textDocument/rename", position=editor.position(at), newName=name + "_0")
                    edits = answer["result"]["changes"][path.as_uri()]
                    editor.replace([(editor.offset(e["range"]["start"]), editor.offset(e["range"]["end"]), e["newText"])
                                    for e in reversed(edits)])
                self.assertEqual([d for d in editor.diagnostics() if d[1] == "error"], [])
                self.assertEqual(re.sub(r"_0\b", "", self.ast(editor.text)), before)
                self.assertNotEqual(self.ast(editor.text), before)

    def ast(self, text):
        with tempfile.TemporaryDirectory(prefix="oocc-lsp-") as folder:
            (Path(folder) / "p.stn").write_text(text)
            done = subprocess.run([compiler(), "p.stn", "--emit=ast"], cwd=folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return re.sub(r" *@\d+\.\.\d+", "", done.stdout)


class Life(unittest.TestCase):
    def test_end_of_input_without_exit(self):
        with Client() as client:
            client.start()
            client.server.stdin.close()
            self.assertEqual(client.server.wait(30), 1)
            client.server.stdin = open("/dev/null", "wb")

    def test_exit_without_shutdown(self):
        with Client() as client:
            client.start()
            client.notify("exit", {})
            self.assertEqual(client.server.wait(30), 1)

    def test_a_client_that_does_not_listen(self):
        with Client() as client:
            client.start()
            client.server.stdout.close()
            client.send({"id": 99, "method": "shutdown"})
            self.assertEqual(client.server.wait(30), 1)
            client.server.stdout = open("/dev/null", "rb")

    def test_bytes_one_by_one(self):
        with Client() as client:
            body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
            for byte in b"Content-Length: %d\r\n\r\n" % len(body) + body:
                client.send_bytes(bytes([byte]))
            self.assertIn("capabilities", client.receive()["result"])

    def test_usage(self):
        done = subprocess.run([compiler(), "lsp", "--stido"], capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean '--stdio'?", done.stderr)


if __name__ == "__main__":
    unittest.main()
