"""Runs the examples of README.md and docs/*.md against a server and ends with "N passed, N failed".

Each page gets a server of its own, on a free port with an empty data folder; the pages say
127.0.0.1:8080, which is replaced. The examples of a page run in order, each in its own shell, in one
scratch folder; what one exports the next ones see.

usage: run_examples.py BUILD_FOLDER [PAGE…]
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from examples import extract, matches

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 20  # for a server on an empty folder; a loaded machine needs a few
EXAMPLE_SECONDS = 60  # the longest thing a page shows is a long poll of 20 s
DOCUMENTED_PORT = 8080

# Exports live on between examples; the paths a page never mentions stay out of the way.
SCRIPT = """set -euo pipefail
if [[ -f "$EXPORTS" ]]; then source "$EXPORTS"; fi
{code}
export -p >"$EXPORTS"
"""


class ServerFailed(Exception):
    pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stop_group(child):
    """Ends a child and what it started; those that do not go by themselves are killed."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        pass
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def wait_until_healthy(child, port, log):
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and child.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)  # nothing tells us from outside; the deadline bounds it
    raise ServerFailed("the server did not become healthy:\n" + Path(log).read_text(errors="replace"))


@contextlib.contextmanager
def server(build, scratch):
    """A server of build/millrace; yields its port."""
    port, log = free_port(), scratch / "server.log"
    with open(log, "wb") as out:
        child = subprocess.Popen(
            [build / "millrace", "serve", "--listen", f"127.0.0.1:{port}", "--data", scratch / "data"],
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    try:
        wait_until_healthy(child, port, log)
        yield port
    finally:
        stop_group(child)


def with_port(text, port):
    return re.sub(rf"\b(127\.0\.0\.1|localhost):{DOCUMENTED_PORT}\b", rf"\g<1>:{port}", text)


def run(example, build, scratch, port):
    """Runs one example; None if it did what the page says, otherwise what went wrong."""
    pages_folder = scratch / "work"
    pages_folder.mkdir(exist_ok=True)
    environment = {**os.environ, "PATH": f"{build}:{os.environ['PATH']}", "EXPORTS": str(scratch / "exports")}
    with open(scratch / "output", "w+b") as out:
        shell = subprocess.Popen(
            ["bash", "-c", SCRIPT.format(code=with_port(example.code, port))],
            cwd=pages_folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            start_new_session=True)
        try:
            status = shell.wait(EXAMPLE_SECONDS)
        except subprocess.TimeoutExpired:
            status = f"a time-out after {EXAMPLE_SECONDS} s"
        stop_group(shell)
        out.seek(0)
        actual = out.read().decode("utf-8", "replace").replace(f":{port}", f":{DOCUMENTED_PORT}")
    if status != 0:
        return f"ended with {status} and printed:\n{actual}"
    if example.output is not None and not matches(example.output, actual):
        return f"the page says:\n{example.output}\nbut it printed:\n{actual}"
    return None


def run_page(page, build, root=ROOT):
    """(passed, failed) of one page."""
    name = os.path.relpath(page, root)
    examples = extract(name, Path(page).read_text(encoding="utf-8"))
    passed = failed = 0
    if not examples:
        return passed, failed
    with tempfile.TemporaryDirectory(prefix="millrace-docs-") as folder:
        try:
            with server(build, Path(folder)) as port:
                for example in examples:
                    problem = run(example, build, Path(folder), port)
                    print(f"{'FAILED' if problem else 'ok'}: {example}" + (f": {problem}" if problem else ""))
                    passed, failed = passed + (problem is None), failed + (problem is not None)
        except ServerFailed as error:
            print(f"FAILED: {name}: {error}")
            failed += len(examples) - passed - failed
    return passed, failed


def main(arguments):
    build = Path(arguments[0]).resolve()
    pages = arguments[1:] or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    counts = [run_page(page, build) for page in pages if Path(page).exists()]
    passed, failed = (sum(column) for column in zip(*counts)) if counts else (0, 0)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
