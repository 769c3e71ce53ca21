// Reads OpenAPI documents as JSON lines. One line each: the complaints of two validators, as an array of strings.
"use strict";

const readline = require("node:readline");
const { pathToFileURL } = require("node:url");
const { createConfig, lintFromString } = require("@redocly/openapi-core");

// What makes a document wrong; what is a matter of taste is not asked.
const rules = {
  struct: "error",
  "no-unresolved-refs": "error",
  "operation-operationId-unique": "error",
  "operation-operationId-url-safe": "error",
  "operation-parameters-unique": "error",
  "path-parameters-defined": "error",
  "path-declaration-must-exist": "error",
  "path-not-include-query": "error",
  "no-identical-paths": "error",
  "operation-tag-defined": "error",
  "security-defined": "error",
  "no-enum-type-mismatch": "error",
  "no-example-value-and-externalValue": "error",
  "no-unused-components": "error",
};

async function redocly(text) {
  const problems = await lintFromString({ source: text, config: await createConfig({ rules }) });
  return problems.map((each) => `${each.ruleId}: ${each.location[0]?.pointer ?? ""}: ${each.message}`);
}

async function official(text) {
  // A module that require() cannot load, found where NODE_PATH says.
  const { Validator } = await import(pathToFileURL(require.resolve("@seriousme/openapi-schema-validator")));
  const { valid, errors } = await new Validator().validate(JSON.parse(text));
  if (valid) return [];
  // A text where it could not even begin.
  return [errors].flat().map((each) => `schema: ${each.instancePath ?? ""}: ${each.message ?? each}`);
}

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    console.log(JSON.stringify([...(await official(line)), ...(await redocly(line))]));
  }
})();
