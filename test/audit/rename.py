"""A program with all of its own names replaced by others, which no word of the language or of the emitter contains."""
import re

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"|[A-Za-z_]\w*|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\s+|.', re.DOTALL)
NEW = re.compile(r"zq(\d+)qz")
LISTS = {"field", "coef", "temp"}
SINGLE = {"stencil", "param", "let", "fn", "shape", "scalar", "monitor"}


def is_name(token):
    return re.fullmatch(r"[A-Za-z_]\w*", token) is not None


def blank(token):
    return token.isspace() or token.startswith(("//", "/*"))


def declared(tokens):
    """The names that a program declares, in the order in which they are met, each with what it names."""
    words = [t for t in tokens if not blank(t)]
    names, depth, start = {}, 0, True
    for i, word in enumerate(words):
        following = words[i + 1:]
        if start and depth == 0 and word in SINGLE:
            names[following[0]] = word
        if start and depth == 0 and word in LISTS:
            names.update((n, word) for n in following[:following.index(":")] if is_name(n))
        if start and depth == 0 and word == "fn":
            names.update((n, "local") for n in following[2:following.index(")")] if is_name(n))
        if start and depth == 0 and word == "grid":
            inner = 0
            for j, token in enumerate(following):
                inner += {"(": 1, ")": -1}.get(token, 0)
                if inner == 0:
                    break
                if inner == 1 and is_name(token) and following[j + 1] == ":":
                    names[token] = "dim"
        if word == "in" and words[i - 2] == "(":  # sum(o in s)
            names[words[i - 1]] = "local"
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(word, 0)
        start = depth == 0 and word in (";", "}")
    return names


def names_of(text):
    return declared(TOKEN.findall(text))


def renamed(text, new=None):
    """(the program with other names, the old names by number). `new`: old name to new one; zq0qz, ... without."""
    tokens = TOKEN.findall(text)
    names = list(declared(tokens))
    if new is None:
        new = {name: f"zq{i}qz" for i, name in enumerate(names)}
    of_shapes = {"d" + name: "d" + other for name, other in new.items()}  # o.dx, and dx in a shape's `where`
    out, last = [], ""
    for i, token in enumerate(tokens):
        following = next((t for t in tokens[i + 1:] if not blank(t)), "")
        offset = token in of_shapes and (last == "." or token not in new) and following != "("  # dp(u, x)
        out.append(of_shapes[token] if offset else new.get(token, token))
        last = last if blank(token) else token
    return "".join(out), names


def restored(identifier, names):
    return NEW.sub(lambda match: names[int(match.group(1))], identifier)
