#!/usr/bin/env python3
"""Writes a large program to stdout: `generate.py [FIELDS] [UPDATES]`, by default 100 fields and 25 updates.

As in a code for many species: UPDATES fields of state, each updated from its own neighbours, its coefficients, an old
value of another field and the new one of the field before it; all other fields are coefficients. Every one is read.
"""
import sys


def program(fields, updates):
    if not 1 <= updates <= fields:
        raise ValueError("as many fields as updates, or more")
    coefs = fields - updates
    lines = [f"// {fields} fields and {updates} updates, written by generate.py.", "stencil generated;", "",
             "param n : int = 64;", "", "grid (z: n, y: n, x: n);", ""]
    lines += [f"field s{i} : f64;" for i in range(updates)]
    lines += [f"coef c{i} : f64 = 0.01 + 0.001 * ((z + {i % 7} * y + x) % {i % 5 + 3});" for i in range(coefs)]
    lines += [""]
    lines += [f"init s{i} = (x + {i % 4 + 1} * y + {i % 3 + 1} * z) % {i % 9 + 5};" for i in range(updates)]
    lines += ["", f"boundary {', '.join(f's{i}' for i in range(updates))} = dirichlet 0;", "", "step {"]
    for i in range(updates):
        terms = [f"0.1 * ({' + '.join(f's{i}[{d}{o}1]' for d in 'zyx' for o in '-+')} - 6*s{i})"]
        if updates > 1:
            other = (7 * i + 3) % updates
            terms.append(f"0.01 * (s{other}[{'zyx'[i % 3]}+1] - s{other}[{'zyx'[i % 3]}-1])")
        if i > 0:
            terms.append(f"0.02 * s{i - 1}[t+1, {'xyz'[i % 3]}-1]")
        mine = [k for k in range(coefs) if k % updates == i]
        terms += [f"c{k} * (s{(i + k) % updates}[{'zyx'[k % 3]}{'+-'[k % 2]}1] - s{i})" for k in mine]
        lines.append(f"    s{i}[t+1] = s{i} + {(chr(10) + '        + ').join(terms)};")
    lines += ["}", "", "steps 10;"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(program(*([int(word) for word in sys.argv[1:3]] + [100, 25][len(sys.argv[1:3]):])), end="")
