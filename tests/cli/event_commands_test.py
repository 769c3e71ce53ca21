"""The event log from the shell: publish, follow, look up, list."""

import json
import pathlib
import signal
import subprocess
import tempfile

from command import BINARY, OK, REFUSED, UNREACHABLE, USAGE, CommandCase, clean_environment, millrace
from server import free_port


def event(number, **more):
    return {"type": "order.created", "source": "shop", "subject": f"order:{number}", "data": {"n": number}, **more}


def ndjson(events):
    return "".join(json.dumps(one) + "\n" for one in events)


class Publish(CommandCase):
    def test_one_event_from_options_and_back(self):  # S3.1, S3.4
        done = self.succeed("publish", "--type", "order.created", "--source", "shop", "--subject", "order:7",
                            "--data", '{"amount": 99.50}', "--context", "region=us-west", "--correlation-id", "req-1",
                            "--time", "2026-01-31T12:00:00Z", "--json").json()
        self.assertEqual((done["position"], done["time"]), (1, "2026-01-31T12:00:00.000Z"))
        for name in (done["id"], done["eventId"]):
            self.assertEqual(self.succeed("get", name, "--json").json()["data"], {"amount": 99.5})
        text = self.succeed("get", done["id"]).out
        for part in ("order.created", "order:7", "region", "99.50", "req-1"):
            self.assertIn(part, text)
        cloud = json.loads(self.succeed("get", done["id"], "--format", "cloudevents").out)
        self.assertEqual((cloud["specversion"], cloud["type"]), ("1.0", "order.created"))

    def test_the_same_id_again_is_a_duplicate(self):  # S2.2, S3.3
        for option in ("--event-id", "--dedup-id"):
            first = self.succeed("publish", "--type", "order.created", "--source", "s", option, "one")
            again = self.succeed("publish", "--type", "order.created", "--source", "s", option, "one")
            self.assertTrue(first.out.startswith("published "), first.out)
            self.assertEqual(again.out, first.out.replace("published", "duplicate of"))

    def test_a_file_in_every_envelope(self):  # S2.1, S3.2, S0.2
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "events.json"
            path.write_text(json.dumps([
                event(1),
                {"specversion": "1.0", "id": "A", "type": "com.example.thing", "source": "/mine"},
                {"eventType": "Task Pending", "entityType": "TASK", "entityId": "r", "properties": {}},
            ], indent=2))
            self.assertEqual(self.succeed("publish", path).out, "accepted 3, duplicates 0, refused 0\n")
            path.write_text(json.dumps(event(2), indent=2))
            self.assertEqual(self.succeed("publish", path, "--json").json()["accepted"], 1)
        self.refuse(USAGE, "publish", path, says="cannot be read")

    def test_lines_from_stdin_in_many_requests(self):
        lines = ndjson(event(n, eventId=f"e{n}") for n in range(2300))
        self.assertEqual(self.succeed("publish", "-", stdin=lines).out, "accepted 2300, duplicates 0, refused 0\n")
        again = self.succeed("publish", "-", "--json", stdin=lines).json()
        self.assertEqual((again["accepted"], again["duplicates"]), (0, 2300))

    def test_refused_lines_are_named_and_the_others_stored(self):
        lines = ndjson([event(1)]) + '{"source": "shop"}\n' + "no json\n" + ndjson([event(2)])
        done = self.run_command("publish", "-", stdin=lines)
        self.assertEqual((done.code, done.out), (REFUSED, "accepted 2, duplicates 0, refused 2\n"))
        self.assertIn("line 2: ", done.err)
        self.assertIn("line 3: ", done.err)
        self.assertEqual(len(self.succeed("query", "--json").json()["items"]), 2)

    def test_what_is_wrong_is_said(self):
        self.refuse(REFUSED, "publish", "--type", "", "--source", "s", says="type")
        self.refuse(USAGE, "publish", "--type", "a.b", "--data", "{", says="--data")
        self.refuse(REFUSED, "get", "nothing", says="no event")
        gone = millrace("publish", "--type", "a.b", "--server", f"http://127.0.0.1:{free_port()}")
        self.assertEqual((gone.code, gone.out), (UNREACHABLE, ""))


class Query(CommandCase):
    def setUp(self):
        super().setUp()
        events = [event(n, contextData=[{"key": "parity", "value": str(n % 2)}]) for n in range(1, 6)]
        self.succeed("publish", "-", stdin=ndjson(events))

    def positions(self, *options):
        return [one["position"] for one in self.succeed("query", *options, "--json").json()["items"]]

    def test_by_what_events_say(self):  # S3.4
        self.assertEqual(sorted(self.positions("--context", "parity=1")), [1, 3, 5])
        self.assertEqual(self.positions("--subject", "order:4"), [4])
        self.assertEqual(self.positions("--type", "other.made"), [])

    def test_by_an_index(self):  # S0.3
        self.assertEqual(self.positions("--index", "GSI1", "--pk", "ORDER#2"), [2])
        self.assertEqual(self.positions("--index", "GSI4", "--pk", "EVENT#order.created", "--order", "desc")[0], 5)

    def test_an_empty_filter_is_refused_not_ignored(self):
        for option in ("type", "source", "subject", "correlation-id", "from", "to", "context", "cursor", "pk"):
            self.refuse(USAGE, "query", f"--{option}", "", says=f"--{option}")
        self.refuse(USAGE, "query", "--pk", "ORDER#2", "--index", "GSI1", "--sk-prefix", "", says="--sk-prefix")
        self.refuse(USAGE, "tail", "--type", "", says="--type")
        self.refuse(USAGE, "queue", "list", "--tags", "", says="--tags")
        self.refuse(USAGE, "explain", "e", "--rule", "", says="--rule")

    def test_large_fields_come_from_the_blob_store(self):  # S0.9
        large = "x" * 300_000
        self.succeed("publish", "-", stdin=ndjson([event(6, type="task.done", data={"output": large})]))
        outputs = lambda *more: [item["data"].get("output") for item in  # noqa: E731
                                 self.succeed("query", "--type", "task.done", "--json", *more).json()["items"]]
        self.assertLess(len(str(outputs())), 10_000)
        self.assertEqual((outputs("--resolve"), outputs("--resolve", "--all")), ([large], [large]))

    def test_page_by_page_and_to_the_end(self):
        first = self.succeed("query", "--limit", 3, "--json").json()
        self.assertEqual(len(first["items"]), 3)
        self.assertEqual(len(self.positions("--cursor", first["nextCursor"])), 2)
        self.assertEqual(len(self.positions("--all")), 5)
        page = self.succeed("query", "--limit", 3)
        self.assertEqual(len(page.out.splitlines()), 4)
        self.assertIn("--cursor ", page.err)


class Explain(CommandCase):
    def setUp(self):
        super().setUp()
        api = self.server.client(self.tenant)
        self.addCleanup(api.close)
        api.request("PUT", "/api/rules/small", {"pattern": {"data": {"n": [1]}}})
        api.request("PUT", "/api/rules/large", {"pattern": {"data": {"n": [{"numeric": [">", 5]}]}}})
        self.succeed("publish", "-", stdin=ndjson([event(1, eventId="e1")]))

    def test_names_the_field_that_fails(self):  # S2.8
        told = self.succeed("explain", "e1", "--rule", "large").out
        self.assertRegex(told, r"matches +no")
        self.assertRegex(told, r"data\.n +.* +1")
        self.assertTrue(self.succeed("explain", "e1", "--rule", "small", "--json").json()["matches"])

    def test_goes_through_all_rules(self):  # S2.8
        verdicts = self.succeed("explain", "e1", "--json").json()["items"]
        self.assertEqual([(v["rule"], v["matches"]) for v in verdicts], [("large", False), ("small", True)])
        lines = self.succeed("explain", "e1").out.splitlines()
        self.assertEqual([line.split()[:2] for line in lines[1:]], [["large", "no"], ["small", "yes"]])

    def test_what_is_wrong_is_said(self):
        self.refuse(REFUSED, "explain", "nothing", says="no event")
        self.refuse(REFUSED, "explain", "e1", "--rule", "none", says="no rule")
        self.refuse(USAGE, "explain")
        self.assertIn("millrace explain", millrace("explain", "--help").out)


class Tail(CommandCase):
    def start(self, *options, url=None):
        environment = clean_environment({"MILLRACE_SERVER": url or self.server.url, "MILLRACE_TENANT": self.tenant})
        child = subprocess.Popen([BINARY, "tail", "--json", *options], env=environment, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, child)
        return child

    @staticmethod
    def end(child):
        child.kill()
        child.wait()
        child.stdout.close()
        child.stderr.close()

    def numbers(self, child, count):
        return [json.loads(child.stdout.readline())["data"]["n"] for _ in range(count)]

    def test_from_the_beginning_then_live(self):
        self.succeed("publish", "-", stdin=ndjson(event(n) for n in (1, 2)))
        child = self.start("--from", "beginning")
        self.assertEqual(self.numbers(child, 2), [1, 2])
        self.succeed("publish", "-", stdin=ndjson([event(3)]))
        self.assertEqual(self.numbers(child, 1), [3])

    def test_ends_cleanly_on_a_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.succeed("publish", "-", stdin=ndjson([event(1)]))
            child = self.start("--from", "1")
            self.numbers(child, 1)
            child.send_signal(number)
            self.assertEqual(child.wait(20), OK)

    def test_ends_after_so_many(self):
        self.succeed("publish", "-", stdin=ndjson([event(1), event(2, type="other.made"), event(3), event(4)]))
        child = self.start("--from", "2", "--type", "order.created", "--count", "1")
        self.assertEqual((child.wait(20), self.numbers(child, 1)), (OK, [3]))
        table = self.succeed("tail", "--from", "beginning", "--count", 1).out.splitlines()
        self.assertEqual(len(table), 2)
        self.assertIn("order:1", table[1])

    def test_goes_on_where_it_was_after_the_server_came_back(self):
        with tempfile.TemporaryDirectory() as folder:
            port = free_port()
            options = [BINARY, "serve", "--data", folder, "--listen", f"127.0.0.1:{port}", "--log-level", "off"]
            url = f"http://127.0.0.1:{port}"

            def serve():
                server = subprocess.Popen(options, env=clean_environment(), stdout=subprocess.PIPE, text=True)
                self.assertTrue(server.stdout.readline().startswith("ready "))
                return server

            def publish(number):
                done = millrace("publish", "-", "--server", url, "--tenant", self.tenant, stdin=ndjson([event(number)]))
                self.assertEqual(done.code, OK, done.err)

            server = serve()
            publish(1)
            child = self.start("--from", "beginning", url=url)
            self.assertEqual(self.numbers(child, 1), [1])
            server.kill()
            server.wait()
            server.stdout.close()
            self.assertIn("connection lost", child.stderr.readline())
            server = serve()
            publish(2)
            self.assertEqual(self.numbers(child, 1), [2])
            server.terminate()
            server.wait()
            server.stdout.close()

    def test_a_wrong_server_is_told_at_once(self):
        gone = millrace("tail", "--server", f"http://127.0.0.1:{free_port()}")
        self.assertEqual(gone.code, UNREACHABLE)
        self.refuse(USAGE, "tail", "--from", "yesterday")
