"""Keys and tenants, through a server and without one."""

import re
import unittest

from command import OK, REFUSED, UNREACHABLE, USAGE, millrace
from server import Server
from stores import new_place

KEY = re.compile(r"^mr_[0-9a-f]+_[0-9a-f]+$")


class KeysOfAServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(new_place("embedded"), "--auth", "keys", env={"MILLRACE_ADMIN_KEY": "the-key-of-the-root"})
        cls.addClassCleanup(cls.server.kill)

    def run_as(self, key, *args):
        return millrace(*args, "--server", self.server.url, env={"MILLRACE_KEY": key})

    def create(self, tenant, scopes, *options, key="the-key-of-the-root"):
        done = self.run_as(key, "keys", "create", "--tenant", tenant, "--scopes", scopes, *options)
        self.assertEqual(done.code, OK, done.err)
        self.assertRegex(done.last_line(), KEY)
        return done.last_line()

    def test_a_new_key_opens_what_its_scopes_allow(self):
        writer = self.create("acme", "events:write,events:read", "--name", "ci", "--expires", "90d")
        self.assertEqual(self.run_as(writer, "queue", "add", "--title", "t").code, OK)
        self.assertEqual(self.run_as(writer, "queue", "list").code, OK)
        refused = self.run_as(writer, "queue", "claim", "--tags", "a")
        self.assertEqual(refused.code, REFUSED)
        self.assertIn("queue:work", refused.err)

    def test_a_revoked_key_opens_nothing(self):
        key = self.create("shut", "admin")
        done = self.run_as(key, "keys", "revoke", key)
        self.assertEqual(done.code, OK, done.err)
        refused = self.run_as(key, "queue", "stats")
        self.assertEqual(refused.code, REFUSED)
        self.assertIn("MILLRACE_KEY", refused.err)

    def test_an_admin_lists_its_own_tenant(self):
        admin = self.create("mine", "admin", "--name", "boss")
        listed = self.run_as(admin, "keys", "list")
        self.assertIn("boss", listed.out)
        self.assertNotIn(admin, listed.out)
        items = self.run_as(admin, "keys", "list", "--json").json()["items"]
        self.assertEqual([(item["tenant"], item["name"], item["scopes"]) for item in items], [("mine", "boss", ["admin"])])
        self.assertEqual(self.run_as(admin, "keys", "list", "--tenant", "other").code, REFUSED)
        self.assertEqual(self.run_as(admin, "tenants", "list").code, REFUSED)

    def test_no_key_and_a_wrong_one_are_refused(self):
        for key in ("", "mr_00_11"):
            self.assertEqual(self.run_as(key, "queue", "stats").code, REFUSED)

    def test_wrong_scopes_and_times_are_refused(self):
        self.assertEqual(self.run_as("the-key-of-the-root", "keys", "create", "--scopes", "everything").code, REFUSED)
        self.assertEqual(self.run_as("the-key-of-the-root", "keys", "create", "--scopes", "admin", "--expires", "soon").code, REFUSED)
        self.assertEqual(self.run_as("the-key-of-the-root", "keys", "create").code, USAGE)
        self.assertEqual(self.run_as("the-key-of-the-root", "keys", "revoke", "0123").code, REFUSED)

    def test_an_operator_creates_lists_and_shows_tenants(self):
        self.assertEqual(self.run_as("the-key-of-the-root", "tenants", "create", "zeta").code, OK)
        again = self.run_as("the-key-of-the-root", "tenants", "create", "zeta")
        self.assertEqual(again.code, REFUSED)
        self.assertIn("exists already", again.err)
        self.assertIn("zeta", self.run_as("the-key-of-the-root", "tenants", "list").out)
        self.assertEqual(self.run_as("the-key-of-the-root", "tenants", "show", "zeta", "--json").json()["id"], "zeta")
        self.assertEqual(self.run_as("the-key-of-the-root", "tenants", "show", "nobody").code, REFUSED)


class WithoutAServer:
    """The same on a store whose server is stopped; the server then knows what was done."""

    store = ""

    def setUp(self):
        self.place = new_place(self.store)

    def run_direct(self, *args):
        return millrace(*args, *self.place)

    def test_the_first_key_comes_before_the_first_start(self):
        created = self.run_direct("keys", "create", "--tenant", "acme", "--scopes", "admin")
        self.assertEqual(created.code, OK, created.err)
        key = created.last_line()
        self.assertRegex(key, KEY)
        server = Server(self.place, "--auth", "keys")
        self.addCleanup(server.kill)
        added = millrace("queue", "add", "--title", "t", "--server", server.url, env={"MILLRACE_KEY": key})
        self.assertEqual(added.code, OK, added.err)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.run_direct("keys", "revoke", key).code, OK)
        listed = self.run_direct("keys", "list", "--tenant", "acme", "--json").json()["items"]
        self.assertEqual(len(listed), 1)
        self.assertIsNotNone(listed[0]["revoked"])

    def test_tenants_are_there_for_the_server(self):
        self.assertEqual(self.run_direct("tenants", "create", "acme").code, OK)
        self.assertEqual(self.run_direct("tenants", "create", "acme").code, REFUSED)
        shard = self.run_direct("tenants", "show", "acme", "--json").json()["shard"]
        server = Server(self.place)
        self.addCleanup(server.kill)
        shown = millrace("tenants", "show", "acme", "--json", "--server", server.url).json()
        self.assertEqual(shown["shard"], shard)

    def test_a_running_server_keeps_its_store(self):
        server = Server(self.place)
        self.addCleanup(server.kill)
        refused = self.run_direct("keys", "create", "--scopes", "admin")
        self.assertEqual(refused.code, UNREACHABLE, refused.err)
        self.assertIn("--server", refused.err)
        self.assertEqual(refused.out, "")
        still = millrace("queue", "add", "--title", "t", "--server", server.url)
        self.assertEqual(still.code, OK, still.err)


class WithoutAServerEmbedded(WithoutAServer, unittest.TestCase):
    store = "embedded"

    def test_only_creating_makes_a_folder(self):
        self.assertEqual(self.run_direct("keys", "list").code, UNREACHABLE)
        self.assertEqual(self.run_direct("tenants", "list").code, UNREACHABLE)

    def test_places_exclude_each_other(self):
        done = self.run_direct("keys", "list", "--server", "http://127.0.0.1:1")
        self.assertEqual(done.code, USAGE)


class WithoutAServerPostgres(WithoutAServer, unittest.TestCase):
    store = "postgres"

    def test_a_database_that_is_away_is_unreachable(self):
        done = millrace("keys", "list", "--store", "postgres://postgres@127.0.0.1:1/none")
        self.assertEqual(done.code, UNREACHABLE)
        self.assertTrue(done.err.startswith("millrace: "), done.err)
