"""A keep-alive HTTP/1.1 client on a plain socket: fast enough to keep a server busy from Python threads."""

import json
import socket
from typing import NamedTuple


class NoAnswer(Exception):
    """The connection broke or stayed silent: the fate of the request is unknown."""


class Answer(NamedTuple):
    status: int
    body: object  # parsed JSON; None where there is none


class Client:
    """One connection, opened when needed. Not for two threads at a time."""

    def __init__(self, port, timeout=30):
        self.port = port
        self.timeout = timeout
        self._socket = None
        self._rest = b""

    def close(self):
        if self._socket is not None:
            self._socket.close()
        self._socket, self._rest = None, b""

    def get(self, target):
        return self.request("GET", target)

    def post(self, target, body):
        return self.request("POST", target, body)

    def request(self, method, target, body=None):
        try:
            if self._socket is None:
                self._socket = socket.create_connection(("127.0.0.1", self.port), self.timeout)
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.sendall(_bytes_of(method, target, body))
            return self._receive()
        except (OSError, ValueError) as error:
            self.close()
            raise NoAnswer(f"{method} {target}: {error!r}") from error

    def _receive(self):
        while (end := self._rest.find(b"\r\n\r\n")) < 0:
            self._read_more()
        lines = self._rest[:end].decode("latin-1").split("\r\n")
        status = int(lines[0].split()[1])
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        length = int(fields.get("content-length", 0))
        while len(self._rest) < end + 4 + length:
            self._read_more()
        body = self._rest[end + 4 : end + 4 + length]
        self._rest = self._rest[end + 4 + length :]
        if fields.get("connection", "").lower() == "close":
            self.close()
        return Answer(status, json.loads(body) if body and "json" in fields.get("content-type", "") else None)

    def _read_more(self):
        data = self._socket.recv(262144)
        if not data:
            raise ConnectionResetError("closed by the server")
        self._rest += data


def _bytes_of(method, target, body):
    head = f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    if body is None:
        # A POST without a body says so; a GET needs not.
        return (head + ("Content-Length: 0\r\n" if method == "POST" else "") + "\r\n").encode()
    text = json.dumps(body).encode()
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text
