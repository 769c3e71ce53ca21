"""A caller of the server: one connection, JSON in and out."""

import http.client
import json
from typing import Any, NamedTuple


class Answer(NamedTuple):
    status: int
    json: Any
    headers: dict
    body: bytes


class Client:
    """Not for two threads at a time. `tenant` is named in every request, `key` sent if there is one."""

    def __init__(self, port, tenant=None, key=None, timeout=30):
        self._port, self._timeout = port, timeout
        self._headers = {}
        if tenant:
            self._headers["X-Millrace-Tenant"] = tenant
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._connection = None

    def request(self, method, path, body=None, headers=None):
        """`body` is sent as JSON unless it is bytes."""
        sent = dict(self._headers)
        if body is not None:
            sent["Content-Type"] = "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent.update(headers or {})
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=self._timeout)
        try:
            self._connection.request(method, path, body, sent)
            response = self._connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise
        if response.will_close:
            self.close()
        is_json = "json" in response.headers.get("Content-Type", "") and content
        return Answer(response.status, json.loads(content) if is_json else None, dict(response.headers), content)

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.request("POST", path, body, **options)

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # The calls that most cases are made of.

    def create(self, title="T", **fields):
        answer = self.post("/events", {"title": title, **fields})
        assert answer.status in (200, 201), answer
        return answer.json

    def claim(self, tags="t", worker="w:1", **query):
        extra = "".join(f"&{name}={value}" for name, value in query.items())
        return self.get(f"/events/subscribe?tags={tags}&worker_id={worker}{extra}")

    def complete(self, item, worker="w:1", **fields):
        return self.post(f"/events/{item}/complete", {"worker_id": worker, **fields})

    def fail(self, item, worker="w:1", **fields):
        return self.post(f"/events/{item}/fail", {"worker_id": worker, **fields})

    def item(self, item, logs=False):
        return self.get(f"/events/{item}" + ("?include_logs=true" if logs else "")).json

    def actions(self, item):
        return [entry["action"] for entry in self.item(item, logs=True)["logs"]]
