// Copies the facts about kube-apiserver, which tests compare with, from ../shared/reference to test/reference/facts, and the golden objects from
// ../shared/golden to test/golden.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./runtimes.mjs";

const from = join(root, "../shared/reference");
const to = join(root, "test/reference/facts");

/** A file of the facts that were made by machine from a server. They cover every kind and lack field selectors and priorities. */
function machineFacts(file) {
  const { _about, ...facts } = JSON.parse(readFileSync(join(from, "all", file), "utf8"));
  return facts;
}

/** A schema of an OpenAPI v3 document in the form of the other facts: references by name, without `allOf`. */
function referencesByName(schema) {
  if (Array.isArray(schema)) return schema.map(referencesByName);
  if (typeof schema !== "object" || schema === null) return schema;
  const { allOf, ...rest } = schema;
  const members = Object.entries({ ...rest, ...allOf?.[0] }).map(([key, value]) => [
    key,
    key === "$ref" && typeof value === "string" ? value.replace("#/components/schemas/", "") : referencesByName(value),
  ]);
  return Object.fromEntries(members);
}

/** Priorities of the groups and versions that only the machine's facts have, as kube-apiserver's table of local API services has them. */
const priorities = {
  "apps/v1": [17800, 15],
  "autoscaling/v1": [17500, 15],
  "autoscaling/v2": [17500, 30],
  "batch/v1": [17400, 15],
  "certificates.k8s.io/v1": [17300, 15],
  "certificates.k8s.io/v1alpha1": [17300, 1],
  "certificates.k8s.io/v1beta1": [17300, 9],
  "coordination.k8s.io/v1alpha2": [16500, 12],
  "coordination.k8s.io/v1beta1": [16500, 13],
  "discovery.k8s.io/v1": [16200, 15],
  "flowcontrol.apiserver.k8s.io/v1": [16100, 21],
  "internal.apiserver.k8s.io/v1alpha1": [16000, 9],
  "networking.k8s.io/v1": [17200, 15],
  "networking.k8s.io/v1beta1": [17200, 9],
  "node.k8s.io/v1": [16300, 15],
  "policy/v1": [17100, 15],
  "resource.k8s.io/v1": [16200, 21],
  "resource.k8s.io/v1alpha3": [16200, 1],
  "resource.k8s.io/v1beta1": [16200, 9],
  "resource.k8s.io/v1beta2": [16200, 15],
  "scheduling.k8s.io/v1": [16600, 15],
};

/** Discovery of a resource in the form of the other facts. */
function resourceFacts({ resource, singularResource, scope, responseKind, verbs, shortNames, categories, subresources }) {
  const namespaced = scope === "Namespaced";
  const typeOf = ({ group, version, kind }) => ({ kind, ...(version === "" ? {} : { group, version }) });
  return {
    name: resource,
    singularName: singularResource,
    namespaced,
    ...typeOf(responseKind),
    verbs,
    shortNames,
    categories,
    subresources: subresources?.map((each) => ({ name: each.subresource, namespaced, ...typeOf(each.responseKind), verbs: each.verbs })),
  };
}

/** The group versions of the reference, with the resources that only the machine's facts have. */
function allGroupVersions(groupVersions) {
  const known = new Map(groupVersions.map((each) => [each.group === "" ? each.version : `${each.group}/${each.version}`, each]));
  for (const [apiVersion, { resources }] of Object.entries(machineFacts("discovery.json"))) {
    const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
    const facts = known.get(apiVersion) ??
      {
        group,
        version,
        path: `/apis/${apiVersion}`,
        groupPriority: priorities[apiVersion]?.[0],
        versionPriority: priorities[apiVersion]?.[1],
        resources: [],
      };
    if (facts.groupPriority === undefined) throw new Error(`${apiVersion} has no priority in this script`);
    const more = resources.filter(({ resource }) => !facts.resources.some(({ name }) => name === resource)).map(resourceFacts);
    known.set(apiVersion, { ...facts, resources: [...facts.resources, ...more].toSorted((a, b) => a.name < b.name ? -1 : 1) });
  }
  return [...known.values()];
}

/** The columns of the reference, with those that only the machine's facts have. */
function allColumns(kinds) {
  const discovered = machineFacts("discovery.json");
  const more = Object.entries(machineFacts("table-columns.json")).map(([path, { columns }]) => {
    const [plural, ...apiVersion] = path.split("/").toReversed();
    const groupVersion = apiVersion.toReversed().join("/");
    const { responseKind } = discovered[groupVersion].resources.find(({ resource }) => resource === plural);
    return [`${groupVersion}/${responseKind.kind}`, columns.map(({ name, type, format, priority }) => ({ name, type, format, priority }))];
  });
  return { ...Object.fromEntries(more), ...kinds };
}

/** The parts of each file that tests read. */
const parts = {
  "schemas.json": (all) => {
    const known = Object.entries(all).filter(([name]) => !["_about", "_keys", "_missing"].includes(name));
    const more = Object.entries(machineFacts("schemas.json")).filter(([name]) => !Object.hasOwn(all, name));
    return Object.fromEntries([
      ...known,
      // Their lists have no defaults of items.
      ["_machine", more.map(([name]) => name)],
      ...more.map(([name, schema]) => [name, referencesByName(schema)]),
    ]);
  },
  "discovery.json": ({ groupVersions, openapiPaths }) => ({ groupVersions: allGroupVersions(groupVersions), openapiPaths }),
  "table-columns.json": ({ kinds }) => ({ kinds: allColumns(kinds) }),
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
