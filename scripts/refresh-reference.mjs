// Copies the facts about kube-apiserver, which tests compare with, from ../shared/reference to test/reference/facts.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./runtimes.mjs";

const from = join(root, "../shared/reference");
const to = join(root, "test/reference/facts");

/** The parts of each file that tests read. */
const parts = {
  "schemas.json": (all) => Object.fromEntries(Object.entries(all).filter(([name]) => !["_about", "_keys", "_missing"].includes(name))),
  "discovery.json": ({ groupVersions, openapiPaths }) => ({ groupVersions, openapiPaths }),
  "table-columns.json": ({ kinds }) => ({ kinds }),
  "feature-gates.json": ({ gates }) => ({ gates: gates.map(({ name, ladder, dependsOn }) => ({ name, ladder, dependsOn })) }),
  "watch-and-list-semantics.json": ({ optionErrors: { listAndWatchCases }, listSemantics }) => ({
    optionErrors: { listAndWatchCases },
    listSemantics,
  }),
  "validation-rules.json": ({ objectMeta: { rules }, delete: { options }, labelSelector, conditions, kinds }) => ({
    objectMeta: { rules },
    delete: { options },
    labelSelector,
    conditions,
    kinds: Object.fromEntries(
      Object.entries(kinds).map(([kind, { rules, inlineVariant }]) => [
        kind,
        { rules, ...(inlineVariant === undefined ? {} : { inlineVariant: { rules: inlineVariant.rules } }) },
      ]),
    ),
  }),
};

/** Formats JSON with one line for each member of the first two levels, so that diffs are readable. */
function text(value, depth = 0) {
  if (depth === 2 || typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const lines = isList
    ? value.map((each) => text(each, depth + 1))
    : Object.entries(value).filter(([, each]) => each !== undefined).map(([key, each]) =>
      `${JSON.stringify(key)}: ${text(each, depth + 1)}`
    );
  return `${isList ? "[" : "{"}\n${lines.join(",\n")}\n${isList ? "]" : "}"}`;
}

if (!existsSync(from)) {
  console.error("Cannot refresh the facts: ../shared/reference does not exist");
  process.exit(1);
}
mkdirSync(to, { recursive: true });
for (const [file, part] of Object.entries(parts)) {
  writeFileSync(join(to, file), `${text(part(JSON.parse(readFileSync(join(from, file), "utf8"))))}\n`);
}
console.log(`${Object.keys(parts).length} files`);
