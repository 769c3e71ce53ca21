"""Rules from the shell: saved, shown, tried on events in files and in the store, deleted."""

import json
import pathlib
import tempfile

from command import OK, REFUSED, USAGE, CommandCase

LARGE = {"pattern": {"detail-type": ["order.made"], "detail": {"n": [{"numeric": [">", 1]}]}},
         "targets": [{"id": "t", "type": "handler"}]}


class RulesCase(CommandCase):
    def setUp(self):
        super().setUp()
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.large = self.file("large.json", LARGE)

    def file(self, name, document):
        path = self.scratch / name
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return path

    def put(self, *options, name="large"):
        return self.run_command("rules", "put", name, "--file", self.large, *options)


class Saved(RulesCase):
    def test_is_shown_replaced_and_deleted(self):  # S2.8
        self.assertEqual(self.put().out, "rule large is created, version 1\n")
        shown = self.succeed("rules", "show", "large", "--json").json()
        self.assertEqual((shown["pattern"], shown["version"]), (LARGE["pattern"], 1))
        changed = json.dumps({**shown, "enabled": False})
        self.assertEqual(self.succeed("rules", "put", "large", "--file", "-", "--json", stdin=changed).json()["version"], 2)
        listed = self.succeed("rules", "list").out.splitlines()
        self.assertEqual([line.split()[:2] for line in listed], [["NAME", "ENABLED"], ["large", "no"]])
        self.assertIn('"detail-type": [', self.succeed("rules", "show", "large").out)
        self.assertEqual(self.succeed("rules", "delete", "large").out, "rule large is deleted\n")
        self.assertEqual(self.succeed("rules", "list", "--json").json(), {"items": []})

    def test_holds_for_the_version_that_was_seen(self):
        self.assertEqual(self.put("--if-match", 0).code, OK)
        self.assertEqual(self.put("--if-match", 1).code, OK)
        for seen in (0, 1, 3):
            self.refuse(REFUSED, "rules", "put", "large", "--file", self.large, "--if-match", seen, says="version 2")
        self.refuse(REFUSED, "rules", "delete", "large", "--if-match", 1, says="version 2")
        self.refuse(REFUSED, "rules", "put", "other", "--file", self.large, "--if-match", "*", says="does not exist")
        self.succeed("rules", "put", "large", "--file", self.large, "--if-match", "*")
        self.succeed("rules", "delete", "large", "--if-match", 3)

    def test_what_is_wrong_is_said(self):
        broken = self.file("broken.json", '{"pattern": ')
        self.refuse(USAGE, "rules", "put", "a", "--file", self.scratch / "none", says="cannot be read: No such file")
        self.refuse(USAGE, "rules", "put", "a", "--file", self.scratch, says="cannot be read")
        self.refuse(USAGE, "rules", "put", "a", "--file", broken, says="is no JSON: malformed JSON at line 1")
        self.refuse(USAGE, "rules", "put", "a", "--file", "-", says="standard input is no JSON")
        self.refuse(USAGE, "rules", "put", "a", says="--file is required")
        self.refuse(USAGE, "rules", "put", "a", "--file", self.large, "--if-match", "first", says="is no version")
        self.refuse(REFUSED, "rules", "put", "a", "--file", self.file("r", {"pattern": {"x": "y"}}), says='write ["y"]')
        self.refuse(REFUSED, "rules", "put", "a", "--file", self.file("r", {**LARGE, "targts": []}), says="targts")
        self.refuse(REFUSED, "rules", "put", "a/b", "--file", self.large, says="name of a rule")
        for command in ("show", "delete"):
            self.refuse(REFUSED, "rules", command, "none", says='there is no rule "none"')
        self.refuse(USAGE, "rules", "remove", "none", says="has no command")


class Tried(RulesCase):
    def setUp(self):
        super().setUp()
        for n in (1, 2, 3):
            self.succeed("publish", "--type", "order.made", "--source", "s", "--subject", f"o:{n}", "--event-id", f"e{n}",
                         "--time", f"2026-01-0{n}T00:00:00Z", "--data", json.dumps({"n": n}))

    def test_on_stored_events(self):  # S2.8
        tried = self.put("--dry-run")
        self.assertEqual([line.split()[0] for line in tried.out.splitlines()], ["EVENT", "e3", "e2", "2"])
        self.assertIn("2 of 3 stored events would match\n", tried.out)
        self.assertEqual(tried.err, "nothing was saved: --dry-run\n")
        within = self.put("--dry-run", "--from", "2026-01-02T00:00:00Z", "--to", "2026-01-03T00:00:00Z", "--json").json()
        self.assertEqual((within["matched"], within["scanned"]), (1, 1))
        self.refuse(REFUSED, "rules", "show", "large")
        self.refuse(REFUSED, "rules", "put", "large", "--file", self.large, "--dry-run", "--from", "soon", says='"from"')
        self.refuse(USAGE, "rules", "put", "large", "--file", self.large, "--from", "2026-01-02T00:00:00Z", says="--dry-run")

    def test_on_an_event_in_a_file(self):  # S2.8
        small = self.file("small.json", {"detail-type": "order.made", "detail": {"n": 1}})
        test = lambda *more, **how: self.run_command("rules", "test", "--file", *more, **how)  # noqa: E731
        told = test(self.large, "--event", small)
        self.assertEqual((told.code, told.err), (REFUSED, ""))
        self.assertRegex(told.out, r"matches +no\nseen as +object\nFIELD .*\ndetail\.n .* 1\n")
        stored = self.succeed("get", "e2", "--format", "cloudevents", "--json").out
        fits = test(self.file("p.json", LARGE["pattern"]), "--event", "-", "--json", stdin=stored)
        self.assertEqual((fits.code, fits.json()), (OK, {"matches": True, "why": [], "seenAs": "event"}))
        extended = self.file("x.json", {"detail-type": [{"regex": "order[.].*"}]})
        self.assertIn("dialect", test(extended, "--event", small).err)
        self.assertEqual(test(extended, "--event", small, "--dialect", "extended").code, OK)
        ruled = self.file("r.json", {"dialect": "extended", "pattern": {"detail-type": [{"regex": "order[.].*"}]}})
        self.assertEqual(test(ruled, "--event", small).code, OK)

    def test_what_is_wrong_is_said(self):
        event = self.file("e.json", "{}")
        self.refuse(USAGE, "rules", "test", "--file", self.scratch / "none", "--event", event, says="cannot be read")
        self.refuse(USAGE, "rules", "test", "--file", self.large, "--event", self.file("b", "x"), says="is no JSON")
        self.refuse(USAGE, "rules", "test", "--file", "-", "--event", "-", says="both standard input")
        self.refuse(REFUSED, "rules", "test", "--file", self.large, "--event", self.file("a", "[]"), says='"event" must be')
        self.refuse(REFUSED, "rules", "test", "--file", self.file("p", "[]"), "--event", event)
