"""The first command of the README: `./dev run` in this tree builds what is missing and serves."""

import json
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 240
ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)")


def wait_for_address(server):
    """The port that its output names once it is ready; what it said instead, if it never was."""
    said, deadline = "", time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if not select.select([server.stdout], [], [], 1)[0]:
            continue
        line = server.stdout.readline()
        said += line
        found = ADDRESS.search(line)
        if found and "ready" in line:
            return int(found[1]), said
        if not line:
            break
    return None, said


class FirstStart(unittest.TestCase):
    def test_dev_run_builds_starts_and_stops(self):
        if not (ROOT / "build/release/build.ninja").exists():
            self.skipTest("there is no release build: ./dev run was NOT tried, it would compile everything first")
        with tempfile.TemporaryDirectory() as folder:
            command = ["./dev", "run", "--listen", "127.0.0.1:0", "--data", f"{folder}/data"]
            server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            try:
                port, said = wait_for_address(server)
                self.assertIsNotNone(port, said)
                request = urllib.request.Request(f"http://127.0.0.1:{port}/events", json.dumps({"title": "first"}).encode(),
                                                 {"Content-Type": "application/json"})
                with urllib.request.urlopen(request, timeout=10) as answer:
                    self.assertEqual(answer.status, 201)
            finally:
                server.send_signal(signal.SIGTERM)
                status = server.wait(60)
                server.stdout.close()
            self.assertEqual(status, 0)


if __name__ == "__main__":
    unittest.main()
