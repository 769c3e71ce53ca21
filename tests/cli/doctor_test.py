"""`millrace doctor` names what is wrong, and exits 1 where something is."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from certificates import Authority
from command import OK, REFUSED, USAGE, CommandCase, millrace
from server import Server, free_port
from stores import new_place

UNAVAILABLE = 69  # how `serve` exits where the store cannot be opened


def everything_in(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


class Doctor(CommandCase):
    def setUp(self):
        super().setUp()
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def examine(self, code, *args, env=None):
        """Verdicts and findings by subject."""
        done = millrace("doctor", *args, "--json", env=env)
        self.assertEqual(done.code, code, done.out + done.err)
        answer = done.json()
        self.assertEqual(answer["ok"], code == OK)
        return {finding["subject"]: finding for finding in answer["findings"]}

    def test_looks_at_the_machine_without_being_told_where(self):
        found = self.examine(OK)
        self.assertIn("file descriptors", found)
        self.assertEqual(found["clock"]["verdict"], "ok")

    def test_finds_a_running_server_well(self):
        found = self.examine(OK, "--server", self.server.url)
        self.assertEqual(found["readiness"]["verdict"], "ok")
        self.assertIn("fsync", found["durability"]["what"])
        self.assertEqual(found["clock of the server"]["verdict"], "ok")

    def test_fails_where_no_server_answers(self):
        found = self.examine(REFUSED, env={"MILLRACE_SERVER": f"http://127.0.0.1:{free_port()}"})
        self.assertEqual(found["server"]["verdict"], "fail")

    def test_speaks_in_lines(self):
        done = millrace("doctor", "--server", f"http://127.0.0.1:{free_port()}")
        self.assertEqual(done.code, REFUSED)
        self.assertTrue(all(line.split()[0] in ("ok", "warn", "fail") for line in done.out.splitlines()), done.out)

    def test_warns_of_a_folder_that_others_can_read(self):
        self.scratch.chmod(0o755)
        found = self.examine(OK, "--data", self.scratch)
        self.assertEqual(found["permissions"]["verdict"], "warn")
        self.assertIn("chmod 700", found["permissions"]["fix"])

    def test_fails_where_the_folder_is_a_file(self):
        (self.scratch / "data").write_text("")
        self.assertEqual(self.examine(REFUSED, "--data", self.scratch / "data")[f"data folder {self.scratch}/data"]
                         ["verdict"], "fail")

    def test_looks_at_postgres(self):
        url = new_place("postgres")[1]
        self.assertEqual(self.examine(OK, "--store", url)["PostgreSQL"]["verdict"], "ok")
        self.assertEqual(self.examine(REFUSED, "--store", "postgres://postgres@127.0.0.1:1/none")["PostgreSQL"]
                         ["verdict"], "fail")

    def stopped(self, store="embedded", *options):
        """A place whose server has been stopped in the middle of its work."""
        place = new_place(store)
        server = Server(place, *options)
        client = server.client()
        for number in range(30):
            client.create(tags="t", payload="x" * 5000, title=f"T{number}")
        client.close()
        server.kill()
        return place

    def test_reads_the_journal_of_a_stopped_folder(self):
        place = self.stopped()
        found = self.examine(OK, *place)["journal"]
        self.assertEqual(found["verdict"], "ok")
        self.assertRegex(found["what"], "whole up to record [1-9]")

    def test_names_damage_in_the_journal(self):
        place = self.stopped()
        journal = pathlib.Path(place[1]) / "journal" / "000001.log"
        content = bytearray(journal.read_bytes())
        content[5 * 4096 + 40] ^= 1
        journal.write_bytes(content)
        for _ in range(2):  # looking changes nothing
            found = self.examine(REFUSED, *place)["journal"]
            self.assertEqual(found["verdict"], "fail")
            self.assertIn("is damaged after record", found["what"])
        journal.unlink()
        self.assertIn("no files", self.examine(REFUSED, *place)["journal"]["what"])

    def expect_damage(self, place, says):
        """The doctor names it, a start is refused, also one that salvages, and none of this changes the folder."""
        folder = pathlib.Path(place[1])
        before = everything_in(folder)
        for _ in range(2):
            found = self.examine(REFUSED, *place)["stored data"]
            self.assertEqual(found["verdict"], "fail")
            for text in (str(folder), says, "from a backup"):
                self.assertIn(text, found["what"])
            for option in ([], ["--salvage-damaged-log"]):
                done = millrace("serve", "--listen", f"127.0.0.1:{free_port()}", *place, *option)
                self.assertEqual(done.code, UNAVAILABLE, done.err)
                self.assertIn(says, done.err)
            self.assertEqual(everything_in(folder), before)

    def test_names_a_current_that_is_lost_or_damaged(self):
        place = self.stopped()
        current = pathlib.Path(place[1]) / "CURRENT"
        whole = current.read_text()
        current.unlink()
        self.expect_damage(place, "CURRENT is missing")
        for damage, says in (("", "CURRENT is empty"), ("?\n", "CURRENT is damaged"),
                             ("MANIFEST-000999\n", "CURRENT names MANIFEST-000999, which is missing")):
            current.write_text(damage)
            self.expect_damage(place, says)
        current.write_text(whole)
        self.assertEqual(self.examine(OK, *place)["journal"]["verdict"], "ok")

    def test_names_a_damaged_manifest(self):
        place = self.stopped()
        manifest = pathlib.Path(place[1]) / (pathlib.Path(place[1]) / "CURRENT").read_text().strip()
        content = bytearray(manifest.read_bytes())
        content[len(content) // 2] ^= 1
        manifest.write_bytes(content)
        self.expect_damage(place, manifest.name)

    def test_names_damaged_and_missing_table_files(self):
        place = self.stopped()
        for table in sorted(pathlib.Path(place[1]).glob("*.sst")):  # of the format and the latest times
            content = table.read_bytes()
            table.write_bytes(bytes([content[0] ^ 1]) + content[1:])
            damaged = millrace("doctor", *place)
            table.write_bytes(content[:-1])
            self.assertIn(table.name, self.examine(REFUSED, *place)["stored data"]["what"])
            table.unlink()
            self.assertIn(f"{table.name} of table", self.examine(REFUSED, *place)["stored data"]["what"])
            table.write_bytes(content)
            if damaged.code == REFUSED:
                return self.assertIn(table.name, damaged.out)
        self.fail("the format is in none of them")

    def test_names_a_lock_that_cannot_be_opened(self):
        place = self.stopped()
        lock = pathlib.Path(place[1]) / "LOCK"
        lock.unlink()
        lock.mkdir()  # root can open anything else
        says = "LOCK cannot be opened: Is a directory"
        self.assertIn(says, self.examine(REFUSED, *place)["stored data"]["what"])
        done = millrace("serve", "--listen", f"127.0.0.1:{free_port()}", *place)
        self.assertEqual(done.code, UNAVAILABLE)
        self.assertIn(says, done.err)

    def test_leaves_the_journal_of_a_running_server_alone(self):
        place = new_place("embedded")
        server = Server(place)
        self.addCleanup(server.kill)
        self.assertIn("in use", self.examine(OK, *place)["journal"]["what"])

    def test_says_whose_the_blobs_are(self):
        for store in ("embedded", "postgres"):
            blobs = ["--blobs", str(self.scratch / store)]
            first, second = self.stopped(store, *blobs), self.stopped(store)
            found = self.examine(OK, *first, *blobs)
            self.assertRegex(found["installation"]["what"], "^[0-9a-f]{32}$")
            self.assertEqual(found[f"blobs in {blobs[1]}"]["verdict"], "ok")
            other = self.examine(REFUSED, *second, *blobs)[f"blobs in {blobs[1]}"]
            self.assertIn(found["installation"]["what"], other["what"])
            mark = self.scratch / store / ".millrace-installation"
            for damage in ("", mark.read_text()[:20]):  # S0.9
                mark.write_text(damage)
                damaged = self.examine(REFUSED, *first, *blobs)[f"blobs in {blobs[1]}"]
                self.assertIn("cannot be read", damaged["what"])
                self.assertIn("--blobs-take-over damaged", damaged["fix"])
            mark.unlink()
            (self.scratch / store / "default").mkdir()
            unmarked = self.examine(REFUSED, *first, env={"MILLRACE_BLOBS": blobs[1]})[f"blobs in {blobs[1]}"]
            self.assertIn("unmarked", unmarked["fix"])
        self.assertEqual(self.examine(OK, *self.stopped())["installation"]["verdict"], "ok")

    def make_certificate(self, name, days=90):
        key, certificate = self.scratch / f"{name}.key", self.scratch / f"{name}.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days",
                        str(days), "-keyout", key, "-out", certificate], check=True, capture_output=True)
        os.chmod(key, 0o600)
        return ["--tls-cert", certificate, "--tls-key", key]

    def test_looks_at_the_files_for_tls(self):
        good = self.make_certificate("good")
        self.assertEqual(self.examine(OK, *good)["TLS"]["verdict"], "ok")
        os.chmod(good[3], 0o644)
        self.assertEqual(self.examine(OK, *good)["TLS key"]["verdict"], "warn")
        other = self.make_certificate("other", days=3)
        self.assertEqual(self.examine(OK, *other)["TLS certificate"]["verdict"], "warn")
        self.assertEqual(self.examine(REFUSED, *good[:2], *other[2:])["TLS"]["verdict"], "fail")
        self.assertEqual(self.examine(REFUSED, *good[:3], self.scratch / "none")["TLS key"]["verdict"], "fail")

    def test_a_certificate_for_later_fails(self):
        certificate, key = Authority(self.scratch, "ours").issue("early", "DNS:localhost", "20400101000000Z",
                                                                 "20410101000000Z")
        found = self.examine(REFUSED, "--tls-cert", certificate, "--tls-key", key)["TLS certificate"]
        self.assertEqual(found["verdict"], "fail")
        self.assertIn("not valid before 2040-01-01", found["what"])

    def test_a_schema_of_a_newer_program_fails(self):
        place = new_place("postgres")
        Server(place).kill()
        later = "insert into millrace.schema_migrations (version, title, checksum) values (999, 'later', 'x')"
        subprocess.run(["psql", "-qX", place[1], "-c", later], check=True, capture_output=True)
        self.assertIn("version 999", self.examine(REFUSED, *place)["PostgreSQL"]["what"])

    def test_an_empty_place_is_wrong_usage(self):
        for option in ("--data", "--store", "--blobs"):
            self.assertEqual(millrace("doctor", option, "").code, USAGE)

    def test_needs_both_files_for_tls(self):
        self.assertEqual(millrace("doctor", "--tls-cert", "x.pem").code, USAGE)


if __name__ == "__main__":
    unittest.main()
