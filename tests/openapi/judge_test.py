"""Official validators read the contract that the server serves, and the same with faults that they must see."""

import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "integration"))

from client import Client  # noqa: E402  (its folder is on the path only now)
from server import Server  # noqa: E402

VALIDATORS = ("@seriousme/openapi-schema-validator@2.4.1", "@redocly/openapi-core@1.34.5")


def described_content(contract):
    contract["paths"]["/api/ping"]["post"]["requestBody"]["content"]["*/*"]["description"] = "Not here."


def repeated_operation_id(contract):
    contract["paths"]["/healthz"]["get"]["operationId"] = contract["paths"]["/readyz"]["get"]["operationId"]


def reference_to_nothing(contract):
    contract["paths"]["/events"]["get"]["parameters"][0] = {"$ref": "#/components/parameters/nothing"}


def undeclared_path_parameter(contract):
    contract["paths"]["/api/keys/{id}"]["delete"]["parameters"].pop()


def unknown_member(contract):
    contract["paths"]["/events"]["get"]["returns"] = "a page"


# What is spoiled, and how, and a word of the complaint.
FAULTS = ((described_content, "description"), (repeated_operation_id, "operation-operationId-unique"),
          (reference_to_nothing, "no-unresolved-refs"), (undeclared_path_parameter, "path-parameters-defined"),
          (unknown_member, "returns"))


def served_contract():
    with tempfile.TemporaryDirectory(prefix="millrace-openapi-") as folder:
        server = Server(["--data", folder + "/data"])
        try:
            return Client(server.port).get("/openapi.json").json
        finally:
            server.kill()


def complaints(documents):
    """The validators' complaints about each of the documents."""
    installed = subprocess.run([ROOT / "scripts/npm_packages.sh", os.environ["MILLRACE_BUILD"], *VALIDATORS],
                               stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    judged = subprocess.run(["node", HERE / "judge.js"], input="".join(json.dumps(each) + "\n" for each in documents),
                            stdout=subprocess.PIPE, text=True, env={**os.environ, "NODE_PATH": installed}, timeout=120,
                            check=True)
    return [json.loads(line) for line in judged.stdout.splitlines()]


class OfficialValidators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        contract = served_contract()
        documents = [contract]
        for spoil, _ in FAULTS:
            documents.append(copy.deepcopy(contract))
            spoil(documents[-1])
        cls.of_contract, *cls.of_faults = complaints(documents)

    def test_the_contract_is_valid(self):
        self.assertEqual(self.of_contract, [])

    def test_every_fault_is_seen(self):
        self.assertEqual(len(self.of_faults), len(FAULTS))
        for (spoil, word), found in zip(FAULTS, self.of_faults):
            with self.subTest(spoil.__name__):
                self.assertIn(word, "\n".join(found))


if __name__ == "__main__":
    unittest.main()
