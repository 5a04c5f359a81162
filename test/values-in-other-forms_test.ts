// Values that JavaScript's numbers cannot hold go through watches, CBOR, conversion webhooks, every kind of patch and a rewrite of the store.
// In Deno's suite only: the result does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonFromTree, readJson } from "../core/tree/json.ts";
import { goJson } from "../core/tree/json-text.ts";
import type { JsonObject } from "../core/json.ts";
import { rewriteAll } from "../plugins/migration/rewrite.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { decoded, encoded, events } from "./cbor.ts";
import { openConversionWebhook } from "./conversion-webhook.ts";
import {
  asked,
  big,
  definition,
  definitions,
  generated,
  group,
  must,
  object,
  partOf,
  path,
  random,
  rounds,
  seed,
  until,
  withDefaults,
} from "./values.ts";
import { send } from "./requests.ts";

const cbor = "application/cbor", table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const jsonOf = (text: string) => {
  const read = readJson(text);
  assert.ok(read.ok, text);
  return jsonFromTree(read.tree);
};
const inCbor = (text: string) => encoded(jsonOf(text)) as Uint8Array<ArrayBuffer>;
const fromCbor = (bytes: Uint8Array) => goJson(decoded(bytes));
/** The same text with its keys in order: CBOR orders them by their bytes. */
const inOrder = (text: string) => goJson(jsonOf(text), (object) => Object.keys(object).toSorted());
/** Asserts that the spec of an object is this one. The message shows where they differ. */
function saved(text: string, wanted: string): void {
  const found = inOrder(partOf(text, "spec")), right = inOrder(wanted);
  let at = 0;
  while (at < right.length && found[at] === right[at]) at++;
  const around = (each: string) => each.slice(Math.max(0, at - 60), at + 60);
  assert.ok(found === right, `seed ${seed}: ${around(found)}, not ${around(right)}`);
}

/** The first `count` events of a watch as JSON texts; the watch is cancelled then. */
async function watched(server: TestServer, url: string, count: number, accept: string): Promise<readonly string[]> {
  const response = await send(server, "GET", url, undefined, { accept });
  assert.equal(response.status, 200);
  const reader = response.body!.getReader(); // the body of a 200 is a stream
  const chunks: Uint8Array[] = [];
  for (;;) {
    const bytes = Buffer.concat(chunks);
    const found = accept.startsWith(cbor) ? wholeEvents(bytes) : bytes.toString().split("\n").slice(0, -1);
    if (found.length >= count) {
      await reader.cancel();
      return found;
    }
    const { value, done } = await reader.read();
    assert.ok(!done, `seed ${seed}: the watch ended after ${found.length} events`);
    chunks.push(value);
  }
}
/** The events in bytes that may end within one. */
function wholeEvents(bytes: Uint8Array): readonly string[] {
  try {
    return events(bytes).map((event) => goJson(event));
  } catch {
    return [];
  }
}

/** Writes an object in each way that bodies and patches have, and reads it in each form that replies and watches have. */
async function everyForm(server: TestServer, name: string, spec: string, forms: readonly string[]): Promise<void> {
  const url = `${path()}/${name}`, wanted = withDefaults(spec), i = partOf(spec, "i");
  const began = partOf((await must(200, server, "GET", path())).text, "metadata", "resourceVersion").replaceAll('"', "");
  const isCbor = forms.includes(cbor);
  const created = isCbor
    ? fromCbor((await must(201, server, "POST", path(), inCbor(object(name, spec)), cbor, cbor)).bytes)
    : (await must(201, server, "POST", path(), object(name, spec))).text;
  saved(created, wanted);
  const put = isCbor
    ? fromCbor((await must(200, server, "PUT", url, inCbor(created), cbor, cbor)).bytes)
    : (await must(200, server, "PUT", url, created)).text;
  saved(put, wanted);
  for (
    const [type, patch] of [
      ["merge-patch+json", `{"spec":{"k":${big},"i":${i},"wide":${partOf(spec, "wide")}}}`],
      [
        "json-patch+json",
        `[{"op":"test","path":"/spec/k","value":${big}},{"op":"copy","from":"/spec/members","path":"/spec/copied"},{"op":"test","path":"/spec/copied","value":${
          partOf(spec, "members")
        }},{"op":"remove","path":"/spec/copied"},{"op":"remove","path":"/spec/k"}]`,
      ],
      ["apply-patch+yaml", object(name, spec)],
    ] as const
  ) {
    const { text } = await must(
      200,
      server,
      "PATCH",
      `${url}?fieldManager=a${type.startsWith("apply") ? "&force=true" : ""}`,
      patch,
      `application/${type}`,
    );
    saved(text, type.startsWith("merge") ? `${wanted.slice(0, -1)},"k":${big}}` : wanted);
  }
  if (isCbor) {
    const applied = await must(
      200,
      server,
      "PATCH",
      `${url}?fieldManager=b&force=true`,
      inCbor(object(name, spec)),
      "application/apply-patch+cbor",
      cbor,
    );
    saved(fromCbor(applied.bytes), wanted);
  }
  for (const accept of forms) {
    const { bytes, text } = await must(200, server, "GET", path("v2"), undefined, undefined, accept);
    saved(partOf(accept === cbor ? fromCbor(bytes) : text, "items", "0"), wanted);
    for (const query of [`resourceVersion=${began}`, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"]) {
      const [first = ""] = await watched(
        server,
        `${path()}?watch=1&allowWatchBookmarks=true&fieldSelector=metadata.name%3D${name}&${query}`,
        1,
        accept,
      );
      saved(partOf(first, "object"), wanted);
    }
  }
  const [rows = ""] = await watched(server, `${path()}?watch=1&resourceVersion=${began}`, 1, table);
  assert.equal(partOf(rows, "object", "rows", "0", "cells"), `["${name}",${i},"${i}"]`, `seed ${seed}`);
  await must(200, server, "DELETE", url);
}

for (
  const [name, settings, forms] of [
    ["JSON", {}, ["application/json"]],
    ["CBOR", { "feature-gates": { CBORServingAndStorage: true } }, ["application/json", cbor]],
  ] as const
) {
  test(`numbers of all sizes go through watches and every kind of patch; the store holds ${name}`, async () => {
    await using server = await openTestServer({ settings });
    await must(201, server, "POST", definitions, definition());
    await until(async () => (await asked(server, "GET", path("v2"))).status === 200);
    for (let round = 0; round < rounds(2); round++) await everyForm(server, `w${round}`, generated(random), forms);
    await rewrite(server);
  });
}

/** A rewrite of all objects into another stored version, as a storage migration does. */
async function rewrite(server: TestServer): Promise<void> {
  const spec = generated(random), wanted = withDefaults(spec);
  await must(201, server, "POST", path(), object("r", spec));
  const url = `${definitions}/wides.${group}`,
    swap = ["false", "true"].map((value, at) => `{"op":"replace","path":"/spec/versions/${at}/storage","value":${value}}`);
  await must(200, server, "PATCH", url, `[${swap.join()}]`, "application/json-patch+json");
  const version = async () => partOf((await must(200, server, "GET", `${path()}/r`)).text, "metadata", "resourceVersion");
  const before = await version();
  await until(async () => {
    const failure = await rewriteAll(server.api, { groupVersion: `${group}/v2`, resource: "wides" }, {
      token: "",
      onList: () => Promise.resolve(),
      onWritten() {},
      onProgress: () => Promise.resolve(),
      isActive: () => true,
    });
    assert.equal(failure, undefined);
    return await version() !== before; // written in the other version
  });
  for (const each of ["v1", "v2"]) saved((await must(200, server, "GET", `${path(each)}/r`)).text, wanted);
}

test("numbers of all sizes go through a conversion webhook", async () => {
  await using server = await openTestServer({ settings: { "feature-gates": { CBORServingAndStorage: true } } });
  const webhook = await openConversionWebhook();
  try {
    webhook.answer = ({ apiVersion, request: { uid, desiredAPIVersion } }, text) => {
      const { request } = jsonOf(text) as unknown as { readonly request: { readonly objects: readonly JsonObject[] } }; // a review
      const convertedObjects = request.objects.map((each) => ({ ...each, apiVersion: desiredAPIVersion }));
      return { body: goJson({ apiVersion, kind: "ConversionReview", response: { uid, result: { status: "Success" }, convertedObjects } }) };
    };
    const clientConfig = { url: webhook.url, caBundle: webhook.caBundle };
    const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
    await must(201, server, "POST", definitions, definition("v1", `,"conversion":${JSON.stringify(conversion)}`));
    await until(async () => (await asked(server, "GET", path("v2"))).status === 200);
    for (let round = 0; round < rounds(2); round++) {
      const name = `w${round}`, spec = generated(random), wanted = withDefaults(spec), url = `${path("v2")}/${name}`;
      saved((await must(201, server, "POST", path("v2"), object(name, spec, "v2"))).text, wanted);
      const { text } = await must(200, server, "GET", url);
      saved(text, wanted);
      saved((await must(200, server, "PUT", url, text)).text, wanted);
      const patch = `{"metadata":{"labels":{"a":"b"}}}`;
      saved((await must(200, server, "PATCH", url, patch, "application/merge-patch+json")).text, wanted);
      saved(
        (await must(200, server, "PATCH", `${url}?fieldManager=a&force=true`, object(name, spec, "v2"), "application/apply-patch+yaml"))
          .text,
        wanted,
      );
      saved(fromCbor((await must(200, server, "GET", url, undefined, undefined, cbor)).bytes), wanted);
      const [event = ""] = await watched(
        server,
        `${path("v2")}?watch=1&fieldSelector=metadata.name%3D${name}&resourceVersion=0`,
        1,
        "application/json",
      );
      saved(partOf(event, "object"), wanted);
      saved((await must(200, server, "GET", `${path()}/${name}`)).text, wanted);
      await must(200, server, "DELETE", url, "{}");
    }
    assert.ok(webhook.reviews.length >= rounds(2));
  } finally {
    await webhook.close();
  }
});

test("64-bit integers of built-in kinds, and values in definitions, go through every patch and encoding", async () => {
  await using server = await openTestServer({ settings: { "feature-gates": { CBORServingAndStorage: true } } });
  const seconds = "9007199254740993";
  const template =
    `{"metadata":{"name":"t"},"template":{"spec":{"terminationGracePeriodSeconds":${seconds},"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":${big}}],"containers":[{"name":"c","image":"i","terminationMessagePolicy":"File","imagePullPolicy":"Always"}]}}}`;
  const templates = "/api/v1/namespaces/default/podtemplates", url = `${templates}/t`;
  const held = (text: string) => {
    assert.equal(partOf(text, "template", "spec", "terminationGracePeriodSeconds"), seconds);
    assert.equal(partOf(text, "template", "spec", "tolerations", "0", "tolerationSeconds"), big);
  };
  const { text } = await must(201, server, "POST", templates, template);
  held(text);
  held((await must(200, server, "PUT", url, text)).text);
  for (
    const [type, patch] of [
      [
        "strategic-merge-patch+json",
        `{"template":{"spec":{"terminationGracePeriodSeconds":${seconds},"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":${big}}]}}}`,
      ],
      ["merge-patch+json", `{"template":{"spec":{"terminationGracePeriodSeconds":${seconds}}}}`],
      [
        "json-patch+json",
        `[{"op":"test","path":"/template/spec/tolerations/0/tolerationSeconds","value":${big}},{"op":"replace","path":"/template/spec/terminationGracePeriodSeconds","value":${seconds}}]`,
      ],
      ["apply-patch+yaml", template.replace("{", `{"apiVersion":"v1","kind":"PodTemplate",`)],
    ] as const
  ) {
    const query = `?fieldManager=a${type.startsWith("apply") ? "&force=true" : ""}`;
    held((await must(200, server, "PATCH", url + query, patch, `application/${type}`)).text);
  }
  held(fromCbor((await must(200, server, "PUT", url, inCbor((await must(200, server, "GET", url)).text), cbor, cbor)).bytes));
  const protobuf = "application/vnd.kubernetes.protobuf", { bytes } = await must(200, server, "GET", url, undefined, undefined, protobuf);
  held((await must(200, server, "PUT", url, bytes, protobuf)).text);

  await must(201, server, "POST", definitions, definition());
  const at = `${definitions}/wides.${group}`,
    properties = ["spec", "versions", "0", "schema", "openAPIV3Schema", "properties", "spec", "properties"];
  const kept = (text: string) => {
    assert.equal(partOf(text, ...properties, "one", "enum"), `[1,${big}]`);
    assert.equal(partOf(text, ...properties, "def", "default"), "9007199254740993");
    assert.equal(partOf(text, ...properties, "text", "maxLength"), big);
  };
  for (const type of ["strategic-merge-patch+json", "merge-patch+json"]) {
    kept((await must(200, server, "PATCH", at, `{"metadata":{"labels":{"of":"${type.length}"}}}`, `application/${type}`)).text);
  }
  kept((await must(200, server, "PUT", at, (await must(200, server, "GET", at)).text)).text);
  const inBytes = (await must(200, server, "GET", at, undefined, undefined, cbor)).bytes;
  kept(fromCbor(inBytes));
  kept((await must(200, server, "PUT", at, inCbor(fromCbor(inBytes)), cbor)).text);
  const encodedDefinition = (await must(200, server, "GET", at, undefined, undefined, protobuf)).bytes;
  kept((await must(200, server, "PUT", at, encodedDefinition, protobuf)).text);
});
