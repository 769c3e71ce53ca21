"""What the server promised: every answer that clients got, as the audit needs it."""

import threading
from typing import NamedTuple


class Claim(NamedTuple):
    item: int
    attempt: int
    token: str
    worker: str
    lease_until: str


class Outcome(NamedTuple):
    item: int
    attempt: int
    worker: str
    action: str  # COMPLETED or FAILED
    final: bool  # FAILED for good


class Journal:
    """Shared by all clients of a run. Only what was answered counts; what was merely sent may have happened."""

    def __init__(self):
        self._changed = threading.Condition()
        self.acknowledged = 0
        self.sent = set()  # titles of items that were on their way
        self.created = {}  # title → id
        self.claims = []
        self.outcomes = []
        self.extended = {}  # (item, attempt) → lease_until of the last start or heartbeat answered
        self.refused_stale = []  # (item, attempt): a settle with that lease was answered 409
        self.surprises = []  # answers that no contract allows

    def note_sent(self, title):
        self.sent.add(title)

    def note_created(self, title, item):
        with self._changed:
            if self.created.setdefault(title, item) != item:
                self.surprises.append(f"{title} was created as {self.created[title]} and as {item}")
        self._acknowledge()

    def note_claimed(self, worker, event):
        claim = Claim(event["id"], event["attempt"], event["lease_token"], worker, event["lease_until"])
        self.claims.append(claim)
        self._acknowledge()
        return claim

    def note_outcome(self, claim, action, final=False):
        self.outcomes.append(Outcome(claim.item, claim.attempt, claim.worker, action, final))
        self._acknowledge()

    def note_extended(self, claim, lease_until):
        self.extended[claim.item, claim.attempt] = lease_until
        self._acknowledge()

    def note_refused(self, claim):
        self.refused_stale.append((claim.item, claim.attempt))

    def note_surprise(self, what):
        self.surprises.append(what)

    def _acknowledge(self):
        with self._changed:
            self.acknowledged += 1
            self._changed.notify_all()

    def wait_for_more(self, count, seconds=60):
        """Waits until `count` more answers came. False if they do not come in time."""
        with self._changed:
            goal = self.acknowledged + count
            return self._changed.wait_for(lambda: self.acknowledged >= goal, seconds)
