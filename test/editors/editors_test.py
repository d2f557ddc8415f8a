"""What docs/editors gives to editors: the same words as the lexer has, regular expressions that compile, colours that are right."""
import json
import re
import unittest
from pathlib import Path

from textmate import Grammar

ROOT = Path(__file__).resolve().parent.parent.parent
EDITORS = ROOT / "docs" / "editors"
TEXTMATE = EDITORS / "stn.tmLanguage.json"


def words_of_lexer(first, last):
    """The keywords between two tokens of the grammar."""
    text = (ROOT / "grammar" / "StnLexer.g4").read_text()
    words = re.findall(r"^[A-Z_]+: '(\w+)';", text, re.M)
    return words[words.index(first):words.index(last) + 1]


RESERVED = words_of_lexer("if", "false")
STATEMENTS = words_of_lexer("stencil", "stop")
CLAUSES = words_of_lexer("from", "spacing")


def list_in(kind):
    """The words of one kind in the server's table."""
    text = (ROOT / "compiler" / "lsp" / "lore.cpp").read_text()
    return re.findall(rf'{{Kind::{kind}, "([^"]+)"', text)


class TextMate(unittest.TestCase):
    def setUp(self):
        self.data = json.loads(TEXTMATE.read_text())
        self.grammar = Grammar(self.data)

    def expressions(self, node=None):
        node = self.data if node is None else node
        if isinstance(node, dict):
            for key, value in node.items():
                if key in ("match", "begin", "end"):
                    yield value
                else:
                    yield from self.expressions(value)
        elif isinstance(node, list):
            for value in node:
                yield from self.expressions(value)

    def test_regular_expressions_mean_the_same_everywhere(self):
        """Constructs that Oniguruma and Python read alike, and no others."""
        expressions = list(self.expressions())
        self.assertGreater(len(expressions), 10)
        for expression in expressions:
            re.compile(expression)
            rest = re.sub(r"\\\\|\\[][bsdSrn.*+?^$|(){}/]", "", expression)
            self.assertNotIn("\\", rest, expression)
            for group in re.findall(r"\(\?.{0,2}", expression):
                self.assertRegex(group, r"^\(\?(=|!|<=|<!)", expression)
            for behind in re.findall(r"\(\?<[=!](.*?)\)", expression):
                self.assertNotRegex(behind, r"[*+?]", expression)  # a fixed length

    def test_includes_lead_somewhere(self):
        for name in re.findall(r'"include": "#([^"]+)"', TEXTMATE.read_text()):
            self.assertIn(name, self.data["repository"])

    def test_keywords_are_the_lexer_s(self):
        statement = re.search(r"\(stencil\|[^)]*\)", self.data["repository"]["statement"]["match"])[0]
        self.assertEqual(statement.strip("()").split("|"), STATEMENTS)
        text = " ".join(self.expressions(self.data["repository"]["expression"]))
        for list_of_words in (CLAUSES, ["if", "then", "else"], ["and", "or", "not"], ["true", "false"]):
            self.assertIn(f"({'|'.join(list_of_words)})", text)

    def test_names_of_the_language_are_the_server_s(self):
        functions = list_in("Function") + list_in("Reduction") + list_in("ShapeKind")
        self.assertIn(f"({'|'.join(functions)})", " ".join(self.expressions()))
        for kind in ("EdgeKind", "Type"):
            for word in list_in(kind):
                self.assertTrue(any(re.search(rf"\b{word}\b", e) for e in self.expressions()), word)

    def scopes(self, text):
        """Line by line, what has which scope (without '.stn' and blanks)."""
        return [[(t.strip(), s.removesuffix(".stn")) for t, s in line if t.strip()] for line in self.grammar.lines(text)]

    def test_declarations(self):
        self.assertEqual(self.scopes("param n : int = 64; // cells"), [[
            ("param", "keyword.declaration"), ("n", "variable.other.declaration"), (":", "punctuation.separator"),
            ("int", "storage.type"), ("=", "keyword.operator"), ("64", "constant.numeric"), (";", "punctuation.separator"),
            ("// cells", "comment.line.double-slash")]])

    def test_a_step(self):
        self.assertEqual(self.scopes("step {\n    step[t+1] = 1.5e-3*sum(o in s) f(u);\n}"), [
            [("step", "keyword.declaration"), ("{", "")],
            [("step", "variable.other"), ("[", ""), ("t", "variable.language"), ("+", "keyword.operator"),
             ("1", "constant.numeric"), ("]", ""), ("=", "keyword.operator"), ("1.5e-3", "constant.numeric"),
             ("*", "keyword.operator"), ("sum", "support.function"), ("(", ""), ("o", "variable.other"),
             ("in", "keyword.other.clause"), ("s", "variable.other"), (")", ""), ("f", "entity.name.function"), ("(", ""),
             ("u", "variable.other"), (")", ""), (";", "punctuation.separator")],
            [("}", "")]])

    def test_functions_edges_strings_and_comments(self):
        lines = self.scopes('fn ricker(a) = exp(-a);\nboundary u { x: periodic; }\noutput u to "u-{t}.npy";\n'
                            "/* two param\nlines */ let a = if true then 1 else 2;")
        self.assertEqual(lines[0][:2], [("fn", "keyword.declaration"), ("ricker", "entity.name.function")])
        self.assertIn(("exp", "support.function"), lines[0])
        self.assertIn(("periodic", "constant.language.edge"), lines[1])
        self.assertEqual(lines[2][3:-1], [('"', "string.quoted.double"), ("u-", "string.quoted.double"),
                                          ("{t}", "constant.other.placeholder"), (".npy", "string.quoted.double"),
                                          ('"', "string.quoted.double")])
        self.assertIn(("to", "keyword.other.clause"), lines[2])
        self.assertEqual({scope for _, scope in lines[3]}, {"comment.block"})
        self.assertEqual([s for t, s in lines[4] if t in ("if", "then", "else")], ["keyword.control"] * 3)
        self.assertIn(("true", "constant.language.boolean"), lines[4])

    def test_examples_have_no_word_without_a_scope(self):
        for path in sorted((ROOT / "examples").glob("*/*.stn")):
            text = path.read_text()
            for line, source in zip(self.grammar.lines(text), text.split("\n")):
                self.assertEqual("".join(t for t, _ in line), source, path)
                for piece, scope in line:
                    if not scope:
                        self.assertRegex(piece, r"^[\s()\[\]{}]*$", f"{path}: {source}")


class Others(unittest.TestCase):
    def test_vs_code(self):
        folder = EDITORS / "vscode"
        package = json.loads((folder / "package.json").read_text())
        json.loads((folder / "language-configuration.json").read_text())
        self.assertEqual((folder / "syntaxes" / "stn.tmLanguage.json").read_text(), TEXTMATE.read_text())
        contributed = package["contributes"]
        for path in (package["main"], contributed["grammars"][0]["path"], contributed["languages"][0]["configuration"]):
            self.assertTrue((folder / path).is_file(), path)
        self.assertEqual(contributed["grammars"][0]["scopeName"], json.loads(TEXTMATE.read_text())["scopeName"])

    def test_vim(self):
        text = (EDITORS / "vim" / "syntax" / "stn.vim").read_text().replace("\n      \\", "")
        listed = lambda group: re.search(rf"^syntax keyword {group} (.*)$", text, re.M)[1].split()
        self.assertEqual(listed("stnStatement"), STATEMENTS)
        self.assertEqual(listed("stnClause"), CLAUSES)
        self.assertEqual(sorted(sum((listed(g) for g in ("stnConditional", "stnWordOperator", "stnBoolean")), [])), sorted(RESERVED))
        self.assertEqual(sorted(listed("stnEdge")), sorted(list_in("EdgeKind")))
        self.assertEqual(sorted(listed("stnType")), sorted(list_in("Type")))

    def test_the_server_explains_every_keyword(self):
        self.assertEqual(sorted(list_in("Statement")), sorted(STATEMENTS))
        self.assertEqual(sorted(list_in("Clause")), sorted(RESERVED + CLAUSES))


if __name__ == "__main__":
    unittest.main()
