"""The repository as the rules see it: text by path. Rules are functions of it, so a sample is a dict."""

import os
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]

# Made by tools or by a running server, never committed.
SKIPPED_FOLDERS = {".git", ".cache", "build", "data", "node_modules", "__pycache__", "dist"}


class Violation(NamedTuple):
    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}"


def load(root=ROOT):
    """Every text file of the repository by its path from the root; binary files have empty text."""
    tree = {}
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        for name in sorted(files):
            path = Path(folder, name)
            try:
                tree[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                tree[path.relative_to(root).as_posix()] = ""
            except FileNotFoundError:  # an editor's or a compiler's file that went meanwhile
                continue
    return tree


def is_cpp(path):
    return path.endswith((".cc", ".h"))


def is_test(path):
    """Files that may prove a requirement: unit tests beside their code, and everything in tests/."""
    if path.startswith("tests/house/") or path.endswith(".md"):
        return False
    return path.startswith("tests/") or path.endswith(("_test.cc", "_test.py", ".test.ts", ".test.tsx"))


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1
