"""Files and functions stay small. What is already too long is listed in ratchet.txt and may only shrink."""

import ast

from cpp_text import functions as cpp_functions
from tree import Violation, is_cpp

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70
RATCHET = "tests/house/ratchet.txt"


def _python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def _functions(path, text):
    if is_cpp(path):
        return cpp_functions(text)
    return _python_functions(text) if path.endswith(".py") else ()


def measure(tree):
    """(kind, path[, function]) → (line, length) of everything that is over its limit."""
    over = {}
    for path, text in tree.items():
        if not path.endswith((".cc", ".h", ".py", ".ts", ".tsx")):
            continue
        lines = len(text.splitlines())
        if lines > FILE_LINES_MAX:
            over["file", path] = (1, lines)
        for name, line, length in _functions(path, text):
            if length > FUNCTION_LINES_MAX:
                over["function", path, name] = (line, length)
    return over


def read_ratchet(text):
    """Lines of "file PATH LENGTH" or "function PATH NAME LENGTH"; # starts a comment."""
    listed = {}
    for line in text.splitlines():
        fields = line.partition("#")[0].split()
        if fields:
            listed[tuple(fields[:-1])] = int(fields[-1])
    return listed


def write_ratchet(over):
    return "".join(" ".join((*key, str(length))) + "\n" for key, (_, length) in sorted(over.items()))


def check_sizes(tree):
    listed = read_ratchet(tree.get(RATCHET, ""))
    over = measure(tree)
    for key, (line, length) in over.items():
        limit = FILE_LINES_MAX if key[0] == "file" else FUNCTION_LINES_MAX
        what = " ".join((key[0], *key[2:]))
        allowed = listed.get(key, limit)
        if length > allowed:
            yield Violation(key[1], line, f"{what} has {length} lines, at most {allowed} allowed; split it")
        elif length < allowed:
            yield Violation(RATCHET, 1, f"{' '.join(key)} shrank to {length} lines; list that")
    for key in listed.keys() - over.keys():
        yield Violation(RATCHET, 1, f"{' '.join(key)} is within its limit now; take it off the list")
