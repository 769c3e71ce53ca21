"""Large payloads in an S3-compatible server, with every signature checked by another implementation. S0.9 S4.13"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/integration"))

from server import Server, run_serve  # noqa: E402
from stores import new_place  # noqa: E402

PACKAGES = ("s3rver@3.7.1", "aws4@1.13.2")
BUCKET = "millrace-test"
KEYS = {"MILLRACE_S3_ACCESS_KEY": "S3RVER", "MILLRACE_S3_SECRET_KEY": "S3RVER"}  # the ones that the server knows
LARGE = "x" * 300_000
MARK = ".millrace-installation"


def install():
    """NODE_PATH with the packages in it."""
    done = subprocess.run([ROOT / "scripts/npm_packages.sh", os.environ["MILLRACE_BUILD"], *PACKAGES],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"s3rver could not be installed: {done.stderr.strip()}")
    return done.stdout.strip()


class S3(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        command = ["node", str(pathlib.Path(__file__).with_name("start_s3rver.js")), folder.name, BUCKET]
        cls.s3 = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "NODE_PATH": install()})
        cls.addClassCleanup(cls.stop_s3)
        cls.endpoint = f"http://127.0.0.1:{int(cls.s3.stdout.readline())}"

    @classmethod
    def stop_s3(cls):
        cls.s3.kill()
        cls.s3.wait()
        cls.s3.stdout.close()

    def blobs(self, prefix, bucket=BUCKET):
        return ["--blobs", f"s3://{bucket}/{prefix}?endpoint={self.endpoint}"]

    def start(self, prefix, bucket=BUCKET, options=(), **keys):
        server = Server(new_place("embedded"), *self.blobs(prefix, bucket), *options, env={**KEYS, **keys})
        self.addCleanup(server.kill)
        client = server.client()
        self.addCleanup(client.close)
        return client

    def objects(self, prefix):
        return [path for path in self.folder.rglob("*_object")
                if f"/{prefix}/" in str(path) and MARK not in path.name]

    def owner(self, prefix):
        return next(self.folder.rglob(f"{prefix}/{MARK}*_object")).read_text().strip()

    def start_and_use(self, prefix, options=()):
        """A start that finds S3 slow leaves the mark to the first use."""
        answer = self.start(prefix, options=options).post("/api/events", {"type": "t", "data": {"output": LARGE}})
        self.assertEqual(answer.status, 201, answer.body[:300])

    def refusal(self, prefix, *options):
        code, _, said = run_serve("--listen", "127.0.0.1:0", *new_place("embedded"), *self.blobs(prefix), *options,
                                  env=KEYS)
        self.assertEqual(code, 69, said)
        return said

    def test_events_and_items_come_back(self):
        api = self.start("both")
        for event_id, text in (("e-1", LARGE), ("a b/ä+~%", LARGE + "ä")):
            event = {"type": "t", "eventId": event_id, "data": {"requestId": "r", "output": text}}
            made = api.post("/api/events", event)
            self.assertEqual(made.status, 201, made.body[:300])
            self.assertEqual(made.json["data"]["_s3Overflow"]["bucket"], BUCKET)
            found = api.get(f"/api/events/{made.json['id']}?resolve=true")
            self.assertEqual((found.status, found.json["data"]), (200, event["data"]))
        item = api.create(tags="t", payload={"text": LARGE})["id"]
        self.assertEqual(api.claim().json["payload"], {"text": LARGE})
        self.assertEqual(api.complete(item).status, 200)
        self.assertEqual(len(self.objects("both")), 3)
        self.assertEqual(len(list(self.folder.rglob("both/default/events/r/e-1-payload.json*_object"))), 1)

    def test_a_repeat_with_other_data_does_not_touch_the_first(self):
        api = self.start("repeat")
        for text, status in ((LARGE, 201), (LARGE + "changed", 200), (LARGE, 200)):
            answer = api.post("/api/events", {"type": "t", "eventId": "e", "data": {"output": text}})
            self.assertEqual(answer.status, status, answer.body[:300])
        self.assertEqual(api.get("/api/events/e?resolve=true").json["data"]["output"], LARGE)

    def test_without_the_right_key_or_bucket_nothing_is_accepted(self):
        for api in (self.start("wrong", MILLRACE_S3_SECRET_KEY="wrong"), self.start("wrong", bucket="nowhere")):
            answer = api.post("/api/events", {"type": "t", "eventId": "e", "data": {"output": LARGE}})
            self.assertEqual(answer.status, 503, answer.body[:300])
            self.assertEqual(api.get("/api/events/e").status, 404)
        self.assertEqual(self.objects("wrong"), [])

    def test_a_prefix_belongs_to_one_installation(self):
        self.start_and_use("mine")
        owner = self.owner("mine")
        said = self.refusal("mine")
        for word in ("/mine", owner, f"--blobs-take-over {owner}"):
            self.assertIn(word, said)
        self.refusal("mine", "--blobs-take-over", "0" * 32)
        self.assertEqual(self.owner("mine"), owner)
        self.start_and_use("another")
        self.assertNotEqual(self.owner("another"), owner)
        self.start_and_use("mine", options=("--blobs-take-over", owner))
        self.assertNotEqual(self.owner("mine"), owner)

    def test_blobs_without_a_mark_are_nobodys_until_the_operator_says_so(self):
        api = self.start("old")
        self.assertEqual(api.post("/api/events", {"type": "t", "eventId": "e", "data": {"output": LARGE}}).status, 201)
        for path in self.folder.rglob(f"old/{MARK}*"):
            path.unlink()
        self.assertIn("--blobs-take-over unmarked", self.refusal("old"))
        self.start("old", options=("--blobs-take-over", "unmarked"))
        self.assertEqual(len(self.objects("old")), 1)


if __name__ == "__main__":
    unittest.main()
