"""A disk that fails: the server acknowledges nothing more, says why, and exits; nothing acknowledged is missing."""

import random
import time
import unittest

from disk import Disk
from fault_case import QUICK, SEED, FaultCase, scaled
from server import embedded, killed_at_end
from workload import Workload

EXIT_BROKEN = 74
EXIT_SECONDS = 20
LARGE_ITEMS_MAX = 400  # about 120 MB: more than the store keeps in memory


class DiskErrors(FaultCase):
    def run_until_broken(self, seed, call, error, after, says):
        """Works until the injected failure ends the server, loses what was not synced, and audits."""
        disk = Disk(self.scratch)
        server = embedded(self.scratch, QUICK)
        with killed_at_end(server):
            server.start(disk.failing(call, error, after, ".log"))
            with Workload(self.journal, [server.port], seed) as load:
                self.assertEqual(EXIT_BROKEN, server.wait_exit(EXIT_SECONDS), server.log_tail())
                load.stop()
            self.assertGreater(self.journal.acknowledged, 0, "it failed before it had promised anything")
            self.assertTrue(says in server.log_text(), server.log_tail())
            disk.lose_power()
            server.start()
            with Workload(self.journal, [server.port], seed + 1000, producers=0) as load:
                self.finish(load, server)

    def test_eio_on_the_fsync_of_the_log(self):
        chance = random.Random(SEED)
        for number in range(scaled(1, 10)):
            self.run_until_broken(SEED + number, "fsync", "EIO", chance.randrange(20, 400), "Input/output error")

    def test_no_space_while_writing_the_log(self):
        chance = random.Random(SEED)
        for number in range(scaled(1, 10)):
            self.run_until_broken(SEED + number, "write", "ENOSPC", chance.randrange(20, 400), "No space left on device")

    # The store moves what it holds in memory to table files in the background, once there is enough of it.
    def test_eio_on_the_fsync_of_a_table_file(self):
        disk = Disk(self.scratch)
        server = embedded(self.scratch, QUICK)
        with killed_at_end(server):
            # The first two table files are made with the folder.
            server.start(disk.failing("fsync", "EIO", 2, ".sst"))
            self.create_large_items(server, LARGE_ITEMS_MAX)
            self.assertEqual(EXIT_BROKEN, server.wait_exit(EXIT_SECONDS), server.log_tail())
            self.assertTrue("Input/output error" in server.log_text(), server.log_tail())
            disk.lose_power()
            server.start()
            self.verify(server.client())

    # A flush fails after the write that made it due was answered, and nobody writes again.
    def test_a_failure_in_the_background_is_said_without_another_write(self):
        disk = Disk(self.scratch)
        server = embedded(self.scratch, QUICK)
        with killed_at_end(server):
            server.start(disk.failing("fsync", "EIO", 2, ".sst"))
            why = self.write_until_not_ready(server)
            self.assertIn("background work failed", why)
            self.assertIn("Input/output error", why)
            self.assertEqual(EXIT_BROKEN, server.wait_exit(EXIT_SECONDS), server.log_tail())
            disk.lose_power()
            server.start()
            self.verify(server.client())

    def write_until_not_ready(self, server):
        """What /readyz gives as the reason, asked a while after each write."""
        client = server.client(timeout=10)
        for _ in range(40):
            titles = [f"large-{len(self.journal.sent)}-{number}" for number in range(40)]
            for title in titles:
                self.journal.note_sent(title)
            made = client.post("/events", [{"title": title, "tags": "large", "payload": "x" * 250_000} for title in titles])
            self.assertEqual(201, made.status, made.body)
            for title, item in zip(titles, made.body):
                self.journal.note_created(title, item["id"])
            until = time.monotonic() + 1
            while time.monotonic() < until:
                ready = client.get("/readyz")
                if ready.status == 503:
                    return ready.body["why"]
        self.fail("it stays ready")


if __name__ == "__main__":
    unittest.main()
