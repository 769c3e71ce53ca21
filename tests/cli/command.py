"""The binary as a command: arguments in; exit code, stdout and stderr out."""

import json
import pathlib
import subprocess
import sys
import unittest
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "integration"))

from server import BINARY, clean_environment  # noqa: E402
from stores import new_tenant, shared_server  # noqa: E402

OK, REFUSED, USAGE, UNREACHABLE = 0, 1, 2, 3


class Done(NamedTuple):
    code: int
    out: str
    err: str

    def json(self):
        return json.loads(self.out)

    def last_line(self):
        return self.out.rstrip("\n").rsplit("\n", 1)[-1]


def millrace(*args, env=None, stdin=""):
    done = subprocess.run([BINARY, *map(str, args)], env=clean_environment(env), input=stdin, timeout=60,
                          capture_output=True, text=True)
    return Done(done.returncode, done.stdout, done.stderr)


class CommandCase(unittest.TestCase):
    """Commands for a tenant of one's own on the shared server."""

    def setUp(self):
        self.server = shared_server("embedded")
        self.tenant = new_tenant()

    def run_command(self, *args, stdin="", env=None):
        variables = {"MILLRACE_SERVER": self.server.url, "MILLRACE_TENANT": self.tenant, **(env or {})}
        return millrace(*args, env=variables, stdin=stdin)

    def succeed(self, *args, stdin="", env=None):
        done = self.run_command(*args, stdin=stdin, env=env)
        self.assertEqual((done.code, args), (OK, args), done.err)
        return done

    def refuse(self, code, *args, says="", stdin="", env=None):
        """The command ends with this code, says why on stderr in one line, and prints no answer."""
        done = self.run_command(*args, stdin=stdin, env=env)
        self.assertEqual((done.code, args), (code, args), done.err)
        self.assertTrue(done.err.startswith("millrace: "), done.err)
        self.assertEqual(done.err.count("\n"), 1, done.err)
        self.assertIn(says, done.err)
        self.assertEqual(done.out, "")
        return done
