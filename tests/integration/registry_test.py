"""Event types, schemas, allowlists and naming: what a tenant says about its events, over HTTP."""

import json
import threading
import unittest
from urllib.parse import quote

from registry_case import ORDER, RegistryCase, spec
from stores import on_every_store


@on_every_store
class EventTypes(RegistryCase):
    def test_a_type_is_made_shown_changed_and_removed(self):  # S3.5
        code = "ecommerce:orders:order:created"
        answer = self.api.post("/api/event-types", {"code": code, "name": "Order", "specVersions": [spec()]})
        self.expect(answer, 201)
        made = answer.json
        self.assertEqual((made["id"], made["code"], made["status"], made["version"]), (code, code, "CURRENT", 1))
        self.assertEqual(answer.headers["ETag"], '"1"')
        path = f"/api/event-types/{quote(code, safe='')}"
        self.assertEqual(self.api.get(answer.headers["Location"]).json, made)
        self.assertEqual(self.api.get(path).json, made)
        self.assertEqual(self.api.get(path, headers={"If-None-Match": '"1"'}).status, 304)
        changed = self.patch(path, {"status": "ARCHIVE"})
        self.expect(changed, 200)
        self.assertEqual((changed.json["version"], changed.json["name"]), (2, "Order"))
        self.assertEqual(changed.json["createdAt"], made["createdAt"])
        self.assertEqual([t["code"] for t in self.api.get("/api/event-types?status=ARCHIVE").json["items"]], [code])
        self.assertEqual(self.api.get("/api/event-types?status=CURRENT").json["items"], [])
        self.assertEqual(self.delete(path).status, 204)
        for answer in (self.api.get(path), self.delete(path), self.patch(path, {"name": "x"})):
            self.expect(answer, 404)

    def test_null_takes_a_field_away(self):  # S3.5
        self.make_type(description="d", strict=True)
        changed = self.patch("/api/event-types/order.created", {"description": None, "name": None, "strict": None})
        self.expect(changed, 200)
        self.assertEqual([changed.json[field] for field in ("description", "name", "strict")],
                         ["", "order.created", False])
        self.expect(self.patch("/api/event-types/order.created", {"code": None}), 422, "code")
        self.expect(self.patch("/api/event-types/order.created", {"specVersions": None}), 409, "specVersions")

    def test_an_envelope_has_its_tenant_under_either_name(self):  # S2.4
        snake = {"event_type": "order.created", "schema_version": 1, "occurred_at": "2025-01-02T23:00:00Z",
                 "aggregate_id": "1", "aggregate_type": "order", "correlation_id": "c", "actor": {"id": "u"}}
        keyed = {"eventType": "order.created", "entityType": "ORDER", "entityId": "1", "timestamp": 1767453739640}
        cloud = {"specversion": "1.0", "type": "order.created", "source": "/s"}
        for number, required in enumerate((["organization_id"], ["workspace_id"], ["organization_id", "workspace_id"])):
            version = spec(version="1.0", describes="envelope", schema={"type": "object", "required": required})
            self.expect(self.put("/api/event-types/order.created", {"specVersions": [version]}), 201)
            for form, event in enumerate(({**snake, "event_id": f"o{number}", "organization_id": self.tenant},
                                          {**snake, "event_id": f"w{number}", "workspace_id": self.tenant},
                                          {"type": "order.created"}, keyed, {**cloud, "id": f"c{number}"})):
                self.assertEqual(self.api.post("/api/events", event).status, 201, (required, form))
            asked = {"type": "order.created", "new": version["schema"], "describes": "envelope", "dryRun": {}}
            trial = self.api.post("/api/schemas/check", asked).json["dryRun"]
            self.assertEqual((trial["refused"], trial["scanned"]), (0, 5 * (number + 1)))
            self.delete("/api/event-types/order.created")

    def test_a_code_is_registered_once(self):
        self.make_type()
        self.expect(self.api.post("/api/event-types", {"code": "order.created"}), 409, "code")

    def test_what_is_wrong_is_named(self):
        self.make_type()
        for body, status, field in (
            ({}, 422, "code"), ({"code": "nonsense"}, 422, "code"), ({"code": "a:b"}, 422, "code"),
            ({"code": "a.done", "status": "OLD"}, 422, "status"), ({"code": "a.done", "stritc": True}, 422, "stritc"),
            ({"code": "a.done", "specVersions": [spec(state="CURRENT")]}, 422, "specVersions[0].state"),
            ({"code": "a.done", "specVersions": [{"version": "1"}]}, 422, "specVersions[0].version"),
            ({"code": "a.done", "specVersions": [spec(), spec()]}, 422, "specVersions[1].version"),
            ({"code": "a.done", "specVersions": [spec(schema={"type": 7})]}, 422, "specVersions[0].schema"),
            ({"code": "a.done", "specVersions": [spec(schema="syntax oops", schemaType="PROTO")]}, 422,
             "specVersions[0].schema"),
            ({"code": "a.done", "specVersions": [spec(schema="<a/>", schemaType="XSD")]}, 422,
             "specVersions[0].schema")):
            self.expect(self.api.post("/api/event-types", body), status, field)
        self.expect(self.api.post("/api/event-types", b"{"), 400)
        self.expect(self.api.post("/api/event-types", b"{}", headers={"Content-Type": "text/plain"}), 415)
        self.expect(self.put("/api/event-types/nonsense", {}), 422, "code")
        self.expect(self.put("/api/event-types/order.created", {"code": "other.done"}), 422, "code")
        self.expect(self.api.get("/api/event-types?limit=0"), 400, "limit")
        self.expect(self.api.get("/api/event-types?cursor=zz"), 400, "cursor")
        self.expect(self.patch("/api/event-types/order.created", {"name": "n"}, If_Match="3"), 400, "If-Match")

    def test_versions_only_move_forward(self):  # S3.5
        path = "/api/event-types/order.created"
        self.make_type(specVersions=[spec(status="FINALISING")])
        strict = {**ORDER, "required": ["id", "note"]}
        self.expect(self.patch(path, {"specVersions": [spec(schema=strict, status="FINALISING")]}), 200)
        self.expect(self.patch(path, {"specVersions": [spec(schema=strict)]}), 200)
        self.expect(self.patch(path, {"specVersions": [spec()]}), 409, "specVersions[0].schema")
        self.expect(self.patch(path, {"specVersions": [spec(schema=strict, status="FINALISING")]}), 409,
                    "specVersions[0].status")
        self.expect(self.patch(path, {"specVersions": []}), 409, "specVersions")
        self.expect(self.patch(path, {"specVersions": [spec(schema=strict, status="DEPRECATED")]}), 200)
        self.expect(self.patch(path, {"specVersions": [spec(schema=strict)]}), 409, "specVersions[0].status")

    def test_a_minor_version_must_not_break(self):  # S2.5
        path = "/api/event-types/order.created"
        self.make_type()
        broken = {**ORDER, "properties": {"id": {"type": "string"}}}
        answer = self.patch(path, {"specVersions": [spec(), spec("1.1", broken)]})
        self.expect(answer, 409, "specVersions[1].schema")
        self.assertIn("id", answer.json["detail"])
        self.expect(self.patch(path, {"specVersions": [spec(), spec("2.0", broken)]}), 200)

    def test_a_change_holds_for_the_next_event(self):  # S3.5, S3.6
        self.expect(self.publish(data={"id": "x"}), 201)
        self.make_type()
        refused = self.publish(data={"id": "x", "note": 7})
        self.expect(refused, 422, "/data/id")
        self.expect(refused, 422, "/data/note")
        self.expect(self.publish(), 201)
        self.expect(self.publish(data={}), 422, "/data")
        self.delete("/api/event-types/order.created")
        self.expect(self.publish(data={}), 201)

    def test_an_event_may_name_its_version(self):  # S3.5, S2.4
        free = {"type": "object"}
        self.make_type(specVersions=[spec(schema=free, status="DEPRECATED"), spec("2.0")], strict=True)
        self.expect(self.publish(data={}), 422)
        self.expect(self.publish(data={}, schemaVersion="1.0"), 201)
        self.expect(self.publish(schemaVersion="2.0"), 201)
        self.expect(self.publish(schemaVersion="3.0"), 422, "schemaVersion")
        self.expect(self.patch("/api/event-types/order.created", {"strict": False}), 200)
        self.expect(self.publish(schemaVersion="3.0"), 201)

    def test_of_two_writers_of_one_version_one_wins(self):
        path = "/api/event-types/order.created"
        self.make_type()
        answers = []
        clients = [self.another() for _ in range(4)]

        def write(number, client):
            body = {"name": f"writer {number}"}
            answers.append(client.request("PATCH", path, body, headers={"If-Match": '"1"'}).status)

        threads = [threading.Thread(target=write, args=each) for each in enumerate(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(answers), [200, 412, 412, 412])
        self.assertEqual(self.api.get(path).json["version"], 2)

    def test_preconditions(self):
        path = "/api/event-types/order.created"
        self.expect(self.put(path, {}, If_Match="*"), 412)
        self.expect(self.put(path, {}, If_None_Match="*"), 201)
        self.expect(self.put(path, {}, If_None_Match="*"), 412)
        self.expect(self.put(path, {"name": "n"}, If_Match='"1"'), 200)
        self.expect(self.put(path, {"name": "m"}, If_Match='"1"'), 412)
        self.expect(self.put(path, {"name": "o"}), 200)
        self.expect(self.put(path, self.api.get(path).json), 200)
        self.expect(self.delete(path, If_Match='"2"'), 412)
        self.expect(self.delete(path, If_Match='"4"'), 204)

    def test_pages(self):
        for number in range(5):
            self.make_type(f"order.done{number}", specVersions=[])
        seen, cursor = [], ""
        while cursor is not None:
            page = self.api.get(f"/api/event-types?limit=2{cursor and '&cursor=' + cursor}").json
            seen += [item["code"] for item in page["items"]]
            cursor = page["nextCursor"]
        self.assertEqual(seen, [f"order.done{number}" for number in range(5)])

    def test_another_tenant_sees_nothing(self):
        self.make_type()
        other = self.another(self.tenant + "x")
        self.assertEqual(other.get("/api/event-types/order.created").status, 404)
        self.assertEqual(other.get("/api/event-types").json["items"], [])
        self.assertEqual(other.request("DELETE", "/api/event-types/order.created").status, 404)
        self.assertEqual(other.post("/api/events", {"type": "order.created", "source": "s", "data": {}}).status, 201)


@on_every_store
class Schemas(RegistryCase):
    FILE = {"file": "order.created.v1.json",
            "text": json.dumps({"properties": {"event_type": {"const": "order.created"}, "data": ORDER}})}

    def test_pushed_files_are_versions_and_again_change_nothing(self):  # S2.4
        body = [self.FILE, {"type": "order.created", "version": 2, "schema": {"type": "object"}}]
        first = self.api.post("/api/schemas", body)
        self.expect(first, 200)
        self.assertEqual([(i.get("file"), i["version"], i["result"]) for i in first.json["items"]],
                         [(self.FILE["file"], "1.0", "created"), (None, "2.0", "created")])
        again = self.api.post("/api/schemas", body)
        self.assertEqual((again.json["created"], again.json["unchanged"]), (0, 2))
        self.assertEqual(self.api.get("/api/event-types/order.created").json["version"], 1)
        listed = self.api.get("/api/schemas").json["items"]
        self.assertEqual([(s["type"], s["version"], s["status"], s["describes"]) for s in listed],
                         [("order.created", "1.0", "CURRENT", "envelope"),
                          ("order.created", "2.0", "CURRENT", "envelope")])
        one = self.api.get("/api/schemas/order.created/1.0").json
        self.assertEqual((one["schema"], one["schemaType"]), (self.FILE["text"], "JSON_SCHEMA"))
        for path in ("/api/schemas/order.created/3.0", "/api/schemas/order.created/x", "/api/schemas/a.done/1.0"):
            self.expect(self.api.get(path), 404)
        self.expect(self.publish(schemaVersion="1.0", data={}), 422, "/data")

    def test_one_bad_file_keeps_all_out(self):  # S2.4
        bad = [{"file": "order.shipped.v1.json", "text": "{"}, {"file": "notes.txt", "text": "x"},
               {"type": "a.done", "version": 1, "schema": {"type": 7}}]
        answer = self.api.post("/api/schemas", [self.FILE, *bad])
        self.expect(answer, 422, "order.shipped.v1.json")
        self.assertEqual(len(answer.json["errors"]), 3)
        self.assertEqual(self.api.get("/api/schemas").json["items"], [])

    def test_a_breaking_change_is_refused(self):  # S2.5
        self.api.post("/api/schemas", [self.FILE])
        broken = json.loads(self.FILE["text"])
        broken["properties"]["data"] = {"type": "array"}
        answer = self.api.post("/api/schemas", [{**self.FILE, "text": json.dumps(broken)}])
        self.expect(answer, 409, self.FILE["file"])

    def test_a_push_can_be_tried(self):
        tried = self.api.post("/api/schemas?dryRun=true", [self.FILE])
        self.assertEqual((tried.json["dryRun"], tried.json["created"]), (True, 1))
        self.assertEqual(self.api.get("/api/schemas").json["items"], [])

    def test_schemas_are_compared(self):  # S2.5
        added = {**ORDER, "properties": {**ORDER["properties"], "more": {"type": "string"}}}
        fine = self.api.post("/api/schemas/check", {"old": ORDER, "new": added})
        self.assertEqual((fine.json["compatible"], [c["breaking"] for c in fine.json["changes"]]), (True, [False]))
        breaks = self.api.post("/api/schemas/check", {"old": added, "new": ORDER}).json
        self.assertFalse(breaks["compatible"])
        for body, field in (({"new": ORDER}, "old"), ({"old": ORDER}, "new"), ({"old": {"type": 7}, "new": {}}, "old"),
                            ({"old": {}, "new": {"type": 7}}, "new"), ({"old": {}, "new": {}, "dryRun": {}}, "type")):
            self.expect(self.api.post("/api/schemas/check", body), 422, field)

    def test_the_first_schema_of_a_type_is_tried_on_stored_events(self):  # S2.5
        for order_id in (1, "none"):
            self.publish(data={"id": order_id})
        body = {"type": "order.created", "new": ORDER}
        self.expect(self.api.post("/api/schemas/check", body), 422, "type")
        self.expect(self.api.post("/api/schemas/check", {**body, "dryRun": None}), 422, "type")
        self.expect(self.api.post("/api/schemas/check", {**body, "dryRun": {}, "version": "1.0"}), 422, "type")
        self.expect(self.api.post("/api/schemas/check", {**body, "dryRun": {}, "type": ""}), 422, "type")
        tried = self.api.post("/api/schemas/check", {**body, "dryRun": {}}).json
        self.assertEqual((tried["compatible"], tried["changes"]), (True, []))
        self.assertEqual((tried["dryRun"]["scanned"], tried["dryRun"]["refused"]), (2, 1))

    def test_a_schema_is_tried_on_stored_events(self):
        self.make_type(specVersions=[spec(schema={"type": "object"})])
        for number in range(3):
            self.publish(data={"id": number if number else "none"})
        body = {"type": "order.created", "new": ORDER, "dryRun": {}}
        tried = self.api.post("/api/schemas/check", body).json
        self.assertFalse(tried["compatible"])
        trial = tried["dryRun"]
        self.assertEqual((trial["scanned"], trial["refused"], trial["complete"]), (3, 1, True))
        self.assertEqual([v["pointer"] for v in trial["sample"][0]["violations"]], ["/data/id"])
        body["dryRun"] = {"to": "2001-01-01T00:00:00Z"}
        self.assertEqual(self.api.post("/api/schemas/check", body).json["dryRun"]["scanned"], 0)


@on_every_store
class PublicEventsAndNaming(RegistryCase):
    def test_an_allowlist_is_made_shown_and_removed(self):  # S2.7
        path = "/api/public-events/order.created"
        made = self.put(path, {"fields": ["id", "project.name", "id"]})
        self.expect(made, 201)
        self.assertEqual((made.json["publicType"], made.json["fields"]),
                         ("public.order.created", ["id", "project.name"]))
        self.expect(self.put(path, {"fields": ["id"]}, If_Match='"1"'), 200)
        self.expect(self.put(path, {"fields": ["id"]}, If_Match='"1"'), 412)
        changed = self.patch(path, {"fields": ["name"]}, If_Match='"2"')
        self.expect(changed, 200)
        self.assertEqual((changed.json["fields"], changed.json["version"]), (["name"], 3))
        self.expect(self.patch(path, {"fields": []}, If_Match='"2"'), 412)
        self.expect(self.patch(path, {}), 422, "fields")
        self.expect(self.patch(path, {"fields": [], "feilds": []}), 422, "feilds")
        self.expect(self.patch("/api/public-events/order.lost", {"fields": []}), 404)
        self.assertEqual([a["eventType"] for a in self.api.get("/api/public-events").json["items"]], ["order.created"])
        for body, field in (({}, "fields"), ({"fields": ["*"]}, "fields[0]"), ({"fields": [".x"]}, "fields[0]"),
                            ({"fields": "id"}, "fields")):
            self.expect(self.put(path, body), 422, field)
        self.expect(self.put("/api/public-events/public.x.done", {"fields": []}), 422)
        self.assertEqual(self.delete(path).status, 204)
        self.expect(self.api.get(path), 404)

    def test_naming_is_told_or_enforced_as_the_tenant_wants(self):  # S2.3
        path = f"/api/tenants/{self.tenant}"
        self.expect(self.publish(type="CreateOrder"), 201)
        shard = self.api.get(path).json["shard"]
        changed = self.patch(path, {"naming": "warn"})
        self.expect(changed, 200)
        self.assertEqual((changed.json["naming"], changed.json["namingConvention"], changed.json["shard"]),
                         ("warn", "dotted", shard))
        warned = self.publish(type="CreateOrder")
        self.expect(warned, 201)
        self.assertIn("CreateOrder", warned.headers["X-Millrace-Warning"])
        self.assertNotIn("X-Millrace-Warning", self.publish().headers)
        self.expect(self.patch(path, {"naming": "enforce"}), 200)
        self.expect(self.publish(type="CreateOrder"), 422, "type")
        self.expect(self.publish(), 201)
        self.expect(self.patch(path, {"namingConvention": "upper"}), 200)
        self.assertEqual(self.api.get(path).json["naming"], "enforce")
        self.expect(self.publish(), 422, "type")
        self.expect(self.publish(type="ORDER_CREATED"), 201)
        for body, field in (({}, "naming"), ({"naming": "loud"}, "naming"), ({"naming": 7}, "naming"),
                            ({"naming": "off", "nameing": "x"}, "nameing"),
                            ({"namingConvention": "camel"}, "namingConvention")):
            self.expect(self.patch(path, body), 422, field)
        self.expect(self.patch(path, {"naming": "off"}, If_Match='"1"'), 412)
        self.expect(self.patch("/api/tenants/nobody-here", {"naming": "off"}), 404)


@on_every_store
class Audited(RegistryCase):
    def test_every_change_is_in_the_audit_log_and_pages_go_on(self):  # S2.12
        self.put("/api/rules/r", {"pattern": {"source": ["shop"]}})
        self.patch("/api/rules/r", {"enabled": False})
        self.delete("/api/rules/r")
        whole = self.api.get("/api/audit").json
        changes = [(entry["action"], entry["entityId"]) for entry in whole["items"]]
        self.assertEqual([action for action, _ in changes],
                         ["millrace.tenant.created", "millrace.rule.created", "millrace.rule.updated",
                          "millrace.rule.removed"])
        paged, cursor = [], ""
        while cursor is not None:
            page = self.api.get("/api/audit?limit=1" + (cursor and "&cursor=" + cursor)).json
            paged += page["items"]
            cursor = page["nextCursor"]
        self.assertEqual(paged, whole["items"])
        rules = self.api.get("/api/audit?entityType=millrace.rule").json["items"]
        self.assertEqual(rules, whole["items"][1:])

    def listed(self, query):
        """All pages, three entries at a time."""
        found, cursor = [], ""
        while cursor is not None:
            answer = self.api.get(f"/api/audit?limit=3&{query}" + (cursor and "&cursor=" + cursor))
            self.assertEqual(answer.status, 200, answer.body)
            found += answer.json["items"]
            cursor = answer.json["nextCursor"]
        return found

    def test_is_filtered_by_entity_actor_and_time(self):  # S2.12
        for name in ("r1", "r2", "r3"):
            self.put(f"/api/rules/{name}", {"pattern": {"source": ["shop"]}})
        self.patch("/api/rules/r2", {"enabled": False})
        self.put("/api/public-events/order.created", {"fields": ["id"]})
        whole = self.listed("")
        self.assertEqual(len(whole), 6)
        self.assertEqual([e["action"] for e in self.listed("entityId=r2")],
                         ["millrace.rule.created", "millrace.rule.updated"])
        self.assertEqual([e["entityId"] for e in self.listed("entityType=millrace.rule&entityId=r3")], ["r3"])
        self.assertEqual(self.listed("entityType=millrace.key&entityId=r3"), [])
        self.assertEqual(self.listed("actorId=local"), whole)
        self.assertEqual(self.listed("actorId=nobody"), [])
        for at in sorted({entry["time"] for entry in whole}):
            self.assertEqual(self.listed("from=" + at), [e for e in whole if e["time"] >= at])
            self.assertEqual(self.listed("to=" + at), [e for e in whole if e["time"] < at])
        first, last = whole[0]["time"], whole[-1]["time"]
        self.assertEqual(self.listed(f"from={first}&to={last}&entityType=millrace.rule"),
                         [e for e in whole if e["entityType"] == "millrace.rule" and e["time"] < last])
        for query, field in (("from=yesterday", "from"), ("to=x", "to"), ("actorId=a&actorId=b", "actorId"),
                             ("entityId=" + "x" * 600, "entityId"), ("workspaceId=No+Tenant", "workspaceId")):
            self.expect(self.api.get("/api/audit?" + query), 400, field)

    def test_a_workspace_is_a_tenant(self):  # S2.12
        self.put("/api/rules/r", {"pattern": {"source": ["shop"]}})
        whole = self.listed("")
        self.assertEqual([entry["action"] for entry in whole], ["millrace.tenant.created", "millrace.rule.created"])
        self.assertEqual(self.listed("workspaceId=" + self.tenant), whole)
        self.api = self.another(self.tenant + "-x")
        self.assertEqual(self.listed("workspaceId=" + self.tenant), whole)
        self.assertEqual(self.listed("workspaceId=nobody-here"), [])


@on_every_store
class AcrossARestart(RegistryCase):
    def test_documents_stay(self):
        server = self.own_server()
        self.api = self.client_of(server)
        self.make_type()
        rule = self.put("/api/rules/r", {"pattern": {"source": ["shop"]}}).json
        fields = self.put("/api/public-events/order.created", {"fields": ["id"]}).json
        self.patch("/api/tenants/default", {"naming": "enforce"})
        self.assertEqual(server.stop(), 0)
        server.start()
        self.api = self.client_of(server)
        self.assertEqual(self.api.get("/api/rules/r").json, rule)
        self.assertEqual(self.api.get("/api/public-events/order.created").json, fields)
        self.assertEqual(self.patch("/api/rules/r", {"enabled": False}, If_Match='"1"').status, 200)
        self.expect(self.publish(data={}), 422, "/data")
        self.expect(self.publish(type="CreateOrder"), 422, "type")


if __name__ == "__main__":
    unittest.main()
