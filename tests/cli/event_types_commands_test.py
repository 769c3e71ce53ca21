"""Event types from the shell: registered, in force, judged before they are, deleted."""

import json

from command import OK, REFUSED, USAGE, CommandCase


def type_with(*versions, **more):
    return json.dumps({"specVersions": list(versions), **more})


def version(name, *required, status="CURRENT", **more):
    return {"version": name, "status": status, "schema": {"type": "object", "required": list(required)}, **more}


class EventTypes(CommandCase):
    def put(self, document, *options, code="order.made"):
        return self.run_command("event-types", "put", code, "--file", "-", *options, stdin=document)

    def publish(self, data, event_id):
        return self.run_command("publish", "--type", "order.made", "--source", "s", "--event-id", event_id, "--time",
                                f"2026-01-0{event_id[-1]}T00:00:00Z", "--data", json.dumps(data)).code

    def test_is_in_force_until_it_is_deleted(self):  # S3.5
        self.assertEqual(self.put(type_with(version("1.0", "n"), name="Order made"), "--if-match", 0).out,
                         "event type order.made is created, version 1\n")
        self.assertEqual((self.publish({}, "e1"), self.publish({"n": 1}, "e2")), (REFUSED, OK))
        self.assertRegex(self.succeed("event-types", "list").out, r"order\.made +CURRENT +no +1 .*1\.0 CURRENT")
        shown = self.succeed("event-types", "show", "order.made").out
        self.assertRegex(shown, r"name +Order made\n")
        self.assertIn('schema 1.0\n  {\n    "type": "object",\n', shown)
        again = self.succeed("event-types", "show", "order.made", "--json").out
        self.assertEqual(self.put(again, "--if-match", 1).code, OK)
        self.assertEqual(self.succeed("event-types", "list", "--status", "ARCHIVE", "--json").json(), {"items": []})
        self.succeed("event-types", "delete", "order.made", "--if-match", 2)
        self.assertEqual(self.publish({}, "e3"), OK)

    def test_a_dry_run_looks_at_stored_events(self):  # S2.5
        self.assertEqual((self.publish({}, "e1"), self.publish({"n": 1}, "e2")), (OK, OK))
        document = type_with(version("1.0", "n"))
        tried = self.put(document, "--dry-run")
        self.assertRegex(tried.out, r"(?m)^e1 .*/data.*\n1 of 2 stored events would be refused by schema 1\.0\n")
        self.assertIn("event type order.made would be created\n", tried.out)
        self.refuse(REFUSED, "event-types", "show", "order.made", says="there is no event type")
        later = self.put(document, "--dry-run", "--from", "2026-01-02T00:00:00Z", "--json").json()
        self.assertEqual((later["version"], later["events"]["refused"], later["events"]["scanned"]), (None, 0, 1))

    def test_a_dry_run_judges_as_the_server_does(self):  # S3.5 S2.5
        self.assertEqual(self.put(type_with(version("1.0", "n"))).code, OK)
        for wrong in (type_with(version("1.0", "n", "m")), type_with(version("1.0", "n"), version("1.1", "n", "m")),
                      type_with(version("1.0", "n", status="FINALISING")), type_with(), "[]", '{"strct": true}',
                      type_with(version("1.0", schemaType="XSD")), type_with(version("1")), '{"code": "other.made"}'):
            refused = self.put(wrong)
            self.assertEqual((refused.code, refused.out), (REFUSED, ""), wrong)
            self.assertEqual(self.put(wrong, "--dry-run"), refused)
        breaking = type_with(version("1.0", "n"), version("2.0", "n", "m"))
        self.assertIn("would be replaced, it is at version 1", self.put(breaking, "--dry-run").out)
        self.assertEqual(self.put(breaking).code, OK)

    def test_a_dry_run_knows_how_long_a_body_may_be(self):  # S3.5
        too_long = type_with(*(version(f"{n}.0", "x" * 500_000) for n in (1, 2, 3)))
        refused = self.put(too_long)
        self.assertEqual((refused.code, refused.out), (REFUSED, ""))
        self.assertIn("at most 1048576 are taken here", refused.err)
        self.assertEqual(self.put(too_long, "--dry-run"), refused)
        # Quotes take two bytes each where the schema is asked about: the question is longer than the put.
        long = type_with({**version("1.0"), "schema": {"enum": [[""] * 150_000]}})
        self.assertIn("event type order.made would be created\n", self.put(long, "--dry-run").out)
        self.assertEqual(self.put(long).code, OK)

    def test_a_dry_run_takes_every_language_of_schemas(self):  # S3.6
        self.assertEqual((self.publish({"n": "text"}, "e1"), self.publish({"n": 1}, "e2")), (OK, OK))
        proto = {"version": "1.0", "status": "CURRENT", "schemaType": "PROTO",
                 "schema": 'syntax = "proto3"; message A { int32 n = 1; } message B { string n = 1; }'}
        for message in ("A", "B"):
            document = type_with({**proto, "message": message})
            trial = self.put(document, "--dry-run", "--json").json()["events"]
            self.assertEqual((trial["refused"], trial["sample"][0]["eventId"]), (1, {"A": "e1", "B": "e2"}[message]))
        whole = type_with(version("1.0", "correlation_id", describes="envelope"))
        self.assertEqual(self.put(whole, "--dry-run", "--json").json()["schemaVersion"], "1.0")

    def test_what_is_wrong_is_said(self):
        self.refuse(USAGE, "event-types", "put", "a.done", "--file", "/none", says="/none cannot be read")
        self.refuse(USAGE, "event-types", "put", "a.done", "--file", "-", stdin="{", says="is no JSON")
        self.refuse(REFUSED, "event-types", "put", "nope", "--file", "-", stdin="{}", says="neither")
        self.refuse(REFUSED, "event-types", "put", "nope", "--file", "-", "--dry-run", stdin="{}", says="neither")
        self.refuse(REFUSED, "event-types", "put", "a.done", "--file", "-", "--if-match", 4, stdin="{}", says="does not exist")
        for command in ("show", "delete"):
            self.refuse(REFUSED, "event-types", command, "a.done", says='there is no event type "a.done"')
        self.refuse(USAGE, "event-types", "list", "--status", "gone", says="--status")
