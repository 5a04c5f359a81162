// Values that JavaScript's numbers cannot hold go through every verb and everything that follows a kind, and come back as they were sent.
// In Deno's suite only: the result does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../core/json.ts";
import { randomOf } from "../core/random.ts";
import { jsonFromTree, readJson } from "../core/tree/json.ts";
import { goJson } from "../core/tree/json-text.ts";
import { openTestServer, type TestServer } from "../testing.ts";

const group = "wide.example.com", definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const path = (version = "v1") => `/apis/${group}/${version}/namespaces/default/wides`;
const integers = ["0", "-1", "9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808", "1000000000000000000"];
const spellings = [
  ...integers,
  "1e0",
  "1.0",
  "-0",
  "0.1",
  "5e-324",
  "1e-7",
  "1.7976931348623157e308",
  "1e21",
  "9223372036854775808",
  "1e19",
];

/** The value of a JSON text with all digits, as text. */
function exact(text: string): string {
  const read = readJson(text);
  assert.ok(read.ok, text);
  return goJson(jsonFromTree(read.tree));
}
/** The part of a reply at a path of keys, as exact text. */
function partOf(text: string, ...keys: readonly string[]): string {
  const read = readJson(text);
  assert.ok(read.ok, text);
  let part: any = jsonFromTree(read.tree);
  for (const key of keys) part = part?.[key];
  return part === undefined ? "undefined" : goJson(part as Json);
}

async function ask(server: TestServer, method: string, url: string, body?: string, type = "application/json", accept = "application/json") {
  const headers = { accept, ...(body === undefined ? {} : { "content-type": type }) };
  const response = await server.handle(new Request(`https://test${url}`, { method, headers, ...(body === undefined ? {} : { body }) }));
  return { status: response.status, text: await response.text() };
}
async function until(is: () => Promise<boolean>): Promise<void> {
  for (const end = AbortSignal.timeout(30_000); !await is();) {
    assert.ok(!end.aborted, "timed out");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A generated value, as JSON text in upstream's order of keys: wide or deep, with numbers of all spellings. */
function generated(random: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const number = () => pick(spellings);
  const wide = Array.from({ length: 200 }, number).join();
  const deep = `${'{"d":['.repeat(60)}${number()}${"]}".repeat(60)}`;
  const members = Array.from({ length: 20 }, (_, at) => `"k${String(at).padStart(2, "0")}":${number()}`).join();
  return `{"deep":${deep},"i":${pick(integers)},"members":{${members}},"n":${number()},"wide":[${wide}]}`;
}

const big = "9223372036854775807";
const schema = `{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{
  "i":{"type":"integer","format":"int64","example":9007199254740993},"most":{"type":"integer","maximum":${big}},"n":{"type":"number","minimum":-1.7976931348623157e308},
  "def":{"type":"integer","default":9007199254740993},"one":{"type":"integer","enum":[1,${big}]},
  "text":{"type":"string","maxLength":${big}},"list":{"type":"array","maxItems":${big},"items":{"type":"integer"}},
  "multiple":{"type":"integer","multipleOf":9007199254740993},
  "inner":{"type":"object","default":{"a":${big}},"properties":{"a":{"type":"integer"}}}}}}}`;
const versions = ["v1", "v2"].map((name) =>
  `{"name":"${name}","served":true,"storage":${
    name === "v1"
  },"schema":{"openAPIV3Schema":${schema}},"selectableFields":[{"jsonPath":".spec.i"}],
  "additionalPrinterColumns":[{"name":"I","type":"integer","jsonPath":".spec.i"},{"name":"T","type":"string","jsonPath":".spec.i"}]}`
);
const definition = `{"metadata":{"name":"wides.${group}"},"spec":{"group":"${group}","scope":"Namespaced",
  "names":{"plural":"wides","singular":"wide","kind":"Wide"},"versions":[${versions.join()}]}}`;
const object = (name: string, spec: string, version = "v1") =>
  `{"apiVersion":"${group}/${version}","kind":"Wide","metadata":{"name":"${name}"},"spec":${spec}}`;
/** What the server adds by the defaults of the schema. */
const withDefaults = (spec: string) =>
  exact(spec.replace(',"i":', ',"def":9007199254740993,"i":').replace(',"members"', ',"inner":{"a":9223372036854775807},"members"'));

test("numbers of all sizes go through every verb, tables, OpenAPI, conversion, policies, quotas and deletion", async () => {
  await using server = await openTestServer();
  const seed = Math.floor(Math.random() * 2 ** 31), random = randomOf(seed);
  const must = async (code: number, ...[method, url, body, type, accept]: readonly [string, string, string?, string?, string?]) => {
    const { status, text } = await ask(server, method, url, body, type, accept);
    assert.equal(status, code, `seed ${seed}: ${method} ${url}: ${text.slice(0, 500)}`);
    return text;
  };
  const created = await must(201, "POST", definitions, definition);
  assert.equal(
    partOf(created, "spec", "versions", "0", "schema", "openAPIV3Schema", "properties", "spec", "properties", "one", "enum"),
    `[1,${big}]`,
  );
  await until(async () => (await ask(server, "GET", path("v2"))).status === 200);

  // A policy that reads the number, and a quota that counts the objects.
  const policies = "/apis/admissionregistration.k8s.io/v1";
  const rule = `{"apiGroups":["${group}"],"apiVersions":["*"],"operations":["CREATE","UPDATE"],"resources":["wides"]}`;
  const cel = "object.spec.i != 9007199254740992 && object.spec.def == 9007199254740993";
  const policy =
    `{"metadata":{"name":"wide"},"spec":{"matchConstraints":{"resourceRules":[${rule}]},"validations":[{"expression":"${cel}"}]}}`;
  const binding = `{"metadata":{"name":"wide"},"spec":{"policyName":"wide","validationActions":["Deny"]}}`;
  await must(201, "POST", `${policies}/validatingadmissionpolicies`, policy);
  await must(201, "POST", `${policies}/validatingadmissionpolicybindings`, binding);
  await until(async () => (await ask(server, "POST", `${path()}?dryRun=All`, object("no", '{"i":9007199254740992}'))).status === 422);
  const quota = `{"metadata":{"name":"q"},"spec":{"hard":{"count/wides.${group}":"100"}}}`;
  await must(201, "POST", "/api/v1/namespaces/default/resourcequotas", quota);

  for (let round = 0; round < 6; round++) {
    const name = `w${round}`, spec = generated(random), wanted = withDefaults(spec), url = `${path()}/${name}`;
    const stored = (text: string) => assert.equal(partOf(text, "spec"), wanted, `seed ${seed}`);
    if (round % 2 === 0) stored(await must(201, "POST", path(), object(name, spec)));
    else stored(await must(201, "PATCH", `${url}?fieldManager=a`, object(name, spec), "application/apply-patch+yaml"));
    const text = await must(200, "GET", url);
    stored(text);
    stored(await must(200, "GET", `${path("v2")}/${name}`));
    stored(await must(200, "PUT", url, text));
    stored(await must(200, "PATCH", url, '{"metadata":{"labels":{"a":"b"}}}', "application/merge-patch+json"));
    stored(
      await must(200, "PATCH", url, `[{"op":"test","path":"/spec/i","value":${partOf(text, "spec", "i")}}]`, "application/json-patch+json"),
    );
    stored(await must(200, "PATCH", `${url}?fieldManager=a&force=true`, object(name, spec), "application/apply-patch+yaml"));
    const list = await must(200, "GET", `${path("v2")}?fieldSelector=spec.i=${partOf(text, "spec", "i")}`);
    assert.ok(list.includes(`"name":"${name}"`), "found by the number");
    const table = await must(200, "GET", url, undefined, undefined, "application/json;as=Table;v=v1;g=meta.k8s.io");
    const i = partOf(text, "spec", "i");
    assert.equal(partOf(table, "rows", "0", "cells"), `["${name}",${i},"${i}"]`);
    const yaml = await must(200, "GET", url, undefined, undefined, "application/yaml");
    stored(await must(200, "PUT", url, yaml, "application/yaml"));
  }
  await until(async () => partOf(await must(200, "GET", "/api/v1/namespaces/default/resourcequotas/q"), "status", "used").includes('"6"'));
  await must(200, "GET", "/openapi/v2"); // has no fields of objects that keep unknown ones
  assert.ok((await must(200, "GET", `/openapi/v3/apis/${group}/v1`)).includes('"default":9007199254740993'));
  await must(200, "DELETE", `${definitions}/wides.${group}`);
  await until(async () => (await ask(server, "GET", `${definitions}/wides.${group}`)).status === 404);
});
