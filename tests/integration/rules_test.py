"""Rules, and the question why one does not match, over HTTP."""

import unittest

from registry_case import RegistryCase
from stores import on_every_store


@on_every_store
class Rules(RegistryCase):
    RULE = {"pattern": {"detail-type": ["order.created"], "detail": {"id": [{"numeric": [">", 1]}]}},
            "targets": [{"id": "hook", "type": "webhook", "url": "https://example.com/in"}]}

    def test_a_rule_is_made_shown_changed_and_removed(self):  # S2.8
        made = self.put("/api/rules/large", self.RULE)
        self.expect(made, 201)
        self.assertEqual((made.json["name"], made.json["enabled"], made.headers["ETag"]), ("large", True, '"1"'))
        self.assertEqual(made.json["targets"][0]["retry"]["maxAttempts"], 3)
        self.assertEqual(self.api.get("/api/rules/large").json, made.json)
        self.expect(self.put("/api/rules/large", made.json), 200)
        changed = self.patch("/api/rules/large", {"enabled": False}, If_Match='"2"')
        self.expect(changed, 200)
        self.assertEqual((changed.json["enabled"], changed.json["pattern"]), (False, self.RULE["pattern"]))
        self.expect(self.patch("/api/rules/large", {"enabled": True}, If_Match='"2"'), 412)
        self.assertEqual([r["name"] for r in self.api.get("/api/rules").json["items"]], ["large"])
        self.assertEqual(self.another(self.tenant + "x").get("/api/rules/large").status, 404)
        self.assertEqual(self.delete("/api/rules/large").status, 204)
        self.expect(self.api.get("/api/rules/large"), 404)

    def test_what_is_wrong_is_named(self):
        good = {"a": [1]}
        for body, field in (
            ({}, "pattern"), ({"pattern": {}}, "pattern"), ({"pattern": {"a": [{"prefix": 7}]}}, "pattern.a[0].prefix"),
            ({"pattern": good, "enabld": True}, "enabld"),
            ({"pattern": good, "targets": [{"type": "alert"}]}, "targets[0].id"),
            ({"pattern": good, "targets": [{"id": "t", "type": "webhook", "url": "ftp://x"}]}, "targets[0].url"),
            ({"pattern": good, "targets": [{"id": "t", "type": "queue", "url": "http://x"}]}, "targets[0].url"),
            ({"pattern": good, "targets": [{"id": "t", "type": "alert", "retry": {"maxAttempts": "9"}}]},
             "targets[0].retry.maxAttempts")):
            self.expect(self.put("/api/rules/r", body), 422, field)
        self.expect(self.put("/api/rules/a%20b", self.RULE), 422, "name")
        self.expect(self.put("/api/rules/test", self.RULE), 422, "name")
        self.expect(self.patch("/api/rules/none", {"enabled": True}), 404)

    def test_what_goes_beyond_eventbridge_is_asked_for(self):  # S2.8
        rule = {"pattern": {"detail": {"id": [{"regex": "[a-z]+"}]}}}
        for answer in (self.put("/api/rules/r", rule), self.put("/api/rules/r?dryRun=true", rule),
                       self.api.post("/api/rules/test", {**rule, "event": {"detail": {"id": "x"}}})):
            self.expect(answer, 422, "pattern.detail.id[0]")
            self.assertIn('"dialect": "extended"', answer.json["detail"])
        rule["dialect"] = "extended"
        made = self.put("/api/rules/r", rule)
        self.expect(made, 201)
        self.assertEqual(made.json["dialect"], "extended")
        self.assertTrue(self.api.post("/api/rules/test", {**rule, "event": {"detail": {"id": "x"}}}).json["matches"])
        self.expect(self.patch("/api/rules/r", {"dialect": "eventbridge"}), 422, "pattern.detail.id[0]")
        plain = self.patch("/api/rules/r", {"dialect": "eventbridge", "pattern": {"source": ["shop"]}})
        self.expect(plain, 200)
        self.assertEqual(plain.json["dialect"], "eventbridge")
        self.expect(self.put("/api/rules/r", {**rule, "dialect": "sql"}), 422, "dialect")

    def test_a_pattern_sees_the_keys(self):  # S2.8
        self.put("/api/rules/shop", {"pattern": {"GSI2PK": ["APP#shop"], "specVersion": ["1.0"]}})
        event = self.publish().json
        self.assertEqual(event["GSI2PK"], "APP#shop")
        self.assertTrue(self.api.get(f"/api/events/{event['id']}/explain?rule=shop").json["matches"])

    def test_null_takes_a_field_away(self):  # S2.8
        self.put("/api/rules/r", {**self.RULE, "description": "d", "bus": "side"})
        changed = self.patch("/api/rules/r", {"description": None, "bus": None, "targets": None})
        self.expect(changed, 200)
        self.assertEqual((changed.json["description"], changed.json.get("bus"), changed.json["targets"]), ("", None, []))
        self.expect(self.patch("/api/rules/r", {"pattern": None}), 422, "pattern")

    def test_a_stored_event_tells_why_a_rule_does_not_match(self):  # S2.8
        self.put("/api/rules/large", self.RULE)
        event = self.publish().json["id"]
        told = self.api.get(f"/api/events/{event}/explain?rule=large").json
        self.assertEqual((told["matches"], told["why"][0]["path"]), (False, "detail.id"))
        self.patch("/api/rules/large", {"pattern": {"source": ["shop"]}})
        self.assertTrue(self.api.get(f"/api/events/{event}/explain?rule=large").json["matches"])

    def test_a_stored_event_is_explained_for_all_rules(self):  # S2.8
        self.put("/api/rules/b-large", self.RULE)
        self.put("/api/rules/a-shop", {"pattern": {"source": ["shop"]}})
        self.put("/api/rules/c-off", {"pattern": {"source": ["shop"]}, "enabled": False})
        self.put("/api/rules/d-side", {"pattern": {"source": ["shop"]}, "bus": "side"})
        path = f"/api/events/{self.publish().json['id']}/explain"
        told = self.api.get(path).json
        self.assertEqual([(item["rule"], item["matches"], [why["path"] for why in item["why"]])
                          for item in told["items"]],
                         [("a-shop", True, []), ("b-large", False, ["detail.id"]), ("c-off", False, ["enabled"]),
                          ("d-side", False, ["bus"])])
        paged, cursor = [], ""
        while cursor is not None:
            page = self.api.get(f"{path}?limit=3" + (cursor and "&cursor=" + cursor)).json
            paged += page["items"]
            cursor = page["nextCursor"]
        self.assertEqual(paged, told["items"])
        self.expect(self.api.get(path + "?rule=none"), 404, "rule")
        self.expect(self.api.get("/api/events/none/explain"), 404)
        self.expect(self.api.get(path + "?limit=0"), 400, "limit")

    def test_every_change_holds_for_the_next_event(self):  # S2.8
        def matched():
            path = f"/api/events/{self.publish().json['id']}/explain"
            return [item["rule"] for item in self.api.get(path).json["items"] if item["matches"]]

        for name in ("c", "a", "b"):
            self.put(f"/api/rules/{name}", {"pattern": {"source": ["shop"]}})
        self.assertEqual(matched(), ["a", "b", "c"])
        self.patch("/api/rules/a", {"pattern": {"source": ["mill"]}})
        self.assertEqual(matched(), ["b", "c"])
        self.delete("/api/rules/b")
        self.assertEqual(matched(), ["c"])
        self.put("/api/rules/b", {"pattern": {"source": ["mill"]}})
        self.assertEqual(matched(), ["c"])

    def test_a_pattern_is_tried_on_an_event(self):  # S2.8
        def tried(pattern, event):
            answer = self.api.post("/api/rules/test", {"pattern": pattern, "event": event})
            self.expect(answer, 200)
            return answer.json

        bus_form = {"detail-type": "x", "source": "my.app", "detail": {"state": "on", "n": 5}}
        yes = tried({"detail": {"state": ["on"]}}, bus_form)
        self.assertEqual((yes["matches"], yes["why"]), (True, []))
        no = tried({"detail": {"n": [{"numeric": [">", 9]}]}}, bus_form)
        self.assertEqual((no["matches"], no["why"][0]["path"], no["why"][0]["seen"]), (False, "detail.n", "5"))
        self.assertIn("9", no["why"][0]["expected"])
        event = {"type": "order.created", "source": "shop", "data": {"id": 2}}
        self.assertTrue(tried(self.RULE["pattern"], event)["matches"])
        self.assertTrue(tried({"data": {"id": [2]}, "type": ["order.created"]}, event)["matches"])
        self.assertTrue(tried({"anything": [1]}, {"anything": 1})["matches"])
        for body, field in (({"event": {}}, "pattern"), ({"pattern": {"a": [1]}}, "event"),
                            ({"pattern": {"a": [1]}, "event": []}, "event"),
                            ({"pattern": {"a": [{"nope": 1}]}, "event": {}}, "pattern.a[0]")):
            self.expect(self.api.post("/api/rules/test", body), 422, field)

    def test_a_pattern_is_tried_on_a_stored_event_as_it_is_shown(self):  # S2.8
        sent = {"type": "order.created", "source": "shop", "subject": "order:7", "eventId": "e", "data": {"id": 2},
                "contextData": [{"key": "region", "value": "eu"}]}
        answer = self.api.post("/api/events", sent)
        self.expect(answer, 201)
        pattern = {"detail-type": ["order.created"], "detail": {"id": [2]}, "context": {"region": ["eu"]},
                   "id": ["e"], "resources": ["order:7"], "properties": {"id": [2]}}
        shown = [answer.json] + [self.api.get(f"/api/events/e?format={form}").json
                                 for form in ("native", "keyed", "cloudevents")]
        for event in shown:
            verdict = self.api.post("/api/rules/test", {"pattern": pattern, "event": event})
            self.expect(verdict, 200)
            self.assertEqual(verdict.json, {"matches": True, "why": [], "seenAs": "event"}, event)
        # Keys that are another event's: it is what somebody made of one, and is taken as it is.
        verdict = self.api.post("/api/rules/test", {"pattern": pattern, "event": {**shown[1], "PK": "TENANT#other"}})
        self.assertEqual((verdict.json["matches"], verdict.json["seenAs"]), (False, "object"))

    def test_a_rule_is_tried_on_stored_events(self):
        for number in range(4):
            self.publish(data={"id": number})
        tried = self.put("/api/rules/large?dryRun=true", self.RULE)
        self.expect(tried, 200)
        self.assertEqual({k: tried.json[k] for k in ("dryRun", "scanned", "matched", "complete")},
                         {"dryRun": True, "scanned": 4, "matched": 2, "complete": True})
        self.assertEqual(len(tried.json["sample"]), 2)
        self.expect(self.api.get("/api/rules/large"), 404)
        self.assertEqual(self.put("/api/rules/large?dryRun=true&to=2001-01-01T00:00:00Z", self.RULE).json["scanned"], 0)
        self.expect(self.put("/api/rules/large?dryRun=true&from=soon", self.RULE), 400, "from")


@on_every_store
class WithKeys(RegistryCase):
    ADMIN = "bootstrap-secret-of-the-test"

    def test_changes_need_admin_and_a_tenant_is_its_admins_own(self):
        server = self.own_server("--auth", "keys", env={"MILLRACE_ADMIN_KEY": self.ADMIN})
        operator = self.client_of(server, key=self.ADMIN)

        def keyed(scope, tenant):
            key = operator.post("/api/keys", {"tenant": tenant, "scopes": [scope]}).json["key"]
            return self.client_of(server, key=key)

        admin, reader, other = keyed("admin", "acme"), keyed("events:read", "acme"), keyed("admin", "other")
        self.assertEqual(admin.request("PUT", "/api/rules/r", Rules.RULE).status, 201)
        self.assertEqual(reader.get("/api/rules/r").status, 200)
        self.assertEqual(reader.request("PUT", "/api/rules/r", Rules.RULE).status, 403)
        self.assertEqual(reader.request("DELETE", "/api/rules/r").status, 403)
        self.assertEqual(reader.post("/api/rules/test", {"pattern": {"a": [1]}, "event": {"a": 1}}).status, 200)
        self.assertEqual(other.get("/api/rules/r").status, 404)
        self.assertEqual(other.request("DELETE", "/api/rules/r").status, 404)
        naming = {"naming": "warn"}
        self.assertEqual(admin.request("PATCH", "/api/tenants/acme", naming).status, 200)
        self.assertEqual(admin.get("/api/tenants/acme").json["naming"], "warn")
        self.assertEqual(other.request("PATCH", "/api/tenants/acme", naming).status, 404)
        self.assertEqual(other.get("/api/tenants/acme").status, 404)
        self.assertEqual(reader.request("PATCH", "/api/tenants/acme", naming).status, 403)
        self.assertEqual(operator.request("PATCH", "/api/tenants/acme", {"naming": "off"}).status, 200)


if __name__ == "__main__":
    unittest.main()
