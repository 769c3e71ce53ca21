"""Every folder says what it is for."""

from pathlib import PurePosixPath

from tree import Violation

DESCRIBED = ("src", "tests", "bench", "docs", "api")
README_LINES_MAX = 60
# Samples and seeds that the suite above them explains.
UNDESCRIBED = {"testdata", "corpus", "fixtures"}


def _folders(tree):
    """Folders that hold a file, directly or below, under the described ones."""
    folders = set()
    for path in tree:
        for folder in PurePosixPath(path).parents:
            if folder.parts and folder.parts[0] in DESCRIBED and not UNDESCRIBED & set(folder.parts):
                folders.add(folder.as_posix())
    return folders


def check_readmes(tree):
    for folder in sorted(_folders(tree)):
        readme = f"{folder}/README.md"
        if readme not in tree:
            yield Violation(readme, 1, "every folder needs a README.md: what it is for, what does not belong")
        elif folder.startswith("src") and len(tree[readme].splitlines()) > README_LINES_MAX:
            yield Violation(readme, 1, f"longer than a page ({README_LINES_MAX} lines)")
