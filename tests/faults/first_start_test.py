"""A first start that is killed at any moment: the next one goes on from what it left, with and without the power."""

import random
import shutil
import unittest

from disk import Disk
from fault_case import LONG, SEED, FaultCase
from server import NotReady, embedded, killed_at_end

# All that RocksDB makes before it has a database, one by one: what is there then must not look like a lost one.
FIRST_CALLS = 12
CALLS_MAX = 2000
STEP = 1 if LONG else 40


class FirstStart(FaultCase):
    def ends_early(self, server, environment):
        """Whether the server was killed before it was ready."""
        try:
            server.start(environment)
        except NotReady:
            return True
        server.kill()
        return False

    def expect_starts(self, server):
        server.start()
        server.kill()

    def kill_at_each(self, call, power_goes):
        calls = [*range(FIRST_CALLS), *range(FIRST_CALLS + random.Random(SEED).randrange(STEP), CALLS_MAX, STEP)]
        for after in calls:
            shutil.rmtree(self.scratch / "data", ignore_errors=True)
            disk = Disk(self.scratch)
            server = embedded(self.scratch)
            with self.subTest(call=call, after=after, power_goes=power_goes), killed_at_end(server):
                if not self.ends_early(server, disk.fatal(call, after)):
                    return self.assertGreater(after, FIRST_CALLS)
                if power_goes:
                    disk.lose_power()
                self.expect_starts(server)
        self.fail("it is never ready")

    def test_killed_at_a_write(self):
        self.kill_at_each("write", power_goes=False)

    def test_killed_at_a_sync(self):
        self.kill_at_each("fsync", power_goes=False)

    def test_the_power_goes_at_a_write(self):
        self.kill_at_each("write", power_goes=True)

    def test_the_power_goes_at_a_sync(self):
        self.kill_at_each("fsync", power_goes=True)


if __name__ == "__main__":
    unittest.main()
