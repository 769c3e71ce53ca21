"""The runner of documented examples, against pages and a server made up here."""

import contextlib
import io
import os
import tempfile
import textwrap
import unittest
from pathlib import Path

import examples
import run_examples

PAGE = textwrap.dedent("""\
    # A page
    ```sh
    not an example
    ```
    ```sh test name=greet
    echo hello
    ```
    prints
    ```output
    hello
    ```
    - in a list:

      ````sh test
      cat <<'END'
      ```
      END
      ````
    ```json
    {}
    ```
    """)

# Answers every request with its path, and takes the place of build/millrace.
SERVER = """\
#!/usr/bin/env python3
import http.server, sys
class Echo(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(self.path.encode() + b"\\n")
    def log_message(self, *_): pass
assert sys.argv[1:3] == ["serve", "--listen"] and sys.argv[4] == "--data"
host, port = sys.argv[3].split(":")
http.server.HTTPServer((host, int(port)), Echo).serve_forever()
"""


class Extraction(unittest.TestCase):
    def test_takes_only_marked_fences_with_their_output(self):
        greet, listed = examples.extract("p.md", PAGE)
        self.assertEqual(("p.md", 6, "greet", "echo hello\n", "hello\n"), tuple(greet))
        self.assertEqual(("p.md", 15, "", "cat <<'END'\n```\nEND\n", None), tuple(listed))

    def test_an_unclosed_fence_is_an_error(self):
        with self.assertRaises(examples.UnclosedFence):
            examples.extract("p.md", "```sh test\necho\n")


class Matching(unittest.TestCase):
    def test_equal_text_matches_whatever_blanks_end_its_lines(self):
        self.assertTrue(examples.matches("a\nb\n", "a  \nb\n\n"))

    def test_other_text_does_not_match(self):
        for actual in ("", "a\n", "a\nc\n", "a\nb\nc\n", "A\nb\n"):
            self.assertFalse(examples.matches("a\nb\n", actual), actual)

    def test_an_ellipsis_stands_for_anything_within_its_line(self):
        self.assertTrue(examples.matches('{"id":…,"at":"…Z"}', '{"id":17,"at":"2025-01-01T00:00:00Z"}\n'))
        self.assertFalse(examples.matches("a…c", "a\nc\n"))

    def test_an_ellipsis_alone_stands_for_any_number_of_lines(self):
        for actual in ("a\nz\n", "a\nb\nc\nz\n"):
            self.assertTrue(examples.matches("a\n…\nz\n", actual))
        self.assertFalse(examples.matches("a\n…\nz\n", "a\nb\n"))

    def test_other_characters_are_literal(self):
        self.assertFalse(examples.matches("a.c\n", "abc\n"))


class Running(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.install("#!/bin/sh\nexit 1\n" if "dies" in self._testMethodName else SERVER)

    def install(self, program):
        (self.folder / "millrace").write_text(program, encoding="utf-8")
        os.chmod(self.folder / "millrace", 0o755)

    def run_page(self, text):
        page = self.folder / "page.md"
        page.write_text(text, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()) as self.printed:
            return run_examples.run_page(page, self.folder, self.folder)

    def test_an_example_reaches_the_server_by_the_documented_address(self):
        page = "```sh test\ncurl -sS http://127.0.0.1:8080/x; echo 127.0.0.1:8080\n```\n```output\n/x\n127.0.0.1:8080\n```\n"
        self.assertEqual((1, 0), self.run_page(page), self.printed.getvalue())

    def test_a_wrong_output_and_a_failing_command_fail(self):
        page = "```sh test\necho a\n```\n```output\nb\n```\n```sh test\nfalse\necho reached\n```\n```sh test\ntrue\n```\n"
        self.assertEqual((1, 2), self.run_page(page))
        self.assertNotIn("reached", self.printed.getvalue())

    def test_examples_share_exports_folder_and_the_programs_path(self):
        page = ("```sh test\nexport ID=7; touch kept; local_one=1\n```\n"
                "```sh test\ntest -f kept; echo $ID ${local_one:-none}; command -v millrace >found\n```\n"
                "```output\n7 none\n```\n")
        self.assertEqual((2, 0), self.run_page(page), self.printed.getvalue())

    def test_a_server_that_dies_fails_every_example(self):
        self.assertEqual((0, 2), self.run_page("```sh test\ntrue\n```\n```sh test\ntrue\n```\n"))

    def test_a_page_without_examples_starts_nothing_even_if_the_server_dies(self):
        self.assertEqual((0, 0), self.run_page("# Nothing\n"))


if __name__ == "__main__":
    unittest.main()
