"""The help of every command, found by walking from one to the next."""

import unittest

from command import OK, millrace


class Help(unittest.TestCase):
    def commands(self, *path):
        """Every command with its help."""
        shown = millrace(*path, "--help")
        self.assertEqual((shown.code, shown.err), (OK, ""), path)
        yield path, shown.out
        lines = shown.out.partition("\nSubcommands:\n")[2].partition("\n\n")[0].splitlines()
        for line in lines:
            if line.startswith("  ") and not line.startswith("   "):
                yield from self.commands(*path, line.split()[0])

    def test_every_command_has_help_with_an_example(self):
        found = dict(self.commands())
        for expected in (("serve",), ("version",), ("rules", "test"), ("event-types", "put"), ("queue", "fail")):
            self.assertIn(expected, found)
        for path, text in found.items():
            self.assertRegex(text, r"(?m)^examples:\n  millrace " + " ".join(path[:1]), path)
