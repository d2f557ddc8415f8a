"""What fuzzing begins with: texts that are right, for every target, and the words that its changes put in."""
import json
import re
import struct
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOUND = ROOT / "test" / "fuzz" / "found"
MOST_BYTES = 3000

PROGRAMS = [*sorted(ROOT.glob("examples/*/*.stn")), *sorted(ROOT.glob("test/*/*.stn")), *sorted(ROOT.glob("compiler/init/templates/*.stn"))]
OPTIONS = ["--steps\n7", "--memory\n64M", "--memory=1.5G\n--threads=3", "--threads\n4096", "--engine\nuring\n--io-depth=8", "--bt\n4\n--bz\n2",
           "--ct=2\n--yt=8\n--xt=16", "--schedule\nsweep", "--schedule=overlap\n--columns=2", "--schedule=resident", "--scratch\n/tmp/a,/tmp/b",
           "-Dn=4000\n--memory=1G", "-D\nalpha=0.25\n-Dflag=false", "-Dh=1e-3\n-Dcount=7", "--adapt=random:17", "--adapt\noff", "--tune\n--tune-seconds=3",
           "--plan\n--json", "--machine", "--resume", "--restart", "--keep\n--commit-every=10", "--report\nr.json", "--progress\noff", "--probe=now",
           "--bind\non", "--prefetch=off", "--barriers=on", "--layout=dense", "--subnormals=zero", "--io-request=256K", "--chains\n3", "--help", "--version", "--",
           "--steps=9223372036854775807", "-Dn=2147483648\n--memory=9223372036854775807", "--bt=9223372036854775807", "--bz=9223372036854775807\n--ct=3"]
TYPES = ["<f8", "<f4", "|u1", "<i4", "|b1", "<i8"]


def npy(descr, shape, data, version=1, fortran=False):
    header = f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}".encode() + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + data


def fields():
    for way in range(96):
        shape, descr = [2, 3, 2, 5][-(1 + way % 4):], TYPES[way // 4 % 6]
        cells = 1
        for extent in shape:
            cells *= extent
        data = bytes(cells * (1 if descr[0] == "|" else int(descr[2])))
        yield bytes([way]) + (data if way // 24 == 0 else npy(descr, f"({', '.join(map(str, shape))},)", data, 1 + way % 3))


def signals():
    for way in range(8):
        points = 1 + way // 2 % 4
        shape, count = ("(6,)", 6) if way % 2 else (f"(3, {points})", 3 * points)
        yield bytes([way]) + npy("<f8", shape, struct.pack(f"<{count}d", *range(count)))
        yield bytes([way]) + npy("<f4", shape, struct.pack(f"<{count}f", *range(count)))


def points():
    for way in range(4):
        line = ", ".join(["1", "0.5", "2.25", "1e0"][-(1 + way):])
        yield bytes([way]) + f"# places\n{','.join('wzyx'[-(1 + way):])}\n{line}\n{line.replace(', ', ' ')}\n\n".encode()
        yield bytes([way]) + b"\xef\xbb\xbf" + line.encode() + b"\r\n"


def cached():
    version = re.search(r"CACHE_VERSION = (\d+)", (ROOT / "runtime/src/tuning/cache.h").read_text())[1]
    kernel = ('"figures": {"pace": 1.125, "processor_fetches": 1, "points": [{"ct": 2, "rows": 16, "planes": 12, "factor": 1.5}, '
              '{"ct": 4, "rows": 64, "planes": 900, "factor": 1.25}]}}')
    machine = ", ".join(f'"{name}": 1e9' for name in ("memory_bandwidth", "core_bandwidth", "shared_cache", "own_cache", "shared_bytes", "barrier_seconds",
                                                         "core_flops", "core_cells"))
    device = ", ".join(f'"{name}": 1.5e9' for name in ("read", "write", "both", "beside", "sync_seconds", "sync_seconds_per_byte")) + ', "cores_share": 0.75'
    tuned = ", ".join(f'"{name}": 4' for name in ("bt", "bz", "ct", "tiles", "pieces", "columns", "leans", "step_seconds"))
    bodies = [f'"figures": {{{machine}}}}}', f'"figures": {{{device}}}}}', kernel, f'"figures": {{{tuned}}}}}']
    for kind, (name, body) in enumerate(zip(("machine", "device", "kernel", "tuned"), bodies)):
        yield bytes([4 + kind]) + body.encode()
        yield bytes([kind]) + (f'{{"format": "oocc-cache", "version": {version}, "kind": "{name}", "key": "the key of a test", '
                               f'"date": "2026-01-31", {body}').encode()


def manifests():
    sums = "".join(f"{i:016x}\n" for i in range(8))
    tail = f"steps 10\nlevel 3\ngeneration 1\nvalue loud 0x1p-1\nsums u 0 8\n{sums}"
    yield b"2" + tail.encode()
    for level in (2, 4):
        yield b"5" + tail.replace("level 3", f"level {level}").encode()
    yield b"2" + tail.replace("0x1p-1", "nan").replace("generation 1", "generation 0").encode()
    yield b"1oocc-manifest 5\nstore 0123456789abcdef0123456789abcdef members 1\nprogram heat 0123456789abcdef\nsubnormals keep\n"
    yield b"0oocc-manifest 2\n"
    for way in (b"3", b"4"):
        head = b"oocc-slot 1\nsequence %020d\nbytes %020d\nxxh3 %016x\n" % (1, 5, 0)
        yield way + head.ljust(128, b"\0") + b"text\n"


def labels():
    text = "oocc-member 1\nstore 0123456789abcdef0123456789abcdef\nmember 1 of 2\ndevice 0 slots 0\npath 0 /tmp/a\npath 1 /tmp/b b\n"
    yield b"1" + text.encode()
    yield b"0" + text.encode() + b"xxh3 0123456789abcdef\n"
    yield b"1" + text.replace("oocc-member 1", "oocc-member 3").replace("\nmember", " generations 3\nmember").encode()


def texts_of_json():
    yield b'figures.points.1.ct\n{"figures": {"points": [{"ct": 1}, {"ct": 2.5e-3}]}, "a": [true, false, null]}'
    yield b'a\n{"b": {"a": [[[]]], "c": "\\"x\\\\"}, "a": "a \\" string"}'
    yield b"\n[-1, 0.5, 1e300]"


def spaces():
    yield (ROOT / "examples" / "study" / "space.json").read_bytes().replace(b'"heat"', b'"heat"')
    yield json.dumps({
        "format": "oocc-space", "version": 1, "program": "heat",
        "knobs": [{"name": "bt", "values": ["auto", 2, 8]}, {"name": "engine", "values": ["uring", "aio", "threads"]},
                  {"name": "io-depth", "values": [4, 16]}, {"name": "jam", "values": ["1x1", "2x2"]}, {"name": "fma", "values": [True, False]},
                  {"name": "io-request", "values": ["256K", "4M"]}, {"name": "flags", "values": ["-O2", "-O3 -march=native"]}],
        "conditions": [{"knob": "io-depth", "when": "engine != \"threads\""}],
        "constraints": ["bt >= 2 or fma", "bt % 2 == 0 and not (jam == \"2x2\" and bt > 4)"],
        "limit": 5000, "sample": {"count": 10, "seed": 7}}, indent=1).encode()


def sessions():
    """One line is one message (lsp.cpp)."""
    methods = ["hover", "definition", "references", "documentHighlight", "completion", "signatureHelp", "prepareRename", "codeAction"]
    begin = [{"id": 1, "method": "initialize", "params": {"capabilities": {"general": {"positionEncodings": ["utf-8", "utf-16"]}, "workspace": {"configuration": True}}}},
             {"method": "initialized", "params": {}}]
    end = [{"id": 98, "method": "shutdown"}, {"method": "exit"}]
    for n, path in enumerate(p for p in PROGRAMS if p.stat().st_size < 1500):
        text = path.read_text(errors="replace")
        lines = text.splitlines()
        document = {"uri": f"file:///{path.stem}.stn"}
        said = begin + [{"method": "textDocument/didOpen", "params": {"textDocument": {**document, "version": 1, "languageId": "stn", "text": text}}}]
        for k in range(4):
            line = (n * 7 + k * 3) % len(lines)
            position = {"line": line, "character": (n + 5 * k) % (len(lines[line]) + 1)}
            area = {"start": position, "end": {"line": line, "character": position["character"] + k}}
            params = {"textDocument": document, "position": position, "range": area, "newName": "other", "context": {"includeDeclaration": True, "diagnostics": []}}
            said.append({"id": 10 + k, "method": "textDocument/" + methods[(n + k) % len(methods)], "params": params})
        said.append({"method": "textDocument/didChange", "params": {"textDocument": {**document, "version": 2},
                                                                    "contentChanges": [{"range": area, "text": "u[x-1] é"}]}})
        for k, name in enumerate(["rename", "formatting", "rangeFormatting", "documentSymbol", "semanticTokens/full"]):
            said.append({"id": 50 + k, "method": "textDocument/" + name, "params": params | {"options": {"tabSize": 4, "insertSpaces": True}}})
        yield "\n".join(json.dumps({"jsonrpc": "2.0", **m}, ensure_ascii=n % 2 == 0) for m in said + end).encode()
    framed = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
    yield b"Content-Length: %d\r\n\r\n%bContent-Length: 2\r\n\r\n{}" % (len(framed), framed)


def texts():
    return (p.read_bytes() for p in PROGRAMS if p.stat().st_size <= 1200)


SEEDS = {
    "program": texts, "format": texts,
    "variants": spaces, "lsp": sessions, "json": texts_of_json, "cache": cached, "manifest": manifests, "npy": fields, "points": points,
    "signal": signals, "label": labels, "options": lambda: (o.encode() for o in OPTIONS),
}


def write(target, folder):
    for i, seed in enumerate(SEEDS[target]()):
        (folder / f"{i:04}").write_bytes(seed)


def dictionary():
    """The words of the grammar, and those of examples and tests that more than one of them has."""
    words = set(re.findall(r"'([^'\\]+)'", (ROOT / "grammar" / "StnLexer.g4").read_text()))
    seen = {}
    for path in PROGRAMS:
        for word in set(re.findall(r"[A-Za-z_]\w*", re.sub(r"//.*", "", path.read_text(errors="replace")))):
            seen[word] = seen.get(word, 0) + 1
    words |= {word for word, times in seen.items() if times > 2}
    return "".join('"%s"\n' % word.replace('"', '\\"') for word in sorted(words) if word.isascii())
