"""What a person sees: colours and lines that fit, on a terminal only."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import tempfile
import termios

from command import BINARY, OK, CommandCase, clean_environment

COLOUR = re.compile(r"\x1b\[\d*m")


class OnATerminal(CommandCase):
    def look(self, *args, columns=60, env=None):
        """What the command writes to a terminal of this width."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        variables = {"MILLRACE_SERVER": self.server.url, "MILLRACE_TENANT": self.tenant, "TERM": "xterm", **(env or {})}
        environment = clean_environment(variables)
        if "NO_COLOR" not in variables:
            environment.pop("NO_COLOR", None)
        child = subprocess.Popen([BINARY, *args], stdin=subprocess.PIPE, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        seen = b""
        try:
            while piece := os.read(ours, 65536):
                seen += piece
        except OSError:
            pass  # how the end of a terminal's output looks
        os.close(ours)
        child.stdin.close()
        self.assertEqual(child.wait(30), OK, seen)
        return seen.decode()

    def setUp(self):
        super().setUp()
        self.succeed("queue", "add", "--title", "a title that is much longer than any narrow terminal " * 3,
                     "--tags", "a")
        self.succeed("queue", "claim", "--tags", "a", "--worker", "w")

    def test_a_table_is_cut_to_the_width(self):
        for columns in (40, 60, 200):
            lines = COLOUR.sub("", self.look("queue", "list", columns=columns)).splitlines()
            self.assertEqual(len(lines), 2)
            self.assertLessEqual(max(map(len, lines)), columns)

    def test_status_has_a_colour(self):
        self.assertRegex(self.look("queue", "list", columns=120), COLOUR)

    def test_no_color_is_respected(self):
        self.assertNotRegex(self.look("queue", "list", columns=120, env={"NO_COLOR": "1"}), COLOUR)
        self.assertNotRegex(self.look("queue", "list", columns=120, env={"TERM": "dumb"}), COLOUR)

    def test_a_pipe_gets_neither_colours_nor_cut_lines(self):
        out = self.succeed("queue", "list").out
        self.assertNotRegex(out, COLOUR)
        self.assertNotIn("…", out)

    def test_progress_is_for_terminals(self):
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as items:
            items.write('{"title":"t"}\n' * 501)
            items.flush()
            self.assertIn("added 500 items\radded 501 items", self.look("queue", "add", "--from", items.name))
            self.assertEqual(self.succeed("queue", "add", "--from", items.name).err, "")
