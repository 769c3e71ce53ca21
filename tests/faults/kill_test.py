"""The promise: kill -9 at any moment loses nothing that was acknowledged, and repeats nothing."""

import json
import random
import unittest
import urllib.request

from fault_case import QUICK, SEED, FaultCase, scaled
from server import embedded, killed_at_end, postgres
from workload import Workload

READY_SECONDS = 10  # generous: this proves recovery, bench/queue measures it


def ask(server, path, body=None):
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


class Kill(FaultCase):
    def kill_again_and_again(self, server, rounds):
        chance = random.Random(SEED)
        with killed_at_end(server):
            server.start()
            with Workload(self.journal, [server.port], SEED) as load:
                for _ in range(rounds):
                    more = self.journal.wait_for_more(chance.randrange(1, 1500))
                    self.assertTrue(more, f"no more answers; the server's log:\n{server.log_tail()}")
                    server.kill()
                    self.assertLess(server.start(), READY_SECONDS)
                self.finish(load, server)
            self.assertEqual(0, server.stop())

    def test_embedded_store_keeps_every_acknowledged_write(self):
        self.kill_again_and_again(embedded(self.scratch, QUICK), scaled(12, 200))

    def test_postgres_store_keeps_every_acknowledged_write(self):
        with postgres(self.scratch) as cluster:
            self.kill_again_and_again(cluster.server(self.scratch, QUICK), scaled(6, 100))

    def all_are_back(self, server):
        """However many wait: they are there, and can be claimed, as soon as it is ready."""
        count = scaled(20_000, 10**6)
        items = json.dumps([{"title": "t", "tags": "many"}] * 1000).encode()
        with killed_at_end(server):
            server.start()
            for _ in range(count // 1000):
                self.assertEqual(1000, len(ask(server, "/events", items)))
            server.kill()
            seconds = server.start()
            print(f"{self.id()}: ready in {seconds:.2f} s with {count:,} items")
            self.assertLess(seconds, READY_SECONDS)
            self.assertEqual(count, ask(server, "/api/queue/stats")["PENDING"])
            self.assertEqual(100, len(ask(server, "/events/subscribe?tags=many&worker_id=w:1&limit=100")))

    def test_embedded_store_has_all_that_wait(self):
        self.all_are_back(embedded(self.scratch))

    def test_postgres_store_has_all_that_wait(self):
        with postgres(self.scratch) as cluster:
            self.all_are_back(cluster.server(self.scratch))


if __name__ == "__main__":
    unittest.main()
