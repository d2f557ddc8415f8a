"""Sessions with the language server as text: what the client says, and what the server is to answer.

    # a comment
    text NAME                  a program, up to the line `end`; "$NAME" in a message stands for it
    stencil a;
    end
    --> textDocument/hover     a request, whose parameters follow as JSON, up to the next line that begins like one of these
    {"textDocument": "a.stn", "position": "2:5"}
    --> ! textDocument/didOpen a notification
    --> start                  initialize and initialized, whose answer is passed over; `labels`: the labels of a completion
    --> raw                    a body that need not be JSON; `--> bytes`: a Python literal of bytes, header and all
    <-- result                 what the server says to it; error, METHOD of a notification or request, ended STATUS
    {...}

Positions are written LINE:CHARACTER, ranges L:C-L:C, both counted from 0; a document by its name; a text of several lines as the
list of these. `play(path, update=True)` writes what the server says in place of what was expected.
"""
import json
import re
from pathlib import Path

from client import Client, Gone

POSITION = re.compile(r"(\d+):(\d+)")
RANGE = re.compile(r"(\d+):(\d+)-(\d+):(\d+)")
FOLDER = "file:///programs/"


def expanded(value, texts, key=None):
    """A message as it is sent, of one as it is written."""
    if isinstance(value, dict):
        return {k: expanded(v, texts, k) for k, v in value.items()}
    if isinstance(value, list):
        return [expanded(v, texts) for v in value]
    if not isinstance(value, str):
        return value
    if key == "textDocument":
        return {"uri": FOLDER + value}
    if key == "uri":
        return FOLDER + value
    if value.startswith("$") and value[1:] in texts:
        return texts[value[1:]]
    if key in ("range", "position", "start", "end"):
        if match := RANGE.fullmatch(value):
            a, b, c, d = map(int, match.groups())
            return {"start": {"line": a, "character": b}, "end": {"line": c, "character": d}}
        if match := POSITION.fullmatch(value):
            return {"line": int(match[1]), "character": int(match[2])}
    return value


def written(value):
    """The other way round."""
    if isinstance(value, list):
        return [written(v) for v in value]
    if isinstance(value, str):
        value = value.replace(FOLDER, "")
        return value.split("\n") if "\n" in value else value
    if not isinstance(value, dict):
        return value
    if value.keys() == {"line", "character"}:
        return f"{value['line']}:{value['character']}"
    if value.keys() == {"start", "end"}:
        return f"{written(value['start'])}-{written(value['end'])}"
    if value.keys() == {"data"}:
        return {"data": token_lines(value["data"])}
    return {k.replace(FOLDER, ""): written(v) for k, v in value.items()}


def token_lines(data):
    """Semantic tokens, line by line: CHARACTER+LENGTH TYPE.MODIFIERS of each."""
    out, line, character = [], 0, 0
    for i in range(0, len(data), 5):
        down, right, length, kind, modifiers = data[i:i + 5]
        if down or not out:
            line, character = line + down, 0
            out.append(f"line {line}:")
        character += right
        out[-1] += f" {character}+{length} {kind}.{modifiers}"
    return out


def pretty(value, indent=0):
    """JSON, on one line wherever it fits."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= 110 or not isinstance(value, (dict, list)) or not value:
        return flat
    inner = " " * (indent + 2)
    if isinstance(value, list):
        parts = [pretty(v, indent + 2) for v in value]
        opening, closing = "[", "]"
    else:
        parts = [f"{json.dumps(k)}: {pretty(v, indent + 2)}" for k, v in value.items()]
        opening, closing = "{", "}"
    return opening + "\n" + ",\n".join(inner + p for p in parts) + "\n" + " " * indent + closing


def steps(text):
    """(kind, head, lines) of a transcript."""
    out, kind = [], None
    for line in text.splitlines():
        inside = kind == "text" and out[-1][2][-1:] != ["end"]
        if inside:
            out[-1][2].append(line)
        elif line.startswith(("--> ", "<-- ")):
            kind = line[:3]
            out.append((kind, line[4:], []))
        elif line.startswith("text "):
            kind = "text"
            out.append((kind, line[5:], []))
        elif line.startswith("#"):
            kind = "#"
            out.append((kind, line, []))
        elif out and kind in ("-->", "<--"):
            out[-1][2].append(line)
        elif line.strip():
            raise ValueError(f"a line that belongs to nothing: {line}")
    return out


def said(message):
    """(what kind of message it is, its text)"""
    if "method" in message:
        return message["method"], pretty(written(message.get("params")))
    if "error" in message:
        return "error" + (" null" if message["id"] is None else ""), pretty(written(message["error"]))
    return "result", pretty(written(message["result"]))


def perform(client, head, body, texts):
    """What the server says to one step, and whether it has ended."""
    ended = False
    answers = []
    if head == "bytes":
        client.send_bytes(eval(body, {"__builtins__": {}}))
    elif head == "raw":
        client.send_text(body)
    else:
        params = expanded(json.loads(body or "{}"), texts)
        if head.startswith("! "):
            client.notify(head[2:], params)
        else:
            if head == "start":
                client.start(**params)
                return [], False
            if head == "labels":
                answer, _ = client.call("textDocument/completion", params)
                return [("result", " ".join(item["label"] for item in answer["result"]["items"]))], False
            answer, before = client.call(head, params)
            return [said(m) for m in before] + [said(answer)], False
    if head == "! exit":
        return [("ended " + str(client.server.wait(30)), "")], True
    try:  # a request that nobody knows comes back when all before it is done
        answer, answers = client.call("test/sync", id="sync")
    except Gone as gone:
        return [(str(gone), "")], True
    return [said(m) for m in answers], ended


def play(path, update=False):
    """The transcript as it should be, and as it is; they are equal if the server does what it is to do."""
    text = Path(path).read_text()
    texts, out = {}, []
    with Client() as client:
        for kind, head, lines in steps(text):
            body = "\n".join(lines).strip("\n")
            if kind == "#":
                out += ["", head] if out and not out[-1].startswith("#") else [head]
            elif kind == "text":
                texts[head] = "".join(line + "\n" for line in lines[:-1])
                out += ["", "text " + head, *lines]
            elif kind == "-->":
                out += ([] if out and out[-1].startswith("#") else [""]) + ["--> " + head] + ([body] if body else [])
                answers, _ = perform(client, head, body, texts)
                for what, answer in answers:
                    out += ["<-- " + what] + ([answer] if answer else [])
    actual = "\n".join(out).strip("\n") + "\n"
    if update:
        Path(path).write_text(actual)
    return text, actual
