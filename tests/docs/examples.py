"""Examples in Markdown: finding them, and comparing what they print with what the page says.

An example is a fence whose info string starts with "sh test". If the next fence of the page is "output",
it shows what the example prints; in it … stands for anything within a line, and a line of … alone for
any number of lines.
"""

import re
from typing import NamedTuple, Optional

ANYTHING = "…"


class Example(NamedTuple):
    path: str
    line: int  # of the first line of code
    name: str
    code: str
    output: Optional[str]  # None: only the exit status counts

    def __str__(self):
        return f"{self.path}:{self.line}" + (f" ({self.name})" if self.name else "")


class Fence(NamedTuple):
    info: str
    line: int
    text: str


class UnclosedFence(Exception):
    pass


def fences(path, text):
    """The fenced blocks of a page, in order; indentation of the fence is taken off its lines."""
    found = []
    opened = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"^( *)(`{3,})(.*)$", line)
        if opened is None and mark:
            opened, content = (len(mark[1]), mark[2], mark[3].strip(), number + 1), []
        elif opened and mark and len(mark[2]) >= len(opened[1]) and not mark[3].strip():
            found.append(Fence(opened[2], opened[3], "".join(content)))
            opened = None
        elif opened:
            content.append(re.sub(rf"^ {{0,{opened[0]}}}", "", line) + "\n")
    if opened:
        raise UnclosedFence(f"{path}:{opened[3] - 1}: this fence is never closed")
    return found


def extract(path, text):
    """The examples of one page, in order."""
    examples = []
    blocks = fences(path, text)
    for block, following in zip(blocks, [*blocks[1:], None]):
        words = block.info.split()
        if words[:2] != ["sh", "test"]:
            continue
        name = next((word.removeprefix("name=") for word in words[2:] if word.startswith("name=")), "")
        output = following.text if following and following.info == "output" else None
        examples.append(Example(path, block.line, name, block.text, output))
    return examples


def matches(expected, actual):
    """Is `actual` what the page shows? Blanks at line ends and empty lines at the end do not count."""
    pattern = ""
    for line in expected.rstrip().splitlines():
        if line.strip() == ANYTHING:
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.rstrip().split(ANYTHING)) + r"\n"
    lines = (line.rstrip() + "\n" for line in actual.rstrip().splitlines())
    return re.fullmatch(pattern, "".join(lines)) is not None
