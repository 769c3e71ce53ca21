"""What may not be written: names that say nothing, constructs that bite, places only one machine has."""

import re

from cpp_text import bare, without_comments
from tree import Violation, is_cpp, line_of

EMPTY_WORDS = {"util", "utils", "common", "helper", "helpers", "manager", "managers"}
# What a function does is in no verb of these.
EMPTY_VERBS = re.compile(r"(?:do|handle|process|manage)_\w+")
# Names the standard library chose.
ALLOWED_NAMES = re.compile(r"common_(?:type|reference|iterator|range|view)(?:_t|_with)?")

# This folder spells out what it looks for; joined here so that no line of it is a finding.
_REGISTRY_HOSTS = re.compile(
    r"\b(?:" + "|".join(
        rf"{host}\.{domain}" for host, domain in (
            (r"deb", r"debian\.org"), (r"[\w-]+", r"archive\.ubuntu\.com"), (r"registry", r"npmjs\.org"),
            (r"registry", r"yarnpkg\.com"), (r"files", r"pythonhosted\.org"), (r"pypi", r"org"),
            (r"static", r"crates\.io"), (r"index", r"crates\.io"), (r"proxy", r"golang\.org"),
            (r"[\w-]+", r"pkg\.dev"), (r"(?:docker|ghcr|quay|gcr)", r"io"),
        )
    ) + r")\b"
)
_MACHINE_PATHS = re.compile(r"(?<![\w./~-])/(?:" + "|".join(("root", "home", "work", "Users", "workspace")) + r")/\w")
_OPEN_WORK = re.compile(r"\b(?:" + "|".join(("TO" "DO", "FIX" "ME", "X" "XX")) + r")\b(?!\((?:#\d+|S[0-4]\.\d+)\))")
_RESOLVED = re.compile(r'^\s*"?resolved"?:?\s+"', re.MULTILINE)
_LOCKFILES = ("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml")


def _words(name):
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def _findings(path, text, pattern, message):
    for found in pattern.finditer(text):
        yield Violation(path, line_of(text, found.start()), f"{message}: {found[0].strip()}")


def check_names(tree):
    for path, text in tree.items():
        if _words(path) & EMPTY_WORDS:
            yield Violation(path, 1, "a file name that says nothing (util, common, helper, manager)")
        if not is_cpp(path):
            continue
        for found in re.finditer(r"[A-Za-z_]\w*", bare(text)):
            empty = _words(found[0]) & EMPTY_WORDS or EMPTY_VERBS.fullmatch(found[0])
            if empty and not ALLOWED_NAMES.fullmatch(found[0]):
                yield Violation(path, line_of(text, found.start()), f"a name that says nothing: {found[0]}")


def check_cpp_constructs(tree):
    std_regex = re.compile(r"\bstd::regex\b|#\s*include\s*<regex>")
    using_namespace = re.compile(r"\busing\s+namespace\b")
    for path, text in tree.items():
        if not is_cpp(path):
            continue
        code = without_comments(text)
        yield from _findings(path, code, std_regex, "std::regex overflows the stack; use RE2")
        if path.endswith(".h"):
            yield from _findings(path, bare(text), using_namespace, "a header opens no namespace for others")
            if not re.search(r"^#pragma once$", code, re.MULTILINE):
                yield Violation(path, 1, "a header needs #pragma once")


def check_places(tree):
    """No path of one machine, no package registry: what is built here is built from Debian alone."""
    for path, text in tree.items():
        yield from _findings(path, text, _MACHINE_PATHS, "a path that only one machine has")
        yield from _findings(path, text, _REGISTRY_HOSTS, "the address of a package registry")
        if path.endswith(_LOCKFILES):
            yield from _findings(path, text, _RESOLVED, "a lockfile must not pin where a package came from")


def check_open_work(tree):
    for path, text in tree.items():
        yield from _findings(path, text, _OPEN_WORK, "open work needs a reference, (#12) or (S4.1)")
