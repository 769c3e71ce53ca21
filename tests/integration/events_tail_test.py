"""The event log followed over HTTP as server-sent events."""

import http.client
import json
import threading
import unittest

from stores import Case, on_every_store

ORDER = {"type": "order.created", "source": "shop", "subject": "order:12345", "data": {"amount": 99.99}}


def publish(api, body):
    return api.post("/api/events", body)


def follow(port, path, headers=None):
    """A connection that follows, and its response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers or {})
    return connection, connection.getresponse()


def read_frames(response, count):
    """The next events of a stream: (id, data)."""
    frames, fields = [], {}
    while len(frames) < count:
        line = response.readline().decode().rstrip("\n")
        if not line and "data" not in fields:
            fields = {}
        elif not line:
            frames.append((int(fields["id"]), json.loads(fields["data"])))
            fields = {}
        elif line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            fields[name] = value
    return frames


@on_every_store
class Tail(Case):
    def tenant_headers(self):
        return {"X-Millrace-Tenant": self.tenant}

    def test_gives_old_and_new_events_without_gaps_or_duplicates(self):  # S3.4
        for n in range(3):
            publish(self.api, {**ORDER, "data": n})
        connection, response = follow(self.server.port, "/api/events/tail?from=2", self.tenant_headers())
        try:
            self.assertEqual(response.headers["Content-Type"], "text/event-stream")
            self.assertEqual([frame[0] for frame in read_frames(response, 2)], [2, 3])
            senders = [threading.Thread(target=lambda: [publish(self.another(self.tenant), ORDER) for _ in range(25)])
                       for _ in range(4)]
            for sender in senders:
                sender.start()
            frames = read_frames(response, 100)
            for sender in senders:
                sender.join()
            self.assertEqual([frame[0] for frame in frames], list(range(4, 104)))
            self.assertEqual([frame[1]["position"] for frame in frames], list(range(4, 104)))
        finally:
            connection.close()
        connection, response = follow(self.server.port, "/api/events/tail",
                                      {**self.tenant_headers(), "Last-Event-ID": "100"})
        self.assertEqual([frame[0] for frame in read_frames(response, 3)], [101, 102, 103])
        connection.close()

    def test_filters_by_type_and_starts_with_the_latest(self):  # S3.4
        publish(self.api, ORDER)
        connection, response = follow(self.server.port, "/api/events/tail?type=a,b", self.tenant_headers())
        self.assertTrue(response.readline().startswith(b":"))
        self.assertEqual(response.readline(), b"id: 1\n", "where a client that loses the connection now comes back to")
        for kind in ("c", "a", "c", "b"):
            publish(self.api, {**ORDER, "type": kind})
        self.assertEqual([frame[1]["type"] for frame in read_frames(response, 2)], ["a", "b"])
        connection.close()
        for bad in ("from=early", "from=-1"):
            self.assertEqual(self.api.get("/api/events/tail?" + bad).status, 400, bad)

    def test_a_place_beyond_the_end_of_the_log_is_refused(self):  # S3.4
        for n in range(2):
            publish(self.api, {**ORDER, "data": n})
        for path, headers in (("/api/events/tail?from=4", {}), ("/api/events/tail", {"Last-Event-ID": "3"})):
            refused = self.api.get(path, headers=headers)
            self.assertEqual(refused.status, 409, path)
            self.assertIn("ends at position 2", refused.json["detail"])
        for path, headers in (("/api/events/tail?from=3", {}), ("/api/events/tail", {"Last-Event-ID": "2"})):
            connection, response = follow(self.server.port, path, {**self.tenant_headers(), **headers})
            self.assertEqual(response.status, 200, path)
            connection.close()


if __name__ == "__main__":
    unittest.main()
