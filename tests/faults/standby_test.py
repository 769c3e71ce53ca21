"""Two servers on one PostgreSQL: one works, the other waits and takes over when the first dies."""

import random
import select
import unittest

from fault_case import QUICK, SEED, FaultCase, scaled
from server import killed_at_end, postgres
from workload import Workload

TAKEOVER_SECONDS = 15  # the dead node's heartbeat has to run out first


class Standby(FaultCase):
    def wait_listening(self, server):
        """A standby answers, but prints no ready line."""
        while server.running() and server.is_ready() is None:
            select.select([], [], [], 0.02)
        self.assertTrue(server.running(), server.log_tail())

    def test_takes_over_when_the_owner_is_killed_and_promises_hold(self):
        chance = random.Random(SEED)
        with postgres(self.scratch) as cluster:
            owner, standby = (cluster.server(self.scratch, QUICK) for _ in range(2))
            with killed_at_end(owner, standby):
                owner.start()
                standby.launch()
                self.wait_listening(standby)
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
        with postgres(self.scratch) as cluster:
            owner, standby = (cluster.server(self.scratch, QUICK) for _ in range(2))
            with killed_at_end(owner, standby):
                owner.start()
                standby.launch()
                self.wait_listening(standby)
                self.assertEqual(503, standby.client().get("/readyz").status)
                self.assertEqual(0, owner.stop())
                standby.wait_ready(3)
                self.assertTrue(standby.is_ready())


if __name__ == "__main__":
    unittest.main()
