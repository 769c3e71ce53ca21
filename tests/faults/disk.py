"""The faulty disk of powerloss.c: compiled here, handed to a server by its environment."""

import errno
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("powerloss.c")
# As slow as a good disk: most of the time something is written and not yet synced.
SYNC_US = 1000
SECTOR = 512  # bytes that a disk writes whole or not at all


@functools.cache
def shim():
    target = Path(tempfile.gettempdir()) / f"millrace-powerloss-{os.getuid()}-{SOURCE.stat().st_mtime_ns}.so"
    if not target.exists():
        made = target.with_suffix(f".{os.getpid()}")
        subprocess.run(["clang-19", "-O1", "-shared", "-fPIC", "-o", made, SOURCE, "-ldl"], check=True)
        made.rename(target)  # at once, also if two suites start together
    return str(target)


class Disk:
    """A data folder whose unsynced content can be taken away."""

    def __init__(self, scratch):
        self.folder = Path(scratch) / "data"
        self.shadow = Path(scratch) / "shadow"
        self.folder.mkdir(mode=0o700, exist_ok=True)

    def environment(self):
        """For a process whose writes are watched from its start on."""
        shutil.rmtree(self.shadow, ignore_errors=True)
        return {"LD_PRELOAD": shim(), "FAULTY_DISK_FOLDER": str(self.folder), "FAULTY_DISK_SHADOW": str(self.shadow),
                "FAULTY_DISK_SYNC_US": str(SYNC_US)}

    def failing(self, call, error, after, suffix=""):
        """The same, on which `call` ("fsync" or "write") fails after so many times."""
        return {**self.environment(), "FAULTY_DISK_FAIL": call, "FAULTY_DISK_ERRNO": str(getattr(errno, error)),
                "FAULTY_DISK_AFTER": str(after), "FAULTY_DISK_SUFFIX": suffix}

    def fatal(self, call, after):
        """The same, on which the process is killed at `call` after so many times."""
        return {**self.environment(), "FAULTY_DISK_FAIL": call, "FAULTY_DISK_ERRNO": "0", "FAULTY_DISK_AFTER": str(after)}

    def lose_power(self, chance=None):
        """After the process was killed: the folder keeps what was synced. With `chance`, files that were being
        written keep a part of what was not, as a real disk may: of appended bytes up to any one, of overwritten
        ones any of the sectors. Returns how many bytes were lost."""
        lost = 0
        for path in sorted(self.folder.rglob("*")):
            kept = self.shadow / "tree" / path.relative_to(self.folder)
            if not path.is_file():
                continue
            length = kept.stat().st_size if kept.exists() else 0
            if chance and kept.exists() and path.suffix == ".log":
                lost += self._tear_overwritten(path, kept, chance)
                if path.stat().st_size > length:
                    length += self._tear(path, kept, length, chance)
            lost += max(0, path.stat().st_size - length)
        shutil.rmtree(self.folder)
        # Copies, not links: the next run must not write into what this one kept.
        shutil.copytree(self.shadow / "tree", self.folder)
        return lost

    @staticmethod
    def _tear_overwritten(path, kept, chance):
        lost = 0
        with open(path, "rb") as source, open(kept, "r+b") as target:
            while old := target.read(SECTOR):
                new = source.read(len(old))
                if new == old:
                    continue
                if chance.randrange(2):
                    target.seek(-len(old), os.SEEK_CUR)
                    target.write(new)
                else:
                    lost += len(old)
        return lost

    @staticmethod
    def _tear(path, kept, length, chance):
        with open(path, "rb") as source, open(kept, "ab") as target:
            source.seek(length)
            rest = source.read()
            part = rest[: chance.randrange(len(rest) + 1)]
            target.write(part)
        return len(part)
