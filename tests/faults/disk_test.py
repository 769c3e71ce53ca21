"""The faulty disk itself: it forgets what was not synced, keeps what was, and fails when told to."""

import subprocess
import sys
import unittest

from disk import Disk
from fault_case import FaultCase

# The names in it are the folder's; `sync(NAME)` syncs a file or, with ".", the folder.
PRELUDE = """
import os, sys
os.chdir(sys.argv[1])
def put(name, text, flags=os.O_CREAT | os.O_APPEND):
    fd = os.open(name, os.O_WRONLY | flags, 0o600)
    os.write(fd, text.encode())
    os.close(fd)
def sync(name):
    fd = os.open(name, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)
"""


class FaultyDisk(FaultCase):
    def setUp(self):
        super().setUp()
        self.disk = Disk(self.scratch)

    def run_script(self, text, environment=None):
        return subprocess.run([sys.executable, "-c", PRELUDE + text, self.disk.folder], check=False,
                              env={**(environment or self.disk.environment()), "PATH": "/usr/bin:/bin"}).returncode

    def after_power_loss(self, text):
        self.assertEqual(0, self.run_script(text))
        self.disk.lose_power()
        return {path.name: path.read_text() for path in self.disk.folder.iterdir()}

    def test_what_was_synced_stays_and_the_rest_goes(self):
        self.assertEqual({"a": "one"}, self.after_power_loss("put('a', 'one'); sync('a'); sync('.'); put('a', 'two')"))

    def test_a_file_that_was_never_synced_is_empty_if_its_folder_was(self):
        self.assertEqual({"a": ""}, self.after_power_loss("put('a', 'one'); sync('.')"))

    def test_a_name_is_lost_with_a_folder_that_was_never_synced(self):
        self.assertEqual({}, self.after_power_loss("put('a', 'one'); sync('a')"))

    def test_a_rename_is_undone_until_the_folder_is_synced(self):
        script = "put('a', 'one'); sync('a'); sync('.'); os.rename('a', 'b')"
        self.assertEqual({"a": "one"}, self.after_power_loss(script))
        self.assertEqual({"b": "one"}, self.after_power_loss("os.rename('a', 'b'); sync('.')"))

    def test_an_unlink_is_undone_until_the_folder_is_synced(self):
        script = "put('a', 'one'); sync('a'); sync('.'); os.unlink('a')"
        self.assertEqual({"a": "one"}, self.after_power_loss(script))
        self.assertEqual({}, self.after_power_loss("os.unlink('a'); sync('.')"))

    def test_a_new_file_in_the_place_of_an_old_one_does_not_inherit_its_content(self):
        script = "put('a', 'old'); sync('a'); sync('.'); os.unlink('a'); put('a', 'new'); sync('.')"
        self.assertEqual({"a": ""}, self.after_power_loss(script))

    def test_truncation_counts_when_synced(self):
        script = "put('a', 'long text'); sync('a'); sync('.'); put('a', 'x', os.O_TRUNC)"
        self.assertEqual({"a": "long text"}, self.after_power_loss(script))
        self.assertEqual({"a": "x"}, self.after_power_loss("put('a', 'x', os.O_TRUNC); sync('a')"))

    def test_what_was_there_at_the_start_is_on_the_disk(self):
        (self.disk.folder / "a").write_text("before")
        self.assertEqual({"a": "before"}, self.after_power_loss("pass"))

    def test_a_file_closed_before_it_is_synced_by_another_descriptor_is_kept(self):
        script = "put('a', 'one'); put('a', 'two'); sync('a'); sync('.')"
        self.assertEqual({"a": "onetwo"}, self.after_power_loss(script))

    def test_fsync_fails_from_the_nth_on_and_keeps_nothing(self):
        script = ("put('a.log', 'one'); sync('a.log'); sync('.'); put('a.log', 'two')\n"
                  "for _ in range(2):\n"
                  "    try:\n        sync('a.log'); sys.exit(1)\n"
                  "    except OSError as error:\n        assert error.errno == 5")
        self.assertEqual(0, self.run_script(script, self.disk.failing("fsync", "EIO", 1, ".log")))
        self.disk.lose_power()
        self.assertEqual("one", (self.disk.folder / "a.log").read_text())

    def test_a_write_that_is_a_sync_keeps_what_was_written(self):
        script = "os.pwritev(os.open('a', os.O_WRONLY), [b'TWO'], 0, {})"
        (self.disk.folder / "a").write_text("one")
        self.assertEqual({"a": "one"}, self.after_power_loss(script.format("0")))
        self.assertEqual({"a": "TWO"}, self.after_power_loss(script.format("os.RWF_DSYNC")))

    def test_a_write_that_is_a_sync_fails_as_either(self):
        script = ("put('a.log', 'one'); sync('a.log'); sync('.')\n"
                  "fd = os.open('a.log', os.O_WRONLY)\n"
                  "try:\n    os.pwritev(fd, [b'TWO'], 0, os.RWF_DSYNC); sys.exit(1)\n"
                  "except OSError as error:\n    assert error.errno == 5")
        for call, left in (("write", "one"), ("fsync", "TWO")):
            (self.disk.folder / "a.log").unlink(missing_ok=True)
            self.assertEqual(0, self.run_script(script, self.disk.failing(call, "EIO", 1, ".log")))
            self.assertEqual(left, (self.disk.folder / "a.log").read_text())
            self.disk.lose_power()
            self.assertEqual("one", (self.disk.folder / "a.log").read_text())

    def test_writes_fail_when_told_to(self):
        script = ("put('a', 'one')\n"
                  "try:\n    put('a', 'two'); sys.exit(1)\n"
                  "except OSError as error:\n    assert error.errno == 28")
        self.assertEqual(0, self.run_script(script, self.disk.failing("write", "ENOSPC", 1)))


if __name__ == "__main__":
    unittest.main()
