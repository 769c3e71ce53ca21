"""The promise: kill -9 at any moment loses nothing that was acknowledged, and repeats nothing."""

import random
import unittest

from fault_case import QUICK, SEED, FaultCase, scaled
from server import embedded, killed_at_end, postgres
from workload import Workload

READY_SECONDS = 10  # generous: this proves recovery, bench/queue measures it


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


if __name__ == "__main__":
    unittest.main()
