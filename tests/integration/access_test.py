"""Who may do what: keys, scopes, tenants, and who is kept out without keys."""

import http.client
import json
import unittest
from concurrent.futures import ThreadPoolExecutor

from stores import Case, new_server, new_tenant, on_every_store

ADMIN = "bootstrap-secret-of-the-test"


@on_every_store
class WithoutKeys(Case):
    def test_foreign_hosts_and_origins_are_refused(self):
        for headers in ({"Host": "evil.example"}, {"Host": "127.0.0.1.evil.example"},
                        {"Origin": "https://evil.example"}, {"Origin": "null"}):
            self.assertEqual(self.api.get("/events", headers=headers).status, 403, headers)
            self.assertEqual(self.api.post("/events", {"title": "T"}, headers=headers).status, 403, headers)
        for headers in ({"Host": "localhost:1"}, {"Host": "[::1]"}, {"Origin": "http://localhost:3000"}):
            self.assertEqual(self.api.get("/events", headers=headers).status, 200, headers)

    def test_a_page_of_another_site_leases_nothing(self):
        item = self.api.create(tags="t")["id"]
        for mode in ("no-cors", "navigate"):
            headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode}
            answer = self.api.get("/events/subscribe?tags=t&worker_id=w", headers=headers)
            self.assertEqual((answer.status, answer.json.keys()), (403, {"error"}), mode)
            self.assertEqual(self.api.post("/events", {"title": "T"}, headers=headers).status, 403, mode)
        self.assertEqual(self.api.item(item)["status"], "PENDING")
        self.assertEqual(self.api.get("/events", headers=headers).status, 200, "a link that was followed")

    def test_health_and_contract_answer_under_any_name(self):
        for path in ("/healthz", "/readyz", "/openapi.json"):
            self.assertEqual(self.api.get(path, headers={"Host": "probe.example"}).status, 200, path)

    def test_asking_registers_no_tenant(self):
        worker = {"worker_id": "w:1"}
        asked = [("GET", "/events", None, 200), ("GET", "/events?status=PROCESSING", None, 200),
                 ("GET", "/events?tags=t", None, 200), ("GET", "/events/1", None, 404),
                 ("GET", "/events/subscribe?tags=t&worker_id=w:1", None, 204),
                 ("GET", "/events/subscribe?tags=t&worker_id=w:1&wait=1", None, 204),
                 ("POST", "/events/1/start", worker, 404), ("POST", "/events/1/heartbeat", worker, 404),
                 ("POST", "/events/1/complete", worker, 404), ("POST", "/events/1/fail", worker, 404),
                 ("POST", "/events/settle", [{"id": 1, "action": "complete", **worker}], 200),
                 ("POST", "/events/1/reset", None, 404),
                 ("GET", "/api/queue/stats", None, 200), ("GET", "/api/workers", None, 200),
                 ("GET", "/api/events", None, 200), ("GET", "/api/events/x", None, 404),
                 ("GET", "/api/events/query?pk=x", None, 200), ("GET", "/api/event-types", None, 200),
                 ("GET", "/api/schemas", None, 200), ("GET", "/api/rules", None, 200), ("GET", "/api/rules/x", None, 404),
                 ("DELETE", "/api/rules/x", None, 404), ("PATCH", "/api/rules/x", {"enabled": False}, 404),
                 ("GET", "/api/public-events", None, 200), ("GET", "/api/keys", None, 200),
                 ("GET", "/api/audit", None, 200), ("POST", "/events", {"title": 5}, 422),
                 ("POST", "/api/events", {"type": ""}, 422), ("POST", "/api/ping", {}, 200)]
        for method, path, body, status in asked:
            self.assertEqual(self.api.request(method, path, body).status, status, (method, path))
            self.assertEqual(self.api.get(f"/api/tenants/{self.tenant}").status, 404, (method, path))
        stats = self.api.get("/api/queue/stats").json
        self.assertEqual(set(stats.values()), {0})
        tail = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        self.addCleanup(tail.close)
        tail.request("GET", "/api/events/tail", headers={"X-Millrace-Tenant": self.tenant})
        stream = tail.getresponse()
        self.assertEqual(stream.readline(), b": following the event log\n")
        self.assertEqual(self.api.get(f"/api/tenants/{self.tenant}").status, 404)
        self.assertEqual(self.api.post("/api/events", {"type": "a.b"}).status, 201)
        self.assertEqual([stream.readline() for _ in range(4)][2:], [b"id: 1\n", b"event: event\n"])
        self.assertEqual(self.api.get(f"/api/tenants/{self.tenant}").status, 200)

    def test_the_first_item_of_a_tenant_wakes_who_waits_for_it(self):  # S4.3
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(self.another().claim, "t", "w:1", wait=20)
            self.server.wait_for_claims(1)
            self.assertEqual(self.api.get(f"/api/tenants/{self.tenant}").status, 404)
            item = self.api.create(tags="t")["id"]
            self.assertEqual(held.result().json["id"], item)
        self.assertEqual(self.api.complete(item).status, 200)

    def test_a_tenant_has_a_proper_name(self):
        for name in ("UPPER", "a b", "-x", "x" * 64, "a/b"):
            self.assertEqual(self.server.client(name).get("/events").status, 400, name)
        self.assertEqual(self.another("x" * 63).get("/events").status, 200)


@on_every_store
class WithKeys(Case):
    servers = {}

    def setUp(self):
        if self.store not in WithKeys.servers:
            WithKeys.servers[self.store] = new_server(self.store, "--auth", "keys", env={"MILLRACE_ADMIN_KEY": ADMIN})
            self.addClassCleanup(WithKeys.servers[self.store].kill)
        self.server = WithKeys.servers[self.store]
        self.admin = self.client_of(self.server, key=ADMIN)

    def key(self, *scopes, tenant="acme", **fields):
        answer = self.admin.post("/api/keys", {"tenant": tenant, "scopes": list(scopes), **fields})
        self.assertEqual(answer.status, 201)
        return answer.json

    def with_key(self, *scopes, **fields):
        return self.client_of(self.server, key=self.key(*scopes, **fields)["key"])

    def test_without_a_valid_key_nothing_is_told(self):
        for header in (None, "Bearer", "Bearer nonsense", "Bearer mr_0_0", "Basic abc", f"Bearer {ADMIN}x"):
            headers = {"Authorization": header} if header else {}
            answer = self.client_of(self.server).get("/events", headers=headers)
            self.assertEqual((answer.status, "WWW-Authenticate" in answer.headers), (401, True), header)
        for path in ("/healthz", "/readyz", "/openapi.json"):
            self.assertEqual(self.client_of(self.server).get(path).status, 200)
        self.assertEqual(self.client_of(self.server).get("/metrics").status, 401)

    def test_scopes_decide(self):
        writer, reader, worker = (self.with_key(s) for s in ("events:write", "events:read", "queue:work"))
        self.assertEqual(writer.post("/events", {"title": "T", "tags": "scopes"}).status, 201)
        self.assertEqual(reader.get("/events").status, 200)
        self.assertIn(worker.claim("none").status, (200, 204))
        refused = [(reader.post("/events", {"title": "T"}), "events:write"), (writer.get("/events"), "events:read"),
                   (writer.claim(), "queue:work"), (reader.complete(1), "queue:work"),
                   (worker.post("/events/1/reset"), "admin"), (worker.post("/events/settle", []), "")]
        for answer, scope in refused[:-1]:
            self.assertEqual(answer.status, 403, scope)
            self.assertIn(scope, answer.json["error"])
        self.assertEqual(refused[-1][0].status, 200)
        self.assertEqual(reader.get("/api/keys").status, 403)
        self.assertEqual(self.with_key("admin").get("/api/tenants").status, 403)

    def test_a_foreign_id_is_404(self):
        acme, other = self.with_key("admin"), self.with_key("admin", tenant="other")
        item = acme.create(tags="foreign")["id"]
        self.assertEqual(other.get(f"/events/{item + 1000}").status, 404)
        other_total = other.get("/events").json["total"]
        self.assertEqual(other.claim("foreign").status, 204)
        self.assertEqual(other.get("/events").json["total"], other_total)
        foreign_key = self.key("events:read")["id"]
        self.assertEqual(other.request("DELETE", f"/api/keys/{foreign_key}").status, 404)
        self.assertEqual(other.get("/events", headers={"X-Millrace-Tenant": "acme"}).status, 403)

    def test_the_operator_may_name_any_tenant(self):
        item = self.with_key("admin").create()["id"]
        answer = self.admin.get(f"/events/{item}", headers={"X-Millrace-Tenant": "acme"})
        self.assertEqual(answer.status, 200)

    def test_a_revoked_key_is_dead_at_once(self):
        made = self.key("events:read", name="short-lived")
        client = self.client_of(self.server, key=made["key"])
        self.assertEqual(client.get("/events").status, 200)
        path = f"/api/keys/{made['id']}"
        self.assertEqual(self.with_key("admin").request("DELETE", path).status, 204)
        self.assertEqual(client.get("/events").status, 401)
        self.assertEqual(self.with_key("admin").request("DELETE", path).status, 204)

    def test_the_whole_key_revokes_it_and_its_secret_reaches_no_text(self):
        server = self.own_server("--auth", "keys", "--log-level", "info", env={"MILLRACE_ADMIN_KEY": ADMIN})
        admin = self.client_of(server, key=ADMIN)
        made = admin.post("/api/keys", {"scopes": ["events:read"]}).json["key"]
        secret = made.split("_")[2]
        self.assertEqual(admin.request("DELETE", f"/api/keys/{made}").status, 204)
        self.assertEqual(self.client_of(server, key=made).get("/events").status, 401)
        for path in (f"/api/keys/mr_0123456789abcdef_{secret}", f"/api/keys/%6Dr%5f0123456789abcdef_{secret}",
                     f"/api/rules/{made}", f"http://user:{secret}@localhost/events/1"):
            answer = admin.request("DELETE" if "keys" in path else "GET", path, headers={"Host": "localhost"})
            self.assertEqual(answer.status, 404, answer)
            self.assertNotIn(secret.encode(), answer.body)
        self.assertEqual(server.stop(), 0)
        self.assertIn("/api/keys/mr_", server.log())
        self.assertIn('"path":"/events/1"', server.log())
        self.assertNotIn(secret, server.log())

    def revoke(self, made):
        self.assertEqual(self.admin.request("DELETE", f"/api/keys/{made['id']}").status, 204)

    def follow(self, key):
        """A stream of the key's tenant, of which the first lines have been read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=10)
        self.addCleanup(connection.close)
        connection.request("GET", "/api/events/tail", headers={"Authorization": f"Bearer {key}"})
        stream = connection.getresponse()
        for start in (b": following", b"id: ", b"\n"):
            self.assertTrue(stream.readline().startswith(start))
        return stream

    def assert_told_of_the_key(self, rest):
        self.assertRegex(rest, b"^event: error\ndata: .*\n\n$")
        problem = json.loads(rest.split(b"data: ")[1])
        self.assertEqual((problem["type"], problem["status"]), ("urn:millrace:problem:unauthenticated", 401))

    def test_a_claim_held_by_a_key_that_is_revoked_gets_nothing(self):
        made, tenant = self.key("queue:work"), {"X-Millrace-Tenant": "acme"}
        with ThreadPoolExecutor(2) as pool:
            held = [pool.submit(self.client_of(self.server, key=made["key"]).claim, "held", wait=20),
                    pool.submit(self.client_of(self.server, key=made["key"]).post, "/events/settle",
                                {"worker_id": "w:2", "claim": {"tags": "held", "wait": 20}})]
            self.server.wait_for_claims(2, key=ADMIN)
            self.revoke(made)
            item = self.admin.post("/events", {"title": "T", "tags": "held"}, headers=tenant).json["id"]
            claim, settle = (answer.result(5) for answer in held)
        self.assertEqual((claim.status, claim.json.keys()), (401, {"error"}))
        self.assertEqual((settle.status, settle.json["events"]), (200, []))
        self.assertEqual(self.admin.get(f"/events/{item}", headers=tenant).json["status"], "PENDING")

    def test_a_claim_held_by_a_key_that_expires_gets_nothing(self):
        client = self.with_key("queue:work", expires="1s")
        answer = client.claim("never", wait=20)
        self.assertEqual(answer.status, 401)
        self.server.wait_for_claims(0, key=ADMIN)

    def test_a_stream_ends_with_its_key(self):
        tenant = new_tenant()
        revoked = self.key("events:read", tenant=tenant)
        streams = [self.follow(revoked["key"]), self.follow(revoked["key"])]
        other = self.follow(self.key("events:read", tenant=tenant)["key"])
        self.revoke(revoked)
        self.admin.post("/api/events", {"type": "a.b", "data": "secret"}, headers={"X-Millrace-Tenant": tenant})
        for stream in streams:
            self.assert_told_of_the_key(stream.read())
        self.assertEqual(other.readline(), b"id: 1\n", "another key's stream goes on")
        expiring = self.key("events:read", tenant=tenant, expires="1s")
        self.assert_told_of_the_key(self.follow(expiring["key"]).read())

    def test_keys_expire(self):
        made = self.key("events:read", expires="90d")
        self.assertIsNotNone(made["expires"])
        for expires in ("yesterday", "2001-01-01T00:00:00Z", "0s"):
            answer = self.admin.post("/api/keys", {"scopes": ["admin"], "expires": expires})
            self.assertEqual(answer.status, 422, expires)

    def test_the_secret_is_shown_once(self):
        made = self.key("events:read", tenant="secretive", name="n")
        listing = self.admin.get("/api/keys", headers={"X-Millrace-Tenant": "secretive"})
        self.assertEqual([key["id"] for key in listing.json["items"]], [made["id"]])
        audit = self.admin.get("/api/audit", headers={"X-Millrace-Tenant": "secretive"})
        secret = made["key"].rsplit("_", 1)[1].encode()
        for answer in (listing, audit):
            self.assertNotIn(secret, answer.body)
            self.assertNotIn(b"hash\":\"" + secret[:8], answer.body)
        self.assertNotIn("key", listing.json["items"][0])

    def test_an_admin_stays_in_its_tenant(self):
        admin = self.with_key("admin")
        self.assertEqual(admin.post("/api/keys", {"scopes": ["events:read"], "tenant": "other"}).status, 403)
        self.assertEqual(admin.post("/api/keys", {"scopes": ["operator"]}).status, 403)
        self.assertEqual(admin.post("/api/keys", {"scopes": ["events:read"]}).json["tenant"], "acme")

    def test_tenants_are_registered_once_and_listed(self):
        self.assertEqual(self.admin.post("/api/tenants", {"id": "newcomer"}).status, 201)
        self.assertEqual(self.admin.post("/api/tenants", {"id": "newcomer"}).status, 409)
        self.assertEqual(self.admin.post("/api/tenants", {"id": "No"}).status, 422)
        self.assertEqual(self.admin.get("/api/tenants/newcomer").json["id"], "newcomer")
        self.assertEqual(self.admin.get("/api/tenants/nobody").status, 404)
        page = self.admin.get("/api/tenants?limit=1").json
        names = [page["items"][0]["id"]]
        while page["nextCursor"]:
            page = self.admin.get(f"/api/tenants?limit=1&cursor={page['nextCursor']}").json
            names += [item["id"] for item in page["items"]]
        self.assertEqual(names, sorted(set(names)))
        self.assertLessEqual({"default", "newcomer"}, set(names))

    def test_changes_are_audited_in_a_chain(self):
        made = self.key("events:read", tenant="audited")
        operator = {"X-Millrace-Tenant": "audited"}
        self.admin.request("DELETE", f"/api/keys/{made['id']}", headers=operator)
        entries = self.admin.get("/api/audit", headers=operator).json["items"]
        self.assertEqual([entry["action"] for entry in entries],
                         ["millrace.tenant.created", "millrace.key.created", "millrace.key.updated"])
        self.assertEqual([entry["seq"] for entry in entries], [1, 2, 3])
        self.assertEqual([entry["previousHash"] for entry in entries[1:]], [entry["hash"] for entry in entries[:-1]])
        self.assertEqual(entries[1]["actor"], "admin-key")
        self.assertIsNotNone(entries[2]["values"]["revoked"])
        keys = self.admin.get("/api/audit?entityType=millrace.key&limit=1", headers=operator).json
        self.assertEqual(keys["items"][0]["action"], "millrace.key.created")
        rest = self.admin.get(f"/api/audit?entityType=millrace.key&cursor={keys['nextCursor']}", headers=operator).json
        self.assertEqual([entry["action"] for entry in rest["items"]], ["millrace.key.updated"])
        self.assertIsNone(rest["nextCursor"])
        self.assertEqual(self.admin.get("/api/audit?workspaceId=audited").json["items"], entries)

    def test_the_audit_log_of_another_tenant_is_the_operators(self):  # S2.12
        mine = self.with_key("admin")
        self.key("events:read", tenant="other")
        self.assertEqual(mine.get("/api/audit?workspaceId=acme").json, mine.get("/api/audit").json)
        refused = mine.get("/api/audit?workspaceId=other")
        self.assertEqual(refused.status, 403)
        self.assertIn("operator", refused.json["detail"])
        seen = self.with_key("operator").get("/api/audit?workspaceId=other").json["items"]
        self.assertEqual(seen[0]["action"], "millrace.tenant.created")
        made = self.key("admin", tenant="actors")
        self.client_of(self.server, key=made["key"]).post("/api/keys", {"scopes": ["events:read"]})
        by_key = self.admin.get(f"/api/audit?workspaceId=actors&actorId=key:{made['id']}").json["items"]
        self.assertEqual([entry["action"] for entry in by_key], ["millrace.key.created"])


if __name__ == "__main__":
    unittest.main()
