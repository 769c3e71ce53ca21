"""What is refused, how it is said, and that nothing of it is stored (S4.12)."""

import json
import unittest

from stores import Case, on_every_store

MALFORMED = [
    b"", b" ", b"{", b'{"title":"T"', b'{"title":"T"}}', b'{"title":"T",}', b"{'title':'T'}", b'{"title":"T"} x',
    b"\xff\xfe", b'{"title":"\xff"}', b'{"title":"\xed\xa0\x80"}', b'{"title":"\\ud800"}', b'{"title":"a\nb"}',
    b'{"title":"T","title":"U"}', b'{"title":"T","payload":{"a":1,"a":2}}', b'{"title":"T","payload":01}',
    b'{"title":"T","payload":NaN}', b'{"title":"T","payload":' + b"[" * 100 + b"]" * 100 + b"}", b"[" * 100_000,
]

WRONG_FIELDS = [
    ({}, "title"), ({"title": ""}, "title"), ({"title": 1}, "title"), ({"title": None}, "title"),
    ({"title": "x" * 1001}, "title"), ({"title": "a\u0000b"}, "title"),
    ({"title": "T", "description": []}, "description"), ({"title": "T", "description": "x" * 65537}, "description"),
    ({"title": "T", "tags": 5}, "tags"), ({"title": "T", "tags": ["a", None]}, "tags[1]"),
    ({"title": "T", "tags": ["a,b"]}, "tags"), ({"title": "T", "tags": "x" * 201}, "tags"),
    ({"title": "T", "tags": ",".join(str(n) for n in range(65))}, "tags"),
    ({"title": "T", "max_retries": "3"}, "max_retries"), ({"title": "T", "max_retries": -1}, "max_retries"),
    ({"title": "T", "max_retries": 1001}, "max_retries"), ({"title": "T", "max_retries": 1.5}, "max_retries"),
    ({"title": "T", "priority": 1000001}, "priority"), ({"title": "T", "priority": True}, "priority"),
    ({"title": "T", "run_at": 5}, "run_at"), ({"title": "T", "run_at": "2025-13-01T00:00:00Z"}, "run_at"),
    ({"title": "T", "run_at": "9999-01-01T00:00:00Z"}, "run_at"),
    ({"title": "T", "idempotency_key": "x" * 256}, "idempotency_key"),
    ({"title": "T", "idempotency_key": 1}, "idempotency_key"),
    ({"title": "T", "backoff": {"kind": "none"}}, "backoff.kind"),
    ({"title": "T", "backoff": {"seconds": 1e9}}, "backoff.seconds"),
]

ALLOWED = [
    {"title": "x" * 1000}, {"title": "T", "description": "x" * 65536}, {"title": "T", "tags": "x" * 200},
    {"title": "T", "tags": [str(n) for n in range(64)]}, {"title": "T", "max_retries": 0},
    {"title": "T", "max_retries": 1000}, {"title": "T", "max_retries": 3.0}, {"title": "T", "priority": -1000000},
    {"title": "T", "idempotency_key": "x" * 255}, {"title": "T", "unknown": 1}, {"title": "T", "tags": None},
    {"title": "T", "run_at": "2001-01-01T00:00:00+02:00"},
]


@on_every_store
class Refused(Case):
    def test_malformed_json_says_where(self):  # S4.12
        for body in MALFORMED:
            answer = self.api.request("POST", "/events", body)
            self.assertEqual(answer.status, 400, body[:60])
            self.assertIn("error", answer.json)
        answer = self.api.request("POST", "/events", b'{\n "title": oops}')
        self.assertIn("line 2", answer.json["error"])
        self.assertEqual(self.api.get("/events").json["total"], 0)

    def test_wrong_fields_are_named(self):  # S4.12
        for body, field in WRONG_FIELDS:
            answer = self.api.post("/events", body)
            self.assertEqual(answer.status, 422, body)
            self.assertEqual(answer.json["field"], field)
            self.assertIn(field, answer.json["error"])
        for body in (5, "x", None, True):
            self.assertEqual(self.api.post("/events", json.dumps(body).encode()).status, 422)
        self.assertEqual(self.api.get("/events").json["total"], 0)

    def test_what_is_just_within_the_limits_is_taken(self):  # S4.12
        for body in ALLOWED:
            self.assertEqual(self.api.post("/events", body).status, 201, str(body)[:80])

    def test_a_payload_over_the_limit_says_limit_and_size(self):  # S4.12
        limit = 1024 * 1024
        self.assertEqual(self.api.post("/events", {"title": "T", "payload": "x" * (limit - 2)}).status, 201)
        answer = self.api.post("/events", {"title": "T", "payload": "x" * (limit - 1)})
        self.assertEqual(answer.status, 413)
        self.assertIn(str(limit), answer.json["error"])
        self.assertIn(str(limit + 1), answer.json["error"])
        spaced = b'{"title":"T","payload":[' + b" " * (2 * limit) + b"1]}"
        self.assertEqual(self.api.request("POST", "/events", spaced).status, 201)
        self.assertEqual(self.api.get("/events").json["total"], 2)

    def test_a_body_that_is_not_said_to_be_json_is_415(self):
        for content_type in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp"):
            answer = self.api.request("POST", "/events", b'{"title":"T"}', {"Content-Type": content_type})
            self.assertEqual(answer.status, 415, content_type)
        for content_type in ("application/json", "application/json; charset=utf-8", "application/vnd.x+json"):
            answer = self.api.request("POST", "/events", b'{"title":"T"}', {"Content-Type": content_type})
            self.assertEqual(answer.status, 201, content_type)

    def test_outcomes_with_wrong_fields_change_nothing(self):  # S4.12
        item = self.api.create(tags="t")["id"]
        self.api.claim()
        for body, field in (({}, "worker_id"), ({"worker_id": 5}, "worker_id"), ({"worker_id": ""}, "worker_id"),
                            ({"worker_id": "w:1", "execution_time_ms": -1}, "execution_time_ms"),
                            ({"worker_id": "w:1", "status_code": "200"}, "status_code"),
                            ({"worker_id": "w:1", "lease_token": "1"}, "lease_token"),
                            ({"worker_id": "w:1", "attempt": 0}, "attempt")):
            for action in ("complete", "fail"):
                answer = self.api.post(f"/events/{item}/{action}", body)
                self.assertEqual((answer.status, answer.json["field"]), (422, field))
        self.assertEqual(self.api.item(item)["status"], "PROCESSING")


@on_every_store
class Http(Case):
    def test_unknown_paths_and_methods(self):
        self.assertEqual(self.api.get("/nothing").status, 404)
        self.assertEqual(self.api.get("/events/1/2/3").json.keys(), {"error"})
        answer = self.api.request("DELETE", "/events")
        self.assertEqual((answer.status, answer.headers["Allow"]), (405, "GET, HEAD, POST"))
        self.assertEqual(self.api.request("PUT", "/events/1").status, 405)

    def test_problems_under_api_are_problem_json(self):
        answer = self.api.post("/api/keys", {"scopes": ["nonsense"]})
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (422, "application/problem+json"))
        self.assertEqual(answer.json["status"], 422)
        self.assertEqual(answer.json["errors"][0]["field"], "scopes")

    def test_every_answer_carries_its_ids(self):
        answer = self.api.get("/events", headers={"X-Correlation-ID": "abc"})
        self.assertEqual(answer.headers["X-Correlation-ID"], "abc")
        self.assertTrue(answer.headers["X-Request-ID"])
        self.assertTrue(self.api.get("/nothing").headers["X-Correlation-ID"])

    def test_head_is_get_without_a_body(self):
        item = self.api.create()["id"]
        answer = self.api.request("HEAD", f"/events/{item}")
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(int(answer.headers["Content-Length"]), len(self.api.get(f"/events/{item}").body))

    def test_tags_that_name_none_list_nothing(self):  # S4.9
        for path in ("/events?tags=,", "/api/queue/events?tags=%20,%20", "/events/subscribe?worker_id=w&tags=,"):
            answer = self.api.get(path)
            self.assertEqual((answer.status, answer.json["field"]), (400, "tags"), path)

    def test_bad_escapes_in_the_target_are_named(self):  # S4.12
        for path, field, why in (("?tags=%zz", "tags", '"%"'), ("/%", None, '"%"'), ("?status=%ff", "status", "UTF-8"),
                                 ("?tags=%00", "tags", "NUL"), ("/%ff", None, "UTF-8"), ("?%ff=1", None, "UTF-8"),
                                 ("/subscribe?tags=t&worker_id=%ff", "worker_id", "UTF-8")):
            for prefix in ("/events", "/api/queue/events"):
                answer = self.api.get(prefix + path)
                self.assertEqual((answer.status, answer.headers["Content-Type"]), (400, "application/json"), path)
                self.assertEqual(answer.json.get("field"), field, path)
                self.assertIn(why, answer.json["error"], path)
        problem = self.api.get("/api/events?type=%00")
        self.assertEqual((problem.status, problem.headers["Content-Type"]), (400, "application/problem+json"))
        self.assertEqual(problem.json["errors"][0]["field"], "type")

    def test_a_client_that_sends_a_body_over_the_limit_hears_why(self):  # S4.12
        answer = self.api.request("POST", "/events", b" " * (20 * 1024 * 1024))
        self.assertEqual(answer.status, 413)
        self.assertIn(str(16 * 1024 * 1024), answer.json["error"])

    def test_ping_answers(self):
        self.assertEqual(self.api.post("/api/ping", {"any": "body"}).json, {"ok": True})


if __name__ == "__main__":
    unittest.main()
