"""Creating, reading, starting, completing, failing and resetting single items."""

import re
import unittest
from concurrent.futures import ThreadPoolExecutor

from stores import Case, on_every_store

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
SEED_ITEM = {
    "title": "Send Email Notification",
    "description": "Send welcome email to new user",
    "tags": "email,priority-high,notification",
    "payload": {"user_id": 12345, "email": "user@example.com", "template": "welcome",
                "variables": {"name": "Alice", "signup_date": "2025-12-24"}},
}


@on_every_store
class Create(Case):
    def test_answers_the_whole_item_as_the_seed_shows_it(self):  # S4.1
        answer = self.api.post("/events", SEED_ITEM)
        self.assertEqual(answer.status, 201)
        item = answer.json
        self.assertEqual(list(item), ["id", "title", "description", "tags", "status", "payload", "retry_count",
                                      "max_retries", "next_retry_at", "created_at", "updated_at"])
        self.assertEqual({name: item[name] for name in SEED_ITEM}, SEED_ITEM)
        self.assertEqual((item["status"], item["retry_count"], item["max_retries"], item["next_retry_at"]),
                         ("PENDING", 0, 3, None))
        self.assertIs(type(item["id"]), int)
        self.assertLess(item["id"], 2**53)
        self.assertRegex(item["created_at"], TIME)
        self.assertEqual(item["created_at"], item["updated_at"])
        self.assertEqual(self.api.item(item["id"]), item)

    def test_takes_any_json_as_payload(self):  # S4.1
        for payload in (None, True, 0, -1.5e300, "", "\u0000\U0001F600\"\\/", [], {}, [[1], {"a": None}], 2**70):
            item = self.api.create(payload=payload)
            self.assertEqual(self.api.item(item["id"])["payload"], payload)

    def test_ids_grow(self):  # S4.1
        ids = [self.api.create()["id"] for _ in range(3)]
        self.assertEqual(ids, sorted(set(ids)))

    def test_repeating_an_idempotency_key_creates_nothing(self):  # S4.1
        body = {"title": "once", "payload": {"n": 1}, "idempotency_key": "k"}
        first = self.api.post("/events", body)
        second = self.api.post("/events", body)
        self.assertEqual((first.status, second.status), (201, 200))
        self.assertEqual(first.json, second.json)
        other = self.api.post("/events", {**body, "payload": {"n": 2}})
        self.assertEqual((other.status, other.json["field"]), (409, "idempotency_key"))
        self.assertIn("idempotency_key", other.json["error"])
        self.assertEqual(self.api.get("/events").json["total"], 1)
        self.assertEqual(self.another("other-tenant").post("/events", body).status, 201)

    def test_the_key_is_remembered_after_completion(self):  # S4.1
        body = {"title": "once", "tags": "t", "idempotency_key": "k"}
        item = self.api.post("/events", body).json["id"]
        self.api.claim()
        self.api.complete(item)
        again = self.api.post("/events", body)
        self.assertEqual((again.status, again.json["id"], again.json["status"]), (200, item, "COMPLETED"))

    def test_the_mount_under_api_is_the_same(self):  # S4.1
        item = self.api.post("/api/queue/events", SEED_ITEM).json
        self.assertEqual(self.api.get(f"/api/queue/events/{item['id']}").json, self.api.item(item["id"]))
        self.assertEqual(self.api.post("/api/queue/events", {}).json["field"], "title")


@on_every_store
class Work(Case):
    def test_a_claimed_item_is_completed(self):  # S4.2 S4.4 S4.5 S4.8
        item = self.api.create(tags="t", payload={"x": 1})["id"]
        claimed = self.api.claim(worker="worker-02:8742")
        self.assertEqual(claimed.status, 200)
        self.assertEqual(list(claimed.json), ["id", "title", "tags", "status", "payload", "retry_count", "max_retries",
                                              "created_at", "attempt", "lease_token", "lease_until"])
        self.assertEqual((claimed.json["id"], claimed.json["status"], claimed.json["payload"], claimed.json["attempt"]),
                         (item, "PROCESSING", {"x": 1}, 1))
        self.assertRegex(claimed.json["lease_token"], "^[0-9a-f]{16}$")
        started = self.api.post(f"/events/{item}/start", {"worker_id": "worker-02:8742"}).json
        self.assertEqual((started["event_id"], started["worker_id"], started["action"]),
                         (item, "worker-02:8742", "STARTED"))
        beat = self.api.post(f"/events/{item}/heartbeat", {"worker_id": "worker-02:8742"}).json
        self.assertEqual(beat["action"], "HEARTBEAT")
        self.assertGreaterEqual(beat["lease_until"], started["lease_until"])
        done = self.api.complete(item, "worker-02:8742", execution_time_ms=1250, status_code=200)
        self.assertEqual(done.status, 200)
        self.assertEqual(list(done.json), ["event_id", "worker_id", "action", "status_code", "execution_time_ms",
                                           "created_at"])
        shown = self.api.item(item, logs=True)
        self.assertEqual(shown["status"], "COMPLETED")
        self.assertEqual(shown["updated_at"], done.json["created_at"])
        logs = shown["logs"]
        self.assertEqual([entry["action"] for entry in logs], ["PICKED", "STARTED", "COMPLETED"])
        self.assertEqual(sorted(entry["id"] for entry in logs), [entry["id"] for entry in logs])
        self.assertEqual((logs[2]["status_code"], logs[2]["execution_time_ms"]), (200, 1250))

    def test_failures_are_retried_until_they_are_used_up(self):  # S4.6
        item = self.api.create(tags="t", max_retries=2, backoff={"seconds": 0})["id"]
        self.api.claim()
        first = self.api.fail(item, error_message="no", status_code=500, execution_time_ms=5)
        self.assertEqual(first.status, 200)
        self.assertEqual(list(first.json), ["event_id", "worker_id", "action", "status_code", "error_message",
                                            "execution_time_ms", "retry_scheduled", "next_retry_at", "created_at"])
        self.assertIs(first.json["retry_scheduled"], True)
        self.assertEqual(self.api.item(item)["retry_count"], 1)
        self.assertEqual(self.api.claim(wait=5).json["attempt"], 2)
        last = self.api.fail(item, error_message="no")
        self.assertEqual(last.status, 400)
        self.assertEqual(last.json, {"error": "Max retries exceeded", "retry_count": 2, "max_retries": 2})
        self.assertEqual(self.api.item(item)["status"], "FAILED")
        self.assertEqual(self.api.claim().status, 204)
        self.assertEqual(self.api.actions(item), ["PICKED", "FAILED", "PICKED", "FAILED"])

    def test_a_failed_item_waits_five_minutes(self):  # S4.6
        item = self.api.create(tags="t")["id"]
        self.api.claim()
        answer = self.api.fail(item).json
        shown = self.api.item(item)
        self.assertEqual((shown["status"], shown["next_retry_at"]), ("PENDING", answer["next_retry_at"]))
        waited = minutes(answer["next_retry_at"]) - minutes(answer["created_at"])
        self.assertEqual(waited % (24 * 60), 5)
        self.assertEqual(self.api.claim().status, 204)
        self.assertEqual(self.api.get("/events").json["events"][0]["next_retry_at"], answer["next_retry_at"])

    def test_max_retries_zero_means_one_try(self):  # S4.6
        item = self.api.create(tags="t", max_retries=0)["id"]
        self.api.claim()
        answer = self.api.fail(item)
        self.assertEqual((answer.status, answer.json["retry_count"]), (400, 1))

    def test_repeats_are_answered_as_the_first_and_logged_once(self):  # S4.7
        item = self.api.create(tags="t", max_retries=1)["id"]
        self.api.claim()
        first, second = self.api.fail(item), self.api.fail(item)
        self.assertEqual((first.status, first.json), (second.status, second.json))
        self.assertEqual(self.api.actions(item), ["PICKED", "FAILED"])
        done = self.api.create(tags="t")["id"]
        self.api.claim()
        answers = [self.api.complete(done, status_code=200) for _ in range(3)]
        self.assertEqual([answer.status for answer in answers], [200] * 3)
        self.assertEqual(answers[0].json, answers[2].json)
        self.assertEqual(self.api.actions(done), ["PICKED", "COMPLETED"])

    def test_a_repeat_that_names_its_attempt_is_answered_after_the_next_claim(self):  # S4.7
        item = self.api.create(tags="t", backoff={"seconds": 0})["id"]
        self.api.claim()
        first = self.api.fail(item, error_message="no")
        self.api.claim(wait=5)
        self.assertEqual(self.api.fail(item, attempt=1).json, first.json)
        self.assertEqual(self.api.complete(item, attempt=1).status, 409)
        self.assertEqual(self.api.complete(item, attempt=2).status, 200)

    def test_only_the_holder_may_settle(self):  # S4.4 S4.7
        item = self.api.create(tags="t")["id"]
        token = self.api.claim(worker="holder:1").json["lease_token"]
        for action in ("start", "heartbeat", "complete", "fail"):
            answer = self.api.post(f"/events/{item}/{action}", {"worker_id": "other:2"})
            self.assertEqual(answer.status, 409, action)
            self.assertIn("holder:1", answer.json["error"])
        wrong = "0" * 16 if token != "0" * 16 else "1" * 16
        self.assertEqual(self.api.complete(item, "holder:1", lease_token=wrong).status, 409)
        self.assertEqual(self.api.actions(item), ["PICKED"])
        self.assertEqual(self.api.complete(item, "holder:1", lease_token=token).status, 200)

    def test_unclaimed_and_unknown_items_cannot_be_settled(self):  # S4.7 S4.8
        item = self.api.create(tags="t")["id"]
        self.assertEqual(self.api.complete(item).status, 409)
        for missing in ("999999", "0", "-1", "1e3", "9007199254740992", "abc", "007"):
            for answer in (self.api.complete(missing), self.api.get(f"/events/{missing}"),
                           self.api.post(f"/events/{missing}/reset")):
                self.assertEqual(answer.status, 404, missing)
                self.assertIn("error", answer.json)


@on_every_store
class Reset(Case):
    def test_a_leased_item_goes_back(self):  # S4.10
        item = self.api.create(tags="t")["id"]
        self.api.claim(worker="dead:1")
        answer = self.api.post(f"/events/{item}/reset?reason=worker_timeout")
        self.assertEqual(answer.status, 200)
        self.assertEqual((answer.json["event_id"], answer.json["action"], answer.json["reason"]),
                         (item, "RESET", "worker_timeout"))
        self.assertEqual(self.api.claim(worker="alive:2").json["id"], item)
        self.assertEqual(self.api.complete(item, "dead:1").status, 409)
        log = self.api.item(item, logs=True)["logs"]
        self.assertEqual([entry["action"] for entry in log], ["PICKED", "RESET", "PICKED"])
        self.assertEqual(log[1]["reason"], "worker_timeout")

    def test_a_failed_item_starts_anew(self):  # S4.10
        item = self.api.create(tags="t", max_retries=1)["id"]
        self.api.claim()
        self.api.fail(item)
        self.assertEqual(self.api.post(f"/events/{item}/reset").status, 200)
        shown = self.api.item(item)
        self.assertEqual((shown["status"], shown["retry_count"]), ("PENDING", 0))

    def test_a_waiting_item_is_due_now(self):  # S4.10
        item = self.api.create(tags="t")["id"]
        self.api.claim()
        self.api.fail(item)
        self.api.post(f"/events/{item}/reset")
        self.assertEqual(self.api.claim().json["id"], item)

    def test_a_log_that_is_cut_says_so(self):  # S4.8
        item = self.api.create(tags="t")["id"]

        def reset(count):
            client = self.server.client(self.tenant)
            for _ in range(count):
                client.post(f"/events/{item}/reset?reason=again")
            client.close()

        with ThreadPoolExecutor(16) as pool:
            for done in [pool.submit(reset, 256) for _ in range(16)]:
                done.result()
        whole = self.api.item(item, logs=True)
        self.assertEqual((len(whole["logs"]), "logs_truncated" in whole), (4096, False))
        self.api.post(f"/events/{item}/reset?reason=last")
        cut = self.api.item(item, logs=True)
        self.assertIs(cut["logs_truncated"], True)
        self.assertEqual(cut["logs"][:-1], whole["logs"][1:])
        self.assertEqual(cut["logs"][-1]["reason"], "last")
        self.assertNotIn("logs_truncated", self.api.item(item))

    def test_a_completed_item_stays(self):  # S4.10
        item = self.api.create(tags="t")["id"]
        self.api.claim()
        self.api.complete(item)
        self.assertEqual(self.api.post(f"/events/{item}/reset").status, 409)


def minutes(text):
    return int(text[11:13]) * 60 + int(text[14:16])


if __name__ == "__main__":
    unittest.main()
