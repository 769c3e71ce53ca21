"""A name that the server does not know, misspelt as a rule, is refused instead of left out without a word."""

import unittest

from registry_case import ORDER, RegistryCase
from stores import Case, on_every_store

QUERIES = [
    ("GET", "/api/events?typ=a", "typ", ("type", "correlationId", "context.KEY", "cursor")),
    ("GET", "/api/events?contxt.a=b", "contxt.a", ("context.KEY",)),
    ("GET", "/api/events/query?pk=a&skprefix=b", "skprefix", ("skPrefix", "index")),
    ("GET", "/api/events/tail?form=1", "form", ("from", "type")),
    ("GET", "/api/events/e?reslove=true", "reslove", ("resolve", "format")),
    ("POST", "/api/events?partail=true", "partail", ("partial",)),
    ("GET", "/api/event-types?statsu=CURRENT", "statsu", ("status", "limit", "cursor")),
    ("GET", "/api/rules/r?dryRun=true", "dryRun", ("none",)),
    ("PUT", "/api/rules/r?dryrun=true", "dryrun", ("dryRun", "from", "to")),
    ("GET", "/api/audit?entity=x", "entity", ("entityType", "workspaceId")),
    ("POST", "/api/ping?x=1", "x", ("none",)),
]

QUEUE_QUERIES = [
    ("GET", "?statsu=FAILED", "statsu", ("status", "tags", "limit", "offset", "cursor")),
    ("GET", "/subscribe?tags=a&worker_id=w&waits=1", "waits", ("tags", "worker_id", "limit", "wait", "payload")),
    ("GET", "/1?include_log=true", "include_log", ("include_logs", "payload")),
    ("POST", "/1/reset?reasn=x", "reasn", ("reason",)),
]

# Path, body, the field to blame, one that is known.
BODIES = [
    ("/api/tenants", {"id": "new", "naming": "enforce"}, "naming", "id"),
    ("/api/tenants", {"id": "new", "nmae": "x"}, "nmae", "id"),
    ("/api/schemas/check", {"old": ORDER, "new": ORDER, "dry_run": {}}, "dry_run", "dryRun"),
    ("/api/schemas/check", {"type": "order.created", "new": ORDER, "dryRun": {"form": "x"}}, "dryRun.form", "from"),
    ("/api/keys", {"scopes": ["admin"], "expiers": "90d"}, "expiers", "expires"),
    ("/api/rules/test", {"pattern": {"type": ["a"]}, "event": {"type": "a"}, "dialekt": "extended"}, "dialekt", "dialect"),
]


@on_every_store
class Queries(Case):
    def test_an_unknown_parameter_is_named_beside_the_known_ones(self):  # S4.12
        for method, path, name, known in QUERIES:
            answer = self.api.request(method, path, {} if method in ("POST", "PUT") else None)
            self.assertEqual((answer.status, answer.headers["Content-Type"]), (400, "application/problem+json"), path)
            self.assertEqual([error["field"] for error in answer.json["errors"]], [name], path)
            for word in known:
                self.assertIn(word, answer.json["detail"], path)

    def test_the_queue_api_says_so_in_its_own_form(self):  # S4.12
        for prefix in ("/events", "/api/queue/events"):
            for method, path, name, known in QUEUE_QUERIES:
                answer = self.api.request(method, prefix + path)
                self.assertEqual((answer.status, answer.json["field"]), (400, name), path)
                for word in known:
                    self.assertIn(word, answer.json["error"], path)

    def test_a_claim_with_an_unknown_parameter_leases_nothing(self):  # S4.2
        self.api.create(tags="a")
        self.assertEqual(self.api.get("/events/subscribe?tags=a&worker_id=w&limt=2").status, 400)
        self.assertEqual(self.api.get("/events?status=PENDING").json["total"], 1)

    def test_probes_may_add_what_they_like(self):
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json"):
            self.assertEqual(self.api.get(path + "?probe=7").status, 200, path)


@on_every_store
class Trials(RegistryCase):
    def test_a_trial_that_is_not_asked_for_in_full_saves_nothing(self):  # S2.8
        rule = {"pattern": {"source": ["s"]}}
        for query, field in (("dryRun", "dryRun"), ("dryRun=", "dryRun"), ("dryRun=maybe", "dryRun"),
                             ("from=2026-01-01T00:00:00Z", "from"), ("dryRun=false&to=2026-01-01T00:00:00Z", "to")):
            self.expect(self.api.request("PUT", f"/api/rules/r?{query}", rule), 400, field)
            self.assertEqual(self.api.get("/api/rules/r").status, 404, query)
        self.expect(self.api.post("/api/schemas?dryRun=", [{"type": "d.done", "version": "1.0", "schema": {}}]), 400, "dryRun")
        self.assertEqual(self.api.get("/api/schemas").json["items"], [])

    def test_a_context_filter_has_a_key(self):  # S3.4
        self.expect(self.api.get("/api/events?context.=b"), 400, "context")

TARGET = {"id": "t", "type": "queue", "queue": "q"}
PATTERN = {"type": ["a"]}
DOCUMENTS = [
    ("PUT", "/api/rules/r", {"patern": PATTERN}, "patern", "pattern"),
    ("PUT", "/api/rules/r", {"pattern": PATTERN, "targets": [{**TARGET, "retries": 3}]}, "targets[0].retries", "retry"),
    ("PUT", "/api/rules/r", {"pattern": PATTERN, "targets": [{**TARGET, "retry": {"attempts": 3}}]},
     "targets[0].retry.attempts", "maxAttempts"),
    ("POST", "/api/event-types", {"code": "a.done", "strct": True}, "strct", "strict"),
    ("PUT", "/api/event-types/a.done", {"specVersions": [{"version": "1.0", "shema": ORDER}]}, "specVersions[0].shema",
     "schema"),
    ("PATCH", "/api/schemas/order.created/1.0", {"statsu": "DEPRECATED"}, "statsu", "status"),
    ("PUT", "/api/public-events/order.created", {"feilds": ["id"]}, "feilds", "fields"),
]


@on_every_store
class Bodies(RegistryCase):
    def test_an_unknown_member_is_named_beside_the_known_ones(self):  # S4.12
        self.make_type()
        for path, body, field, known in BODIES:
            answer = self.api.post(path, body)
            self.expect(answer, 422, field)
            self.assertIn(known, answer.json["detail"].split("it has ")[1].split(", "))
        self.assertNotIn("new", [tenant["id"] for tenant in self.api.get("/api/tenants?limit=1000").json["items"]])

    def test_an_unknown_member_of_a_document_is_named_beside_the_known_ones(self):  # S2.8, S3.5, S2.7
        self.make_type()
        for method, path, body, field, known in DOCUMENTS:
            answer = self.api.request(method, path, body)
            self.expect(answer, 422, field)
            self.assertIn(known, answer.json["detail"].split("it has ")[1].split(", "))

    def test_an_unknown_member_of_a_schema_file_is_named(self):  # S2.4
        file = {"file": "a.done.v1.json", "text": "true", "ifMach": 1}
        self.expect(self.api.post("/api/schemas", [file]), 422)
        self.assertIn("ifMatch", self.api.post("/api/schemas", [file]).json["detail"])

    def test_every_missing_field_of_an_envelope_is_named_at_once(self):  # S2.1
        sent = {"event_type": "order.created", "event_id": "e", "aggregate_id": "7", "actor": {"type": "user"}}
        missing = ["schema_version", "occurred_at", "aggregate_type", "correlation_id", "organization_id"]
        answer = self.api.post("/api/events", sent)
        self.expect(answer, 422)
        self.assertEqual([error["field"] for error in answer.json["errors"]], missing)
        for field in missing:
            self.assertIn(f'"{field}"', answer.json["detail"])
        answer = self.api.post("/api/events", [{"type": "a", "source": "s"}, sent])
        self.assertEqual([error["field"] for error in answer.json["errors"]], [f"[1].{field}" for field in missing])
        parts = self.api.post("/api/events?partial=true", [{"type": "a", "source": "s"}, sent]).json["items"]
        self.assertEqual(len(parts[1]["error"]["errors"]), len(missing))

    def test_every_missing_attribute_of_a_cloudevent_is_named_at_once(self):  # S3.2
        def missing(body, **fields):
            answer = self.api.post("/api/events", body, headers=fields)
            self.expect(answer, 422)
            named = [error["field"] for error in answer.json["errors"]]
            self.assertTrue(all(f'"{field}"' in answer.json["detail"] for field in named), answer.json["detail"])
            return named

        self.assertEqual(missing({"specversion": "1.0", "id": "1"}), ["source", "type"])
        one = {"Content-Type": "application/cloudevents+json"}
        self.assertEqual(missing({"type": "a"}, **one), ["specversion", "id", "source"])
        batch = {"Content-Type": "application/cloudevents-batch+json"}
        self.assertEqual(missing([{"specversion": "1.0", "type": "a"}], **batch), ["[0].id", "[0].source"])
        binary = {"Content-Type": "application/json", "ce-specversion": "1.0", "ce-id": "1"}
        self.assertEqual(missing({}, **binary), ["ce-source", "ce-type"])


if __name__ == "__main__":
    unittest.main()
