"""Makes whole programs of the fragments that documents show.

A complete program begins with `stencil`. A fragment stands in a frame that a mark before it gives, where the frame says
`...`, or after the frame when it does not:

    <!-- in: field u : f64; step { ... } -->       this frame
    <!-- frame wave: field u, v : f64; -->         names a frame of the page
    <!-- in wave: coef c : f64 = 1; -->            that frame, and more

What no reader would miss is added: a name, a grid (z: n, y: n, x: n), steps, and `f[t+1] = f;` for fields that nothing
updates, of which there is at least one.
"""
import re

KEYS = {"frame", "in", "refused", "warns"}


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)


def is_program(text):
    return without_comments(text).lstrip().startswith("stencil")


def step_of(text):
    """Where the step's braces are: the index of '{' and of '}', or None."""
    head = re.search(r"\bstep\s*\{", text)
    if not head:
        return None
    end = head.end()
    while text[end] != "}":
        end += 1
    return head.end() - 1, end


def completed(text):
    """The program that a fragment in its frame stands for."""
    plain = without_comments(text)
    has = lambda statement: re.search(rf"(?:^|[;{{}}])\s*{statement}\b", plain)
    before, after = "stencil snippet;\n", ""
    if not has(r"grid"):
        if not has(r"param\s+n"):
            before += "param n : int = 64;\n"
        before += "grid (z: n, y: n, x: n);\n"
    if not has("field"):
        before += "field other : f64;\n"
    if not has("steps"):
        after += "\nsteps 1;"
    plain = without_comments(before + text)
    names = [name.strip() for names in re.findall(r"(?:^|[;{}])\s*field\s+([\w\s,]+):", plain) for name in names.split(",")]
    missing = "".join(f"    {name}[t+1] = {name};\n" for name in names
                      if not re.search(rf"\b{name}\s*\[[^\]]*\]\s*=[^=]", re.sub(r"\binit\b[^;]*;", "", plain)))
    step = step_of(text)
    if step is None:
        after += "\nstep {\n" + missing + "}"
    else:
        text = text[:step[1]] + "\n" + missing + text[step[1]:]
    return before + text + after + "\n"


def program(block, frames):
    """The text to compile; `frames` holds the page's named frames and gets those that this block names."""
    for mark in block.marks:
        if mark.key not in KEYS:
            raise ValueError(f"{block}: unknown mark '{mark.key}'")
        if mark.key == "frame":
            frames[mark.name] = mark.text
    inside = block.mark("in")
    if is_program(block.text):
        if inside:
            raise ValueError(f"{block}: a whole program stands in no frame")
        return block.text
    frame = ""
    if inside:
        frame = (frames[inside.name] if inside.name else "") + "\n" + inside.text
    text = frame.replace("...", "\n" + block.text, 1) if "..." in frame else frame + "\n" + block.text
    return completed(text)
