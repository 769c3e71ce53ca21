"""The audit notices every kind of broken promise: a history that is sound, then broken in one place."""

import unittest

from audit import audit
from journal import Claim, Journal, Outcome

T = "2026-01-01T00:00:0{}.000Z"


def entry(action, worker, second):
    return {"action": action, "worker_id": worker, "created_at": T.format(second)}


def sound():
    """Item 1 timed out at w1 and was completed by w2; item 2 waits."""
    journal = Journal()
    for title, item in (("a", 1), ("b", 2)):
        journal.note_sent(title)
        journal.note_created(title, item)
    journal.claims += [Claim(1, 1, "t1", "w1", T.format(2)), Claim(1, 2, "t2", "w2", T.format(5))]
    journal.outcomes.append(Outcome(1, 2, "w2", "COMPLETED", False))
    journal.refused_stale.append((1, 1))
    logs = [entry("PICKED", "w1", 1), entry("TIMED_OUT", "w1", 2), entry("PICKED", "w2", 3), entry("COMPLETED", "w2", 4)]
    items = [{"id": 1, "title": "a", "status": "COMPLETED", "retry_count": 1, "logs": logs},
             {"id": 2, "title": "b", "status": "PENDING", "retry_count": 0, "logs": []}]
    counts = {"PENDING": 1, "PROCESSING": 0, "COMPLETED": 1, "FAILED": 0, "CANCELLED": 0, "total": 2}
    return journal, items, counts


class Audit(unittest.TestCase):
    def setUp(self):
        self.journal, self.items, self.counts = sound()

    def found(self):
        return "\n".join(audit(self.journal, self.items, self.counts))

    def test_a_sound_history_passes(self):
        self.assertEqual("", self.found())

    def test_a_lost_item(self):
        del self.items[1]
        self.assertIn("lost: item 2", self.found())

    def test_a_duplicated_item(self):
        self.items.append({**self.items[1], "id": 3})
        self.assertIn("duplicated: b", self.found())

    def test_an_item_nobody_sent(self):
        self.journal.sent.remove("b")
        self.assertIn("never sent", self.found())

    def test_a_lost_completion(self):
        self.items[0]["logs"].pop()
        self.items[0]["status"] = "PROCESSING"
        self.assertIn("lost: COMPLETED of item 1", self.found())

    def test_a_second_completion(self):
        self.items[0]["logs"].append(entry("COMPLETED", "w1", 5))
        self.assertIn("COMPLETED after its end", self.found())

    def test_two_holders_at_a_time(self):
        del self.items[0]["logs"][1]
        self.assertIn("while w1 held it", self.found())

    def test_one_attempt_given_to_two(self):
        self.journal.claims.append(Claim(1, 2, "t3", "w3", T.format(5)))
        self.assertIn("attempt 2 was leased twice", self.found())

    def test_a_lease_that_ended_too_early(self):
        self.journal.extended[1, 1] = T.format(3)
        self.assertIn("timed out at", self.found())

    def test_a_stale_completion_that_counted(self):
        self.journal.refused_stale.append((1, 2))
        self.journal.outcomes.clear()
        self.assertIn("refused with 409", self.found())

    def test_a_wrong_retry_count(self):
        self.items[0]["retry_count"] = 0
        self.assertIn("retry_count 0", self.found())

    def test_a_wrong_count(self):
        self.counts["PENDING"] = 2
        self.assertIn("stats say 2 PENDING", self.found())

    def test_a_surprise_of_a_client(self):
        self.journal.note_surprise("create answered 500")
        self.assertIn("500", self.found())


if __name__ == "__main__":
    unittest.main()
