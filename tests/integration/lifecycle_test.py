"""Starting, stopping, being killed, and saying how it is."""

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from server import BINARY, Server, clean_environment, run_serve
from stores import Case, new_place, new_server, on_every_store


@on_every_store
class Restart(Case):
    def setUp(self):
        self.server = self.own_server()
        self.api = self.client_of(self.server)

    def again(self):
        self.api.close()
        self.server.start()
        self.api = self.client_of(self.server)

    def test_what_was_acknowledged_is_there_after_a_kill(self):  # S4.1 S4.7 S4.11
        body = {"title": "T", "tags": "t", "payload": {"x": 1}, "idempotency_key": "k"}
        done = self.api.post("/events", body).json["id"]
        self.api.claim()
        completed = self.api.complete(done, status_code=200).json
        leased = self.api.create(tags="t")["id"]
        token = self.api.claim(worker="w:2").json["lease_token"]
        waiting = self.api.create(tags="later", run_at="2029-01-01T00:00:00Z")["id"]
        self.server.kill()
        self.again()
        self.assertEqual(self.api.item(done)["status"], "COMPLETED")
        self.assertEqual(self.api.actions(done), ["PICKED", "COMPLETED"])
        self.assertEqual(self.api.complete(done, status_code=200).json, completed)
        self.assertEqual(self.api.post("/events", body).status, 200)
        self.assertEqual(self.api.complete(leased, "w:2", lease_token=token).status, 200)
        self.assertEqual(self.api.item(waiting)["status"], "PENDING")
        stats = self.api.get("/api/queue/stats").json
        self.assertEqual((stats["PENDING"], stats["PROCESSING"], stats["COMPLETED"], stats["total"]), (1, 0, 2, 3))
        self.assertGreater(self.api.create()["id"], waiting)

    def test_a_repeated_request_is_the_same_under_other_options(self):  # S4.1
        place = new_place(self.store)
        body = {"title": "T", "idempotency_key": "k"}
        with_backoff = {"title": "T", "idempotency_key": "k2", "backoff": {"kind": "exponential"}}
        first = Server(place)
        self.addCleanup(first.kill)
        client = self.client_of(first)
        ids = [client.post("/events", each).json["id"] for each in (body, with_backoff)]
        self.assertEqual(first.stop(), 0)
        second = Server(place, "--queue-backoff", "7s", "--queue-backoff-kind", "exponential",
                        "--queue-backoff-max", "2h", "--queue-backoff-jitter")
        self.addCleanup(second.kill)
        client = self.client_of(second)
        again = [client.post("/events", each) for each in (body, with_backoff)]
        self.assertEqual([(answer.status, answer.json.get("id")) for answer in again], [(200, made) for made in ids])
        other = client.post("/events", {**body, "backoff": {"seconds": 300}})
        self.assertEqual(other.status, 409)

    def test_a_drain_answers_held_claims_and_exits_with_0(self):  # S4.3
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(self.client_of(self.server).claim, "t", "w:1", wait=20)
            self.server.wait_for_claims(1)
            self.api.close()
            code = self.server.stop()
            self.assertEqual(held.result().status, 204)
        self.assertEqual(code, 0)

    def test_a_hangup_drains_too(self):
        # Under nohup a server inherits that hangups are ignored. A handler is not inherited, and keeps this process.
        before = signal.signal(signal.SIGHUP, lambda *_: None)
        self.addCleanup(signal.signal, signal.SIGHUP, before)
        server = self.own_server()
        with ThreadPoolExecutor(1) as pool:
            held = pool.submit(self.client_of(server).claim, "t", "w:1", wait=20)
            server.wait_for_claims(1)
            server.signal(signal.SIGHUP)
            self.assertEqual(server.wait(), 0)
            self.assertEqual(held.result().status, 204)

    def test_a_stop_keeps_everything(self):
        item = self.api.create(tags="t")["id"]
        self.assertEqual(self.server.stop(), 0)
        self.again()
        self.assertEqual(self.api.claim().json["id"], item)

    def complete_and_let_expire(self, item):
        self.api.claim()
        self.api.complete(item)
        for _ in range(20):
            self.api.claim("none", wait=1)
            if self.api.get(f"/events/{item}").status == 404:
                break

    def test_retention_removes_finished_items(self):  # S4.15
        self.server.stop()
        self.server = self.own_server("--queue-retention", "1s")
        self.api = self.client_of(self.server)
        item = self.api.create(tags="t")["id"]
        self.complete_and_let_expire(item)
        self.assertEqual(self.api.get(f"/events/{item}").status, 404)
        self.assertEqual(self.api.get("/events").json["total"], 0)

    def test_a_key_whose_item_is_gone_refuses_the_whole_array(self):  # S4.12 S4.16
        self.server.stop()
        self.server = self.own_server("--queue-retention", "1s")
        self.api = self.client_of(self.server)
        body = {"title": "once", "tags": "t", "idempotency_key": "k"}
        item = self.api.post("/events", body).json["id"]
        self.complete_and_let_expire(item)
        answer = self.api.post("/events", [{"title": "new"}, body, {"title": "other"}])
        self.assertEqual((answer.status, answer.json["field"]), (409, "[1].idempotency_key"))
        self.assertEqual(self.api.get("/events").json["total"], 0)


@on_every_store
class Health(Case):
    def test_says_what_it_is(self):
        health = self.api.get("/healthz").json
        self.assertEqual((health["status"], health["engine"]), ("ok", "ready"))
        expected = {"embedded": ("rocksdb", "fsync"), "postgres": ("postgres", "synchronous_commit")}[self.store]
        self.assertEqual((health["store"], health["durability"]), expected)
        self.assertEqual(self.api.get("/readyz").json["ready"], True)

    def test_metrics_have_the_engines_and_the_servers_numbers(self):
        self.api.create()
        text = self.api.get("/metrics").body.decode()
        for name in ("millrace_engine_commits_total", "millrace_ready 1", "createItems", "millrace_http_connections ",
                     "millrace_http_refused_connections_total 0", "millrace_http_held_bytes 0"):
            self.assertIn(name, text)

    def test_a_metric_is_a_counter_if_its_name_says_total(self):
        text = self.api.get("/metrics").body.decode()
        kinds = dict(line.split()[2:4] for line in text.splitlines() if line.startswith("# TYPE "))
        self.assertGreater(len(kinds), 5)
        for name, kind in kinds.items():
            self.assertTrue(name.startswith("millrace_"), name)
            self.assertEqual(kind == "counter", name.endswith("_total"), name)

    def test_the_contract_is_served(self):
        contract = self.api.get("/openapi.json").json
        self.assertEqual(contract["openapi"], "3.1.0")
        self.assertIn("/events/subscribe", contract["paths"])


class Standby(unittest.TestCase):
    """The port is open while another node owns the shards, so that it can be seen waiting."""

    def test_waits_for_the_owner_and_takes_over(self):
        place = new_place("postgres")
        owner = Server(place)
        self.addCleanup(owner.kill)
        item = owner.client().create(tags="t")["id"]
        waiting = Server(place, ready=False)
        self.addCleanup(waiting.kill)
        client = waiting.client()
        self.addCleanup(client.close)
        self.assertEqual(client.get("/healthz").json["engine"], "standby")
        self.assertEqual(client.get("/readyz").status, 503)
        self.assertIn("millrace_ready 0", client.get("/metrics").body.decode())
        refused = client.post("/events", {"title": "T"})
        self.assertEqual((refused.status, refused.headers["Retry-After"]), (503, "1"))
        self.assertEqual(owner.stop(), 0)
        waiting.await_ready()
        self.assertEqual(client.get("/readyz").status, 200)
        self.assertEqual(client.claim().json["id"], item)


class Tls(unittest.TestCase):
    def test_serves_https_with_the_given_certificate(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        cert, key = folder.name + "/cert.pem", folder.name + "/key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        server = Server(new_place("embedded"), "--tls-cert", cert, "--tls-key", key, "--connections-max", "1")
        self.addCleanup(server.kill)
        self.assertTrue(server.url.startswith("https://"))
        connection = http.client.HTTPSConnection("localhost", server.port,
                                                 context=ssl.create_default_context(cafile=cert))
        self.addCleanup(connection.close)
        connection.request("GET", "/healthz")
        self.assertEqual(connection.getresponse().status, 200)
        # One that is too many hears nothing: plain text in place of a handshake would be noise.
        with socket.create_connection(("127.0.0.1", server.port)) as refused:
            self.assertEqual(refused.makefile("rb").read(), b"")

    def refusal(self, certificate, key):
        """What is said about files that do not do; it is a wrong option, and nobody is asked for a passphrase."""
        code, out, said = run_serve("--listen", "127.0.0.1:0", *new_place("embedded"), "--tls-cert", certificate,
                                    "--tls-key", key, timeout=10)
        self.assertEqual((code, out), (2, ""), said)
        self.assertNotIn("pass phrase", said)
        return said

    def test_files_that_do_not_do_are_named_with_their_option(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        names = [f"{folder.name}/{name}" for name in ("cert.pem", "key.pem", "other.pem", "secret.pem", "none.pem")]
        cert, key, other, secret, none = names
        for made in (key, other):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                            "-keyout", made, "-out", cert if made == key else "/dev/null", "-days", "2", "-subj",
                            "/CN=localhost"], check=True, capture_output=True)
        subprocess.run(["openssl", "pkey", "-in", key, "-aes128", "-passout", "pass:x", "-out", secret], check=True,
                       capture_output=True)
        for certificate, private, option, words in (
                (none, key, "--tls-cert", (none, "No such file")), (key, key, "--tls-cert", (key, "no certificate")),
                (cert, none, "--tls-key", (none, "No such file")), (cert, cert, "--tls-key", (cert, "no private key")),
                (cert, secret, "--tls-key", (secret, "is encrypted", "openssl pkey")),
                (cert, other, "--tls-key", (other, "does not belong")), (folder.name, key, "--tls-cert", ("folder",))):
            said = self.refusal(certificate, private)
            for word in (option + ": ", *words):
                self.assertIn(word, said)


class Start(unittest.TestCase):
    def place(self):
        return new_place("embedded")

    def test_a_taken_port_is_said(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            code, _, said = run_serve("--listen", address, *self.place())
        self.assertEqual(code, 71)
        self.assertIn(address.split(":")[1], said)

    def test_a_data_folder_in_use_is_said(self):
        place = self.place()
        server = Server(place)
        self.addCleanup(server.kill)
        code, _, said = run_serve("--listen", "127.0.0.1:0", *place)
        self.assertEqual(code, 69)
        self.assertIn(place[1], said)

    def test_a_data_folder_that_is_a_file_is_said(self):
        with tempfile.NamedTemporaryFile() as file:
            code, _, said = run_serve("--listen", "127.0.0.1:0", "--data", file.name)
        self.assertEqual(code, 69)
        self.assertIn(file.name, said)

    def test_other_addresses_need_keys(self):
        for auth in ((), ("--auth", "off")):
            code, _, said = run_serve("--listen", "0.0.0.0:0", *self.place(), *auth)
            self.assertEqual(code, 2)
            self.assertIn("--auth keys", said)

    def test_wrong_options_are_named(self):
        for options, word in ((["--queue-lease", "soon"], "--queue-lease"), (["--nonsense"], "--nonsense"),
                              (["--listen", "nowhere"], "--listen"), (["--config", "none.toml"], "none.toml"),
                              (["--queue-backoff", "10m", "--queue-backoff-max", "1m"], "--queue-backoff-max")):
            code, _, said = run_serve(*options)
            self.assertEqual(code, 2, options)
            self.assertIn(word, said)
        code, _, said = run_serve(env={"MILLRACE_QUEUE_LEASE": "soon"})
        self.assertEqual(code, 2)
        self.assertIn("MILLRACE_QUEUE_LEASE", said)

    def test_a_url_that_cannot_be_read_is_not_repeated(self):
        for url in ("postgres://u:SECRET%ZZ@127.0.0.1:1/db", "postgres://u:SECRET/x@127.0.0.1:1/db",
                    "postgres://u:x@SECRET@127.0.0.1:1/db", "mysql://u:SECRET@127.0.0.1/db"):
            code, out, said = run_serve("--listen", "127.0.0.1:0", "--store", url)
            self.assertIn(code, (2, 69), url)
            self.assertNotIn("SECRET", out + said)
            self.assertIn("postgres://", said)

    def test_an_admin_key_with_a_blank_at_its_end_is_refused(self):
        code, _, said = run_serve("--auth", "keys", *self.place(), env={"MILLRACE_ADMIN_KEY": "read-from-a-file\n"})
        self.assertEqual(code, 2)
        self.assertIn("MILLRACE_ADMIN_KEY", said)

    def test_a_short_admin_key_is_taken_and_warned_about(self):
        for auth, warned in (("keys", True), ("off", False)):
            server = Server(self.place(), "--auth", auth, env={"MILLRACE_ADMIN_KEY": "admin"})
            self.addCleanup(server.kill)
            client = server.client(key="admin")
            self.addCleanup(client.close)
            self.assertEqual(client.get("/events").status, 200)
            self.assertEqual("MILLRACE_ADMIN_KEY has fewer than 16 characters" in server.log(), warned, auth)

    def test_help_has_examples(self):
        code, said, _ = run_serve("--help")
        self.assertEqual(code, 0)
        self.assertIn("examples:", said)

    def test_options_come_from_a_file_and_the_environment(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write('queue_payload_max = "2KiB"\n')
            file.flush()
            server = Server(self.place(), "--config", file.name, env={"MILLRACE_QUEUE_BACKOFF": "1h"})
        self.addCleanup(server.kill)
        client = server.client()
        self.addCleanup(client.close)
        self.assertEqual(client.post("/events", {"title": "T", "payload": "x" * 3000}).status, 413)
        item = client.create(tags="t")["id"]
        client.claim()
        failed = client.fail(item).json
        self.assertNotEqual(failed["next_retry_at"][11:13], failed["created_at"][11:13])

    def test_memory_says_that_it_keeps_nothing(self):
        server = Server(["--store", "memory://"])
        self.addCleanup(server.kill)
        client = server.client()
        self.addCleanup(client.close)
        self.assertEqual(client.get("/healthz").json["durability"], "none")
        self.assertEqual(client.post("/events", {"title": "T"}).status, 201)

    def test_a_second_signal_exits_at_once(self):
        server = Server(self.place())
        self.addCleanup(server.kill)
        with socket.create_connection(("127.0.0.1", server.port)) as slow:
            slow.sendall(b"POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                         b"Content-Length: 100\r\n\r\n{")
            self.assertEqual(server.client().get("/healthz").status, 200)
            server.signal(signal.SIGTERM)
            with self.assertRaises(subprocess.TimeoutExpired):
                server.wait(0.5)
            server.signal(signal.SIGTERM)
            self.assertEqual(server.wait(5), -signal.SIGTERM)

    def test_the_version_is_told(self):
        done = subprocess.run([BINARY, "version"], env=clean_environment(), capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"\d+\.\d+\.\d+")
        told = subprocess.run([BINARY, "version", "--json"], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(told.stdout), {"version": done.stdout.strip()})
        wrong = subprocess.run([BINARY, "version", "--yaml"], capture_output=True, text=True, check=False)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))

    @unittest.skipIf(os.geteuid() == 0, "root may read every folder")
    def test_a_folder_without_permission_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o500)
            code, _, said = run_serve("--listen", "127.0.0.1:0", "--data", folder + "/data")
        self.assertEqual(code, 69)
        self.assertIn(folder, said)


class Crowded(unittest.TestCase):
    """Beyond the limits of connections."""

    def test_the_refusal_says_why_and_is_told(self):
        server = new_server("embedded", "--connections-per-address-max", "2")
        self.addCleanup(server.kill)
        clients = [server.client() for _ in range(3)]
        for client in clients:
            self.addCleanup(client.close)
        self.assertEqual([client.get("/healthz").status for client in clients[:2]], [200, 200])
        with socket.create_connection(("127.0.0.1", server.port)) as refused:
            said = refused.makefile("rb").read()
        head, _, body = said.partition(b"\r\n\r\n")
        self.assertIn(b" 503 ", head)
        self.assertIn(b"X-Request-ID: ", head)
        self.assertEqual(json.loads(body)["type"], "urn:millrace:problem:unavailable")
        text = clients[0].get("/metrics").body.decode()
        self.assertIn("millrace_http_refused_connections_total 1\n", text)
        self.assertIn("millrace_http_connections 2\n", text)
        self.assertIn("connections refused", server.log())


if __name__ == "__main__":
    unittest.main()
