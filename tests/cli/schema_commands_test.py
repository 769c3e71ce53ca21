"""Schemas from the shell and from a folder of the server's: checked, documented, registered, in force."""

import json
import pathlib
import subprocess
import tempfile
import time

from command import OK, REFUSED, USAGE, CommandCase, millrace
from server import Server
from stores import new_place

ENVELOPE = ["event_id", "event_type", "schema_version", "occurred_at", "aggregate_id", "aggregate_type",
            "organization_id", "correlation_id", "actor", "data"]


def schema(properties, required=()):
    return json.dumps({
        "description": "A member was invited.", "type": "object", "required": ENVELOPE,
        "properties": {"data": {"type": "object", "properties": properties, "required": list(required)}},
    })


EMAIL = schema({"email": {"type": "string"}}, ["email"])
EMAIL_AND_NAME = schema({"email": {"type": "string"}, "name": {"type": "string"}}, ["email"])
NOTHING = schema({})


def invitation(data, tenant, number):
    return json.dumps({
        "event_id": f"00000000-0000-4000-8000-{number:012}", "event_type": "member.invited", "schema_version": 1,
        "occurred_at": "2026-01-02T23:00:00Z", "aggregate_id": "1", "aggregate_type": "member",
        "organization_id": tenant, "correlation_id": "c", "actor": {"type": "user", "id": "4"}, "data": data})


class SchemaCase(CommandCase):
    def setUp(self):
        super().setUp()
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.folder = self.scratch / "schemas"

    def put(self, name, text, folder=None):
        folder = folder or self.folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


class Offline(SchemaCase):
    def git(self, *args):
        subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *args], cwd=self.scratch,
                       check=True, capture_output=True)

    def check(self, *options):
        return millrace("schema", "check", *options)

    def test_check_compares_folders(self):  # S2.5
        self.put("member.invited.v1.json", EMAIL_AND_NAME, self.scratch / "old")
        self.put("member.invited.v1.json", EMAIL, self.scratch / "new")
        places = ("--old", self.scratch / "old", "--new", self.scratch / "new")
        broken = self.check(*places)
        self.assertEqual(broken.code, REFUSED)
        self.assertRegex(broken.out, r"BREAKING +member\.invited\.v1\.json .*name")
        self.assertFalse(self.check(*places, "--json").json()["compatible"])
        turned = self.check("--old", self.scratch / "new", "--new", self.scratch / "old")
        self.assertEqual((turned.code, turned.err), (OK, "1 change, 0 breaking\n"))

    def test_check_takes_the_old_state_from_git(self):  # S2.5
        self.put("member.invited.v1.json", EMAIL_AND_NAME)
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-qm", "first")
        self.put("member.invited.v1.json", EMAIL)
        self.put("member.left.v1.json", EMAIL)
        run = lambda place: subprocess.run(  # noqa: E731
            [*self.command(), "schema", "check", "--old", place, "--new", "schemas"], cwd=self.scratch,
            capture_output=True, text=True)
        self.assertEqual(run("HEAD:schemas").returncode, REFUSED)
        self.assertIn("BREAKING", run("HEAD:schemas").stdout)
        unknown = run("nothing:schemas")
        self.assertEqual(unknown.returncode, USAGE)
        self.assertIn("nothing:schemas cannot be read", unknown.stderr)
        self.git("commit", "-qam", "second")
        self.assertEqual(run("HEAD:schemas").returncode, OK)

    @staticmethod
    def command():
        from server import BINARY
        return [str(pathlib.Path(BINARY).resolve())]

    def test_lint_finds_bad_names(self):  # S2.3
        for name in ("member.invited", "create_member", "Member.Invited", "db.write", "member.changed"):
            self.put(f"{name}.v1.json", EMAIL)
        found = millrace("lint", "events", self.folder, "--json")
        self.assertEqual(found.code, REFUSED)
        self.assertEqual({finding["file"] for finding in found.json()["findings"]},
                         {f"{name}.v1.json" for name in ("create_member", "Member.Invited", "db.write", "member.changed")})
        self.assertIn("BETTER", millrace("lint", "events", self.folder).out)

    def test_docs_writes_a_page_a_type(self):  # S2.6
        self.put("member.invited.v1.json", EMAIL)
        self.put("member.invited.v2.json", NOTHING)
        out = self.scratch / "docs"
        self.assertEqual(millrace("schema", "docs", "--schemas", self.folder, "--out", out).out,
                         "1 written, 0 unchanged\n")
        page = (out / "member.invited.md").read_text()
        for part in ("A member was invited.", "email"):
            self.assertIn(part, page)


class Registered(SchemaCase):
    def publish(self, data, number):
        return self.run_command("publish", "-", stdin=invitation(data, self.tenant, number)).code

    def test_push_brings_schemas_into_force(self):  # S2.4
        self.put("member.invited.v1.json", EMAIL)
        planned = self.succeed("schema", "push", self.folder, "--dry-run")
        self.assertIn("created", planned.out)
        self.assertEqual(self.publish({}, 1), OK)
        self.succeed("schema", "push", self.folder)
        self.assertEqual((self.publish({}, 2), self.publish({"email": "a@example.com"}, 3)), (REFUSED, OK))
        again = self.succeed("schema", "push", self.folder, "--json").json()
        self.assertEqual([item["result"] for item in again["items"]], ["unchanged"])

    def test_push_refuses_what_breaks(self):  # S2.4, S2.5
        self.put("member.invited.v1.json", EMAIL_AND_NAME)
        self.succeed("schema", "push", self.folder)
        self.put("member.invited.v1.json", EMAIL)
        self.put("member.left.v1.json", "{")
        refused = self.run_command("schema", "push", self.folder)
        self.assertEqual((refused.code, refused.out), (REFUSED, ""))
        for name in ("member.invited.v1.json", "member.left.v1.json"):
            self.assertIn(name, refused.err)


    def test_push_registers_all_of_a_folder_or_nothing(self):  # S2.4
        self.put("member.invited.v1.json", EMAIL)
        self.put("member.left.v1.json", "{")
        refused = self.run_command("schema", "push", self.folder)
        self.assertEqual((refused.code, refused.out), (REFUSED, ""))
        self.assertIn("nothing was registered", refused.err)
        self.assertEqual(self.publish({}, 1), OK)
        self.put("member.left.v1.json", "{}")
        pushed = self.succeed("schema", "push", self.folder, "--json").json()
        self.assertEqual([item["result"] for item in pushed["items"]], ["created", "created"])
        self.assertEqual(self.publish({}, 2), REFUSED)


class FolderOfTheServer(SchemaCase):
    """`serve --schemas DIR`."""

    def serve(self):
        server = Server(new_place("embedded"), "--schemas", str(self.folder))
        self.addCleanup(server.stop)
        return server

    def publish(self, server, data, number):
        return millrace("publish", "-", "--server", server.url, stdin=invitation(data, "default", number)).code

    def test_is_in_force_when_the_server_is_ready(self):  # S2.4
        self.put("member.invited.v1.json", EMAIL)
        self.put("member.left.v1.json", "{")
        server = self.serve()
        self.assertEqual((self.publish(server, {}, 1), self.publish(server, {"email": "a"}, 2)), (REFUSED, OK))
        self.assertIn("member.left.v1.json", server.log())

    def test_is_loaded_again_when_it_changes(self):  # S2.4
        self.folder.mkdir()
        server = self.serve()
        self.assertEqual(self.publish(server, {}, 1), OK)
        self.put("member.invited.v1.json", EMAIL)
        deadline = time.monotonic() + 20
        number = 2
        while self.publish(server, {}, number) == OK and time.monotonic() < deadline:
            number += 1
        self.assertEqual(self.publish(server, {}, number + 1), REFUSED)
