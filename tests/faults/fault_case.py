"""What the fault tests share: how long they are, a scratch folder, the end of every run."""

import os
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from audit import audit, read_all
from client import NoAnswer
from journal import Journal
from server import Server
from workload import unfinished

LONG = os.environ.get("FAULTS_LENGTH", "short") == "long"
# Another seed each time unless one is named; printed, so that a failure can be tried again.
SEED = int(os.environ.get("FAULTS_SEED", time.time_ns() % 1_000_000))
# Short leases and no pause between tries, so that everything ends within seconds once the faults stop.
QUICK = ("--queue-lease", "2s", "--queue-backoff", "100ms")
STALL_SECONDS = 30  # far longer than a lease


def scaled(short, long):
    return long if LONG else short


def large_bytes(number):
    return 900_000 if number % 10 == 0 else 250_000


class FaultCase(unittest.TestCase):
    def setUp(self):
        self.scratch = Path(tempfile.mkdtemp(prefix="millrace-faults-"))
        self.journal = Journal()

    def tearDown(self):
        outcome = self._outcome
        failed = any(test is self for test, _ in outcome.result.failures + outcome.result.errors)
        if failed:
            print(f"seed {SEED}; what is left: {self.scratch}")
        else:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def finish(self, load, server: Server):
        """Lets the workers end everything, stops the clients, and audits."""
        load.stop_producing()
        client = server.client()
        fewest, since = None, time.monotonic()
        while (left := unfinished(client)) != 0:
            if left is not None and (fewest is None or left < fewest):
                fewest, since = left, time.monotonic()
            self.assertLess(time.monotonic() - since, STALL_SECONDS, f"{left} items never ended")
            load.stopping.wait(0.1)
        load.stop()
        self.verify(client)
        client.close()

    def create_large_items(self, server, count):
        """Until there are so many, or the server is gone. A hundred and fifty make the store write table files; every
        tenth is so large that its payload goes to the blob store (S4.13)."""
        client = server.client(timeout=10)
        for number in range(count):
            title = f"large-{len(self.journal.sent)}"
            self.journal.note_sent(title)
            try:
                answer = client.post("/events", {"title": title, "tags": "large", "payload": "x" * large_bytes(number)})
            except NoAnswer:
                return
            if answer.status == 201:
                self.journal.note_created(title, answer.body["id"])

    def verify_large_payloads(self, client):
        sizes = {large_bytes(number) for number in range(10)}
        for item in list(self.journal.created.values())[::10]:
            payload = client.get(f"/events/{item}").body["payload"]
            self.assertIn(len(payload), sizes, f"item {item}")

    def verify(self, client):
        violations = self.audit(client)
        if violations:
            shown = "\n".join(violations[:20])
            self.fail(f"{len(violations)} violations (seed {SEED}):\n{shown}")

    def audit(self, client):
        items, counts = read_all(client)
        kinds = {"created": len(self.journal.created), "leased": len(self.journal.claims),
                 "settled": len(self.journal.outcomes), "refused as stale": len(self.journal.refused_stale)}
        print(f"{self.id()}: {len(items)} items; " + ", ".join(f"{number} {kind}" for kind, number in kinds.items()))
        return audit(self.journal, items, counts)
