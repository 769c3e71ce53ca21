"""Single versions under /api/schemas, and pushes that end early."""

import json
import threading
import unittest

from client import Client
from registry_case import ORDER, RegistryCase, spec
from stores import on_every_store

PATH = "/api/schemas/order.created/1.0"


@on_every_store
class OneVersion(RegistryCase):
    def test_moves_forward_by_itself(self):  # S3.5
        self.make_type(specVersions=[spec(status="FINALISING"), spec("2.0")])
        changed = self.patch(PATH, {"schema": {"type": "object"}, "status": "CURRENT"}, If_Match='"1"')
        self.expect(changed, 200)
        self.assertEqual((changed.json["status"], json.loads(changed.json["schema"]), changed.headers["ETag"]),
                         ("CURRENT", {"type": "object"}, '"2"'))
        self.assertEqual(self.api.get(PATH).json, changed.json)
        self.assertEqual([v["version"] for v in self.api.get("/api/event-types/order.created").json["specVersions"]],
                         ["1.0", "2.0"])
        self.expect(self.patch(PATH, {"status": "DEPRECATED"}, If_Match='"1"'), 412)
        self.expect(self.patch(PATH, {"status": "FINALISING"}), 409, "status")
        self.expect(self.patch(PATH, {"schema": ORDER}), 409, "schema")
        self.expect(self.publish(schemaVersion="1.0", data={}), 201)

    def test_what_is_wrong_is_named(self):  # S3.5
        self.make_type(specVersions=[spec(status="FINALISING")])
        for body, field in (({"status": "OLD"}, "status"), ({"schema": {"type": 7}}, "schema"),
                            ({"version": "1.1"}, "version"), ({"sattus": "CURRENT"}, "sattus")):
            self.expect(self.patch(PATH, body), 422, field)
        self.expect(self.patch("/api/schemas/order.created/9.0", {"status": "CURRENT"}), 404)
        self.expect(self.patch("/api/schemas/order.lost/1.0", {"status": "CURRENT"}), 404)
        self.assertEqual(self.api.get("/api/event-types/order.created").json["version"], 1)

    def test_is_removed_while_it_is_being_finalised(self):  # S3.5
        self.make_type(specVersions=[spec(), spec("1.1", status="FINALISING")])
        path = "/api/schemas/order.created/1.1"
        self.expect(self.delete(path, If_Match='"7"'), 412)
        self.assertEqual(self.delete(path).status, 204)
        self.expect(self.delete(path), 404)
        self.expect(self.delete(PATH), 409, "version")
        self.assertEqual([s["version"] for s in self.api.get("/api/schemas").json["items"]], ["1.0"])


@on_every_store
class Pushes(RegistryCase):
    FILES = [{"type": f"order.done{number:03}", "version": 1, "schema": {"type": "object"}} for number in range(300)]

    def test_take_no_version(self):
        for header in ("If-Match", "If-None-Match"):
            self.expect(self.api.post("/api/schemas", self.FILES[:1], headers={header: "*"}), 400, header)
        self.assertEqual(self.api.get("/api/schemas").json["items"], [])

    def test_go_on_where_a_dead_server_left_them(self):  # S2.4
        server = self.own_server()
        pushing = threading.Thread(target=self.push_to_the_end, args=(server.port,))
        watching = self.client_of(server)
        pushing.start()
        while not watching.get("/api/schemas?limit=1").json["items"]:
            pass
        server.kill()
        pushing.join()
        server.start()
        api = self.client_of(server)
        again = api.post("/api/schemas", self.FILES)
        self.assertEqual(again.status, 200, again.body)
        self.assertEqual(again.json["created"] + again.json["unchanged"], 300)
        self.assertGreater(again.json["unchanged"], 0)
        self.assertEqual(api.post("/api/schemas", self.FILES).json["unchanged"], 300)

    def push_to_the_end(self, port):
        client = Client(port, None)
        try:
            client.post("/api/schemas", self.FILES)
        except OSError:
            pass  # the server is gone, as it should be
        except Exception as error:  # http.client has errors of its own for a connection that ends
            self.assertEqual(type(error).__module__, "http.client")
        finally:
            client.close()


if __name__ == "__main__":
    unittest.main()
