#!/usr/bin/env python3
"""Prints the ConfigurationSpace of T1, the input format of the auto-tuning community, for a space or a folder of variants.

A value "auto" stands for a knob that is left to the program. Constraints do not count where one of their knobs is, and a
condition says when a knob must be.
"""
import json
import re
import sys
from pathlib import Path

TYPES = {"bt": "int", "bz": "int", "ct": "int", "yt": "int", "xt": "int", "columns": "int", "io_depth": "int", "chains": "int",
         "threads": "int", "fma": "bool"}


def configuration_space(space):
    values = {knob["name"]: list(knob["values"]) for knob in space["knobs"]}
    free = {name for name in values if "auto" in values[name]}  # the space itself may leave them to the program
    when = {condition["knob"]: condition["when"] for condition in space.get("conditions", [])}
    for name in when.keys() - free:
        values[name].append("auto")
    automatic = free | when.keys()

    def uses(expression):
        words = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"'[^']*'|\"[^\"]*\"", "", expression)))
        return [name for name in values if name in words]

    def condition(expression, names):
        return {"Parameters": names, "Expression": expression}
    conditions = []
    for text in space.get("constraints", []):
        names = uses(text)
        conditions.append(condition(" or ".join([f"{name} == 'auto'" for name in names if name in automatic] + [f"({text})"]), names))
    for name, text in when.items():
        names = uses(text)
        active = " and ".join([f"{each} != 'auto'" for each in names if each in automatic] + [f"({text})"])
        rule = f"{name} == 'auto' or ({active})" if name in free else f"({name} != 'auto') == ({active})"
        conditions.append(condition(rule, [name, *(each for each in names if each != name)]))
    parameters = []
    for knob in space["knobs"]:
        name = knob["name"]
        parameter = {"Name": name, "Type": "string" if name in automatic else TYPES.get(name, "string"), "Values": repr(values[name])}
        if "default" in knob:
            parameter["Default"] = knob["default"]
        parameters.append(parameter)
    return {"TuningParameters": parameters, "Conditions": conditions}


def main():
    path = Path(sys.argv[1])
    data = json.loads((path / "manifest.json" if path.is_dir() else path).read_text())
    print(json.dumps({"ConfigurationSpace": configuration_space(data.get("space", data))}, indent=1))


main()
