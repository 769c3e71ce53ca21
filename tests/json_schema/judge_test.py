"""Ajv and Millrace give the same verdicts. S3.6"""

import json
import os
import subprocess
import unittest
from pathlib import Path

from corpus import Corpus

ROOT = Path(__file__).resolve().parents[2]
AJV = "ajv@8.17.1"
SEED = int(os.environ.get("SEED", "20251224"))
CASES = int(os.environ.get("CASES", "2000"))
SHOWN_MAX = 10  # disagreements; the first ones are enough to start with
JUDGE_SECONDS = 300


def install_ajv():
    """NODE_PATH with Ajv in it."""
    done = subprocess.run([ROOT / "scripts/npm_packages.sh", os.environ["MILLRACE_BUILD"], AJV],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the judge could not be installed: {done.stderr.strip()}")
    return done.stdout.strip()


def ask(command, lines, environment=None):
    done = subprocess.run(command, input="".join(line + "\n" for line in lines), capture_output=True, text=True,
                          encoding="utf-8", timeout=JUDGE_SECONDS, check=False, env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    answers = done.stdout.splitlines()
    if len(answers) != len(lines):
        raise RuntimeError(f"{command[0]} answered {len(answers)} of {len(lines)} cases")
    return answers


def is_refusal(answer):
    return answer.startswith("refused")


class Judge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.node_path = install_ajv()

    def verdicts(self, cases):
        """(case, ours, Ajv's) for each."""
        lines = [json.dumps(case, ensure_ascii=False) for case in cases]
        ours = ask([os.environ["MILLRACE_VERDICTS"]], lines)
        judge = ask(["node", str(Path(__file__).with_name("ajv_verdicts.js"))], lines, {"NODE_PATH": self.node_path})
        return list(zip(cases, ours, judge))

    def assert_agreement(self, results):
        disagreements = [
            f"{json.dumps(case, ensure_ascii=False)}\n  ours: {ours}\n  Ajv:  {judge}"
            for case, ours, judge in results
            if ours != judge and not (is_refusal(ours) and is_refusal(judge))]
        shown = "\n".join(disagreements[:SHOWN_MAX])
        self.assertFalse(disagreements, f"{len(disagreements)} of {len(results)} cases with SEED={SEED}:\n{shown}")

    def test_same_verdicts_on_a_generated_corpus(self):
        corpus = Corpus(SEED)
        results = self.verdicts([corpus.case() for _ in range(CASES)])
        judged = [result for result in results if not result[2].startswith("failed")]
        self.assertGreater(len(judged), CASES * 0.97, "the judge itself fails too often")
        self.assert_agreement(judged)
        letters = "".join(judge for _, _, judge in judged if not is_refusal(judge))
        # A corpus that only knows one answer proves nothing.
        self.assertGreater(letters.count("V"), len(letters) // 10)
        self.assertGreater(letters.count("I"), len(letters) // 10)

    def test_both_refuse_what_is_no_schema(self):
        corpus = Corpus(SEED + 1)
        results = self.verdicts([corpus.broken_case() for _ in range(300)])
        self.assert_agreement(results)
        self.assertTrue(all(is_refusal(judge) for _, _, judge in results), "the judge accepted a broken schema")


if __name__ == "__main__":
    unittest.main()
