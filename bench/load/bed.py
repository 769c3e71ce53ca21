"""A server on either store with the load generator beside it, for the scripts in bench/."""

import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("MILLRACE_BUILD", ROOT / "build" / "release"))
# The fault tests start the same processes.
sys.path.insert(0, str(ROOT / "tests" / "faults"))

from server import Postgres, Server, embedded  # noqa: E402  (its folder is on the path only now)

STORES = ("embedded", "postgres")


class Bed:
    """One server with an empty store. Numbers come from `load`; a run with an error in it raises."""

    def __init__(self, store, options=()):
        os.environ.setdefault("MILLRACE_BINARY", str(BUILD / "millrace"))
        self.store = store
        self.scratch = Path(tempfile.mkdtemp(prefix="millrace-bench-"))
        self._cluster = Postgres(self.scratch) if store == "postgres" else None
        self._databases = set()
        self._options = options
        self.server = self._make_server()
        self.server.start()

    def _make_server(self) -> Server:
        if self._cluster:
            return self._cluster.server(self.scratch, self._options)
        return embedded(self.scratch, self._options)

    def close(self):
        if self.server.running():
            self.server.kill()
        if self._cluster:
            with contextlib.suppress(subprocess.CalledProcessError):
                self._cluster.stop("immediate")
        shutil.rmtree(self.scratch, ignore_errors=True)

    def load(self, scenario, **options):
        """One run of millrace_load; its report."""
        command = [BUILD / "bench" / "load" / "millrace_load", "--port", self.server.port, "--scenario", scenario]
        for name, value in options.items():
            command += [f"--{name}", value]
        used = self.processor_seconds()
        report = json.loads(_output(command))
        report["server_us"] = (self.processor_seconds() - used) * 1e6
        if report["errors"]:
            raise RuntimeError(f"{scenario}: {report['errors']} errors, the first: {report['first_error']}")
        return report

    def bare(self, seconds, group):
        """Items a second of the store alone."""
        program = BUILD / "bench" / "queue" / "bare_store"
        where = self._own_place(f"bare_{group}")
        return json.loads(_output([program, *where, "--seconds", seconds, "--group", group]))["items_per_s"]

    def bare_log(self, count, group):
        """Events a second of the store alone."""
        program = BUILD / "bench" / "intake" / "bare_log"
        where = self._own_place(f"bare_log_{group}")
        return json.loads(_output([program, *where, "--count", count, "--group", group]))["events_per_s"]

    def _own_place(self, name):
        """The embedded store in a folder of its own, PostgreSQL in a database of its own on the same cluster; as the
        last one of this name left it."""
        if not self._cluster:
            return ["--data", self.scratch / name]
        if name not in self._databases:
            self._cluster.sql(f"CREATE DATABASE {name}")
            self._databases.add(name)
        return ["--postgres", self._cluster.url.rsplit("/", 1)[0] + f"/{name}"]

    def processor_seconds(self):
        """Of the server's process, all threads; PostgreSQL's own are not in it."""
        with open(f"/proc/{self.server.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(") ", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def settle(self, seconds=120):
        """Waits until the server rests and the system has written what it holds for the disk: what is tidied up after a
        large fill is not what is measured next."""
        for _ in range(seconds):
            used = self.processor_seconds()
            time.sleep(1)
            if self.processor_seconds() - used < 0.05 and _unwritten_bytes() < 64 << 20:
                return

    def resident_bytes(self):
        """Memory of the server's own: neither its program nor files it maps."""
        with open(f"/proc/{self.server.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) * 1024
        raise RuntimeError("no RssAnon in /proc/PID/status")

    def restart(self, kill, options=None):
        """Seconds from the start of the process until it is ready; with other options of `serve`, if given."""
        if kill:
            self.server.kill()
        else:
            self.server.stop()
        if options is not None:
            self._options = options
            self.server = self._make_server()
        return self.server.start()


def _unwritten_bytes():
    """Of all files on the machine, in the page cache."""
    with open("/proc/meminfo", encoding="ascii") as memory:
        sizes = dict(line.split(":") for line in memory)
    return sum(int(sizes[name].split()[0]) * 1024 for name in ("Dirty", "Writeback"))


def _output(command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}")
    return done.stdout


@contextlib.contextmanager
def bed(store, options=()):
    one = Bed(store, options)
    try:
        yield one
    finally:
        one.close()


def median(values):
    return statistics.median(values)
