"""Single versions under /api/schemas, and pushes: all or nothing, whatever comes between."""

import json
import threading
import unittest

from client import Client
from registry_case import ORDER, RegistryCase, spec
from stores import on_every_store

PATH = "/api/schemas/order.created/1.0"


@on_every_store
class OneVersion(RegistryCase):
    def test_moves_forward_by_itself(self):  # S3.5
        self.make_type(specVersions=[spec(status="FINALISING"), spec("2.0")])
        changed = self.patch(PATH, {"schema": {"type": "object"}, "status": "CURRENT"}, If_Match='"1"')
        self.expect(changed, 200)
        self.assertEqual((changed.json["status"], json.loads(changed.json["schema"]), changed.headers["ETag"]),
                         ("CURRENT", {"type": "object"}, '"2"'))
        self.assertEqual(self.api.get(PATH).json, changed.json)
        self.assertEqual([v["version"] for v in self.api.get("/api/event-types/order.created").json["specVersions"]],
                         ["1.0", "2.0"])
        self.expect(self.patch(PATH, {"status": "DEPRECATED"}, If_Match='"1"'), 412)
        self.expect(self.patch(PATH, {"status": "FINALISING"}), 409, "status")
        self.expect(self.patch(PATH, {"schema": ORDER}), 409, "schema")
        self.expect(self.publish(schemaVersion="1.0", data={}), 201)

    def test_what_is_wrong_is_named(self):  # S3.5
        self.make_type(specVersions=[spec(status="FINALISING")])
        for body, field in (({"status": "OLD"}, "status"), ({"schema": {"type": 7}}, "schema"),
                            ({"version": "1.1"}, "version"), ({"sattus": "CURRENT"}, "sattus")):
            self.expect(self.patch(PATH, body), 422, field)
        self.expect(self.patch("/api/schemas/order.created/9.0", {"status": "CURRENT"}), 404)
        self.expect(self.patch("/api/schemas/order.lost/1.0", {"status": "CURRENT"}), 404)
        self.assertEqual(self.api.get("/api/event-types/order.created").json["version"], 1)

    def test_is_removed_while_it_is_being_finalised(self):  # S3.5
        self.make_type(specVersions=[spec(), spec("1.1", status="FINALISING")])
        path = "/api/schemas/order.created/1.1"
        self.expect(self.delete(path, If_Match='"7"'), 412)
        self.assertEqual(self.delete(path).status, 204)
        self.expect(self.delete(path), 404)
        self.expect(self.delete(PATH), 409, "version")
        self.assertEqual([s["version"] for s in self.api.get("/api/schemas").json["items"]], ["1.0"])


@on_every_store
class Pushes(RegistryCase):
    FILES = [{"type": f"order.done{number:03}", "version": 1, "schema": {"type": "object"}} for number in range(300)]

    def test_take_no_version(self):
        for header in ("If-Match", "If-None-Match"):
            self.expect(self.api.post("/api/schemas", self.FILES[:1], headers={header: "*"}), 400, header)
        self.assertEqual(self.api.get("/api/schemas").json["items"], [])

    def test_are_written_at_once_and_audited_one_by_one(self):  # S2.4, S2.12
        done = self.api.post("/api/schemas", self.FILES[:20])
        self.expect(done, 200)
        self.assertEqual(done.json["created"], 20)
        types = [f"order.done{number:03}" for number in range(20)]
        self.assertEqual(self.written(self.api), types)
        entries = self.api.get("/api/audit?entityType=millrace.event-type&limit=100").json["items"]
        self.assertEqual(sorted((entry["action"], entry["entityId"]) for entry in entries),
                         [("millrace.event-type.created", code) for code in types])

    def test_a_default_may_become_required(self):  # S2.4, S2.5
        def pushed(fields, *required):
            data = {"type": "object", "properties": fields, "required": list(required)}
            return {"type": "order.created", "version": 1, "schema": {"type": "object", "properties": {"data": data}}}

        plain, defaulted = {"a": {"type": "string"}}, {"a": {"type": "string"}, "b": {"type": "string", "default": "x"}}
        self.expect(self.api.post("/api/schemas", [pushed(plain)]), 200)
        self.expect(self.publish(data={"a": "1"}), 201)
        self.expect(self.api.post("/api/schemas", [pushed(defaulted, "b")]), 200)
        self.expect(self.publish(data={"a": "1"}), 201)
        self.expect(self.publish(data={"a": "1", "b": 2}), 422)
        question = {"type": "order.created", "new": pushed(defaulted, "b")["schema"], "dryRun": {}}
        tried = self.api.post("/api/schemas/check", question)
        self.assertEqual((tried.json["compatible"], tried.json["dryRun"]["refused"]), (True, 0), tried.json)
        self.expect(self.api.post("/api/schemas/check", {**question, "dryRun": {"form": "x"}}), 422, "dryRun.form")
        bare = {**defaulted, "b": {"type": "string"}}
        self.expect(self.api.post("/api/schemas", [pushed(bare, "b")]), 409, "[0]")

    def test_one_that_is_refused_keeps_all_out(self):  # S2.4, S2.5
        self.expect(self.api.post("/api/schemas", self.FILES[:1]), 200)
        breaking = {**self.FILES[0], "schema": {"type": "array"}}
        self.expect(self.api.post("/api/schemas", [*self.FILES[1:20], breaking]), 409, "[19]")
        self.assertEqual(self.written(self.api), ["order.done000"])

    def test_a_version_that_is_stale_keeps_all_out_and_is_named(self):  # S2.4
        self.expect(self.api.post("/api/schemas", self.FILES[:2]), 200)
        grown = [{**file, "version": "1.1"} for file in self.FILES[:3]]
        stale = [{**grown[0], "ifMatch": 1}, {**grown[1], "ifMatch": 7}, {**grown[2], "ifMatch": 2}]
        refused = self.api.post("/api/schemas", stale)
        self.expect(refused, 412, "[1]")
        self.assertEqual([(error["field"], error["message"]) for error in refused.json["errors"]],
                         [("[1]", 'event type "order.done001" is at version 1'),
                          ("[2]", 'event type "order.done002" does not exist')])
        self.assertEqual([self.version_of(code) for code in self.written(self.api)], [1, 1])
        fresh = [{**grown[0], "ifMatch": 1}, {**grown[1], "ifMatch": 1}, {**grown[2], "ifMatch": 0}]
        self.expect(self.api.post("/api/schemas", fresh), 200)
        self.assertEqual([self.version_of(code) for code in self.written(self.api)], [2, 2, 1])
        self.expect(self.api.post("/api/schemas", fresh), 412, "[0]")

    def test_that_a_dying_server_had_are_there_whole_or_not_at_all(self):  # S2.4
        for polls in (0, 1, 4, 16):
            server = self.own_server()
            pushing = threading.Thread(target=self.push_to_the_end, args=(server.port,))
            watching = self.client_of(server)
            pushing.start()
            for _ in range(polls):
                self.assertIn(len(self.written(watching)), (0, 300))
            server.kill()
            pushing.join()
            server.start()
            api = self.client_of(server)
            survived = len(self.written(api))
            self.assertIn(survived, (0, 300))
            again = api.post("/api/schemas", self.FILES)
            self.assertEqual((again.status, again.json["unchanged"], again.json["created"]),
                             (200, survived, 300 - survived), again.body)
            server.kill()

    @staticmethod
    def at_once(push):
        """Four authors, each with a thread of its own."""
        authors = [threading.Thread(target=push, args=(author,)) for author in range(4)]
        for author in authors:
            author.start()
        for author in authors:
            author.join()

    def test_of_several_authors_at_once_are_all_in_the_end(self):  # S2.4
        def push(author):
            client = self.another()
            own = [{**file, "version": f"1.{author}"} for file in self.FILES[:10]]
            answers[author] = client.post("/api/schemas", own)

        answers = {}
        self.at_once(push)
        # Only a crowd is told to come back; whoever was told so wrote nothing.
        done = sorted(author for author, answer in answers.items() if answer.status == 200)
        self.assertTrue(done)
        self.assertLessEqual({answer.status for answer in answers.values()}, {200, 412})
        for code in self.written(self.api):
            document = self.api.get(f"/api/event-types/{code}").json
            self.assertEqual([spec["version"] for spec in document["specVersions"]], [f"1.{author}" for author in done])
            self.assertEqual(document["version"], len(done))

    def test_of_the_same_by_several_authors_make_it_once(self):  # S2.4
        def push(author):
            answers[author] = self.another().post("/api/schemas", self.FILES[:50])

        answers = {}
        self.at_once(push)
        self.assertEqual({answer.status for answer in answers.values()}, {200})
        self.assertEqual(sorted((a.json["created"], a.json["unchanged"]) for a in answers.values()),
                         [(0, 50), (0, 50), (0, 50), (50, 0)])
        self.assertEqual(self.version_of("order.done000"), 1)

    def version_of(self, code):
        return self.api.get(f"/api/event-types/{code}").json["version"]

    @staticmethod
    def written(client):
        page = client.get("/api/event-types?limit=1000").json
        return [item["code"] for item in page["items"]]

    def push_to_the_end(self, port):
        client = Client(port, None)
        try:
            client.post("/api/schemas", self.FILES)
        except OSError:
            pass  # the server is gone, as it should be
        except Exception as error:  # http.client has errors of its own for a connection that ends
            self.assertEqual(type(error).__module__, "http.client")
        finally:
            client.close()


if __name__ == "__main__":
    unittest.main()
