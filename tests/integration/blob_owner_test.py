"""A place for large payloads belongs to one installation; another one is refused before it removes anything (S0.9)."""

import os
import pathlib
import re
import shutil
import tempfile
import time
import unittest

from server import Server, run_serve
from stores import STORES, Case, new_place, on_every_store

LARGE = "x" * 300_000
MARK = ".millrace-installation"
UNAVAILABLE = 69


def event(event_id):
    return {"type": "task.completed", "source": "/worker", "eventId": event_id, "data": {"output": LARGE}}


@on_every_store
class Owner(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "blobs"
        self.mark = self.folder / MARK

    def start(self, place, *options):
        server = Server(place, "--blobs", str(self.folder), *options)
        self.addCleanup(server.kill)
        return server

    def refusal(self, place, *options):
        code, out, err = run_serve("--listen", "127.0.0.1:0", *place, "--blobs", str(self.folder), *options)
        self.assertEqual((code, out), (UNAVAILABLE, ""), err)
        return err

    def publish(self, server, event_id):
        self.assertEqual(self.client_of(server).post("/api/events", event(event_id)).status, 201)

    def data_of(self, server, event_id):
        found = self.client_of(server).get(f"/api/events/{event_id}?resolve=true")
        return found.json["data"].get("output") if found.status == 200 else found.status

    def test_another_installation_is_refused_and_nothing_is_swept(self):  # S0.9
        first = self.start(new_place(self.store))
        self.publish(first, "e")
        owner = self.mark.read_text().strip()
        for path in self.folder.rglob("*-payload*"):
            os.utime(path, (time.time() - 7200,) * 2)  # old enough for a sweep
        for store in STORES:
            said = self.refusal(new_place(store))
            for word in (str(self.folder), owner, "--blobs-take-over"):
                self.assertIn(word, said)
        self.assertEqual(self.mark.read_text().strip(), owner)
        self.assertEqual(self.data_of(first, "e"), LARGE)

    def test_the_same_installation_comes_back(self):  # S0.9
        place = new_place(self.store)
        server = self.start(place)
        self.publish(server, "e")
        server.stop()
        self.assertEqual(self.data_of(self.start(place), "e"), LARGE)

    def test_a_place_is_taken_over_from_the_owner_that_is_named(self):  # S0.9
        first_place = new_place(self.store)
        first = self.start(first_place)
        owner = self.mark.read_text().strip()
        self.refusal(new_place(self.store), "--blobs-take-over", "0" * 32)
        second = self.start(new_place(self.store), "--blobs-take-over", owner)
        self.assertNotEqual(self.mark.read_text().strip(), owner)
        self.publish(second, "e")
        first.stop()
        self.assertIn("--blobs-take-over", self.refusal(first_place))

    def test_blobs_without_a_mark_are_nobodys_until_the_operator_says_so(self):  # S0.9
        place = new_place(self.store)
        server = self.start(place)
        self.publish(server, "e")
        server.stop()
        self.mark.unlink()
        self.assertIn("--blobs-take-over unmarked", self.refusal(place))
        self.assertFalse(self.mark.exists())
        self.assertEqual(self.data_of(self.start(place, "--blobs-take-over", "unmarked"), "e"), LARGE)

    def test_a_damaged_mark_is_replaced_with_the_command_that_the_refusal_names(self):  # S0.9
        place = new_place(self.store)
        server = self.start(place)
        self.publish(server, "e")
        server.stop()
        whole = self.mark.read_bytes()
        for damage in (b"", b"\x00\xff\x1b[2J", b"two words\n", whole[:1], whole[:31], whole[:31] + b"\n"):
            self.mark.write_bytes(damage)
            said = self.refusal(place)
            self.assertIn(f"({MARK}) that cannot be read", said)
            command = re.search(r"--blobs-take-over \S+?(?=[\s\"\\]|$)", said).group().split()
            self.assertEqual(command[1], "damaged")
            self.assertEqual(self.mark.read_bytes(), damage)
            server = self.start(place, *command)
            self.assertEqual(self.data_of(server, "e"), LARGE)
            server.stop()

    def test_a_place_that_is_away_has_lost_nothing(self):  # S0.9, S4.13
        server = self.start(new_place(self.store))
        api = self.client_of(server)
        self.publish(server, "e")
        item = api.post("/events", {"title": "t", "tags": "a", "payload": {"x": LARGE}}).json["id"]
        away = self.folder.with_name("unmounted")
        self.folder.rename(away)
        for _ in range(10):
            self.assertEqual(self.data_of(server, "e"), 503)
            claim = api.get("/events/subscribe?tags=a&worker_id=w:1")
            self.assertEqual(claim.status, 503, claim.json)
            given_back = api.get(f"/events/{item}?payload=reference").json
            self.assertEqual(given_back["status"], "PENDING", "the refused claim still holds it")
        self.assertIn("still mounted", api.get("/healthz").json["blobs"]["lastError"])
        away.rename(self.folder)
        self.assertEqual(self.data_of(server, "e"), LARGE)
        self.assertEqual(api.get("/events/subscribe?tags=a&worker_id=w:1").json["payload"], {"x": LARGE})

    def test_a_place_that_lost_its_mark_takes_nothing(self):  # S0.9
        server = self.start(new_place(self.store))
        self.publish(server, "e")
        away = self.folder.with_name("unmounted")
        self.folder.rename(away)
        self.folder.mkdir()
        api = self.client_of(server)
        end = time.monotonic() + 30
        while (answer := api.post("/api/events", event(f"e-{time.monotonic()}"))).status == 201:
            self.assertLess(time.monotonic(), end, "it goes on writing to an empty folder")
            time.sleep(0.5)
        self.assertEqual(answer.status, 503)
        self.assertIn("still mounted", api.get("/healthz").json["blobs"]["lastError"])


class InTheDataFolder(unittest.TestCase):
    def test_a_restored_copy_is_the_same_installation(self):  # S0.9
        place = new_place("embedded")
        server = Server(place)
        client = server.client()
        self.assertEqual(client.post("/api/events", event("e")).status, 201)
        client.close()
        server.stop()
        copy = place[1] + "-copy"
        shutil.copytree(place[1], copy)
        self.addCleanup(shutil.rmtree, copy)
        self.assertEqual((pathlib.Path(copy) / "installation").stat().st_mode & 0o777, 0o600)
        server = Server(["--data", copy])
        self.addCleanup(server.kill)
        client = server.client()
        self.addCleanup(client.close)
        self.assertEqual(client.get("/api/events/e?resolve=true").json["data"]["output"], LARGE)

    def test_blobs_of_an_earlier_version_are_adopted(self):  # S0.9
        place = new_place("embedded")
        server = Server(place)
        client = server.client()
        self.assertEqual(client.post("/api/events", event("e")).status, 201)
        client.close()
        server.stop()
        for name in ("installation", "blobs/" + MARK):
            (pathlib.Path(place[1]) / name).unlink()
        server = Server(place)
        self.addCleanup(server.kill)
        client = server.client()
        self.addCleanup(client.close)
        self.assertEqual(client.get("/api/events/e?resolve=true").json["data"]["output"], LARGE)


if __name__ == "__main__":
    unittest.main()
