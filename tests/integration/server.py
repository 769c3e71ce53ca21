"""A millrace server as a child process."""

import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time

from client import Client

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MILLRACE_BIN", str(ROOT / "build/release/millrace"))


def clean_environment(extra=None):
    """No MILLRACE_ variable of the caller's shell reaches the server."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MILLRACE_")}
    environment.update(extra or {})
    return environment


def run_serve(*options, env=None, timeout=30):
    """For starts that are expected to end: (exit code, stdout, stderr)."""
    done = subprocess.run([BINARY, "serve", *options], env=clean_environment(env), timeout=timeout,
                          capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """Started, and ready unless told otherwise. `place` is a list of options that say where it stores."""

    def __init__(self, place, *options, env=None, ready=True):
        self._log = tempfile.TemporaryFile(mode="w+")
        level = [] if "--log-level" in options else ["--log-level", "warn"]
        self._options = [*level, *place, *options]
        self._env = clean_environment(env)
        self._spawn(0 if ready else free_port())
        self.await_ready() if ready else self._await_listening()

    def start(self):
        self._spawn(0)
        self.await_ready()

    def _spawn(self, port):
        command = [BINARY, "serve", "--listen", f"127.0.0.1:{port}", *self._options]
        self._child = subprocess.Popen(command, env=self._env, stdout=subprocess.PIPE, stderr=self._log, text=True)
        self.port = port

    def _await_listening(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                self._check_alive()
        raise RuntimeError(f"it does not listen\n{self.log()}")

    def _check_alive(self):
        if self._child.poll() is not None:
            raise RuntimeError(f"it ended with {self._child.returncode}\n{self.log()}")

    def await_ready(self):
        watchdog = threading.Timer(120, self._child.kill)
        watchdog.start()
        line = self._child.stdout.readline()
        watchdog.cancel()
        if not line.startswith("ready "):
            self._child.wait(10)
            raise RuntimeError(f"not ready (exit {self._child.returncode}): {line!r}\n{self.log()}")
        self.url = line.split()[1]
        self.port = int(self.url.rsplit(":", 1)[1])

    def client(self, tenant=None, **options):
        return Client(self.port, tenant, **options)

    def wait_for_claims(self, count, key=None):
        """Until so many claims are held; /metrics tells."""
        client = self.client(key=key)
        deadline = time.monotonic() + 20
        seen = None
        while seen != count and time.monotonic() < deadline:
            for line in client.get("/metrics").body.decode().splitlines():
                if line.startswith("millrace_engine_waiting_claims "):
                    seen = float(line.split()[1])
        client.close()
        if seen != count:
            raise AssertionError(f"there are {seen} waiting claims, not {count}")

    def log(self):
        self._log.seek(0)
        return self._log.read()

    def signal(self, number):
        self._child.send_signal(number)

    def wait(self, timeout=30):
        code = self._child.wait(timeout)
        self._child.stdout.close()
        return code

    def stop(self):
        """Drains; the exit code."""
        if self._child.poll() is None:
            self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self):
        if self._child.poll() is None:
            self._child.kill()
        self.wait()
