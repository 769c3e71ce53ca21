"""Sums a CTest run: single cases where a suite tells them, whole suites where it does not.

Reads the JUnit file that CTest wrote and prints, as the last line, "N passed, N failed". Exits with 1
if anything failed or if nothing ran.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

# What a suite of scripts prints last, and what it prints for each case it could not run.
SCRIPT_LINE = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)
SCRIPT_SKIPPED = re.compile(r"^SKIPPED: (.*)$", re.MULTILINE)
# What GoogleTest prints, also with --gtest_brief=1, which leaves out the sum of failures.
GTEST_RAN = re.compile(r"^\[=+\] (\d+) tests? from \d+ test suites? ran\.", re.MULTILINE)
GTEST_PASSED = re.compile(r"^\[  PASSED  \] (\d+) tests?\.$", re.MULTILINE)
GTEST_SKIPPED = re.compile(r"^\[  SKIPPED \] (\d+) tests?[.,]", re.MULTILINE)
GTEST_FAILED_CASE = re.compile(r"^\[  FAILED  \] \S+.* \(\d+ ms\)$", re.MULTILINE)
GTEST_SKIP_REASON = re.compile(r": Skipped\n(.*)")


class Count(NamedTuple):
    passed: int
    failed: int
    skipped: int = 0
    reasons: tuple = ()  # why cases were skipped, each once


def last_number(pattern, text):
    numbers = pattern.findall(text)
    return int(numbers[-1]) if numbers else 0


def count_output(output, suite_passed):
    """Cases of one suite from what it printed and how it ended."""
    if SCRIPT_LINE.search(output):
        passed, failed = map(int, SCRIPT_LINE.findall(output)[-1])
        reasons = SCRIPT_SKIPPED.findall(output)
        count = Count(passed, failed, len(reasons), tuple(reasons))
    elif GTEST_RAN.search(output):
        passed, skipped = last_number(GTEST_PASSED, output), last_number(GTEST_SKIPPED, output)
        failed = last_number(GTEST_RAN, output) - passed - skipped
        count = Count(passed, failed, skipped, tuple(sorted(set(GTEST_SKIP_REASON.findall(output)))))
    else:
        count = Count(int(suite_passed), 0)
    if not suite_passed and count.failed == 0:
        # A crash, a time-out or a leak found at exit is a failure that no case reports.
        count = count._replace(failed=1 + len(GTEST_FAILED_CASE.findall(output)))
    return count


def count_suite(case):
    status = case.get("status")
    if status == "disabled":
        return Count(0, 0, 1, ("disabled",))
    if status == "notrun":
        why = case.find("skipped").get("message") if case.find("skipped") is not None else ""
        # A suite may say by its exit status that it has nothing to run on; a program that is not there fails.
        return Count(0, 0, 1, (why,)) if why.startswith("SKIP_") else Count(0, 1)
    return count_output(case.findtext("system-out") or "", status == "run")


def count_run(junit):
    """Counts by suite name."""
    return {case.get("name"): count_suite(case) for case in ElementTree.fromstring(junit).iter("testcase")}


def main(path):
    with open(path, encoding="utf-8") as file:
        counts = count_run(file.read())
    for name, count in sorted(counts.items()):
        if count.skipped:
            print(f"SKIPPED: {count.skipped} of {name}: {'; '.join(count.reasons)}")
        if count.failed:
            print(f"FAILED: {count.failed} of {name}")
    passed = sum(count.passed for count in counts.values())
    failed = sum(count.failed for count in counts.values())
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
