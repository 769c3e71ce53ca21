"""PostgreSQL crashes, or ends our connections, under load: the server comes back by itself and its promises hold."""

import random
import unittest

from fault_case import QUICK, SEED, FaultCase, scaled
from server import killed_at_end, postgres
from workload import Workload

READY_SECONDS = 15  # after PostgreSQL itself is back


class PostgresFaults(FaultCase):
    def run_with(self, fault, rounds):
        """fault(cluster) is done again and again under load."""
        chance = random.Random(SEED)
        with postgres(self.scratch) as cluster:
            server = cluster.server(self.scratch, QUICK)
            with killed_at_end(server):
                server.start()
                with Workload(self.journal, [server.port], SEED) as load:
                    for _ in range(rounds):
                        more = self.journal.wait_for_more(chance.randrange(1, 1200))
                        self.assertTrue(more, f"no more answers; the server's log:\n{server.log_tail()}")
                        fault(cluster)
                        server.wait_until_ready_again(READY_SECONDS)
                    self.finish(load, server)
                self.assertEqual(0, server.stop())

    def test_restart_with_immediate(self):
        def restart(cluster):
            cluster.stop("immediate")
            cluster.start()

        self.run_with(restart, scaled(4, 60))

    def test_backends_terminated(self):
        self.run_with(lambda cluster: cluster.end_backends(), scaled(8, 200))


if __name__ == "__main__":
    unittest.main()
