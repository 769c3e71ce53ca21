"""Where a server stores: a folder, or a database of one PostgreSQL server that lives as long as the run."""

import atexit
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from server import ROOT, Server, free_port

CLUSTER = ROOT / "tests/postgres/cluster.sh"
STORES = ("embedded", "postgres")

# A run that is told to end (a time-out) still takes down its servers and folders: atexit needs an exit.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

_numbers = itertools.count(1)
_shared = {}


class _Cluster:
    """Started once, when the first case needs it."""

    def __init__(self):
        self._url = None

    def url(self):
        if self._url is None:
            folder = tempfile.mkdtemp(prefix="millrace-pg-")
            # The server may run as another user, who has to get there.
            os.chmod(folder, 0o755)
            done = subprocess.run([CLUSTER, "start", folder + "/c", str(free_port())], capture_output=True, text=True)
            if done.returncode != 0:
                shutil.rmtree(folder, ignore_errors=True)
                raise unittest.SkipTest(f"PostgreSQL does not start: {done.stderr.strip()}")
            atexit.register(self._stop, folder)
            self._url = done.stdout.split()[-1]
        return self._url

    @staticmethod
    def _stop(folder):
        subprocess.run([CLUSTER, "stop", folder + "/c", "immediate"], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)

    def new_database(self):
        name = f"it{next(_numbers)}"
        subprocess.run(["psql", "-qX", self.url(), "-c", f"create database {name}"], check=True, capture_output=True)
        return self.url().rsplit("/", 1)[0] + "/" + name


_cluster = _Cluster()


def new_place(store):
    """Options that name an empty place of this kind."""
    if store == "postgres":
        return ["--store", _cluster.new_database()]
    folder = tempfile.mkdtemp(prefix="millrace-it-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return ["--data", folder + "/data"]


def new_server(store, *options, env=None):
    return Server(new_place(store), *options, env=env)


def shared_server(store):
    """One a store with default options; cases are apart by their tenants."""
    if store not in _shared:
        _shared[store] = new_server(store)
        atexit.register(_shared[store].kill)
    return _shared[store]


def new_tenant():
    return f"tenant-{next(_numbers)}"


class Case:
    """Mixed into the cases: a tenant of one's own on the shared server."""

    store = "embedded"

    def setUp(self):
        self.server = shared_server(self.store)
        self.tenant = new_tenant()
        self.api = self.another()

    def another(self, tenant=None):
        client = self.server.client(tenant or self.tenant)
        self.addCleanup(client.close)
        return client

    def own_server(self, *options, env=None):
        """A server for this case alone; its clients need no tenant of their own."""
        server = new_server(self.store, *options, env=env)
        self.addCleanup(server.kill)
        return server

    def client_of(self, server, **options):
        client = server.client(**options)
        self.addCleanup(client.close)
        return client


def on_every_store(case):
    """Makes a TestCase of the class for each store, in the class's module."""
    for store in STORES:
        name = f"{case.__name__}On{store.capitalize()}"
        made = type(name, (case, unittest.TestCase), {"store": store, "__module__": case.__module__})
        setattr(sys.modules[case.__module__], name, made)
    return case
