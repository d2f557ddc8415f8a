"""A small interpreter of TextMate grammars: match, begin and end, captures, includes. Lines go in, (text, scope) comes out."""
import re


class Grammar:
    def __init__(self, data):
        self.data = data

    def rules(self, patterns):
        """The patterns with their includes written out."""
        for rule in patterns:
            if "include" in rule:
                included = self.data["repository"][rule["include"].lstrip("#")]
                yield from self.rules([included] if "match" in included or "begin" in included else included["patterns"])
            else:
                yield rule

    def lines(self, text):
        """The (text, scope) pairs of each line; what no rule takes has scope ''."""
        open_rules = []
        for line in text.split("\n"):
            yield self.line(line, open_rules)

    def line(self, line, open_rules):
        out, at = [], 0
        while at <= len(line):
            inside = open_rules[-1] if open_rules else None
            scope = inside.get("name", "") if inside else ""
            patterns = inside.get("patterns", []) if inside else self.data["patterns"]
            best = None
            if inside and (end := re.compile(inside["end"]).search(line, at)):
                best = (end.start(), -1, end, None)
            for order, rule in enumerate(self.rules(patterns)):
                found = re.compile(rule.get("match", rule.get("begin"))).search(line, at)
                if found and (best is None or found.start() < best[0]):
                    best = (found.start(), order, found, rule)
            if best is None:
                if at < len(line):
                    out.append((line[at:], scope))
                break
            start, _, found, rule = best
            if start > at:
                out.append((line[at:start], scope))
            if rule is None:
                out.append((found[0], scope))
                open_rules.pop()
            elif "begin" in rule:
                out.append((found[0], rule.get("name", "")))
                open_rules.append(rule)
            else:
                out += self.captured(found, rule)
            if found.end() == at and rule is not None and "begin" not in rule:
                at += 1  # nothing was taken: go on behind
            else:
                at = found.end()
            if at == len(line) and (rule is not None or not open_rules):
                if not (open_rules and re.compile(open_rules[-1]["end"]).search(line, at)):
                    break
        return [(text, scope) for text, scope in out if text]

    @staticmethod
    def captured(found, rule):
        at, whole = found.start(), rule.get("name", "")
        for group, capture in sorted(rule.get("captures", {}).items()):
            begin, end = found.span(int(group))
            if begin < 0:
                continue
            yield found.string[at:begin], whole
            yield found.string[begin:end], capture["name"]
            at = end
        yield found.string[at:found.end()], whole
