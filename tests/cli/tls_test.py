"""Commands over https: whom they trust, and what they say where they do not."""

import pathlib
import tempfile
import unittest

from certificates import Authority
from command import OK, UNREACHABLE, USAGE, millrace
from server import Server
from stores import new_place


class OverHttps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        folder = pathlib.Path(scratch.name)
        cls.folder = folder
        cls.authority, cls.stranger = Authority(folder, "ours"), Authority(folder, "stranger")
        certificate, key = cls.authority.issue("server", "IP:127.0.0.1")
        cls.server = Server(new_place("embedded"), "--tls-cert", certificate, "--tls-key", key)
        cls.addClassCleanup(cls.server.kill)

    def add(self, *options, server=None, env=None):
        return millrace("queue", "add", "--title", "T", "--server", server or self.server.url, *options, env=env)

    def refuse(self, done, code, *words):
        self.assertEqual((done.code, done.out), (code, ""), done.err)
        self.assertTrue(done.err.startswith("millrace: "), done.err)
        self.assertEqual(done.err.count("\n"), 1, done.err)
        for word in words:
            self.assertIn(word, done.err)

    def stored(self):
        listed = millrace("queue", "list", "--server", self.server.url, "--ca-file", self.authority.certificate, "--json")
        self.assertEqual(listed.code, OK, listed.err)
        return listed.json()["total"]

    def test_the_authority_named_is_trusted(self):
        self.assertTrue(self.server.url.startswith("https://"))
        before = self.stored()
        done = self.add("--ca-file", self.authority.certificate)
        self.assertEqual(done.code, OK, done.err)
        named = self.add(env={"MILLRACE_CA_FILE": str(self.authority.certificate)})
        self.assertEqual(named.code, OK, named.err)
        self.assertEqual(self.stored(), before + 2)

    def test_another_authority_is_not(self):
        before = self.stored()
        self.refuse(self.add("--ca-file", self.stranger.certificate), UNREACHABLE,
                    "unable to get local issuer certificate", "the file of --ca-file has to hold")
        self.refuse(self.add(), UNREACHABLE, "certificate", "--ca-file FILE trusts")
        self.assertEqual(self.stored(), before)

    def test_a_certificate_for_another_host_is_not(self):
        elsewhere = self.server.url.replace("127.0.0.1", "localhost")
        self.refuse(self.add("--ca-file", self.authority.certificate, server=elsewhere), UNREACHABLE,
                    "the certificate is not for localhost")

    def test_a_certificate_of_another_time_is_not_and_says_so(self):
        for name, dates, why in (("late", ("20200101000000Z", "20210101000000Z"), "certificate has expired"),
                                 ("early", ("20400101000000Z", "20410101000000Z"), "certificate is not yet valid")):
            certificate, key = self.authority.issue(name, "IP:127.0.0.1", *dates)
            server = Server(new_place("embedded"), "--tls-cert", certificate, "--tls-key", key)
            self.addCleanup(server.kill)
            done = self.add("--ca-file", self.authority.certificate, server=server.url)
            self.refuse(done, UNREACHABLE, why, "clock")
            self.assertNotIn("--ca-file", done.err)

    def test_a_file_that_is_no_certificate_is_wrong_usage(self):
        for path in ("/no/such/file.pem", __file__):
            self.refuse(self.add("--ca-file", path), USAGE, "--ca-file", path)

    def test_plain_http_gets_no_answer_of_use(self):
        plain = self.server.url.replace("https://", "http://")
        self.refuse(self.add(server=plain), UNREACHABLE, plain)

    def test_the_doctor_says_so_too(self):
        well = millrace("doctor", "--server", self.server.url, "--ca-file", self.authority.certificate)
        self.assertEqual(well.code, OK, well.out + well.err)
        ill = millrace("doctor", "--server", self.server.url, "--ca-file", self.stranger.certificate)
        self.assertEqual(ill.code, 1)
        self.assertIn("certificate", ill.out)


if __name__ == "__main__":
    unittest.main()
