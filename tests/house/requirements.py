"""docs/requirements.md against the files it names, the ids that tests carry and the specification.

A row of its tables has the columns id, state, done in, proven by (and others, which are for readers).
State is done, partly or open. Files are written in backticks, from the root; a folder or a glob will do.
"""

import fnmatch
import re
from typing import NamedTuple

from tree import is_test

DOCUMENT = "docs/requirements.md"
STATES = ("done", "partly", "open")
ID = re.compile(r"(?<![\w.])S[0-4]\.\d+(?!\d)")


class Row(NamedTuple):
    id: str
    state: str
    done_in: tuple
    proven_by: tuple


def _cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _paths(cell):
    return tuple(re.findall(r"`([^`]+)`", cell))


def read_rows(text):
    """The rows of every table that has the columns; the order of columns is free."""
    rows, header = [], []
    for line in text.splitlines():
        if not line.lstrip().startswith("|"):
            header = []
            continue
        cells = _cells(line)
        if not header:
            header = [cell.lower() for cell in cells]
        elif len(cells) == len(header) and {"id", "state", "done in", "proven by"} <= set(header):
            row = dict(zip(header, cells))
            if ID.fullmatch(row["id"]):
                rows.append(Row(row["id"], row["state"], _paths(row["done in"]), _paths(row["proven by"])))
    return rows


def _named(tree, path):
    """The files that a file, folder or glob of the document means."""
    path = path.partition(":")[0].rstrip("/")
    return {name for name in tree if name == path or name.startswith(path + "/") or fnmatch.fnmatch(name, path)}


def ids_in_tests(tree):
    """Id → test files that carry it."""
    found = {}
    for path, text in tree.items():
        if is_test(path):
            for requirement in ID.findall(text):
                found.setdefault(requirement, set()).add(path)
    return found


def check_rows(rows):
    seen = set()
    for row in rows:
        if row.id in seen:
            yield f"{row.id} is listed twice"
        seen.add(row.id)
        if row.state not in STATES:
            yield f"{row.id} has the state {row.state!r}; it is one of {', '.join(STATES)}"


def check_ids_of_tests(rows, tree):
    """A test may only claim what the document lists."""
    listed = {row.id for row in rows}
    for requirement, paths in sorted(ids_in_tests(tree).items()):
        if requirement not in listed:
            yield f"{requirement} in {', '.join(sorted(paths))} is not listed"


def check_done(rows, tree):
    """What is done names where, and every file or folder that is said to prove it carries its id."""
    for row in rows:
        for path in row.done_in + row.proven_by:
            if not _named(tree, path):
                yield f"{row.id} names {path}, which does not exist"
        if row.state != "done":
            continue
        if not row.done_in:
            yield f"{row.id} is done, but no file says where"
        if not row.proven_by:
            yield f"{row.id} is done, but no file proves it"
        for path in row.proven_by:
            files = _named(tree, path)
            if files and not any(row.id in ID.findall(tree[name]) for name in files):
                yield f"{row.id} is said to be proven by {path}, which does not carry the id"


def check_against_specification(rows, specification):
    """Every id that heads a row of the specification's tables is listed."""
    listed = {row.id for row in rows}
    wanted = set(re.findall(r"^\|\s*(S[0-4]\.\d+)\s*\|", specification, re.MULTILINE))
    for requirement in sorted(wanted - listed):
        yield f"{requirement} of the specification is not listed"
    for requirement in sorted(listed - wanted):
        yield f"{requirement} is listed but not in the specification"
