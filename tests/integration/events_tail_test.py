"""The event log followed over HTTP as server-sent events."""

import http.client
import json
import socket
import threading
import time
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


MIB = 1024 * 1024
TRANSFER_BYTES = 8 * MIB
SLOW = 24  # with a MiB each they would hold three times as much
EVENTS = 750  # of 20 KB: more than the kernel keeps for one who does not read


@on_every_store
class SlowFollowers(Case):
    def setUp(self):
        # Two threads: each may find the last room at the same moment as the other, and both take it.
        self.server = self.own_server("--transfer-memory-max", str(TRANSFER_BYTES), "--body-max", "4MiB",
                                      "--overflow-bytes", "16MiB", "--io-threads", "2")
        self.api = self.client_of(self.server)
        for first in range(0, EVENTS, 150):
            publish(self.api, [{**ORDER, "data": f"{first + n}" + "x" * 20_000} for n in range(150)])

    def follow_without_reading(self):
        follower = socket.socket()
        self.addCleanup(follower.close)
        follower.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        follower.connect(("127.0.0.1", self.server.port))
        follower.sendall(b"GET /api/events/tail?from=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        self.assertEqual(follower.recv(12), b"HTTP/1.1 200")
        return follower

    def held(self):
        text = self.api.get("/metrics").body.decode()
        return float(next(line for line in text.splitlines() if line.startswith("millrace_http_held_bytes ")).split()[1])

    def held_once(self, condition):
        deadline = time.monotonic() + 20
        while not condition(held := self.held()):
            self.assertLess(time.monotonic(), deadline, held)
        return held

    def test_together_leave_half_of_the_memory_for_transfers(self):
        slow = [self.follow_without_reading() for _ in range(SLOW)]
        self.held_once(lambda held: held > TRANSFER_BYTES / 4)
        connection, response = follow(self.server.port, "/api/events/tail?from=1")
        self.addCleanup(connection.close)
        frames = read_frames(response, EVENTS)
        self.assertEqual([frame[0] for frame in frames], list(range(1, EVENTS + 1)))
        self.assertLess(self.held(), TRANSFER_BYTES / 2 + 2 * MIB)

        publish(self.api, {**ORDER, "data": "x" * 3 * MIB})
        while not (line := response.readline()).startswith(b"event:"):
            self.assertTrue(line)
        self.assertEqual(line, b"event: error\n", "it would take more than there is")
        self.assertIn(b"Last-Event-ID", response.readline())
        for each in slow:
            each.close()
        self.held_once(lambda held: held == 0)
        again, response = follow(self.server.port, "/api/events/tail", {"Last-Event-ID": str(EVENTS)})
        self.addCleanup(again.close)
        self.assertEqual(read_frames(response, 1)[0][0], EVENTS + 1)


if __name__ == "__main__":
    unittest.main()
