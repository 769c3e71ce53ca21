"""PostgreSQL crashes, or ends our connections, under load: the server comes back by itself and its promises hold."""

import random
import time
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

    def test_a_server_that_brings_the_schema_up_to_date_can_be_stopped(self):
        with postgres(self.scratch) as cluster:
            cluster.sql("CREATE SCHEMA millrace; CREATE TABLE millrace.schema_migrations (version integer PRIMARY KEY, "
                        "title text NOT NULL, checksum text NOT NULL, applied timestamptz DEFAULT now()); "
                        "INSERT INTO millrace.schema_migrations VALUES (0, 'lock', '')")
            server = cluster.server(self.scratch, QUICK)
            # As another node does that works on a step.
            with killed_at_end(server), cluster.holding("SELECT FROM millrace.schema_migrations FOR UPDATE"):
                server.launch()
                deadline = time.monotonic() + 30
                while cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") != "1":
                    self.assertTrue(server.running(), server.log_tail())
                    self.assertLess(time.monotonic(), deadline, "it does not wait for the lock")
                self.assertEqual(0, server.stop(), server.log_tail())
            with killed_at_end(server):
                server.start()
                self.assertEqual(0, server.stop())


if __name__ == "__main__":
    unittest.main()
