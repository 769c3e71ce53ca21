"""Real processes under test: the server, and a PostgreSQL of its own."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

from client import Client, NoAnswer

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "tests" / "postgres" / "cluster.sh"
START_SECONDS = 60  # a loaded machine; what must be faster is asserted where it is measured


def binary():
    return os.environ.get("MILLRACE_BINARY", str(ROOT / "build" / "release" / "millrace"))


# Below the ephemeral range, so that no connection takes the port of a server that is down; each given out once.
_ports = iter(range(20000 + os.getpid() * 37 % 11000, 32000))


def free_port():
    for port in _ports:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no free port")


class NotReady(Exception):
    pass


class Server:
    """`millrace serve` on one port, started, killed and started again. `store` is the options that name the store."""

    def __init__(self, scratch, store, options=(), port=None):
        self.port = port or free_port()
        self.log = Path(scratch) / f"server-{self.port}.log"
        self._command = [binary(), "serve", "--listen", f"127.0.0.1:{self.port}", "--log-level", "warn",
                         *store, *options]
        self._child = None

    @property
    def pid(self):
        return self._child.pid

    def launch(self, environment=None, extra=()):
        """Starts the process without waiting for it."""
        with open(self.log, "ab") as log:
            self._child = subprocess.Popen(
                [*self._command, *extra], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                env={**os.environ, **(environment or {})}, start_new_session=True)

    def start(self, environment=None, extra=()):
        """Starts it and waits for its `ready` line; the seconds that took."""
        began = time.monotonic()
        self.launch(environment, extra)
        self.wait_ready()
        return time.monotonic() - began

    def wait_ready(self, seconds=START_SECONDS):
        ready, _, _ = select.select([self._child.stdout], [], [], seconds)
        line = self._child.stdout.readline() if ready else b""
        if not line.startswith(b"ready"):
            self.kill()
            raise NotReady(f"no ready line but {line!r}; its log:\n{self.log_tail()}")

    def running(self):
        return self._child is not None and self._child.poll() is None

    def kill(self):
        if self._child is not None:
            self._child.kill()
            self._forget()

    def signal(self, number):
        self._child.send_signal(number)

    def stop(self):
        """SIGTERM; the exit status."""
        self._child.send_signal(signal.SIGTERM)
        return self.wait_exit()

    def wait_exit(self, seconds=60):
        """The exit status of a server that ends by itself; killed if it does not."""
        try:
            return self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self._child.kill()
            return None
        finally:
            self._forget()

    def _forget(self):
        self._child.wait()
        self._child.stdout.close()

    def client(self, timeout=30):
        return Client(self.port, timeout)

    def is_ready(self):
        """What /readyz says; None if nobody answers."""
        client = self.client(timeout=5)
        try:
            return client.get("/readyz").status == 200
        except NoAnswer:
            return None
        finally:
            client.close()

    def wait_until_ready_again(self, seconds):
        """After a fault that did not end the process: the seconds until /readyz is 200 once more."""
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            if self.is_ready():
                return time.monotonic() - began
            select.select([], [], [], 0.02)
        raise NotReady(f"not ready within {seconds} s; its log:\n{self.log_tail()}")

    def log_text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def log_tail(self):
        return self.log_text()[-4000:]


def embedded(scratch, options=(), **more):
    return Server(scratch, ["--data", str(Path(scratch) / "data")], options, **more)


class Postgres:
    """A PostgreSQL server with fsync on, in a folder of its own."""

    def __init__(self, scratch):
        self.folder = Path(scratch) / "postgres"
        self.port = free_port()
        self.url = None
        Path(scratch).chmod(0o755)  # PostgreSQL runs as a user of its own where we are root
        self.start()

    def _cluster(self, *arguments):
        # A log file, not a pipe: the server inherits it and would keep a pipe open.
        with open(self.folder.parent / "cluster.out", "w+b") as out:
            subprocess.run([CLUSTER, *map(str, arguments)], stdout=out, stderr=subprocess.STDOUT, check=True, timeout=120)
            out.seek(0)
            return out.read().decode()

    def start(self):
        self.url = self._cluster("start", self.folder, self.port).split()[-1]

    def stop(self, mode="fast"):
        self._cluster("stop", self.folder, mode)

    def sql(self, text):
        psql = sorted(Path("/usr/lib/postgresql").glob("*/bin/psql"))[-1]
        done = subprocess.run([psql, self.url, "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=60)
        return done.stdout.decode().strip()

    @contextlib.contextmanager
    def holding(self, statement):
        """Meanwhile a transaction keeps the locks of the statement. RuntimeError if it cannot get them."""
        psql = sorted(Path("/usr/lib/postgresql").glob("*/bin/psql"))[-1]
        with subprocess.Popen([psql, self.url, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            holder.stdin.write(f"BEGIN; {statement}; SELECT 'held';\n")
            holder.stdin.flush()
            while (line := holder.stdout.readline()).strip() != "held":
                if not line:
                    raise RuntimeError(f"psql ended before it held: {statement}")
            yield

    def end_backends(self):
        """Ends every connection of the server under test, whatever it is at."""
        return self.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                        "WHERE application_name LIKE 'millrace%' AND pid <> pg_backend_pid()")

    def server(self, scratch, options=(), **more):
        return Server(scratch, ["--store", self.url], options, **more)


@contextlib.contextmanager
def postgres(scratch):
    cluster = Postgres(scratch)
    try:
        yield cluster
    finally:
        with contextlib.suppress(subprocess.CalledProcessError):
            cluster.stop("immediate")


@contextlib.contextmanager
def killed_at_end(*servers):
    try:
        yield
    finally:
        for server in servers:
            if server.running():
                server.kill()
