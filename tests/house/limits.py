"""The tables of bounds in docs/ against the constants of the headers they tell: the same names, the same values."""

import ast
import operator
import re

# Document → the headers whose bounds it tells, all of them.
TOLD = {
    "docs/limits.md": ["src/base/limits.h", "src/http/framing.h", "src/http/chunked.h", "src/shard/facts.h",
                       "src/api/page.h"],
    "docs/registry.md": ["src/registry/bounds.h", "src/intake/rule.h", "src/api/schema_push.h"],
}

_CONSTANT = re.compile(r"\binline\s+constexpr\s+[\w:]+\s+(k\w+)\s*=\s*([^;]+);")
_ROW = re.compile(r"^\|\s*`(k\w+)`\s*\|([^|]*)\|", re.MULTILINE)
# Durations count in milliseconds.
_CHRONO = {"milliseconds": 1, "seconds": 1000, "minutes": 60_000, "hours": 3_600_000, "days": 86_400_000}
_UNITS = {"": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3,
          "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_OPERATORS = {ast.Mult: operator.mul, ast.Add: operator.add, ast.Sub: operator.sub, ast.LShift: operator.lshift}


def _number(expression):
    """An integer expression of literals; ValueError for anything else."""

    def value(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        raise ValueError(f"not a number: {expression}")

    return value(ast.parse(expression.replace("'", "").strip(), mode="eval").body)


def _code_value(expression):
    chrono = re.fullmatch(r"(?:Millis|std::chrono::(\w+))\s*[({](.*)[)}]", expression.strip(), re.DOTALL)
    if chrono:
        return _number(chrono[2]) * _CHRONO[chrono[1] or "milliseconds"]
    return _number(expression)


def constants(header):
    """Name → value; durations in milliseconds."""
    return {name: _code_value(value) for name, value in _CONSTANT.findall(re.sub(r"//[^\n]*", "", header))}


def documented(text):
    """Name → value as the table says it: "1,000", "64 KiB", "30 d"."""
    found = {}
    for name, cell in _ROW.findall(text):
        number, _, unit = cell.strip().partition(" ")
        found[name] = int(number.replace(",", "")) * _UNITS[unit]
    return found


def check_limits(header, text, where="the document"):
    code, told = constants(header), documented(text)
    for name in sorted(code.keys() | told.keys()):
        if name not in told:
            yield f"{name} is not in {where}"
        elif name not in code:
            yield f"{name} is in {where} but not in the code"
        elif code[name] != told[name]:
            yield f"{name} is {code[name]} in the code and {told[name]} in {where}"
