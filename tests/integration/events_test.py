"""The event log over HTTP: every envelope in, every access pattern out, followed as it grows."""

import json
import re
import threading
import time
import unittest
from urllib.parse import quote, urlencode

from stores import Case, on_every_store

TSID = re.compile(r"^[0-9A-HJKMNP-TV-Z]{13}$")
KEYS = ["PK", "SK"] + [f"GSI{n}{part}" for n in range(1, 8) for part in ("PK", "SK")]
ORDER = {"type": "order.created", "source": "shop", "subject": "order:12345", "data": {"amount": 99.99},
         "contextData": [{"key": "region", "value": "us-west"}]}
ENVELOPE = {
    "event_id": "550e8400-e29b-41d4-a716-446655440000", "event_type": "member.invited", "schema_version": 1,
    "occurred_at": "2025-01-02T23:00:00Z", "aggregate_id": "123", "aggregate_type": "member",
    "organization_id": None, "correlation_id": "req_01", "actor": {"type": "user", "id": "42"},
    "data": {"email": "new@example.com"},
}
KEYED = {"entityId": "req-1", "entityType": "TASK", "tenantId": None, "eventType": "Task Pending",
         "timestamp": 1767453739640, "context": {"source": "system"}, "properties": {"requestId": "req-1"},
         "app": "task-workflow"}
CLOUD = {"specversion": "1.0", "id": "A-1", "type": "com.example.thing", "source": "/mine", "data": {"a": [1, 2.50]},
         "ext1": "value"}


def of_tenant(event, tenant):
    """The event with the tenant's name where its form has one."""
    return {name: tenant if value is None and name in ("organization_id", "tenantId") else value
            for name, value in event.items()}


def publish(api, body, **options):
    return api.post("/api/events", body, **options)


def positions(answer):
    return [event["position"] for event in answer.json["items"]]


class EventCase(Case):
    def setUp(self):
        super().setUp()
        self.envelope = of_tenant(ENVELOPE, self.tenant)
        self.keyed = of_tenant(KEYED, self.tenant)

    def tenant_headers(self):
        return {"X-Millrace-Tenant": self.tenant}


@on_every_store
class Publish(EventCase):
    def test_answers_the_stored_event_with_all_its_keys(self):  # S3.1, S0.2
        answer = publish(self.api, ORDER)
        self.assertEqual(answer.status, 201)
        event = answer.json
        self.assertRegex(event["id"], TSID)
        self.assertEqual({name: event[name] for name in ORDER}, ORDER)
        self.assertEqual((event["position"], event["entityType"], event["entityId"], event["dispatchJobs"]),
                         (1, "ORDER", "12345", 0))
        for name in KEYS:
            self.assertIn(name, event)
        self.assertEqual(event["GSI1PK"], "ORDER#12345")
        self.assertEqual(event["GSI4PK"], "EVENT#order.created")
        for name in (event["id"], event["eventId"]):
            read = self.api.get(f"/api/events/{name}").json
            self.assertEqual({key: read[key] for key in read if key != "properties"},
                             {key: event[key] for key in event if key != "dispatchJobs"})

    def test_takes_the_snake_case_envelope_and_gives_it_back(self):  # S2.1
        self.assertEqual(publish(self.api, self.envelope).status, 201)
        read = self.api.get(f"/api/events/{self.envelope['event_id']}?format=snake").json
        self.assertEqual({name: read[name] for name in self.envelope}, self.envelope)
        for field in ("event_id", "event_type", "schema_version", "occurred_at", "aggregate_id", "aggregate_type",
                      "correlation_id", "actor", "organization_id"):
            answer = publish(self.api, {name: value for name, value in self.envelope.items() if name != field})
            self.assertIn(answer.status, (400, 422), field)
            self.assertIn(field, answer.json["detail"])

    def test_takes_the_keyed_form_and_refuses_contradicting_keys(self):  # S0.2, S0.4
        answer = publish(self.api, self.keyed)
        self.assertEqual(answer.status, 201)
        self.assertEqual(answer.json["GSI5SK"], "TENANT#" + self.tenant + "#TASK#req-1#TIMESTAMP#1767453739640")
        self.assertEqual(answer.json["properties"], self.keyed["properties"])
        wrong = publish(self.api, {**self.keyed, "GSI1PK": "TASK#req-2"})
        self.assertEqual(wrong.status, 422)
        self.assertIn("GSI1PK", wrong.json["detail"])

    def test_takes_cloudevents_in_three_modes(self):  # S3.2
        structured = publish(self.api, CLOUD, headers={"Content-Type": "application/cloudevents+json"})
        self.assertEqual((structured.status, structured.json["eventId"]), (201, "A-1"))
        batch = publish(self.api, [{**CLOUD, "id": "A-2"}, {**CLOUD, "id": "A-3"}],
                        headers={"Content-Type": "application/cloudevents-batch+json"})
        self.assertEqual((batch.status, batch.json["accepted"]), (201, 2))
        binary = publish(self.api, {"a": [1, 2.5]}, headers={
            "ce-specversion": "1.0", "ce-id": "A-4", "ce-type": "com.example.thing", "ce-source": "/mine",
            "ce-ext1": "na%C3%AFve"})
        self.assertEqual(binary.status, 201, binary.json)
        read = self.api.get("/api/events/A-4?format=cloudevents")
        self.assertEqual(read.headers["Content-Type"], "application/cloudevents+json")
        self.assertEqual((read.json["data"], read.json["ext1"]), ({"a": [1, 2.5]}, "na\u00efve"))
        for headers, why in (({"ce-specversion": "0.3"}, "specversion"), ({"ce-datacontenttype": "text/plain"}, "datacontenttype")):
            bad = publish(self.api, {}, headers={"ce-specversion": "1.0", "ce-id": "B", "ce-type": "t",
                                                 "ce-source": "/s", **headers})
            self.assertEqual(bad.status, 422, why)
            self.assertIn(why, bad.json["detail"])

    def test_null_data_is_a_value_and_a_null_attribute_is_none(self):  # S3.2
        sent = {**CLOUD, "id": "N", "data": None, "subject": None}
        self.assertEqual(publish(self.api, sent, headers={"Content-Type": "application/cloudevents+json"}).status, 201)
        read = self.api.get("/api/events/N?format=cloudevents").json
        self.assertIn("data", read)
        self.assertIsNone(read["data"])
        self.assertNotIn("subject", read)

    def test_a_repeat_stores_nothing(self):  # S2.2, S3.3
        first = publish(self.api, self.envelope)
        again = publish(self.api, {**self.envelope, "data": {"other": 1}})
        self.assertEqual((first.status, again.status), (201, 200))
        self.assertTrue(again.json["duplicate"])
        self.assertEqual((again.json["position"], again.json["data"]), (1, self.envelope["data"]))
        one = publish(self.api, {**ORDER, "deduplicationId": "d"})
        two = publish(self.api, {**ORDER, "deduplicationId": "d"})
        self.assertEqual((two.status, two.json["id"]), (200, one.json["id"]))
        other = publish(self.another(self.tenant + "-2"), {**ORDER, "deduplicationId": "d"})
        self.assertEqual((other.status, other.json["position"]), (201, 1))
        same = {**CLOUD, "id": "S"}
        headers = {"Content-Type": "application/cloudevents+json"}
        self.assertEqual(publish(self.api, same, headers=headers).status, 201)
        self.assertEqual(publish(self.api, same, headers=headers).status, 200)
        self.assertEqual(publish(self.api, {**same, "source": "/other"}, headers=headers).status, 201)

    def test_an_answer_has_the_keyed_fields_of_every_event(self):  # S0.2
        for event_id, more, properties in (("with", {"data": {"a": [1]}}, {"a": [1]}), ("without", {}, {})):
            sent = {"type": "order.created", "source": "shop", "eventId": event_id, **more}
            self.assertNotIn("properties", publish(self.api, sent).json)
            read = self.api.get(f"/api/events/{event_id}").json
            self.assertEqual(read["properties"], properties)
            for field in ("PK", "SK", "GSI1PK", "GSI7SK", "entityId", "entityType", "tenantId", "eventType", "timestamp",
                          "context", "receivedAt"):
                self.assertIn(field, read)

    def test_what_is_sent_for_nothing_is_refused(self):  # S2.1, S3.2, S2.4
        for field in ("aggregate_id", "aggregate_type", "correlation_id"):
            answer = publish(self.api, {**self.envelope, field: ""})
            self.assertEqual((answer.status, answer.json["errors"][0]["field"]), (422, field))
        headers = {"Content-Type": "application/cloudevents+json"}
        answer = publish(self.api, {**CLOUD, "source": "/a", "mrsource": "/b"}, headers=headers)
        self.assertEqual((answer.status, answer.json["errors"][0]["field"]), (422, "mrsource"))
        for version in ("01.0", "1.00", 0):
            answer = publish(self.api, {**ORDER, "schemaVersion": version})
            self.assertEqual((answer.status, answer.json["errors"][0]["field"]), (422, "schemaVersion"))

    def test_a_repeat_of_an_expired_event_says_so(self):  # S0.7, S2.2
        gone = {"ttl": 1_700_000_000}
        self.assertEqual(publish(self.api, {**ORDER, **gone, "eventId": "e"}).status, 201)
        self.assertEqual(publish(self.api, {**ORDER, **gone, "deduplicationId": "d"}).status, 201)
        left = {"type": ORDER["type"], "duplicate": True, "expired": True}
        again = publish(self.api, {**ORDER, "eventId": "e"})
        self.assertEqual((again.status, again.json), (200, {**left, "eventId": "e", "position": 1}))
        again = publish(self.api, {**ORDER, "deduplicationId": "d"})
        self.assertEqual((again.status, again.json), (200, {**left, "position": 2}))

    def test_a_deduplication_id_is_forgotten_after_its_window(self):  # S3.3
        client = self.client_of(self.own_server("--event-dedup-window", "1s"))
        sent = {**ORDER, "deduplicationId": "d"}
        self.assertEqual(publish(client, sent).status, 201)
        statuses = set()
        deadline = time.monotonic() + 20
        while 201 not in statuses and time.monotonic() < deadline:
            statuses.add(publish(client, sent).status)
        self.assertEqual(statuses, {200, 201})

    def test_an_array_is_stored_whole_or_not_at_all(self):  # S3.1
        bad = publish(self.api, [ORDER, {**ORDER, "type": 7}, {"source": "x"}])
        self.assertEqual(bad.status, 422)
        self.assertEqual([error["field"] for error in bad.json["errors"]], ["[1].type", "[2].type"])
        self.assertEqual(self.api.get("/api/events").json["items"], [])
        good = publish(self.api, [ORDER, {**ORDER, "deduplicationId": "x"}, {**ORDER, "deduplicationId": "x"}])
        self.assertEqual((good.status, good.json["accepted"], good.json["duplicates"]), (201, 2, 1))
        self.assertEqual(positions(good), [1, 2, 2])
        some = self.api.post("/api/events?partial=true", [ORDER, {"type": 7}, ORDER])
        self.assertEqual((some.status, some.json["accepted"], some.json["refused"]), (207, 2, 1))
        self.assertEqual(some.json["items"][1]["error"]["status"], 422)
        repeats = publish(self.api, [{**ORDER, "deduplicationId": "x"}])
        self.assertEqual((repeats.status, repeats.json["accepted"]), (200, 0))

    def test_bad_input_is_refused_and_nothing_is_stored(self):  # S3.1, S3.2
        cases = [
            (b"", 400, None), (b"{", 400, None), (b'{"type":"a","type":"b"}', 400, None), (b"[]", 422, None),
            (b"7", 422, None), (b"{}", 422, "type"), (b'{"type":"","source":"s"}', 422, "type"),
            (b'{"type":"t","source":"s","colour":"red"}', 422, "colour"),
            (b'{"type":"t","source":"s","audit":{"action":"x"}}', 422, "audit"),
            (b'{"type":"t","source":"s","time":"yesterday"}', 422, "time"),
            (b'{"type":"t","source":"s","contextData":[{"key":"k"}]}', 422, "contextData[0]"),
            (json.dumps({"type": "t" * 256, "source": "s"}).encode(), 422, "type"),
            (json.dumps([ORDER] * 1001).encode(), 422, None),
            (b'{"type":"t","source":"s","tenantId":"somebody"}', 403, None),
        ]
        for body, status, field in cases:
            answer = publish(self.another(self.tenant + "-strict"), body)
            self.assertEqual(answer.status, status, (body[:80], answer.json))
            self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
            if field:
                self.assertIn(field, [error["field"] for error in answer.json["errors"]], body[:80])
        self.assertEqual(publish(self.api, b"x", headers={"Content-Type": "text/plain"}).status, 415)
        self.assertEqual(self.another(self.tenant + "-strict").get("/api/events").json["items"], [])

    def test_concurrent_repeats_store_one_event(self):  # S2.2
        answers = []

        def send():
            api = self.another(self.tenant + "-racing")
            for n in range(20):
                answers.append(publish(api, {**ORDER, "deduplicationId": f"d{n}"}))

        threads = [threading.Thread(target=send) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(a.status for a in answers), [200] * 140 + [201] * 20)
        self.assertEqual(sorted(positions(self.another(self.tenant + "-racing").get("/api/events?limit=100"))), list(range(1, 21)))


@on_every_store
class Read(EventCase):
    def test_lists_by_every_filter_newest_first(self):  # S3.4
        for n in range(12):
            publish(self.api, {"type": f"t.{n % 3}", "source": f"s{n % 2}", "subject": f"x:{n % 4}",
                               "correlationId": f"c{n % 5}", "time": f"2026-01-01T00:00:{n:02}Z",
                               "contextData": [{"key": "k", "value": str(n % 2)}, {"key": "n", "value": str(n)}]})

        def listed(**filters):
            return positions(self.api.get("/api/events?" + urlencode(filters)))

        self.assertEqual(listed(), list(range(12, 0, -1)))
        self.assertEqual(listed(type="t.1"), [11, 8, 5, 2])
        self.assertEqual(listed(type="t.1", source="s1"), [8, 2])
        self.assertEqual(listed(subject="x:3"), [12, 8, 4])
        self.assertEqual(listed(correlationId="c4"), [10, 5])
        self.assertEqual(listed(**{"context.k": "1", "context.n": "7"}), [8])
        self.assertEqual(listed(**{"from": "2026-01-01T00:00:03Z", "to": "2026-01-01T00:00:06Z"}), [6, 5, 4])
        self.assertEqual(listed(type="unknown"), [])
        for bad in ("limit=0", "limit=1001", "from=soon", "cursor=nonsense", "format=xml"):
            self.assertEqual(self.api.get("/api/events?" + bad).status, 400, bad)

    def test_cursors_stay_right_while_events_arrive(self):  # S3.4, S0.8
        for n in range(25):
            publish(self.api, {**ORDER, "time": "2026-01-01T00:00:00Z"})
        seen, cursor = [], ""
        while cursor is not None:
            page = self.api.get(f"/api/events?limit=4&type=order.created{cursor and '&cursor=' + cursor}")
            seen += positions(page)
            cursor = page.json["nextCursor"]
            publish(self.api, {**ORDER, "time": "2026-01-02T00:00:00Z"})
        self.assertEqual(seen, list(range(25, 0, -1)))

    def test_answers_the_eight_access_patterns(self):  # S0.3, S0.4, S0.8
        for n in range(6):
            for kind in ("Task Pending", "Task Completed"):
                publish(self.api, {**self.keyed, "entityId": f"req-{n % 2}", "eventType": kind,
                                   "timestamp": 1767453739640 + n // 3})
        example = publish(self.api, {**self.keyed, "entityType": "STORE", "entityId": "s1"}).json

        def query(index, pk, **more):
            return self.api.get("/api/events/query?" + urlencode({"index": index, "pk": pk, **more}))

        for index in ["table"] + [f"GSI{n}" for n in range(1, 8)]:
            prefix = "" if index == "table" else index
            pk, sk = example[prefix + "PK"], example[prefix + "SK"]
            found = query(index, pk, skFrom=sk, skTo=sk)
            self.assertIn(example["position"], positions(found), index)
            self.assertIn(example["position"], positions(query(index, pk, skPrefix=sk[:-3])), index)
            self.assertNotIn(example["position"], positions(query(index, pk, skAfter=sk)), index)
            whole = positions(query(index, pk, limit=1000))
            self.assertEqual(whole[::-1], positions(query(index, pk, order="desc", limit=1000)), index)
            paged, cursor = [], None
            while True:
                page = query(index, pk, limit=3, **({"cursor": cursor} if cursor else {}))
                paged += positions(page)
                cursor = page.json["nextCursor"]
                if cursor is None:
                    break
            self.assertEqual(paged, whole, index)
        tasks = query("GSI1", "TASK#req-1").json["items"]
        self.assertEqual([event["SK"] for event in tasks], [event["SK"] for event in tasks if event["entityId"] == "req-1"])
        self.assertEqual(positions(query("GSI4", "EVENT#Task Pending", skPrefix="TENANT#other#")), [])
        for bad in ("index=GSI9&pk=x", "index=GSI1", "pk=x&order=up", "pk=x&skFrom=a&skAfter=b"):
            self.assertEqual(self.api.get("/api/events/query?" + bad).status, 400, bad)

    def test_a_cursor_belongs_to_its_question(self):  # S0.3, S3.4
        for n in range(3):
            publish(self.api, {**ORDER, "subject": f"order:{n % 2}"})
        pk = quote("EVENT#order.created")
        asked = f"/api/events/query?index=GSI4&pk={pk}&limit=1"
        cursor = self.api.get(asked).json["nextCursor"]
        self.assertEqual(positions(self.api.get(f"{asked}&cursor={cursor}")), [2])
        self.assertEqual(positions(self.api.get(f"{asked.replace('limit=1', 'limit=9')}&cursor={cursor}")), [2, 3])
        for other in (f"index=GSI5&pk={pk}", "index=GSI4&pk=" + quote("EVENT#other"), f"index=GSI4&pk={pk}&order=desc"):
            self.assertEqual(self.api.get(f"/api/events/query?{other}&cursor={cursor}").status, 400, other)
        self.assertEqual(self.another(self.tenant + "-2").get(f"{asked}&cursor={cursor}").status, 400)
        listed = self.api.get("/api/events?limit=1&type=order.created").json["nextCursor"]
        self.assertEqual(positions(self.api.get(f"/api/events?type=order.created&cursor={listed}")), [2, 1])
        for other in ("", "type=other", "type=order.created&subject=order:1", "type=order.created&context.a=b"):
            self.assertEqual(self.api.get(f"/api/events?{other}&cursor={listed}").status, 400, other)

    def test_an_empty_filter_is_refused(self):  # S3.4
        for name in ("type", "source", "subject", "correlationId"):
            refused = self.api.get(f"/api/events?{name}=")
            self.assertEqual((refused.status, name in refused.json["detail"]), (400, True), name)

    def test_neighbours_do_not_see_each_other(self):  # S3.4
        event = publish(self.api, ORDER).json
        other = self.another(self.tenant + "-2")
        self.assertEqual(other.get("/api/events").json["items"], [])
        self.assertEqual(other.get(f"/api/events/{event['id']}").status, 404)
        self.assertEqual(other.get(f"/api/events/{event['eventId']}").status, 404)
        self.assertEqual(positions(other.get("/api/events/query?index=GSI4&pk=" + quote("EVENT#order.created"))), [])

    def test_events_with_a_time_to_live_go(self):  # S0.7
        now = int(time.time())
        self.assertEqual(publish(self.api, {**ORDER, "eventId": "gone", "ttl": now + 1}).status, 201)
        self.assertEqual(publish(self.api, {**ORDER, "eventId": "stays", "ttl": now + 3600}).status, 201)
        self.assertEqual(self.api.get("/api/events/stays").status, 200)
        deadline = time.monotonic() + 10
        while self.api.get("/api/events/gone").status != 404:
            self.assertLess(time.monotonic(), deadline, "it should be gone")
            time.sleep(0.05)
        self.assertEqual([event["eventId"] for event in self.api.get("/api/events").json["items"]], ["stays"])

    def test_events_go_when_they_are_older_than_the_server_keeps_them(self):  # S0.7
        server = self.own_server("--event-retention", "1s")
        self.addCleanup(server.stop)
        api = self.client_of(server)
        for n in range(3):  # whenever the server looks for what is old: readers see nothing of it before that
            self.assertEqual(publish(api, {**ORDER, "eventId": f"old-{n}"}).status, 201)
            published = time.monotonic()
            asked = published
            while api.get(f"/api/events/old-{n}").status != 404:
                self.assertLess(asked - published, 1.1, "it should be gone")
                time.sleep(0.05)
                asked = time.monotonic()
            self.assertEqual(api.get("/api/events").json["items"], [])


if __name__ == "__main__":
    unittest.main()
