"""A program with other blanks, line ends and comments: what the formatter must cope with."""
import re

WORD = re.compile(r'//[^\r\n]*|/\*.*?\*/|"[^"\r\n]*"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|\w+|==|!=|<=|>=|\+=|\S', re.S)
KEYWORDS = set("stencil param let grid field coef init boundary step steps output temp fn shape scalar inject record monitor "
               "stop".split())
COMMENTS = ["// a remark", "/* aside */", "/* two\n   lines */", "// größer als π ≈ 3,14", "//", "/**/", "//\t tab ; } {  "]


def words(text):
    return WORD.findall(text)


def code(text):
    return [w for w in words(text) if not w.startswith(("//", "/*"))]


def comments(text):
    return ["".join(w.split()) for w in words(text) if w.startswith(("//", "/*"))]


def glued(a, b):
    """Whether two words would be others without a blank between them."""
    return (a[-1].isalnum() or a[-1] in "_.") and (b[0].isalnum() or b[0] in "_.") or len(WORD.findall(a + b)) != 2


def scrambled(rng, text, comment=0.1, line_end="\n"):
    """The same words; a statement's keyword keeps a line of its own, since that makes it one."""
    out, before, depth = "", ";", 0
    for word in code(text):
        statement = word in KEYWORDS and before in ";}" and depth == 0
        depth += (word == "{") - (word == "}")
        gap = rng.choice(["", " ", "  ", "\t", "\n", "\n\n\n", " \n  "])
        while rng.random() < comment:
            remark = rng.choice(COMMENTS)
            gap += rng.choice([" ", "\n", "\n\n"]) + remark + ("\n" if remark.startswith("//") else rng.choice(["", " ", "\n"]))
        if statement and "\n" not in gap:
            gap += "\n"
        if not statement and word in KEYWORDS:  # a name: it must not be the first word of its line
            gap = gap.replace("\n", " ") if "//" not in gap else " "
        if not gap and out and glued(before, word):
            gap = " "
        out += gap + word
        before = word
    return (out + "\n").replace("\n", line_end)
