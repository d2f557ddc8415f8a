"""JSON from outside: spaces of variants, and what clients of the language server say."""
import subprocess
import tempfile
import unittest
from pathlib import Path

import limits
import programs

DEEP = {"arrays": ("[", "", "]"), "objects": ('{"a":', "1", "}"), "knobs": ('{"knobs":[', "", "]}"), "not closed": ("[", "", "")}
SPACE = '{"format": "oocc-space", "version": 1, "program": "heat2d", "knobs": [{"name": "bt", "values": [%s]}%s]}'
NUMBERS = ["1e999", "-1e999", "1e-999", "9" * 400, "-" + "9" * 30, "9223372036854775808", "18446744073709551616", "0.5", "-0", "4294967296"]


class Json(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="oocc-broken-")
        self.addCleanup(self.temporary.cleanup)
        self.folder = Path(self.temporary.name)

    def space(self, text, seconds=10):
        (self.folder / "s.json").write_text(text)
        heat = programs.ROOT / "examples" / "heat2d" / "heat2d.stn"
        words = [programs.compiler(), heat, "--variants", "s.json", "-o", "out"]
        with self.subTest(text=text[:60]):
            self.assertIsNone(limits.wrong("space", words, self.folder, seconds, {0, 65}, True))

    def test_spaces(self):
        for before, inner, after in DEEP.values():
            for depth in (199, 1000, 100_000, 1_000_000):
                self.space(before * depth + inner + after * depth)
        for number in NUMBERS:
            self.space(SPACE % (number, ""), 1)
        self.space(SPACE % (", ".join(map(str, range(1, 200_000))), ""))
        self.space(SPACE % ("1", "".join(f', {{"name": "{name}", "values": [{", ".join(map(str, range(1, 300)))}]}}' for name in ("bz", "ct", "yt", "xt"))))
        self.space('"' * 1_000_000), self.space("{" * 1_000_000), self.space('{"a": 1, ' * 100_000)

    def test_messages(self):
        """The server goes on, whatever it was sent: it answers what comes behind."""
        for before, inner, after in DEEP.values():
            for depth in (1000, 100_000):
                deep = before * depth + inner + after * depth
                said = ['{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', deep, '{"jsonrpc":"2.0","id":2,"method":%s}' % deep,
                        '{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%s}}' % deep,
                        '{"jsonrpc":"2.0","id":3,"method":"shutdown"}', '{"jsonrpc":"2.0","method":"exit"}']
                data = "".join(f"Content-Length: {len(text)}\r\n\r\n{text}" for text in said).encode()
                status, out = self.session(data)
                self.assertEqual(status, 0)
                self.assertIn(b'"id":3', out)
        for data in (b"Content-Length: 99999999999999999999\r\n\r\n{}", b"Content-Length: -1\r\n\r\n{}", b"\r\n\r\n" * 100_000, b"x" * 1_000_000,
                     b"Content-Length: 9223372036854775807\r\n\r\n{}", b"Content-Length: 18446744073709551615\r\n\r\n{}", b"Content-Length: 300000000\r\n\r\n{}"):
            self.assertEqual(self.session(data, 1)[0], 1)

    def session(self, data, seconds=10):
        done = subprocess.run([programs.compiler(), "lsp"], input=data, capture_output=True, timeout=60, preexec_fn=lambda: limits.limit(seconds))
        limits.COUNT.add("session", None if done.returncode in (0, 1) else f"status {done.returncode}")
        return done.returncode, done.stdout
