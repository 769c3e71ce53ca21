"""Claiming: order, tags, batches, waiting, many workers at once, leases that run out."""

import socket
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from stores import Case, on_every_store


@on_every_store
class Claim(Case):
    def test_takes_the_oldest_of_the_highest_priority(self):  # S4.2
        ids = [self.api.create(tags="t", priority=priority)["id"] for priority in (0, 5, 0, 5, -1)]
        claimed = [self.api.claim().json["id"] for _ in ids]
        self.assertEqual(claimed, [ids[1], ids[3], ids[0], ids[2], ids[4]])

    def test_an_item_matches_by_any_tag(self):  # S4.2
        item = self.api.create(tags="a,b")["id"]
        self.api.create(tags="other")
        self.assertEqual(self.api.claim("c,d").status, 204)
        self.assertEqual(self.api.claim("").status, 400)
        self.assertEqual(self.api.claim("x,b").json["id"], item)
        self.assertEqual(self.api.claim("a,b").status, 204)

    def test_items_nobody_claims_do_not_keep_others_waiting(self):  # S4.2 S4.14
        api = self.client_of(self.own_server("--live-items-max", "1000"))
        for _ in range(2):
            self.assertEqual(api.post("/events", [{"title": "T", "tags": "dead"}] * 1000).status, 201)
        ids = [item["id"] for item in api.post("/events", [{"title": "T", "tags": "alive"}] * 1000).json]
        taken = []
        while len(taken) < len(ids) and (answer := api.claim("alive", limit=100, wait=10)).status == 200:
            taken += [item["id"] for item in answer.json]
            done = [{"id": item["id"], "worker_id": "w:1", "action": "complete"} for item in answer.json]
            self.assertEqual(api.post("/events/settle", done).status, 200)
        self.assertEqual(taken, ids)
        lone = api.create(tags="lone")["id"]
        self.assertEqual(api.claim("lone", wait=10).json["id"], lone)

    def test_nothing_ready_is_an_empty_204(self):  # S4.2
        answer = self.api.claim()
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.assertEqual(self.api.claim(limit=5).status, 204)

    def test_what_is_missing_is_named(self):  # S4.2
        for path, field in (("/events/subscribe?worker_id=w", "tags"), ("/events/subscribe?tags=t", "worker_id"),
                            ("/events/subscribe?tags=,&worker_id=w", "tags")):
            answer = self.api.get(path)
            self.assertEqual(answer.status, 400)
            self.assertIn(field, answer.json["error"])
        both = self.api.get("/events/subscribe")
        self.assertEqual(both.status, 400)
        for field in ("tags", "worker_id"):
            self.assertIn(field, both.json["error"])

    def test_numbers_out_of_range_are_refused(self):  # S4.3
        for query in ("limit=0", "limit=101", "limit=x", "limit=-1", "wait=21", "wait=-1", "wait=1.5", "wait=1&wait=2"):
            self.assertEqual(self.api.get(f"/events/subscribe?tags=t&worker_id=w&{query}").status, 400, query)

    def test_limit_answers_an_array(self):  # S4.3
        ids = [self.api.create(tags="t", payload=n)["id"] for n in range(5)]
        answer = self.api.claim(limit=3)
        self.assertEqual([item["id"] for item in answer.json], ids[:3])
        self.assertEqual([item["payload"] for item in answer.json], [0, 1, 2])
        self.assertEqual(len(self.api.claim(limit=100).json), 2)

    def test_run_at_holds_an_item_back(self):  # S4.1
        later = self.api.create(tags="t", run_at="2029-01-01T00:00:00Z")
        self.assertEqual(later["run_at"], "2029-01-01T00:00:00.000Z")
        self.assertEqual(self.api.claim().status, 204)

    def test_tenants_do_not_meet(self):
        item = self.api.create(tags="t")["id"]
        stranger = self.another(self.tenant + "-x")
        self.assertEqual(stranger.claim().status, 204)
        self.assertEqual(stranger.get(f"/events/{item}").status, 404)
        self.assertEqual(stranger.get("/events").json["total"], 0)

    def test_head_does_not_claim(self):
        item = self.api.create(tags="t")["id"]
        answer = self.api.request("HEAD", "/events/subscribe?tags=t&worker_id=w")
        self.assertEqual((answer.status, answer.headers["Allow"]), (405, "GET"))
        self.assertEqual(self.api.item(item)["status"], "PENDING")


@on_every_store
class Parked(Case):
    """Beyond --live-items-max items wait in the store. A claim that does not wait gets them all the same."""

    def setUp(self):
        super().setUp()
        self.api = self.client_of(self.own_server("--live-items-max", "1000"))

    def create(self, tags):
        ids = []
        for first in range(0, len(tags), 1000):
            answer = self.api.post("/events", [{"title": "T", "tags": each} for each in tags[first:first + 1000]])
            self.assertEqual(answer.status, 201)
            ids += [item["id"] for item in answer.json]
        return ids

    def test_all_are_handed_out_before_the_first_204(self):  # S4.2
        ids = self.create([f"t,own-{n % 700}" for n in range(2500)])
        taken = []
        for _ in ids:
            answer = self.api.claim()
            self.assertEqual(answer.status, 200, f"after {len(taken)} items")
            taken.append(answer.json["id"])
        self.assertEqual(sorted(taken), ids)
        self.assertEqual(self.api.claim().status, 204)

    def test_also_by_settles_that_claim_the_next(self):  # S4.16
        ids = self.create(["dead"] * 2000 + ["t"] * 1200)[2000:]
        taken, done = [], []
        for _ in ids:
            body = {"worker_id": "w:1", "settle": done, "claim": {"tags": "t"}}
            events = self.api.post("/events/settle", body).json["events"]
            self.assertEqual(len(events), 1, f"after {len(taken)} items")
            taken.append(events[0]["id"])
            done = [{"id": taken[-1], "action": "complete"}]
        self.assertEqual(taken, ids)

    def test_also_where_more_tags_are_asked_for_in_turns_than_fit_in_memory(self):  # S4.2
        tags = [f"tag-{n}" for n in range(1100)]
        self.create(tags * 2)
        for tag in (tags * 2)[1000:]:
            self.assertEqual(self.api.claim(tag).status, 200, tag)

    def test_what_is_for_later_or_for_nobody_is_a_204(self):  # S4.2
        self.create(["dead"] * 3000)
        self.api.create(tags="later", run_at="2029-01-01T00:00:00Z")
        for tag in ("later", "none"):
            started = time.monotonic()
            self.assertEqual([self.api.claim(tag).status for _ in range(3)], [204, 204, 204])
            self.assertLess(time.monotonic() - started, 5)


@on_every_store
class Waiting(Case):
    def test_a_held_claim_is_answered_by_a_new_item(self):  # S4.3
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(self.another().claim, "t", "w:1", wait=20)
            self.server.wait_for_claims(1)
            created = time.monotonic()
            item = self.api.create(tags="t")["id"]
            self.assertEqual(held.result().json["id"], item)
            self.assertLess(time.monotonic() - created, 5)

    def test_one_item_wakes_one_worker(self):  # S4.3
        with ThreadPoolExecutor(4) as pool:
            held = [pool.submit(self.another().claim, "t", f"w:{n}", wait=2) for n in range(4)]
            self.server.wait_for_claims(4)
            self.api.create(tags="t")
            statuses = sorted(claim.result().status for claim in held)
        self.assertEqual(statuses, [200, 204, 204, 204])

    def test_a_wait_without_work_ends_with_204(self):  # S4.3
        started = time.monotonic()
        self.assertEqual(self.api.claim(wait=1).status, 204)
        self.assertGreaterEqual(time.monotonic() - started, 0.9)

    def test_an_item_is_not_lost_to_a_worker_that_left(self):  # S4.3
        request = f"GET /events/subscribe?tags=t&worker_id=gone&wait=20 HTTP/1.1\r\nHost: localhost\r\n" \
                  f"X-Millrace-Tenant: {self.tenant}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self.server.port)) as gone:
            gone.sendall(request.encode())
            self.server.wait_for_claims(1)
        self.server.wait_for_claims(0)
        item = self.api.create(tags="t")["id"]
        self.assertEqual(self.api.claim(worker="here").json["id"], item)

    def test_a_retry_that_becomes_due_wakes_a_worker(self):  # S4.3 S4.6
        item = self.api.create(tags="t", backoff={"seconds": 0.2})["id"]
        self.api.claim()
        self.api.fail(item)
        self.assertEqual(self.api.claim(wait=10).json["id"], item)


@on_every_store
class ManyWorkers(Case):
    def test_no_item_is_claimed_twice(self):  # S4.2 S4.7
        count, workers = 2000, 16
        for _ in range(count // 1000):
            self.api.post("/events", [{"title": "T", "tags": "t"}] * 1000)
        claimed, lock = [], threading.Lock()

        def work(number):
            client, mine = self.server.client(self.tenant), []
            while (answer := client.claim(worker=f"w:{number}", limit=7)).status == 200:
                mine += [item["id"] for item in answer.json]
                settle = [{"id": item["id"], "action": "complete"} for item in answer.json]
                done = client.post("/events/settle", {"worker_id": f"w:{number}", "settle": settle})
                assert all(result["status"] == 200 for result in done.json["results"]), done
            client.close()
            with lock:
                claimed.extend(mine)

        with ThreadPoolExecutor(workers) as pool:
            for done in [pool.submit(work, number) for number in range(workers)]:
                done.result()
        self.assertEqual(len(claimed), count)
        self.assertEqual(len(set(claimed)), count)
        self.assertEqual(self.api.get("/api/queue/stats").json["COMPLETED"], count)


@on_every_store
class Leases(Case):

    def setUp(self):
        super().setUp()
        self.server = self.own_server("--queue-lease", "400ms")
        self.api = self.client_of(self.server)

    def test_a_lease_that_runs_out_is_a_failed_try(self):  # S4.11
        item = self.api.create(tags="t", max_retries=2)["id"]
        first = self.api.claim(worker="dead:1").json
        second = self.api.claim(worker="alive:2", wait=10).json
        self.assertEqual((second["id"], second["attempt"], second["retry_count"]), (item, 2, 1))
        self.assertNotEqual(first["lease_token"], second["lease_token"])
        late = self.api.complete(item, "dead:1", lease_token=first["lease_token"])
        self.assertEqual(late.status, 409)
        self.assertEqual(self.api.complete(item, "alive:2").status, 200)
        self.assertEqual(self.api.actions(item), ["PICKED", "TIMED_OUT", "PICKED", "COMPLETED"])

    def test_the_last_lease_that_runs_out_ends_the_item(self):  # S4.11
        item = self.api.create(tags="t", max_retries=1)["id"]
        self.api.claim(worker="dead:1")
        self.assertEqual(self.api.claim(wait=2).status, 204)
        self.assertEqual(self.api.item(item)["status"], "FAILED")
        self.assertEqual(self.api.actions(item), ["PICKED", "TIMED_OUT"])

    def test_workers_are_listed_and_a_silent_one_is_stale(self):  # S4.11
        self.api.create(tags="t", max_retries=1)
        self.api.claim(worker="host:1")
        workers = self.api.get("/api/workers").json["items"]
        self.assertEqual([(w["worker_id"], w["held"], w["stale"]) for w in workers], [("host:1", 1, False)])
        self.api.claim("none", "host:2", wait=1)
        workers = {w["worker_id"]: w for w in self.api.get("/api/workers").json["items"]}
        self.assertEqual((workers["host:1"]["held"], workers["host:1"]["stale"]), (0, True))
        self.assertEqual(workers["host:2"]["stale"], False)

    def test_a_worker_that_waits_for_longer_than_a_lease_is_not_stale(self):  # S4.11 S4.3
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(self.client_of(self.server).claim, "waited-for", "patient", wait=20)
            self.server.wait_for_claims(1)
            self.assertEqual(self.api.claim("none", "timer", wait=1).status, 204)
            workers = {w["worker_id"]: w["stale"] for w in self.api.get("/api/workers").json["items"]}
            self.assertEqual(workers["patient"], False)
            self.api.create(tags="waited-for")
            self.assertEqual(held.result().status, 200)


@on_every_store
class Workers(Case):
    def test_are_listed_in_pages_by_their_id(self):  # S4.11
        names = [f"w:{number}" for number in range(7)]
        for name in reversed(names):
            self.api.claim(worker=name)
        self.assertIsNone(self.api.get("/api/workers").json["nextCursor"])
        seen, cursor = [], ""
        while cursor is not None:
            page = self.api.get("/api/workers?limit=3" + (cursor and "&cursor=" + cursor)).json
            self.assertLessEqual(len(page["items"]), 3)
            seen += [worker["worker_id"] for worker in page["items"]]
            cursor = page["nextCursor"]
        self.assertEqual(seen, names)

    def test_are_fifty_to_a_page(self):  # S4.11
        for number in range(51):
            self.api.claim(worker=f"w:{number}")
        page = self.api.get("/api/workers").json
        self.assertEqual((len(page["items"]), page["nextCursor"] is None), (50, False))
        for query, field in (("limit=0", "limit"), ("limit=1001", "limit"), ("cursor=x", "cursor")):
            answer = self.api.get("/api/workers?" + query)
            self.assertEqual((answer.status, answer.json["errors"][0]["field"]), (400, field))

    def test_are_not_those_who_were_only_refused(self):  # S4.11
        item = self.api.create(tags="t")["id"]
        self.api.claim(worker="holder")
        self.assertEqual(self.api.complete(item, worker="stranger").status, 409)
        self.assertEqual(self.api.complete(99999, worker="stranger").status, 404)
        self.assertEqual(self.api.post(f"/events/{item}/heartbeat", {"worker_id": "stranger"}).status, 409)
        self.assertEqual([w["worker_id"] for w in self.api.get("/api/workers").json["items"]], ["holder"])


if __name__ == "__main__":
    unittest.main()
