"""clang-tidy over the sources of a build, skipping what it has already found clean.

A source is clean for a key: the hash of its text, of every header of ours it reaches, of its compile
command, of .clang-tidy and of the tool's version. Clean keys are empty files in .cache/tidy.

usage: tidy.py [--jobs N] BUILD_FOLDER [PATH_PART…]
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TIDY = "clang-tidy-19"
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
# Where a quoted include may be found, besides beside the file.
INCLUDE_ROOTS = (ROOT / "src", ROOT / "include", ROOT / "tests", ROOT)


@functools.cache
def read(path):
    return path.read_bytes()


@functools.cache
def direct_includes(path):
    """Our own headers that a file names."""
    found = []
    for name in INCLUDE.findall(read(path)):
        candidates = (folder / name.decode() for folder in (path.parent, *INCLUDE_ROOTS))
        found += [candidate for candidate in candidates if candidate.is_file()][:1]
    return tuple(found)


def reachable(source):
    """The source and every header of ours that it includes, directly or not."""
    seen, open_ends = {source}, [source]
    while open_ends:
        for header in direct_includes(open_ends.pop()):
            if header not in seen:
                seen.add(header)
                open_ends.append(header)
    return sorted(seen)


def key(source, command, settings):
    digest = hashlib.sha256(settings)
    digest.update(command.encode())
    for path in reachable(source):
        digest.update(str(path).encode() + b"\0" + hashlib.sha256(read(path)).digest())
    return digest.hexdigest()


def lint(build, source):
    """What clang-tidy has against a source; empty if nothing."""
    done = subprocess.run([TIDY, "--quiet", "-p", build, source], capture_output=True, text=True, check=False)
    if done.returncode == 0 and not done.stdout.strip():
        return ""
    # stderr counts suppressed warnings of system headers, which concern nobody, unless the tool itself failed.
    return done.stdout or done.stderr


def sources(build, parts):
    """(source, command) of each of our translation units whose path contains one of the parts."""
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        source = Path(entry["directory"], entry["file"]).resolve()
        name = source.relative_to(ROOT).as_posix() if source.is_relative_to(ROOT) else ""
        ours = name.startswith(("src/", "tests/", "bench/"))
        if ours and (not parts or any(part in name for part in parts)):
            yield source, entry["command"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("build", type=Path)
    parser.add_argument("parts", nargs="*")
    arguments = parser.parse_args()

    cache = ROOT / ".cache" / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    settings = version + (ROOT / ".clang-tidy").read_bytes()
    keys = {source: key(source, command, settings) for source, command in sources(arguments.build, arguments.parts)}
    due = [source for source in keys if not (cache / keys[source]).exists()]

    found = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for source, report in zip(due, pool.map(functools.partial(lint, arguments.build), due)):
            if report:
                found += 1
                print(report, flush=True)
            else:
                (cache / keys[source]).touch()
    print(f"clang-tidy: {len(keys)} sources, {len(due)} looked at, {found} with findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
