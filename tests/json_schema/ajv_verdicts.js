// The same as verdicts.cc, answered by Ajv.
"use strict";

const readline = require("readline");
const Ajv07 = require("ajv").default;
const Ajv2020 = require("ajv/dist/2020").default;

// Ajv's own opinions about schemas are off; formats are comments; only own properties count.
const options = { strict: false, validateFormats: false, ownProperties: true, logger: false };

const judges = { "07": new Ajv07(options), "2020-12": new Ajv2020(options) };

function verdicts(test) {
  const ajv = judges[test.draft];
  let validate;
  try {
    validate = ajv.compile(test.schema);
  } catch (error) {
    return `refused: ${error.message}`;
  } finally {
    ajv.removeSchema(test.schema);
  }
  try {
    return test.values.map((value) => (validate(value) ? "V" : "I")).join("");
  } catch (error) {
    // Ajv compiles some nested unevaluated keywords to code that names a variable it never made.
    return `failed: ${error.message}`;
  }
}

readline
  .createInterface({ input: process.stdin })
  .on("line", (line) => process.stdout.write(verdicts(JSON.parse(line)).replace(/\n/g, " ") + "\n"));
