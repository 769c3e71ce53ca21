"""The official CloudEvents SDK sends to the server in three modes and parses what it answers (S3.2)."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "integration"))

from server import Server  # noqa: E402  (its folder is on the path only now)

SDK = "cloudevents@8.0.2"
COMPARISONS = ("structured", "binary", "batch", "text_in_binary_mode", "bytes", "no_data", "stream")


class OfficialSdk(unittest.TestCase):
    """S3.2"""

    verdicts = {}

    @classmethod
    def setUpClass(cls):
        installed = subprocess.run([ROOT / "scripts/npm_packages.sh", os.environ["MILLRACE_BUILD"], SDK],
                                   stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        with tempfile.TemporaryDirectory(prefix="millrace-ce-") as folder:
            server = Server(["--data", folder + "/data"])
            try:
                judged = subprocess.run(["node", HERE / "judge.js", str(server.port)], stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "NODE_PATH": installed}, timeout=120, check=True)
            finally:
                server.kill()
        cls.verdicts = {line["name"]: line["why"] for line in map(json.loads, judged.stdout.splitlines())}

    def test_every_comparison_was_made(self):
        self.assertEqual(tuple(self.verdicts), COMPARISONS)


def _add(name):
    def test(self):
        self.assertIsNone(self.verdicts.get(name, "not compared"))

    setattr(OfficialSdk, f"test_{name}", test)


for _name in COMPARISONS:
    _add(_name)


if __name__ == "__main__":
    unittest.main()
