"""What is left of large payloads once their events are gone, and what the server says of its blob store (S0.7, S0.9)."""

import http.client
import json
import pathlib
import subprocess
import time
import unittest

from server import Server
from stores import Case, new_place, on_every_store

LARGE = "x" * 300_000
PATIENCE = 20  # seconds; a sweep comes a second after the start


def event(event_id, **more):
    return {"type": "task.completed", "source": "/worker", "eventId": event_id, "data": {"output": LARGE}, **more}


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(what)
        time.sleep(0.05)


class Blobs:
    """The blobs of a server, wherever they are."""

    def __init__(self, place):
        self._url = place[1] if place[0] == "--store" else None
        self._folder = None if self._url else pathlib.Path(place[1]) / "blobs"

    def _sql(self, text):
        done = subprocess.run(["psql", "-qXAt", self._url, "-c", text], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def _files(self):
        return [path for path in self._folder.rglob("*") if path.is_file() and not path.name.startswith(".")]

    def count(self):
        return int(self._sql("SELECT count(*) FROM millrace.blobs")) if self._url else len(self._files())

    def make_old(self):
        """As if written two hours ago."""
        if self._url:
            self._sql("UPDATE millrace.blobs SET written = written - interval '2 hours'")
            return
        subprocess.run(["touch", "-d", "2 hours ago", *self._files()], check=True)


@on_every_store
class Sweep(Case):
    def setUp(self):
        self.place = new_place(self.store)
        self.server = Server(self.place)
        self.addCleanup(self.server.kill)
        self.blobs = Blobs(self.place)

    def client(self):
        return self.client_of(self.server)

    def test_the_blobs_of_expired_events_are_removed(self):  # S0.7 S0.9
        api = self.client()
        ttl = int(time.time()) + 2
        long_id = "/" * 255  # too long to be said in a key
        for body in (event("passing", ttl=ttl), event(long_id, ttl=ttl), event("staying"), event(long_id[1:])):
            self.assertEqual(api.post("/api/events", body).status, 201)
        item = api.create(tags="t", payload=LARGE)["id"]
        self.assertEqual(self.blobs.count(), 5)
        wait_until(lambda: api.get("/api/events/passing").status == 404, "the event does not expire")
        api.close()
        self.server.stop()
        self.blobs.make_old()
        self.server.start()
        wait_until(lambda: self.blobs.count() == 3, "the blobs of expired events stay")
        api = self.client()
        self.assertEqual(api.get("/api/events/staying?resolve=true").json["data"]["output"], LARGE)
        self.assertEqual(api.item(item)["payload"], LARGE)
        listed = api.get("/api/events?resolve=true").json["items"]
        self.assertEqual([len(found["data"]["output"]) for found in listed], [len(LARGE)] * 2)
        self.assertEqual(self.metric(api, "millrace_blob_swept_total"), 2)

    def test_health_and_metrics_tell_of_the_blob_store(self):
        api = self.client()
        kind = {"embedded": "folder", "postgres": "postgres"}[self.store]
        self.assertEqual(api.get("/healthz").json["blobs"]["kind"], kind)
        self.assertEqual(api.post("/api/events", event("e")).status, 201)
        self.assertEqual(api.get("/healthz").json["blobs"], {"kind": kind, "state": "working"})
        self.assertEqual(self.metric(api, "millrace_blob_written_total"), 1)
        self.assertGreater(self.metric(api, "millrace_blob_written_bytes_total"), len(LARGE))
        self.assertEqual(self.metric(api, "millrace_blob_store_up"), 1)

    def metric(self, api, name):
        text = api.get("/metrics").body
        lines = [line for line in (text if isinstance(text, str) else text.decode()).splitlines()
                 if line.startswith(name + " ")]
        self.assertEqual(len(lines), 1, name)
        return float(lines[0].split()[1])


class Failing(unittest.TestCase):
    def test_a_blob_store_that_fails_is_told(self):
        place = new_place("embedded")
        server = Server(place)
        self.addCleanup(server.kill)
        api = server.client()
        self.addCleanup(api.close)
        (pathlib.Path(place[1]) / "blobs" / "default").write_text("in the way")
        for path, body in (("/api/events", event("e")), ("/events", {"title": "T", "payload": "x" * 300_000})):
            refused = api.post(path, body)
            self.assertEqual((refused.status, refused.headers["Retry-After"]), (503, "1"))
            said = refused.json.get("detail") or refused.json["error"]
            self.assertIn(f"folder {place[1]}/blobs", said)
            self.assertIn("/healthz", said)
        health = api.get("/healthz").json
        self.assertEqual(health["blobs"]["state"], "failing")
        self.assertIn("blobs/default", health["blobs"]["lastError"])
        self.assertTrue(any("blob store" in warning for warning in health["warnings"]), health)


@on_every_store
class Tail(Case):
    def follow(self, query, count):
        """The `data` of so many events from the beginning of the stream."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", "/api/events/tail?from=1" + query, headers={"X-Millrace-Tenant": self.tenant})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        found = []
        while len(found) < count:
            line = answer.readline().decode()
            if line.startswith("data: "):
                found.append(json.loads(line[6:])["data"])
        return found

    def test_a_stream_brings_large_fields_back_if_asked(self):  # S0.9
        for n in range(3):
            self.assertEqual(self.api.post("/api/events", event(f"e-{n}")).status, 201)
        self.assertEqual(self.api.post("/api/events", {**event("small"), "data": {"output": 1}}).status, 201)
        self.assertEqual(self.follow("&resolve=true", 4), [{"output": LARGE}] * 3 + [{"output": 1}])
        self.assertEqual([list(data) for data in self.follow("", 4)], [["_s3Overflow"]] * 3 + [["output"]])
        self.assertEqual(self.api.get("/api/events/tail?resolve=maybe").status, 400)


if __name__ == "__main__":
    unittest.main()
