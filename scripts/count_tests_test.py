"""The sum of a test run: nothing that failed is lost, whatever way it failed."""

import unittest

from count_tests import Count, count_output, count_run

GTEST_MIXED = """\
[  FAILED  ] A.Bad (0 ms)
a.cc:6: Skipped
no server
[==========] 5 tests from 2 test suites ran. (0 ms total)
[  PASSED  ] 2 tests.
[  SKIPPED ] 1 test.
"""
GTEST_CRASHED = "[  FAILED  ] A.Bad (0 ms)\nmillrace: bug: it broke\n"


class CountTests(unittest.TestCase):
    def test_cases_of_googletest(self):
        self.assertEqual(Count(2, 2, 1, ("no server",)), count_output(GTEST_MIXED, False))

    def test_a_crash_counts_beside_the_cases_that_failed_before_it(self):
        self.assertEqual(Count(0, 2), count_output(GTEST_CRASHED, False))

    def test_a_failure_after_the_last_case_counts(self):
        leak = "[==========] 2 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 2 tests.\nLeakSanitizer: …\n"
        self.assertEqual(Count(2, 1), count_output(leak, False))

    def test_the_last_line_of_a_script_counts(self):
        self.assertEqual(Count(7, 2), count_output("1 passed, 0 failed\nx\n7 passed, 2 failed\n", False))

    def test_what_a_script_skipped_is_told(self):
        self.assertEqual(Count(7, 0, 1, ("no spec",)), count_output("SKIPPED: no spec\n7 passed, 0 failed\n", True))

    def test_a_script_that_dies_after_its_count_fails(self):
        self.assertEqual(1, count_output("7 passed, 0 failed\n", False).failed)

    def test_a_suite_that_counts_nothing_is_one_case(self):
        self.assertEqual(Count(1, 0), count_output("", True))
        self.assertEqual(Count(0, 1), count_output("", False))

    def test_a_program_that_was_not_built_fails_and_a_declared_skip_does_not(self):
        junit = """<testsuite>
          <testcase name="gone" status="notrun"><skipped message="Unable to find executable"/></testcase>
          <testcase name="skip" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
          <testcase name="fine" status="run"><system-out>3 passed, 0 failed</system-out></testcase>
        </testsuite>"""
        expected = {"gone": Count(0, 1), "skip": Count(0, 0, 1, ("SKIP_RETURN_CODE=77",)), "fine": Count(3, 0)}
        self.assertEqual(expected, count_run(junit))


if __name__ == "__main__":
    unittest.main()
