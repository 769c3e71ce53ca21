"""The power goes at any moment: only what was fsynced is left, and nothing that was acknowledged is missing."""

import random
import unittest

from disk import Disk
from fault_case import QUICK, SEED, FaultCase, scaled
from server import embedded, killed_at_end
from workload import Workload


class PowerLoss(FaultCase):
    def run_rounds(self, rounds, extra=()):
        """Rounds of work that end with the power; the server is left dead and its folder as the disk has it."""
        chance = random.Random(SEED)
        disk = Disk(self.scratch)
        server = embedded(self.scratch, QUICK)
        lost = 0
        with killed_at_end(server):
            for number in range(rounds):
                server.start(disk.environment(), extra)
                with Workload(self.journal, [server.port], SEED + number) as load:
                    more = self.journal.wait_for_more(chance.randrange(200, 2500))
                    self.assertTrue(more, f"no more answers; the server's log:\n{server.log_tail()}")
                    server.kill()
                    load.stop()
                lost += disk.lose_power(chance if number % 2 else None)
        print(f"{self.id()}: {lost} unsynced bytes were lost")
        return server

    def test_nothing_acknowledged_is_lost_or_duplicated(self):
        server = self.run_rounds(scaled(6, 60))
        with killed_at_end(server):
            server.start()
            with Workload(self.journal, [server.port], SEED + 1000, producers=0) as load:
                self.finish(load, server)

    # Table files, the manifest and removed logs are at stake here, not only the end of the log.
    def test_nothing_is_lost_while_table_files_are_written(self):
        chance = random.Random(SEED)
        disk = Disk(self.scratch)
        server = embedded(self.scratch, QUICK)
        with killed_at_end(server):
            for _ in range(scaled(2, 20)):
                server.start(disk.environment())
                self.create_large_items(server, chance.randrange(150, 350))
                server.kill()
                disk.lose_power(chance)
            server.start()
            self.verify(server.client())
            self.verify_large_payloads(server.client())

    def test_control_with_sync_switched_off_acknowledged_writes_are_lost(self):
        server = self.run_rounds(1, ["--unsafe-no-sync"])
        with killed_at_end(server):
            server.start()
            violations = self.audit(server.client())
        lost = [what for what in violations if what.startswith("lost")]
        self.assertTrue(lost, "the disk forgot nothing: this test would not notice a missing fsync")


if __name__ == "__main__":
    unittest.main()
