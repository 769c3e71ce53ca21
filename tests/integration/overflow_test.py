"""Large payloads: kept in the blob store, handed out as if they were not (S0.9, S4.13)."""

import json
import os
import pathlib
import tempfile
import unittest

from server import Server, run_serve
from stores import Case, new_place, new_tenant, on_every_store

LARGE = "x" * 300_000


def task(event_id, **data):
    return {"type": "task.completed", "source": "/worker", "subject": "task-1", "eventId": event_id, "data": data}


def reference_of(event):
    return event["data"]["_s3Overflow"]


@on_every_store
class Events(Case):
    def publish(self, body, status=201, **headers):
        answer = self.api.post("/api/events", body, headers=headers)
        self.assertEqual(answer.status, status, answer.body[:500])
        return answer.json

    def get(self, event_id, query=""):
        answer = self.api.get(f"/api/events/{event_id}{query}")
        self.assertEqual(answer.status, 200, answer.body[:500])
        return answer.json

    def test_a_large_event_keeps_a_reference_and_comes_back_whole(self):  # S0.9
        sent = task("e-1", requestId="req-7", outputs=LARGE, input={"a": [1, "z" * 200]}, output={"b": 1}, durationMs=5)
        made = self.publish(sent)
        self.assertEqual(reference_of(made)["key"], "events/req-7/e-1-payload.json")
        stored = self.get("e-1")
        self.assertEqual(stored["data"].keys(), {"requestId", "durationMs", "output", "_s3Overflow"})
        self.assertEqual(self.get("e-1", "?resolve=false")["data"], stored["data"])
        self.assertEqual(self.get("e-1", "?resolve=true")["data"], sent["data"])
        self.assertEqual(self.get(made["id"], "?resolve=true&format=snake")["data"], sent["data"])
        self.assertEqual(self.api.get("/api/events/e-1?resolve=maybe").status, 400)

    def test_listings_bring_them_back_too(self):  # S0.9
        self.publish([task("small", output=1), task("large", output=LARGE)])
        for path in ("/api/events?", f"/api/events/query?pk=TENANT%23{self.tenant}&"):
            plain = self.api.get(path)
            self.assertLess(len(plain.body), 10_000, path)
            answer = self.api.get(path + "resolve=true")
            self.assertEqual(answer.status, 200, answer.body[:300])
            outputs = {item.get("eventId", item.get("id")): item["data"]["output"] for item in answer.json["items"]}
            self.assertEqual(sorted(map(str, outputs.values())), sorted(["1", LARGE]), path)

    def test_an_event_up_to_the_threshold_stays_whole(self):  # S0.9
        self.assertNotIn("_s3Overflow", self.publish(task("e", output="x" * 200_000))["data"])

    def test_a_rule_is_explained_by_the_data_that_was_published(self):  # S0.9 S2.8
        for name, wanted in (("fits", "yes"), ("other", "no")):
            rule = {"pattern": {"detail": {"input": {"urgent": [wanted]}}}}
            self.assertEqual(self.api.request("PUT", f"/api/rules/{name}", rule).status, 201)
        self.publish(task("e", input={"urgent": "yes", "text": LARGE}))
        self.assertIs(self.api.get("/api/events/e/explain?rule=fits").json["matches"], True)
        verdicts = {item["rule"]: item for item in self.api.get("/api/events/e/explain").json["items"]}
        self.assertIs(verdicts["fits"]["matches"], True)
        self.assertEqual(verdicts["other"]["why"],
                         [{"path": "detail.input.urgent", "expected": '"no"', "seen": '"yes"'}])

    def test_a_repeat_with_other_data_does_not_touch_the_first(self):  # S0.9
        first = self.publish(task("e", output=LARGE))
        again = self.publish(task("e", output=LARGE + "changed"), status=200)
        self.assertTrue(again["duplicate"])
        self.assertEqual(reference_of(again), reference_of(first))
        self.assertEqual(self.get("e", "?resolve=true")["data"]["output"], LARGE)

    def test_two_sources_may_use_one_id(self):  # S0.9 S2.2
        for source in ("/a", "/b"):
            event = {"specversion": "1.0", "id": "same", "source": source, "type": "t",
                     "data": {"output": source + LARGE}}
            answer = self.api.request("POST", "/api/events", json.dumps(event).encode(),
                                      {"Content-Type": "application/cloudevents+json"})
            self.assertEqual(answer.status, 201, answer.body[:300])
        items = self.api.get("/api/events?resolve=true").json["items"]
        self.assertEqual(sorted(item["data"]["output"][:2] for item in items), ["/a", "/b"])

    def test_tenants_do_not_reach_each_others_blobs(self):  # S0.9
        self.publish(task("e", output=LARGE))
        other = self.another(new_tenant())
        self.assertEqual(other.get("/api/events/e?resolve=true").status, 404)
        self.assertEqual(other.post("/api/events", task("e", output=LARGE + "other")).status, 201)
        self.assertEqual(self.get("e", "?resolve=true")["data"]["output"], LARGE)
        self.assertEqual(other.get("/api/events/e?resolve=true").json["data"]["output"], LARGE + "other")

    def test_a_reference_that_a_sender_wrote_is_plain_data(self):  # S0.9
        data = {"_s3Overflow": {"bucket": "blobs", "key": "../../../etc/passwd"}}
        self.publish({**task("e"), "data": data})
        self.assertEqual(self.get("e", "?resolve=true")["data"], data)

    def test_ids_cannot_lead_out_of_the_folder(self):  # S0.9
        for event_id in ("../../../../tmp/x", "..", "/etc/passwd", "a%2fb", "a+b~c=d"):
            self.publish(task(event_id, requestId="../..", output=event_id + LARGE))
        items = self.api.get("/api/events?resolve=true").json["items"]
        self.assertEqual(len(items), 5)
        for item in items:
            self.assertEqual(item["data"]["output"], item["eventId"] + LARGE)

    def test_which_fields_move_and_when_is_a_setting(self):  # S0.9
        server = self.own_server("--overflow-bytes", "2KiB", "--overflow-fields", "report,log")
        api = self.client_of(server)
        made = api.post("/api/events", task("e", report="r" * 3000, output="o" * 3000)).json
        self.assertEqual(made["data"].keys(), {"output", "_s3Overflow"})
        self.assertEqual(api.get("/api/events/e?resolve=true").json["data"]["report"], "r" * 3000)

    def test_they_survive_a_kill(self):  # S0.9 S4.13
        server = self.own_server()
        api = self.client_of(server)
        self.assertEqual(api.post("/api/events", task("e", output=LARGE)).status, 201)
        item = api.create(tags="t", payload={"blob": LARGE})["id"]
        server.kill()
        api.close()
        server.start()
        api = self.client_of(server)
        self.assertEqual(api.get("/api/events/e?resolve=true").json["data"]["output"], LARGE)
        self.assertEqual(api.item(item)["payload"], {"blob": LARGE})


@on_every_store
class Items(Case):
    def test_a_large_payload_goes_through_unnoticed(self):  # S4.13
        payload = {"text": "ä" * 90_000, "n": 1.50}
        made = self.api.post("/events", {"title": "T", "tags": "t", "payload": payload})
        self.assertEqual((made.status, made.json["payload"]), (201, payload))
        item = made.json["id"]
        self.assertEqual(self.api.item(item)["payload"], payload)
        claimed = self.api.claim()
        self.assertEqual((claimed.json["id"], claimed.json["payload"]), (item, payload))
        self.assertEqual(self.api.complete(item).status, 200)
        self.assertEqual(self.api.item(item)["payload"], payload)

    def test_a_worker_may_ask_for_the_reference(self):  # S4.13
        items = self.api.post("/events", [{"title": "T", "tags": "t", "payload": LARGE},
                                          {"title": "T", "tags": "t", "payload": "small"}]).json
        self.assertEqual([item["payload"] for item in items], [LARGE, "small"])
        claimed = self.api.get("/events/subscribe?tags=t&worker_id=w:1&limit=2&payload=reference").json
        self.assertEqual(claimed[0]["payload"].keys(), {"_s3Overflow"})
        self.assertRegex(claimed[0]["payload"]["_s3Overflow"]["key"], "^items/events/[0-9a-f-]{36}-payload.json$")
        self.assertEqual(claimed[1]["payload"], "small")
        item = self.api.get(f"/events/{items[0]['id']}?payload=reference").json
        self.assertEqual(item["payload"], claimed[0]["payload"])
        for path in ("/events/subscribe?tags=t&worker_id=w:1&payload=x", f"/events/{items[0]['id']}?payload=x"):
            self.assertEqual(self.api.get(path).status, 400)

    def test_settle_hands_out_the_next_whole(self):  # S4.13
        self.api.create(tags="t", payload=LARGE)
        answer = self.api.post("/events/settle", {"outcomes": [], "worker_id": "w:1", "claim": {"tags": "t"}})
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assertEqual(answer.json["events"][0]["payload"], LARGE)

    def test_a_reference_that_a_sender_wrote_is_plain_data(self):  # S4.13
        payload = {"_s3Overflow": {"bucket": "blobs", "key": "items/events/x-payload.json"}}
        item = self.api.create(tags="t", payload=payload)["id"]
        self.assertEqual(self.api.item(item)["payload"], payload)
        self.assertEqual(self.api.claim().json["payload"], payload)

    def test_an_idempotency_key_is_about_the_whole_payload(self):  # S4.13 S4.11
        body = {"title": "T", "tags": "t", "payload": LARGE, "idempotency_key": "k"}
        first, second = self.api.post("/events", body), self.api.post("/events", body)
        self.assertEqual((first.status, second.status), (201, 200))
        self.assertEqual((second.json["id"], second.json["payload"]), (first.json["id"], LARGE))
        self.assertEqual(self.api.post("/events", {**body, "payload": LARGE + "y"}).status, 409)


class Missing(unittest.TestCase):
    """A blob that somebody took away is said, and nothing falls over."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.blobs = pathlib.Path(folder.name) / "blobs"
        self.server = Server(new_place("embedded"), "--blobs", str(self.blobs))
        self.addCleanup(self.server.kill)
        self.api = self.server.client()
        self.addCleanup(self.api.close)

    def files(self):
        return [path for path in self.blobs.rglob("*") if path.is_file() and not path.name.startswith(".")]

    def test_of_an_event(self):  # S0.9
        key = reference_of(self.api.post("/api/events", task("e", output=LARGE)).json)["key"]
        self.assertEqual([path.stat().st_mode & 0o777 for path in self.files()], [0o600])
        self.files()[0].unlink()
        answer = self.api.get("/api/events/e?resolve=true")
        self.assertEqual(answer.status, 409)
        self.assertIn(key, answer.json["detail"])
        self.api.post("/api/events", task("whole", output=LARGE))
        shown = {event["eventId"]: event for event in self.api.get("/api/events?resolve=true").json["items"]}
        self.assertEqual(reference_of(shown["e"])["key"], key)
        self.assertEqual(shown["whole"]["data"]["output"], LARGE)
        self.assertEqual(self.api.get("/api/events/e").status, 200)

    def test_of_an_event_is_no_verdict_on_its_data(self):  # S0.9 S2.8
        key = reference_of(self.api.post("/api/events", task("e", output=LARGE)).json)["key"]
        self.files()[0].unlink()
        for name, pattern in (("data", {"detail": {"output": [{"exists": False}]}}), ("type", {"type": ["task.completed"]})):
            self.assertEqual(self.api.request("PUT", f"/api/rules/{name}", {"pattern": pattern}).status, 201)
        verdict = self.api.get("/api/events/e/explain?rule=data").json
        self.assertIs(verdict["matches"], False)
        self.assertEqual(verdict["why"][0]["path"], "detail")
        self.assertIn(key, verdict["why"][0]["seen"])
        self.assertIs(self.api.get("/api/events/e/explain?rule=type").json["matches"], True)

    def test_of_an_item_reaches_somebody_who_can_fail_it(self):  # S4.13
        item = self.api.create(tags="t", payload=LARGE)["id"]
        self.files()[0].unlink()
        self.assertIs(self.api.item(item)["payload"]["_s3Overflow"]["missing"], True)
        claimed = self.api.claim().json
        self.assertIs(claimed["payload"]["_s3Overflow"]["missing"], True)
        self.assertEqual(self.api.fail(item).status, 200)

    def test_a_store_that_does_not_take_it_means_nothing_is_accepted(self):  # S0.9 S4.13
        self.api.post("/api/events", task("first", output=LARGE))
        tenant = self.blobs / "default"
        for path in sorted(tenant.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        tenant.rmdir()
        tenant.write_text("in the way")
        for path, body in (("/api/events", task("e", output=LARGE)), ("/events", {"title": "T", "payload": LARGE})):
            self.assertEqual(self.api.post(path, body).status, 503)
        self.assertEqual(self.api.get("/api/events/e").status, 404)
        self.assertEqual(self.api.get("/events").json["total"], 0)
        tenant.unlink()
        self.assertEqual(self.api.post("/api/events", task("e", output=LARGE)).status, 201)


class Places(unittest.TestCase):
    def test_a_place_that_does_not_do_is_said(self):
        with tempfile.NamedTemporaryFile() as file:
            for blobs, said, expected in ((file.name, file.name, 69), ("postgres", "--store", 2), ("s3://", "bucket", 2),
                                          ("s3://b", "MILLRACE_S3_ACCESS_KEY", 2)):
                env = {name: "" for name in os.environ if name.startswith("AWS_")}
                code, _, error = run_serve("--listen", "127.0.0.1:0", *new_place("embedded"), "--blobs", blobs, env=env)
                self.assertEqual(code, expected, blobs)
                self.assertIn(said, error)


if __name__ == "__main__":
    unittest.main()
