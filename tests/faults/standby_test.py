"""Two servers on one PostgreSQL: one works, the other waits and takes over when the first dies."""

import contextlib
import json
import random
import select
import signal
import socket
import subprocess
import time
import unittest

from fault_case import QUICK, SEED, FaultCase, scaled
from server import binary, killed_at_end, postgres
from workload import Workload

TAKEOVER_SECONDS = 15  # the dead node's heartbeat has to run out first
UNAVAILABLE = 69
STREAM_SECONDS = 40  # a stream that says nothing is written to every 15


class Standby(FaultCase):
    def wait_listening(self, server):
        """A standby answers, but prints no ready line."""
        while server.running() and server.is_ready() is None:
            select.select([], [], [], 0.02)
        self.assertTrue(server.running(), server.log_tail())

    @contextlib.contextmanager
    def owner_and_standby(self):
        with postgres(self.scratch) as cluster:
            owner, standby = (cluster.server(self.scratch, QUICK) for _ in range(2))
            with killed_at_end(owner, standby):
                owner.start()
                standby.launch()
                self.wait_listening(standby)
                yield owner, standby

    def follow(self, server):
        """A connection on which the event log is followed."""
        stream = socket.create_connection(("127.0.0.1", server.port), STREAM_SECONDS)
        self.addCleanup(stream.close)
        stream.sendall(b"GET /api/events/tail HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        self.assertIn(b"200", stream.recv(4096).split(b"\r\n")[0])
        return stream

    def rest_of(self, stream):
        """What comes before the server ends the stream."""
        received = b""
        while piece := stream.recv(65536):
            received += piece
            if received.endswith(b"\r\n0\r\n\r\n"):
                break
        return received

    def test_takes_over_when_the_owner_is_killed_and_promises_hold(self):
        chance = random.Random(SEED)
        with self.owner_and_standby() as (owner, standby):
            with Workload(self.journal, [owner.port, standby.port], SEED) as load:
                for _ in range(scaled(3, 30)):
                    self.assertTrue(self.journal.wait_for_more(chance.randrange(100, 1500)), owner.log_tail())
                    self.assertIs(False, standby.is_ready(), "two servers own the shards")
                    owner.kill()
                    standby.wait_ready(TAKEOVER_SECONDS)
                    owner, standby = standby, owner
                    standby.launch()
                    self.wait_listening(standby)
                self.finish(load, owner)
            self.assertEqual(0, standby.stop())
            self.assertEqual(0, owner.stop())

    # At once, without waiting for a heartbeat to run out.
    def test_a_stopped_owner_hands_over(self):
        with self.owner_and_standby() as (owner, standby):
            self.assertEqual(503, standby.client().get("/readyz").status)
            self.assertEqual(0, owner.stop())
            standby.wait_ready(3)
            self.assertTrue(standby.is_ready())

    def test_a_second_server_of_the_same_name_is_refused_while_the_first_lives(self):
        with postgres(self.scratch) as cluster:
            first, second = (cluster.server(self.scratch, (*QUICK, "--node-id", "twin")) for _ in range(2))
            with killed_at_end(first, second):
                first.start()
                second.launch()
                self.assertEqual(UNAVAILABLE, second.wait_exit(TAKEOVER_SECONDS), second.log_tail())
                self.assertIn('as node "twin"', second.log_text())
                self.assertIn("--node-id", second.log_text())
                self.assertTrue(first.is_ready())
                first.kill()
                self.assertLess(second.start(), TAKEOVER_SECONDS)
                self.assertEqual(0, second.stop())
                first.start()
                self.assertEqual(0, first.stop())

    # It had nothing to commit meanwhile, which would have told it.
    def test_an_idle_owner_that_was_stopped_does_not_go_on_as_one(self):
        with self.owner_and_standby() as (owner, standby):
            stream = self.follow(owner)
            owner.signal(signal.SIGSTOP)
            standby.wait_ready(TAKEOVER_SECONDS)
            made = standby.client().post("/events", {"title": "of the new owner", "tags": "late"})
            self.assertEqual(201, made.status)
            owner.signal(signal.SIGCONT)
            claim = owner.client().get("/events/subscribe?tags=late&worker_id=w")
            self.assertEqual(503, claim.status, "an answer of the past: there is an item")
            deadline = time.monotonic() + TAKEOVER_SECONDS
            while owner.is_ready() and time.monotonic() < deadline:
                select.select([], [], [], 0.02)
            self.assertFalse(owner.is_ready(), "two servers say that they own the shards")
            self.assertTrue(standby.is_ready())
            self.assertEqual(200, standby.client().get("/events/subscribe?tags=late&worker_id=w").status)
            self.assertIn(b"event: error", self.rest_of(stream), "it would never hear of another event")

    def test_a_server_without_its_postgresql_is_not_ready_and_says_why_in_json(self):
        with postgres(self.scratch) as cluster:
            server = cluster.server(self.scratch, QUICK)
            with killed_at_end(server):
                server.start()
                cluster.stop("immediate")
                deadline = time.monotonic() + TAKEOVER_SECONDS
                while server.is_ready() and time.monotonic() < deadline:
                    select.select([], [], [], 0.02)
                self.assertFalse(server.is_ready(), "ready without a store, and nobody asked it to write")
                self.assertEqual("failing", server.client().get("/healthz").body["status"])
                doctor = subprocess.run([binary(), "doctor", "--server", f"http://127.0.0.1:{server.port}"],
                                        capture_output=True, text=True, timeout=30)
                self.assertNotEqual(0, doctor.returncode, doctor.stdout)
                cluster.start()
                server.wait_until_ready_again(TAKEOVER_SECONDS)
                self.assertEqual(0, server.stop())
            for line in server.log.read_text().splitlines():
                json.loads(line)


if __name__ == "__main__":
    unittest.main()
