"""Runs the unittest cases (*_test.py) of the folders named and ends with "N passed, N failed".

A skipped case is printed with its reason: what was not proven must be seen.
"""

import sys
import unittest


class CountingResult(unittest.TextTestResult):
    """Counts successes itself: what is skipped or fails with its whole class is in no other sum."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main(folders):
    passed = failed = 0
    for folder in folders:
        suite = unittest.defaultTestLoader.discover(folder, pattern="*_test.py", top_level_dir=folder)
        result = unittest.TextTestRunner(stream=sys.stdout, resultclass=CountingResult).run(suite)
        for case, reason in result.skipped:
            print(f"SKIPPED: {case}: {reason}")
        passed += result.passed
        failed += len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
