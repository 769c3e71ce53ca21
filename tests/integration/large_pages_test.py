"""Pages of large entries: they end where memory says, and their cursors lead on without a gap."""

import unittest
from urllib.parse import urlencode

from events_tail_test import follow, read_frames
from stores import Case, on_every_store

PAGE_BYTES = 8 * 1024 * 1024
EVENTS = 60


@on_every_store
class LargeEvents(Case):
    def setUp(self):
        super().setUp()
        # Just small enough to stay in the log: together more than one page holds.
        answer = self.api.post("/api/events", [{"type": "big.one", "source": "s", "data": f"{n}" + "x" * 190_000}
                                               for n in range(EVENTS)])
        self.assertEqual(answer.status, 201)

    def pages(self, path, **query):
        cursor = {}
        while True:
            answer = self.api.get(f"{path}?{urlencode({'limit': 1000, **query, **cursor})}")
            self.assertEqual(answer.status, 200, answer.json)
            yield answer
            if answer.json["nextCursor"] is None:
                return
            cursor = {"cursor": answer.json["nextCursor"]}

    def assert_whole(self, pages, positions):
        pages = list(pages)
        self.assertGreater(len(pages), 1)
        for page in pages:
            self.assertLess(len(page.body), PAGE_BYTES + 400_000)
            self.assertTrue(page.json["items"])
        self.assertEqual([event["position"] for page in pages for event in page.json["items"]], list(positions))

    def test_the_listing_goes_on_at_its_cursor(self):  # S3.4
        self.assert_whole(self.pages("/api/events"), range(EVENTS, 0, -1))
        self.assert_whole(self.pages("/api/events", type="big.one"), range(EVENTS, 0, -1))

    def test_every_access_pattern_goes_on_at_its_cursor(self):  # S0.3
        one = self.api.get("/api/events?limit=1").json["items"][0]
        for index, key in (("table", "PK"), ("GSI4", "GSI4PK"), ("GSI7", "GSI7PK")):
            query = {"index": index, "pk": one[key]}
            with self.subTest(index=index):
                order = [event["position"] for page in self.pages("/api/events/query", **query, limit=15)
                         for event in page.json["items"]]
                self.assertEqual(sorted(order), list(range(1, EVENTS + 1)))
                self.assert_whole(self.pages("/api/events/query", **query), order)
                self.assert_whole(self.pages("/api/events/query", **query, order="desc"), reversed(order))

    def test_a_follower_gets_all_of_them(self):  # S3.4
        connection, response = follow(self.server.port, "/api/events/tail?from=1", {"X-Millrace-Tenant": self.tenant})
        self.addCleanup(connection.close)
        self.assertEqual([frame[0] for frame in read_frames(response, EVENTS)], list(range(1, EVENTS + 1)))


@on_every_store
class LargeItems(Case):
    def test_a_log_is_cut_to_the_newest_that_fit(self):  # S4.8
        item = self.api.create(tags="t", max_retries=1000, backoff={"kind": "fixed", "seconds": 0})["id"]
        tries = 140
        for n in range(tries):
            self.assertEqual(self.api.claim(wait=5).status, 200)
            self.assertEqual(self.api.fail(item, error_message=f"{n}:" + "x" * 65_000).status, 200)
        answer = self.api.get(f"/events/{item}?include_logs=true")
        self.assertLess(len(answer.body), PAGE_BYTES + 200_000)
        self.assertIs(answer.json["logs_truncated"], True)
        told = [int(entry["error_message"].split(":")[0]) for entry in answer.json["logs"]
                if entry["action"] == "FAILED"]
        self.assertEqual(told, list(range(tries - len(told), tries)))
        self.assertGreater(len(told), 100)

    def test_a_listing_of_many_items_is_whole(self):  # S4.9
        made = [item["id"] for item in self.api.post("/events", [
            {"title": f"T{n}", "tags": "t", "payload": "x" * 2000} for n in range(230)]).json]
        made.reverse()
        page = self.api.get("/events?limit=215&offset=10").json
        self.assertEqual([item["id"] for item in page["events"]], made[10:225])
        self.assertEqual((page["total"], page["limit"], page["offset"]), (230, 215, 10))
        rest = self.api.get(f"/events?limit=215&cursor={page['next_cursor']}").json
        self.assertEqual([item["id"] for item in rest["events"]], made[225:])
        self.assertNotIn("next_cursor", rest)
        self.assertNotIn("next_cursor", self.api.get("/events?limit=230").json)


if __name__ == "__main__":
    unittest.main()
