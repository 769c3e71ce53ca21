"""Many items in one call (S4.16) and listing them (S4.9)."""

import unittest

from stores import Case, on_every_store


@on_every_store
class CreateMany(Case):
    def test_an_array_is_answered_with_an_array(self):  # S4.16
        answer = self.api.post("/events", [{"title": f"T{n}", "tags": "t"} for n in range(1000)])
        self.assertEqual(answer.status, 201)
        self.assertEqual([item["title"] for item in answer.json], [f"T{n}" for n in range(1000)])
        self.assertEqual(len({item["id"] for item in answer.json}), 1000)

    def test_all_or_nothing(self):  # S4.16 S4.12
        answer = self.api.post("/events", [{"title": "A"}, {"title": "B"}, {"title": "C"}, {"title": ""}])
        self.assertEqual((answer.status, answer.json["field"]), (422, "[3].title"))
        self.assertIn("[3].title", answer.json["error"])
        self.api.post("/events", {"title": "first", "idempotency_key": "k"})
        answer = self.api.post("/events", [{"title": "new"}, {"title": "x", "idempotency_key": "k"}])
        self.assertEqual((answer.status, answer.json["field"]), (409, "[1].idempotency_key"))
        self.assertIn("[1].idempotency_key", answer.json["error"])
        self.assertEqual(self.api.get("/events").json["total"], 1)

    def test_too_many_or_none_are_refused(self):  # S4.16
        self.assertEqual(self.api.post("/events", []).status, 422)
        self.assertEqual(self.api.post("/events", [{"title": "T"}] * 1001).status, 422)

    def test_a_key_twice_in_one_array_makes_one_item(self):  # S4.16
        body = [{"title": "T", "idempotency_key": "k"}] * 2
        first = self.api.post("/events", body)
        self.assertEqual(first.status, 201)
        self.assertEqual(first.json[0]["id"], first.json[1]["id"])
        again = self.api.post("/events", body)
        self.assertEqual((again.status, again.json[0]["id"]), (200, first.json[0]["id"]))


@on_every_store
class Settle(Case):
    def claimed(self, count):
        self.api.post("/events", [{"title": "T", "tags": "t", "max_retries": 1}] * count)
        return [item["id"] for item in self.api.claim(limit=count).json]

    def test_each_outcome_is_answered_like_the_single_call(self):  # S4.16
        done, failed = self.claimed(2)
        answer = self.api.post("/events/settle", [
            {"id": done, "worker_id": "w:1", "action": "complete", "status_code": 200, "execution_time_ms": 5},
            {"id": failed, "worker_id": "w:1", "action": "fail", "error_message": "no"},
            {"id": done, "worker_id": "other", "action": "complete"},
            {"id": 999999, "worker_id": "w:1", "action": "complete"}])
        self.assertEqual(answer.status, 200)
        results = answer.json["results"]
        self.assertEqual([(r["id"], r["status"]) for r in results],
                         [(done, 200), (failed, 400), (done, 409), (999999, 404)])
        self.assertEqual((results[0]["action"], results[0]["status_code"]), ("COMPLETED", 200))
        self.assertEqual((results[1]["error"], results[1]["retry_count"]), ("Max retries exceeded", 1))
        self.assertEqual(answer.json["events"], [])
        self.assertEqual(self.api.complete(done, status_code=200).json["created_at"], results[0]["created_at"])

    def test_results_and_the_next_items_come_in_one_answer(self):  # S4.16
        first, second = self.claimed(2)
        following = self.api.create(tags="t", payload="next")["id"]
        answer = self.api.post("/events/settle", {
            "worker_id": "w:1", "settle": [{"id": first, "action": "complete"}, {"id": second, "action": "complete"}],
            "claim": {"tags": "t", "limit": 5}})
        self.assertEqual([r["status"] for r in answer.json["results"]], [200, 200])
        self.assertEqual([(item["id"], item["payload"]) for item in answer.json["events"]], [(following, "next")])
        self.assertRegex(answer.json["events"][0]["lease_token"], "^[0-9a-f]{16}$")

    def test_a_claim_in_settle_may_wait(self):  # S4.16 S4.3
        item = self.claimed(1)[0]
        answer = self.api.post("/events/settle", {"worker_id": "w:1", "settle": [{"id": item, "action": "complete"}],
                                                  "claim": {"tags": ["t"], "wait": 1}})
        self.assertEqual((answer.json["results"][0]["status"], answer.json["events"]), (200, []))

    def test_wrong_entries_are_named_and_nothing_is_settled(self):  # S4.16
        item = self.claimed(1)[0]
        answer = self.api.post("/events/settle", [{"id": item, "worker_id": "w:1", "action": "complete"}, {"id": "x"}])
        self.assertEqual((answer.status, answer.json["field"]), (422, "[1].id"))
        self.assertEqual(self.api.item(item)["status"], "PROCESSING")


@on_every_store
class List(Case):
    def test_newest_first_with_total_limit_and_offset(self):  # S4.9
        ids = [item["id"] for item in self.api.post("/events", [{"title": "T"}] * 25).json]
        page = self.api.get("/events").json
        self.assertEqual([item["id"] for item in page["events"]], ids[:4:-1])
        self.assertEqual((page["total"], page["limit"], page["offset"]), (25, 20, 0))
        page = self.api.get("/events?limit=10&offset=20").json
        self.assertEqual([item["id"] for item in page["events"]], ids[4::-1])
        self.assertNotIn("next_cursor", page)
        self.assertEqual(list(page["events"][0]), ["id", "title", "status", "tags", "retry_count", "created_at",
                                                   "updated_at"])

    def test_filters_by_status_and_tags(self):  # S4.9
        both = self.api.create(tags="a,b")["id"]
        only = self.api.create(tags="b", priority=1)["id"]
        self.api.create(tags="c")
        self.assertEqual(self.api.claim("b").json["id"], only)

        def listed(query):
            page = self.api.get("/events?" + query).json
            self.assertEqual(page["total"], len(page["events"]), query)
            return [item["id"] for item in page["events"]]

        self.assertEqual(listed("tags=a,b"), [only, both])
        self.assertEqual(listed("status=PROCESSING"), [only])
        self.assertEqual(listed("status=PROCESSING&tags=a"), [])
        self.assertEqual(listed("status=PENDING&tags=a,b"), [both])
        self.assertEqual(listed("status=COMPLETED"), [])
        self.api.complete(only)
        self.assertEqual(listed("status=COMPLETED&tags=b"), [only])
        self.assertEqual(listed("status=PROCESSING"), [])

    def test_a_cursor_pages_through_while_items_arrive(self):  # S4.9
        for query in ("", "&tags=t", "&status=PENDING", "&status=PENDING&tags=t"):
            with self.subTest(query):
                self.page_through(query)

    def page_through(self, query):
        ids = [item["id"] for item in self.api.post("/events", [{"title": "T", "tags": "t"}] * 7).json]
        seen, cursor = [], ""
        while len(seen) < len(ids):
            page = self.api.get(f"/events?limit=3{query}{cursor}").json
            seen += [item["id"] for item in page["events"]]
            self.api.create(tags="t")
            cursor = f"&cursor={page.get('next_cursor', '')}"
        self.assertEqual(seen[:7], ids[::-1])

    def test_leased_items_are_paged(self):  # S4.9
        self.api.post("/events", [{"title": "T", "tags": "t"}] * 5)
        ids = [item["id"] for item in self.api.claim(limit=5).json]
        page = self.api.get("/events?status=PROCESSING&limit=2").json
        self.assertEqual(([item["id"] for item in page["events"]], page["total"]), (ids[:2:-1], 5))
        rest = self.api.get(f"/events?status=PROCESSING&limit=9&cursor={page['next_cursor']}").json
        self.assertEqual([item["id"] for item in rest["events"]], ids[2::-1])
        self.assertEqual(len(self.api.get("/events?status=PROCESSING&offset=4").json["events"]), 1)

    def test_a_total_by_tags_says_where_it_stops_counting(self):  # S4.9
        for _ in range(100):
            self.assertEqual(self.api.post("/events", [{"title": "t", "tags": "one"}] * 1000).status, 201)
        listed = self.api.get("/events?tags=one&limit=1").json
        self.assertEqual((listed["total"], "total_capped" in listed), (100_000, False))
        self.api.create(tags="one")
        listed = self.api.get("/events?tags=one&limit=1").json
        self.assertEqual((listed["total"], listed["total_capped"]), (100_000, True))
        self.assertEqual(self.api.get("/events?limit=1").json["total"], 100_001)

    def test_wrong_parameters_are_named(self):  # S4.9
        for query, field in (("status=DONE", "status"), ("limit=0", "limit"), ("limit=1001", "limit"),
                             ("limit=abc", "limit"), ("offset=-1", "offset"), ("offset=1000001", "offset"),
                             ("cursor=5", "cursor"), ("cursor=AAAA", "cursor"), ("limit=1&limit=2", "limit")):
            answer = self.api.get("/events?" + query)
            self.assertEqual((answer.status, answer.json["field"]), (400, field), query)


if __name__ == "__main__":
    unittest.main()
