// Imports of built-in families: `thole/plugin`, its toolbox and plugins/shared, and no part of the core that external plugins cannot import.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as author from "../plugin.ts";
import * as toolbox from "../toolbox.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const importPattern = /^(?:import|export) (?:type )?(\{[^}]*\}|\* as \w+)\s+from "(\.[^"]+)"/gm;

interface Import {
  readonly file: string;
  readonly from: string;
  readonly names: readonly string[];
}

/** The imports of a family's files from outside of plugins/, without tests. */
function importsOf(family: string): readonly Import[] {
  const files = readdirSync(join(root, "plugins", family), { recursive: true, encoding: "utf8" })
    .map((path) => `plugins/${family}/${path}`).filter((path) => path.endsWith(".ts") && !/_test\.ts$|\/test-[^/]*$/.test(path));
  return files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(importPattern)].map(([, names = "", specifier = ""]) => ({
      file,
      from: join(dirname(file), specifier),
      names: names.startsWith("*") ? ["*"] : namesIn(names),
    }))
  ).filter(({ from }) => !from.startsWith("plugins/"));
}

/** The names between braces: of a rename the name in the other module (0), or the new one (-1). */
function namesIn(braces: string, side: 0 | -1 = 0): readonly string[] {
  return braces.slice(1, -1).split(",").map((each) => each.trim().replace(/^type /, "").split(" as ").at(side)!).filter((each) =>
    each !== ""
  );
}

const families = readdirSync(join(root, "plugins"), { withFileTypes: true }).filter((each) => each.isDirectory()).map(({ name }) => name);

/** The modules of the contract. */
const contract = ["plugin.ts", "toolbox.ts"];
/** Names that `thole/plugin` exports at most: what few plugins need is in the toolbox. */
const authorNamesMax = 72;

/** Exported names of a module, types included; with 0 the names in the modules that it exports from. */
function exportsOf(file: string, side: 0 | -1 = -1): readonly string[] {
  const found = readFileSync(join(root, file), "utf8").matchAll(/^export (?:type )?(\{[^}]*\})/gm);
  return [...found].flatMap(([, braces = ""]) => namesIn(braces, side));
}

const exported = new Set(contract.flatMap((file) => exportsOf(file)));
/** The names by which families import the exported values from the core. */
const sources = new Set(contract.flatMap((file) => exportsOf(file, 0)));

test("namesIn() reads names with and without types and renames", () => {
  assert.deepEqual(namesIn("{ a, type B, c as d,\n  E,\n}"), ["a", "B", "c", "E"]);
  assert.deepEqual(namesIn("{ a, c as d }", -1), ["a", "d"]);
});

test("every value that the contract exports is among the names that this test reads", () => {
  assert.deepEqual(Object.keys({ ...author, ...toolbox }).filter((name) => !exported.has(name)), []);
});

test("thole/plugin has few names, and none of them is in the toolbox too", () => {
  const [names, others] = contract.map((file) => exportsOf(file)) as [readonly string[], readonly string[]];
  assert.ok(names.length <= authorNamesMax, `${names.length} names`);
  assert.deepEqual(names.filter((name) => others.includes(name)), []);
});

for (const family of ["authorization", "migration", "rbac"]) {
  test(`the family ${family} imports the contract only`, () => {
    assert.deepEqual([...new Set(importsOf(family).map(({ from }) => from))].filter((from) => !contract.includes(from)), []);
  });
}

/**
 * Internals of the core that built-in families use and the contract omits. They handle Go's messages and lexical trees, which only kinds of
 * kube-apiserver need; the bounds are the server's own.
 */
const internals: Readonly<Record<string, readonly string[]>> = {
  compareBytes: ["apiextensions"],
  isObject: ["admissionregistration", "apiextensions", "cluster", "devices", "pods", "shared"],
  admissionCallMs: ["quotas"],
  annotationsBytesMax: ["shared"],
  bound: [
    "admissionregistration",
    "apiextensions",
    "authentication",
    "certificates",
    "autoscaling",
    "batch",
    "cluster",
    "configmaps",
    "csi",
    "devices",
    "flowcontrol",
    "networking",
    "nodes",
    "pods",
    "quotas",
    "services",
    "shared",
    "simulation",
    "storage",
  ],
  DeleteOptions: ["pods"],
  omittedValue: ["batch", "certificates"],
  decoder: ["autoscaling"],
  Json: ["autoscaling"],
  celPatternSizeMax: ["apiextensions"],
  fieldErrorsLengthMax: ["apiextensions"],
  fieldErrorsOfListMax: ["shared"],
  jsonPatchOperationsMax: ["admissionregistration"],
  logTextLengthMax: ["apiextensions"],
  estimatedSize: ["apiextensions"],
  JsonPathError: ["admissionregistration"],
  parseJsonPath: ["admissionregistration"],
  spendSteps: ["admissionregistration", "apiextensions", "devices", "shared"],
  steadyTime: ["cluster"],
  // Bearer tokens, identity headers and configuration files, which the server reads in the same way.
  ...Object.fromEntries(
    [
      "addExtraValues",
      "decodeConfigObject",
      "defaultIssuer",
      "ExpiringUser",
      "FaultyFile",
      "faultsOfFields",
      "FaultyText",
      "headerValues",
      "ownAudiences",
      "peerChainLengthMax",
      "rsaKeyBitsMax",
      "TokenAuthenticator",
      "TokenRefusal",
      "withoutToken",
    ].map((name) => [name, ["authentication"]]),
  ),
  // Match rules of policies and webhooks.
  ...Object.fromEntries(
    [
      "anything",
      "matchPolicies",
      "matchPolicyDoc",
      "matchResources",
      "namedRule",
      "RuleWithOperations",
      "validateChoice",
      "validateMatchResources",
      "validateMutatingOperations",
      "validateNeededChoice",
      "validateRule",
    ].map((name) => [name, ["admissionregistration"]]),
  ),
  // What mutating policies make of an object: merged configurations and JSON patches.
  ...Object.fromEntries(
    [
      "atomicPaths",
      "atomOf",
      "configurationJson",
      "convertUntyped",
      "foreignProblem",
      "ForeignValue",
      "hasAllKeys",
      "isTyped",
      "JsonPatchValue",
      "ListValue",
      "merge",
      "ExpressionWork",
      "PatchObject",
      "patchValueJson",
      "problemsText",
      "TooLarge",
      "typeNameMistakes",
      "typeNameOf",
      "typeProblems",
      "untypedOf",
    ].map((name) => [name, ["admissionregistration"]]),
  ),
  // Expressions in policies.
  ...Object.fromEntries(
    [
      "AccessCheck",
      "AuthorizerValue",
      "boolType",
      "CelError",
      "newExpressions",
      "DecisionTable",
      "listType",
      "nullType",
      "objectType",
      "PolicyActivation",
      "PolicyCompiler",
      "PolicyExpression",
      "PolicyInput",
      "PolicyOptions",
      "PolicyTypeChecker",
      "ResourceCheck",
      "storedExpressions",
      "stringType",
      "Type",
      "Value",
    ]
      .map((name) => [name, ["admissionregistration"]]),
  ),
  // JSON patches of webhooks, and their answers.
  ...Object.fromEntries(
    ["applyJsonPatch", "JsonPatchFailure", "Operation", "plainString", "readJsonPatch", "readWrittenJson", "writtenText"].map((
      name,
    ) => [name, ["admissionregistration"]]),
  ),
  // Certificates and requests for them, which the server reads in the same way.
  ...Object.fromEntries(
    ["CertificateRequest", "DerReader", "nextPemBlock", "parseCertificate", "parseCertificateRequest", "pemBlocks", "signatureProblem"].map(
      (
        name,
      ) => [name, ["certificates"]],
    ),
  ),
  DecodeError: ["autoscaling", "admissionregistration", "apiextensions"],
  goJson: ["autoscaling", "admissionregistration", "apiextensions", "pods", "simulation"],
  jsonFromTree: ["admissionregistration", "shared", "simulation"],
  // The parts of custom resources: their schemas, and how values are validated by them.
  ...Object.fromEntries(
    [
      "CompiledRule",
      "decodeStored",
      "embeddedErrors",
      "findField",
      "Json",
      "JsonObject",
      "memberSchema",
      "pruneValue",
      "resourceOf",
      "RuleCompiler",
      "rulesOf",
      "rulesWithStored",
      "SchemaPlace",
      "sortedText",
      "StructuralSchema",
      "validateRules",
      "validateValue",
    ]
      .map((name) => [name, ["apiextensions"]]),
  ),
  ...Object.fromEntries(["abortable", "within"].map((name) => [name, ["pods"]])),
  elapsedClock: ["pods"],
  plainJson: ["apiextensions", "apiregistration", "simulation"],
  offersUpgrade: ["apiregistration"],
  withoutHops: ["apiregistration"],
  validateDomainPath: ["authentication", "batch", "networking"],
  emptyMapDropper: ["shared"],
  countValues: ["apiextensions"],
  once: ["authentication", "shared"],
  jsonKind: ["nodes", "shared"],
  MovedWork: ["admissionregistration"],
  notAMap: ["configmaps"],
  NumberText: ["authentication", "shared"],
  prepareForm: ["admissionregistration"],
  re2js: ["apiextensions"],
  readJson: ["autoscaling", "admissionregistration", "authentication", "configmaps", "nodes", "shared"],
  setOwn: ["apiextensions"],
  Tree: ["autoscaling", "admissionregistration", "authentication", "nodes", "shared"],
  treeFromJson: ["admissionregistration", "apiextensions"],
  TreeObject: ["autoscaling", "admissionregistration", "authentication", "nodes", "shared"],
  trimEndOf: ["shared"],
  parseReference: ["shared"],
  parseUrl: ["apiextensions"],
  textOfBytes: ["shared"],
  Unreadable: ["admissionregistration", "apiextensions", "configmaps", "shared"],
  urlUser: ["shared"],
  durationText: ["pods"],
  // Quantities that an expression has computed, which have no text.
  compareAmounts: ["simulation"],
  // The simulated version of a kubelet, and the texts of stages, which are YAML and JSON.
  ...Object.fromEntries(["readYaml", "serverRelease", "writeYaml"].map((name) => [name, ["simulation"]])),
  // IP addresses, as Go parses them.
  ...Object.fromEntries(
    ["Address", "addressText", "isMapped", "mask", "parseAddress", "Prefix", "prefixText", "sameNetwork"].map((
      name,
    ) => [name, ["shared"]]),
  ),
  parsePrefix: ["shared", "simulation"],
};

test("what a family imports from the core is in the contract, except for a few internals", () => {
  const wrong = families.flatMap((family) =>
    importsOf(family).filter(({ from }) => from.startsWith("core/")).flatMap(({ file, names }) =>
      names.filter((name) => !sources.has(name) && !internals[name]?.includes(family)).map((name) => `${file}: ${name}`)
    )
  );
  assert.deepEqual(wrong, []);
});

for (const family of ["cluster", "configmaps", "csi", "shared", "storage"]) {
  test(`plugins/${family} imports everything but internals from the contract`, () => {
    const wrong = importsOf(family).filter(({ from }) => !contract.includes(from)).flatMap(({ file, names }) =>
      names.filter((name) => !internals[name]?.includes(family)).map((name) => `${file}: ${name}`)
    );
    assert.deepEqual(wrong, []);
  });
}

test("every exception for an internal is used", () => {
  const used = new Set(families.flatMap((family) => importsOf(family).flatMap(({ names }) => names.map((name) => `${family} ${name}`))));
  const unused = Object.entries(internals).flatMap(([name, by]) => by.map((family) => `${family} ${name}`)).filter((each) =>
    !used.has(each)
  );
  assert.deepEqual(unused, []);
});
