"""Work items from the shell (S4)."""

import json
import pathlib
import tempfile
import threading

from command import OK, REFUSED, UNREACHABLE, USAGE, CommandCase, millrace
from server import free_port


class LifeOfAnItem(CommandCase):
    def add(self, *options):
        return self.succeed("queue", "add", "--title", "t", "--tags", "a", *options, "--json").json()["id"]

    def claim(self, worker="w"):
        return self.succeed("queue", "claim", "--tags", "a", "--worker", worker, "--json").json()[0]

    def status(self, item):
        return self.succeed("queue", "show", item, "--json").json()["status"]

    def test_is_added_claimed_started_and_completed(self):  # S4.1 to S4.5, S4.8
        item = self.add("--payload", '{"to": [1, null]}', "--description", "d", "--priority", "-2", "--max-retries", "7")
        claimed = self.claim()
        self.assertEqual((claimed["id"], claimed["payload"]), (item, {"to": [1, None]}))
        self.assertIn("STARTED", self.succeed("queue", "start", item, "--worker", "w").out)
        self.assertIn("HEARTBEAT", self.succeed("queue", "heartbeat", item, "--worker", "w").out)
        self.succeed("queue", "complete", item, "--worker", "w", "--execution-time-ms", 12, "--status-code", 200)
        shown = self.succeed("queue", "show", item, "--logs", "--json").json()
        self.assertEqual(shown["status"], "COMPLETED")
        self.assertEqual([entry["action"] for entry in shown["logs"]], ["PICKED", "STARTED", "COMPLETED"])
        self.assertEqual((shown["max_retries"], shown["priority"], shown["description"]), (7, -2, "d"))
        text = self.succeed("queue", "show", item, "--logs").out
        for part in ("COMPLETED", "PICKED", '"to": ['):
            self.assertIn(part, text)

    def test_fails_until_its_tries_are_used_up_and_is_reset(self):  # S4.6, S4.10
        item = self.add("--max-retries", 2)
        self.claim()
        first = self.succeed("queue", "fail", item, "--worker", "w", "--error", "away")
        self.assertIn("tried again", first.out)
        self.succeed("queue", "reset", item, "--reason", "do not wait")
        self.claim()
        last = self.succeed("queue", "fail", item, "--worker", "w", "--error", "away")
        self.assertIn("FAILED after 2 tries", last.out)
        self.assertEqual(self.status(item), "FAILED")
        self.succeed("queue", "reset", item)
        self.assertEqual(self.status(item), "PENDING")

    def test_belongs_to_its_holder(self):  # S4.7
        item = self.add()
        self.claim("one")
        self.refuse(REFUSED, "queue", "complete", item, "--worker", "two", says="one")
        self.refuse(USAGE, "queue", "complete", item, says="--worker is required")
        self.succeed("queue", "complete", item, env={"MILLRACE_WORKER": "one"})

    def test_is_left_alone_by_a_dry_run(self):  # S4.2 to S4.6, S4.10
        self.succeed("queue", "add", "--title", "t", "--dry-run")
        self.assertEqual(self.succeed("queue", "stats", "--json").json()["counts"]["total"], 0)
        item = self.add("--max-retries", 1)
        self.succeed("queue", "claim", "--tags", "a", "--worker", "w", "--dry-run")
        self.assertEqual(self.status(item), "PENDING")
        self.refuse(REFUSED, "queue", "complete", item, "--worker", "w", "--dry-run", says="PENDING")
        self.claim()
        before = self.succeed("queue", "show", item, "--logs", "--json").out
        foreseen = {}
        for action in ("start", "heartbeat", "complete", "fail"):
            foreseen[action] = self.succeed("queue", action, item, "--worker", "w", "--dry-run", "--json").json()
        foreseen["reset"] = self.succeed("queue", "reset", item, "--dry-run", "--json").json()
        self.assertEqual({action: said["would_be"] for action, said in foreseen.items()},
                         {"start": "PROCESSING", "heartbeat": "PROCESSING", "complete": "COMPLETED", "fail": "FAILED",
                          "reset": "PENDING"})
        self.refuse(REFUSED, "queue", "complete", item, "--worker", "x", "--dry-run", says="held by worker w")
        self.assertEqual(self.succeed("queue", "show", item, "--logs", "--json").out, before)
        self.succeed("queue", "complete", item, "--worker", "w")
        self.succeed("queue", "complete", item, "--worker", "w", "--dry-run")
        self.refuse(REFUSED, "queue", "reset", item, "--dry-run", says="can't be reset")

    def test_is_added_once_under_its_key(self):
        first = self.succeed("queue", "add", "--title", "t", "--idempotency-key", "k")
        second = self.succeed("queue", "add", "--title", "t", "--idempotency-key", "k")
        self.assertIn("added item", first.out)
        self.assertEqual(second.out, first.out.replace("added", "existing"))
        self.refuse(REFUSED, "queue", "add", "--title", "other", "--idempotency-key", "k")

    def test_waits_for_its_time(self):
        self.add("--run-at", "2027-01-01T00:00:00Z")
        nothing = self.run_command("queue", "claim", "--tags", "a", "--json")
        self.assertEqual((nothing.code, nothing.json()), (REFUSED, []))

    def test_is_claimed_by_one_who_waits_for_it(self):  # S4.3
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(self.claim_waiting()))
        waiting.start()
        self.server.wait_for_claims(1)
        item = self.add()
        waiting.join(30)
        self.assertEqual(answers[0].json()[0]["id"], item)

    def claim_waiting(self):
        return self.run_command("queue", "claim", "--tags", "a", "--wait", "30s", "--json")

    def test_that_is_unknown_is_not_found(self):
        self.refuse(REFUSED, "queue", "show", 12345)
        self.refuse(USAGE, "queue", "show", "abc")


class ManyItems(CommandCase):
    def lines(self, count):
        return "".join(json.dumps({"title": f"t{n}", "tags": ["x", "y"][n % 2]}) + "\n" for n in range(count))

    def test_are_added_from_stdin_and_listed_to_the_end(self):  # S4.9, S4.16
        added = self.succeed("queue", "add", "--from", "-", "--json", stdin=self.lines(1203)).json()
        self.assertEqual((added["added"], len(set(added["ids"]))), (1203, 1203))
        everything = self.succeed("queue", "list", "--all", "--json").json()
        self.assertEqual([item["id"] for item in everything["events"]], sorted(added["ids"], reverse=True))
        rows = self.succeed("queue", "list", "--all", "--tags", "x").out.splitlines()
        self.assertEqual(len(rows), 1 + 602)
        counts = self.succeed("queue", "stats", "--json").json()["counts"]
        self.assertEqual((counts["PENDING"], counts["total"]), (1203, 1203))
        self.assertIn("1203", self.succeed("queue", "stats").out)

    def test_are_added_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "items.jsonl"
            path.write_text(self.lines(3))
            self.assertEqual(self.succeed("queue", "add", "--from", path).out, "added 3 items\n")
            self.assertEqual(self.succeed("queue", "add", "--from", path, "--skip", 2).out, "added 1 item\n")
        self.refuse(USAGE, "queue", "add", "--from", path, says="cannot be read")

    def test_stop_at_the_line_that_is_wrong(self):
        lines = self.lines(501) + '{"title": ""}\n' + self.lines(1)
        self.refuse(REFUSED, "queue", "add", "--from", "-", stdin=lines, says="line 502:")
        listed = self.succeed("queue", "list", "--json").json()
        self.assertEqual(listed["total"], 500)

    def test_are_listed_page_by_page(self):
        self.succeed("queue", "add", "--from", "-", stdin=self.lines(5))
        first = self.succeed("queue", "list", "--limit", 3, "--json").json()
        second = self.succeed("queue", "list", "--limit", 3, "--cursor", first["next_cursor"], "--json").json()
        self.assertEqual(len(first["events"] + second["events"]), 5)
        self.assertNotIn("next_cursor", second)
        page = self.succeed("queue", "list", "--limit", 3)
        self.assertIn("--cursor " + first["next_cursor"], page.err)

    def test_have_a_status_to_filter_by(self):
        self.succeed("queue", "add", "--from", "-", stdin=self.lines(2))
        self.succeed("queue", "claim", "--tags", "x", "--worker", "w")
        listed = self.succeed("queue", "list", "--status", "processing", "--json").json()
        self.assertEqual([item["status"] for item in listed["events"]], ["PROCESSING"])
        self.refuse(USAGE, "queue", "list", "--status", "LOST")

    def test_are_claimed_together(self):
        self.succeed("queue", "add", "--from", "-", stdin=self.lines(4))
        claimed = self.succeed("queue", "claim", "--tags", "x,y", "--limit", 3, "--json").json()
        self.assertEqual(len(claimed), 3)


class WhatIsWrong(CommandCase):
    def test_no_server_is_unreachable(self):
        nobody = f"http://127.0.0.1:{free_port()}"
        self.refuse(UNREACHABLE, "queue", "stats", "--server", nobody, says=nobody)

    def test_an_address_that_is_none_is_wrong_usage(self):
        self.refuse(USAGE, "queue", "stats", "--server", "localhost", says="--server")

    def test_a_payload_that_is_no_json_is_wrong_usage(self):
        self.refuse(USAGE, "queue", "add", "--title", "t", "--payload", "{", says="--payload")

    def test_an_unknown_command_suggests_the_nearest(self):
        self.refuse(USAGE, "queu", "list", says="did you mean queue?")
        self.refuse(USAGE, "queue", "lst", says="did you mean list?")
        self.refuse(USAGE, "queue", "list", "--jsn", says="did you mean --json?")
        self.refuse(USAGE, "sreve", says="did you mean serve?")

    def test_help_is_on_every_level(self):
        for words in ([], ["queue"], ["queue", "add"], ["keys", "create"], ["tenants", "list"], ["doctor"], ["serve"]):
            done = millrace(*words, "--help")
            self.assertEqual((done.code, done.err), (OK, ""), words)
            self.assertIn("examples:", done.out)

    def test_a_payload_is_limited_by_the_server(self):  # S4.12
        self.refuse(REFUSED, "queue", "add", "--title", "t", "--payload", "-", says="limit",
                    stdin=json.dumps("x" * (1024 * 1024)))
