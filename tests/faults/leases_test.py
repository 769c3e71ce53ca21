"""S4.2, S4.7, S4.11: many claimers, short leases, stalling workers. A lease is never held by two, and who lost
one is told so and changes nothing."""

import random
import threading
import time
import unittest
from datetime import datetime

from client import Client
from fault_case import SEED, FaultCase, scaled
from server import embedded, killed_at_end, postgres

CLAIMERS = 64
STALLING = 0.02  # of claims
LEASE = ("--queue-lease", "1s")


def seconds_until(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() - time.time()


class Claimer(threading.Thread):
    """Claims and completes until nothing is left; sets some items aside until their lease ran out, then settles."""

    def __init__(self, case, number):
        super().__init__(daemon=True)
        self.journal, self.unfinished = case.journal, case.unfinished
        self.client = Client(case.server.port)
        self.worker = f"claimer-{number}:1"
        self.chance = random.Random(f"{SEED}/{number}")
        self.stalled = []

    def run(self):
        try:
            while self.unfinished.value > 0 or self.stalled:
                self.settle_stalled()
                self.claim()
        except Exception as error:  # must fail the test, not hide
            self.journal.note_surprise(f"{self.worker} failed: {error!r}")
        finally:
            self.client.close()

    def claim(self):
        answer = self.client.get(f"/events/subscribe?tags=load&worker_id={self.worker}&wait=1")
        if answer.status == 204:
            return
        if answer.status != 200:
            self.journal.note_surprise(f"subscribe answered {answer}")
            return
        claim = self.journal.note_claimed(self.worker, answer.body)
        if self.chance.random() < STALLING:
            self.stalled.append(claim)
        else:
            self.complete(claim)

    def complete(self, claim):
        answer = self.post(claim, "complete")
        if answer.status == 200:
            self.journal.note_outcome(claim, "COMPLETED")
            self.unfinished.take_one()
        elif answer.status == 409:
            self.journal.note_refused(claim)  # this machine was slower than the lease
        else:
            self.journal.note_surprise(f"complete answered {answer}")

    def settle_stalled(self):
        for claim in [claim for claim in self.stalled if seconds_until(claim.lease_until) < -0.2]:
            self.stalled.remove(claim)
            for call in ("start", "heartbeat", "fail", "complete"):
                answer = self.post(claim, call)
                if answer.status != 409:
                    self.journal.note_surprise(f"{call} with a stale token of item {claim.item} answered {answer}")
            self.journal.note_refused(claim)

    def post(self, claim, call):
        return self.client.post(f"/events/{claim.item}/{call}",
                                {"worker_id": self.worker, "lease_token": claim.token, "error_message": "stalled"})


class Countdown:
    def __init__(self, value):
        self.value = value
        self._lock = threading.Lock()

    def take_one(self):
        with self._lock:
            self.value -= 1


class Leases(FaultCase):
    def claim_all(self, server, items):
        self.server = server
        self.unfinished = Countdown(items)
        with killed_at_end(server):
            server.start()
            client = server.client()
            for first in range(0, items, 1000):
                self.create(client, first, min(1000, items - first))
            claimers = [Claimer(self, number) for number in range(CLAIMERS)]
            for claimer in claimers:
                claimer.start()
            for claimer in claimers:
                claimer.join()
            self.assertGreater(len(self.journal.refused_stale), 0, "nobody stalled")
            client = server.client()  # the first one may have been idle for too long
            self.verify(client)
            self.assertEqual(items, client.get("/api/queue/stats").body["COMPLETED"])

    def create(self, client, first, count):
        batch = [{"title": f"item-{first + i}", "tags": "load", "max_retries": 1000} for i in range(count)]
        for item in batch:
            self.journal.note_sent(item["title"])
        answer = client.post("/events", batch)
        self.assertEqual(201, answer.status, answer.body)
        for item, made in zip(batch, answer.body, strict=True):
            self.journal.note_created(item["title"], made["id"])

    def test_no_overlap_and_stale_tokens_change_nothing_embedded(self):
        self.claim_all(embedded(self.scratch, LEASE), scaled(5_000, 100_000))

    def test_no_overlap_and_stale_tokens_change_nothing_postgres(self):
        with postgres(self.scratch) as cluster:
            self.claim_all(cluster.server(self.scratch, LEASE), scaled(2_000, 100_000))


if __name__ == "__main__":
    unittest.main()
