"""What docs/requirements.md claims is so; and the checks notice when it is not."""

import unittest

import requirements
import tree

SPECIFICATION = tree.ROOT.parent / "shared" / "spec"


class Repository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = tree.load()
        if requirements.DOCUMENT not in cls.tree and "src/app/main.cc" not in cls.tree:
            raise unittest.SkipTest(f"there is no {requirements.DOCUMENT} yet")
        cls.rows = requirements.read_rows(cls.tree.get(requirements.DOCUMENT, ""))

    def assert_none(self, findings):
        findings = list(findings)
        if findings:
            self.fail("\n" + "\n".join(findings))

    def test_the_document_has_rows(self):
        self.assertTrue(self.rows, f"{requirements.DOCUMENT} lists no requirement")

    def test_rows_are_unique_and_have_a_known_state(self):
        self.assert_none(requirements.check_rows(self.rows))

    def test_every_id_that_a_test_carries_is_listed(self):
        self.assert_none(requirements.check_ids_of_tests(self.rows, self.tree))

    def test_what_is_done_names_files_and_has_a_test(self):
        self.assert_none(requirements.check_done(self.rows, self.tree))

    def test_every_id_of_the_specification_is_listed(self):
        if not SPECIFICATION.is_dir():
            self.skipTest("the specification is not beside the repository: ids were NOT compared with it")
        text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(SPECIFICATION.glob("S*.md")))
        self.assert_none(requirements.check_against_specification(self.rows, text))


DOCUMENT = """
| id | requirement | state | done in | proven by |
|---|---|---|---|---|
| S4.1 | items | done | `src/queue/` | `src/queue/item_test.cc` |
| S4.2 | more | open | | |
"""
TREE = {"src/queue/item.cc": "", "src/queue/item_test.cc": "// S4.1\n"}


class ChecksFire(unittest.TestCase):
    def rows(self, text=DOCUMENT):
        return requirements.read_rows(text)

    def test_reads_both_rows(self):
        self.assertEqual(
            [
                requirements.Row("S4.1", "done", ("src/queue/",), ("src/queue/item_test.cc",)),
                requirements.Row("S4.2", "open", (), ()),
            ],
            self.rows(),
        )

    def test_a_sound_document_passes(self):
        findings = [
            *requirements.check_rows(self.rows()),
            *requirements.check_ids_of_tests(self.rows(), TREE),
            *requirements.check_done(self.rows(), TREE),
            *requirements.check_against_specification(self.rows(), "| S4.1 | x |\n| S4.2 | y |\n"),
        ]
        self.assertEqual([], findings)

    def test_an_id_listed_twice(self):
        self.assertEqual(["S4.2 is listed twice"], list(requirements.check_rows(self.rows() + self.rows()[1:])))

    def test_an_unknown_state(self):
        self.assertTrue(list(requirements.check_rows(self.rows(DOCUMENT.replace("open", "nearly")))))

    def test_a_test_that_claims_an_unlisted_id(self):
        findings = list(requirements.check_ids_of_tests(self.rows(), {"tests/a/a.py": "# S4.30"}))
        self.assertEqual(["S4.30 in tests/a/a.py is not listed"], findings)

    def test_done_in_a_file_that_is_gone(self):
        findings = list(requirements.check_done(self.rows(), {"src/queue/item_test.cc": "S4.1"} | {"src/x": ""}))
        self.assertEqual([], findings)
        findings = list(requirements.check_done(self.rows(), {"tests/a/a.py": "S4.1"}))
        self.assertEqual(2, len(findings))

    def test_done_without_a_test_that_carries_the_id(self):
        findings = list(requirements.check_done(self.rows(), TREE | {"src/queue/item_test.cc": "// S4.11"}))
        self.assertEqual(
            ["S4.1 is said to be proven by src/queue/item_test.cc, which does not carry the id"], findings
        )

    def test_done_without_files(self):
        row = requirements.Row("S4.1", "done", (), ())
        self.assertEqual(2, len(list(requirements.check_done([row], TREE))))

    def test_an_id_of_the_specification_that_is_missing(self):
        findings = list(requirements.check_against_specification(self.rows(), "| S4.1 | x |\n| S4.2 | y |\n| S4.3 | z |"))
        self.assertEqual(["S4.3 of the specification is not listed"], findings)


if __name__ == "__main__":
    unittest.main()
