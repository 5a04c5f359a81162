// Copies the facts about kube-apiserver, which tests compare with, from ../shared/reference to test/reference/facts, and the golden objects from
// ../shared/golden to test/golden.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

/** Copies a folder's files; the copies are writable, as files of the repository are. */
function copyFolder(source, target) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const files = readdirSync(source);
  for (const file of files) {
    copyFileSync(join(source, file), join(target, file));
    chmodSync(join(target, file), 0o644);
  }
  return files.length;
}
const golden = ["v1.34", "v1.35"].map((release) => copyFolder(join(root, "../shared/golden", release), join(root, "test/golden", release)));
console.log(`${Object.keys(parts).length} files of facts, ${golden.reduce((sum, files) => sum + files, 0)} golden objects`);
