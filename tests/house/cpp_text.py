"""Enough C++ to measure functions and find names: no parser, only comments, literals and braces."""

import functools
import re
from typing import NamedTuple

# In this order: a quote inside a comment opens nothing, a raw string ends only at its own delimiter, and
# the quote of 1'000 is no character literal.
_TOKENS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<raw>R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")
      | (?P<string>"(?:[^"\\\n]|\\.)*")
      | (?P<number>\b\d[\w.']*)
      | (?P<char>'(?:[^'\\\n]|\\.)*')""",
    re.DOTALL | re.VERBOSE,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.)*", re.MULTILINE | re.DOTALL)


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The code with comments blanked; offsets and lines stay."""
    return _TOKENS.sub(lambda m: _blank(m[0]) if m["comment"] else m[0], text)


@functools.cache
def bare(text):
    """The code with comments, literals and preprocessor lines blanked; offsets and lines stay."""
    text = _TOKENS.sub(lambda m: m[0] if m["number"] else _blank(m[0]), text)
    return _DIRECTIVE.sub(lambda m: _blank(m[0]), text)


class Function(NamedTuple):
    name: str
    line: int
    length: int


_BRACE = re.compile(r"[{}]")
_MARK = re.compile(r"[{};]|\b(?:public|private|protected):")
_HEAD_GOES_ON = re.compile(r"\s*[,{]")
_SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b")
_LAMBDA = re.compile(r"\[[^\[\]]*\]\s*(?:\(|mutable\b|$)")
_NAME = re.compile(r"([\w:~]+|operator\s*\S+?)\s*$")


def _outside_brackets(head):
    """The head of a definition without what stands in <…> and (…)."""
    for pattern in (r"\([^()]*\)", r"<[^<>]*>"):
        previous = None
        while previous != head:
            previous, head = head, re.sub(pattern, " ", head)
    return head


def _opens_function(head):
    if _SCOPE.search(_outside_brackets(head)):
        return False
    before_parameters, paren, _ = head.partition("(")
    if _LAMBDA.search(head):
        return True
    return bool(paren) and ("=" not in before_parameters or "operator" in before_parameters)


def _function_name(head):
    before = head.partition("(")[0]
    found = _NAME.search(before)
    name = found[1] if found else before.strip()
    if re.fullmatch(r"(?:TYPED_)?TEST(?:_[FP])?", name):
        name = ".".join(part.strip() for part in head.partition("(")[2].partition(")")[0].split(",")[:2])
    return name


def _matching_brace(code, start):
    depth = 0
    for brace in _BRACE.finditer(code, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    return len(code) - 1


def functions(text):
    """Functions defined at namespace or class scope, from the line of their head to their last brace."""
    code = bare(text)
    found = []
    head_start = position = 0
    while mark := _MARK.search(code, position):
        position = mark.end()
        head = code[head_start : mark.start()]
        if mark[0] == "{" and _opens_function(head):
            end = _matching_brace(code, mark.start())
            position = end + 1
            if _HEAD_GOES_ON.match(code, position):  # a member initialised with braces; the body comes later
                continue
            first = head_start + len(head) - len(head.lstrip())
            start_line = code.count("\n", 0, first) + 1
            length = code.count("\n", first, end) + 1
            found.append(Function(_function_name(head), start_line, length))
        elif mark[0] == "{" and not _SCOPE.search(_outside_brackets(head)):
            position = _matching_brace(code, mark.start()) + 1  # a table or another initialiser
        head_start = position
    return found
