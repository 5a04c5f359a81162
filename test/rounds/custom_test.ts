// Custom resources lose nothing between versions with the same schema, and between versions that a webhook converts without a loss.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomValue } from "../../core/derive/random-value.ts";
import { seedOfRun } from "../../core/derive/test-random.ts";
import { definedResource } from "../../cel/definition/defined-resource.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { defaultNames } from "../../core/names.ts";
import { randomOf } from "../../core/random.ts";
import { jsonFromTree, readJson } from "../../core/tree/json.ts";
import { goJson } from "../../core/tree/json-text.ts";
import { compile } from "../../kernel/catalog/compile.ts";
import { waysOf } from "../../testing/round-trips/conversions.ts";
import { type Ask, type ServedVersion, throughRequests } from "../../testing/round-trips/requests.ts";
import { openTestServer, type TestServer } from "../../testing.ts";
import { answered, openConversionWebhook } from "../conversion-webhook.ts";
import { until } from "../real-server.ts";
import { ask } from "../requests.ts";

const seed = seedOfRun();
const group = "rounds.example.com";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const text = { type: "string" }, number = { type: "integer", format: "int32" };

/** Every kind of schema. */
const contents = {
  type: "object",
  properties: {
    text,
    date: { type: "string", format: "date-time" },
    bytes: { type: "string", format: "byte" },
    choice: { type: "string", enum: ["one", "two"] },
    defaulted: { ...text, default: "usual" },
    nothing: { ...text, nullable: true },
    count: { ...number, minimum: 0 },
    ratio: { type: "number" },
    yes: { type: "boolean" },
    port: { "x-kubernetes-int-or-string": true },
    list: { type: "array", items: { type: "array", items: number } },
    set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    parts: {
      type: "array",
      items: { type: "object", properties: { name: text, size: number }, required: ["name"] },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    map: { type: "object", additionalProperties: { type: "object", properties: { a: text } } },
    atomic: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
    open: { type: "object", properties: { known: number }, "x-kubernetes-preserve-unknown-fields": true },
    inner: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
};
const version = (name: string, storage: boolean, spec: object) => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: { openAPIV3Schema: { type: "object", properties: { spec, status: contents } } },
});
const definitionOf = (versions: readonly object[], conversion: object) => ({
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions,
    conversion,
  },
});

const asking = (server: TestServer): Ask => async (method, path, body, type = "application/json") => {
  const { status, text } = await ask(server, method, path, body === undefined ? undefined : goJson(body), type);
  const read = readJson(text);
  assert.ok(read.ok);
  return { status, body: jsonFromTree(read.tree) };
};
const served = (name: string): ServedVersion => ({
  group,
  apiVersion: `${group}/${name}`,
  kind: "Thing",
  plural: "things",
  namespaced: true,
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  resource: { custom: true },
  subresources: { has: (subresource) => subresource === "status" },
});

/** The spec of a version as another one has it. */
type Convert = (object: JsonObject, apiVersion: string) => JsonObject;

/** Sends generated objects in each of two versions, and reads and writes them in the other. */
async function checkBoth(ask: Ask, definition: any, objects: number): Promise<void> {
  await until(async () => {
    for (const { name } of definition.spec.versions) {
      assert.equal((await ask("GET", `/apis/${group}/${name}/namespaces/default/things`)).status, 200);
    }
  });
  const random = randomOf(seed);
  const sources = definition.spec.versions.map(({ name, schema }: any) => ({
    name,
    endpoint: served(name),
    // As one version without conversion: objects are generated from its schema.
    node: definedResource({
      spec: { ...definition.spec, conversion: { strategy: "None" }, versions: [{ name, schema, served: true, storage: true }] },
    })
      .served[`${group}/${name}`]!.schema,
  }));
  for (const from of sources) {
    for (const through of sources) {
      if (from === through) continue;
      let accepted = 0;
      for (let nth = 0; nth < objects; nth++) {
        const value = randomValue(from.node, random) as JsonObject;
        const sent: JsonObject = {
          ...value,
          apiVersion: `${group}/${from.name}`,
          kind: "Thing",
          metadata: { name: `round-trip-${nth}`, labels: { a: "b" }, annotations: { "example.com/unknown": "kept" } },
        };
        const outcome = await throughRequests(ask, from.endpoint, through.endpoint, sent);
        if ("rejected" in outcome) continue;
        assert.deepEqual(outcome.lost, [], `${from.name} through ${through.name} (seed ${seed}): ${goJson(sent)}`);
        accepted++;
      }
      assert.ok(accepted > objects / 4, `${from.name} through ${through.name}: ${accepted} of ${objects} accepted`);
    }
  }
}

test(`versions with the same schema and no conversion lose nothing (seed ${seed})`, async () => {
  await using server = await openTestServer();
  const ask = asking(server);
  const definition = definitionOf([version("v1beta1", false, contents), version("v1", true, contents)], { strategy: "None" });
  assert.equal((await ask("POST", definitions, definition as unknown as Json)).status, 201);
  await checkBoth(ask, definition, 12);
});

test(`versions that a webhook converts lose nothing, through both and in the store (seed ${seed})`, async () => {
  const webhook = await openConversionWebhook();
  const wrapped = { type: "object", properties: { all: contents } };
  const wrap: Convert = ({ spec, ...rest }, apiVersion) => ({
    ...rest,
    apiVersion,
    ...(spec === undefined ? {} : { spec: { all: spec } }),
  });
  const unwrap: Convert = ({ spec, ...rest }, apiVersion) => {
    const { all } = (spec ?? {}) as JsonObject;
    return { ...rest, apiVersion, ...(all === undefined ? {} : { spec: all }) };
  };
  webhook.answer = (review) => {
    const { desiredAPIVersion, objects } = review.request;
    const convert = desiredAPIVersion.endsWith("/v1beta1") ? wrap : unwrap;
    // As a webhook in Go, it always returns metadata: an apply converts parts of objects that have none, and fails without it, as on a kube-apiserver.
    return answered(review, objects.map((object) => convert({ metadata: {}, ...object }, desiredAPIVersion)));
  };
  try {
    await using server = await openTestServer();
    const ask = asking(server);
    const definition = definitionOf([version("v1beta1", false, wrapped), version("v1", true, contents)], {
      strategy: "Webhook",
      webhook: { clientConfig: { url: webhook.url, caBundle: webhook.caBundle }, conversionReviewVersions: ["v1"] },
    });
    assert.equal((await ask("POST", definitions, definition as unknown as Json)).status, 201);
    await checkBoth(ask, definition, 8);
  } finally {
    await webhook.close();
  }
});

test(`a custom resource is the same in JSON, YAML and CBOR (seed ${seed})`, () => {
  const resource = definedResource(definitionOf([version("v1", true, contents)], { strategy: "None" }) as any);
  const catalog = compile([], { names: defaultNames, featureGates: new Map(), runtimeConfig: new Map() }, [resource]);
  const endpoint = catalog.endpoint(group, "v1", "things")!, random = randomOf(seed), ways = waysOf(endpoint, []);
  assert.deepEqual(ways.map(({ name }) => name), ["in JSON", "in YAML", "in CBOR"]);
  for (let nth = 0; nth < 200; nth++) {
    const sent = { ...randomValue(endpoint.schema, random) as JsonObject, apiVersion: `${group}/v1`, kind: "Thing" };
    for (const { name, lost } of ways) assert.deepEqual(lost(sent), [], `${name}: ${goJson(sent)}`);
  }
});
