// Converted objects are valid: a server accepts those of the cases and generated ones of each row of the table of removed APIs. Of kinds that the server
// has not, the fields are compared with the golden objects.
// In Deno's suite only: conversions do not depend on the runtime.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { writeYaml } from "../../core/codec/yaml.ts";
import { pluralOf } from "../../core/define/plural.ts";
import type { Json } from "../../core/json.ts";
import { defaultNames, spell } from "../../core/names.ts";
import { type RemovedKind, RemovedKinds } from "../../core/removed-apis.ts";
import { jsonFromTree } from "../../core/tree/values.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import { definitionRules } from "../../commands/definition-rules.ts";
import { choiceCount, convertedCount, type ConvertedObject, convertManifest } from "../../commands/upgrade/convert.ts";
import { rules } from "../../commands/upgrade/rules/rules.ts";
import { partsOf } from "../../commands/upgrade/document.ts";
import { plugins } from "../../plugins/mod.ts";
import { randomOf } from "../../core/random.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { caseNames, convertCase, inputOf } from "./cases.ts";
import { chance, oldObject } from "./old-objects.ts";

let server: TestServer, client: Client;
before(async () => {
  server = await startTestServer();
  client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
});
after(async () => {
  client.close();
  await server.close();
});

const resources = plugins.flatMap(({ resources = [] }) => resources);

/** Kinds whose cases are about other fields and have no whole pods. */
const withPods = ["Deployment", "DaemonSet", "ReplicaSet", "StatefulSet", "Job", "CronJob"];

/** Creates the object of a document in a dry run, and returns its kind; undefined for a kind that the server does not have. */
async function create(text: string, { kind, name, to }: ConvertedObject): Promise<string | undefined> {
  if (withPods.includes(kind)) return undefined;
  const resource = resources.find((each) => each.kind === kind && Object.hasOwn(each.served, to.replace("k8s.io", "{domain}")));
  if (resource === undefined) return undefined;
  const isReview = kind.endsWith("Review"), body = isReview ? text.replace(/^metadata:\n {2}name: .*\n/m, "") : text;
  const path = `/apis/${to}/${resource.scope === "Namespaced" ? "namespaces/default/" : ""}${resource.plural ?? pluralOf(kind)}`;
  const answer = await client.ask(`${path}?dryRun=All&fieldValidation=Strict`, {
    method: "POST",
    body,
    headers: { "content-type": "application/yaml" },
  });
  assert.equal(answer.status, 201, `${kind} ${name}: ${answer.text}\n${text}`);
  return kind;
}

test("the objects of the cases that need no choice are valid", async () => {
  const created = new Set<string | undefined>();
  for (const name of caseNames) {
    for (const { text } of partsOf(inputOf(name))) {
      const { objects: [object, ...others], findings, text: written } = convertCase(text);
      if (object === undefined || others.length > 0 || findings.some(({ level }) => level === "choice")) continue;
      created.add(await create(written, object));
    }
  }
  created.delete(undefined);
  assert.ok(created.size >= 15, [...created].join(", "));
});

const seed = 20;
/** Objects of each version of a kind that has rules of its own, and of those whose version alone changes. */
const objectsOfRule = 40, objectsWithoutRule = 6;

const rulesOfDefinitions = definitionRules(plugins, defaultNames);
const convert = (text: string) => convertManifest(text, { names: defaultNames, check: rulesOfDefinitions });

const table = new RemovedKinds();
/** Rows that end at a kind which nothing replaces are not converted. */
const isReplaced = ({ groupVersion, kind }: RemovedKind) => {
  const last = table.way(groupVersion, kind)?.at(-1) ?? groupVersion;
  return table.get(last, kind)?.instead === undefined;
};

for (const { groupVersion, kind } of [...table.all()].filter(isReplaced)) {
  test(`generated objects of ${groupVersion} ${kind} are valid after their conversion, if no choice is left (seed ${seed})`, async () => {
    const next = randomOf(seed), rule = Object.keys(rules[kind] ?? {}).some((each) => spell(defaultNames, each) === groupVersion);
    let whole = 0;
    const count = rule ? objectsOfRule : objectsWithoutRule;
    for (let nth = 0; nth < count; nth++) {
      const object = oldObject(next, groupVersion, kind);
      const text = chance(next) ? writeYaml(object) : JSON.stringify(object, undefined, chance(next) ? 2 : 0);
      const done = convert(text), shown = `${text}\n${done.text}`;
      assert.deepEqual(done.errors, [], shown);
      assert.equal(convertedCount(done), 1, shown);
      assert.deepEqual(convert(done.text).objects, [], shown);
      const read = readYaml(done.text);
      assert.ok(read.ok, shown);
      assert.deepEqual(read.duplicates, [], shown);
      checkFields(jsonFromTree(read.tree), done.objects.at(-1)!, shown);
      if (choiceCount(done) > 0) continue;
      await create(done.text, done.objects.at(-1)!);
      whole++;
    }
    assert.ok(whole >= count / 8, `${whole} of ${count}`);
  });
}

/** Every field of the object must be one of its kind's: the golden object has all of them. */
function checkFields(value: Json, { kind, to }: ConvertedObject, shown: string): void {
  const file = new URL(`../golden/v1.35/${(to.includes("/") ? to : `core/${to}`).replace("/", ".")}.${kind}.json`, import.meta.url);
  // Versions that newer ones have replaced, and groups that only documents name, have no golden object.
  if (!existsSync(file)) return assert.match(to, /beta|flowcontrol\.k8s\.io/, shown);
  const unknown = unknownFields(value, JSON.parse(readFileSync(file, "utf8")), "");
  assert.deepEqual(unknown, [], shown);
}

/** Schemas are deeper than the golden object; the server has checked them. */
const deeper = "openAPIV3Schema";

function unknownFields(value: Json, golden: Json | undefined, path: string): readonly string[] {
  if (value === null || typeof value !== "object") return [];
  if (Array.isArray(value)) {
    const item = Array.isArray(golden) ? golden[0] : undefined;
    return value.flatMap((each, index) => unknownFields(each, item, `${path}[${index}]`));
  }
  if (golden === null || typeof golden !== "object" || Array.isArray(golden)) return [path];
  const known = golden as Readonly<Record<string, Json>>, isMap = Object.keys(known).some((key) => key.startsWith("key0-"));
  if (isMap) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    !Object.hasOwn(known, name) ? [`${path}.${name}`] : name === deeper ? [] : unknownFields(each, known[name], `${path}.${name}`)
  );
}
