// Values that JavaScript's numbers cannot hold go through every verb and everything that follows a kind, and come back as they were sent.
// In Deno's suite only: the result does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../testing.ts";
import {
  asked,
  big,
  definition,
  definitions,
  generated,
  group,
  must as mustOf,
  object,
  partOf,
  path,
  random,
  rounds,
  seed,
  until,
  withDefaults,
} from "./values.ts";

test("numbers of all sizes go through every verb, tables, OpenAPI, conversion, policies, quotas and deletion", async () => {
  await using server = await openTestServer();
  const ask = (method: string, url: string, body?: string) => asked(server, method, url, body);
  const must = async (code: number, ...request: readonly [string, string, string?, string?, string?]) =>
    (await mustOf(code, server, ...request)).text;
  const created = await must(201, "POST", definitions, definition());
  assert.equal(
    partOf(created, "spec", "versions", "0", "schema", "openAPIV3Schema", "properties", "spec", "properties", "one", "enum"),
    `[1,${big}]`,
  );
  await until(async () => (await ask("GET", path("v2"))).status === 200);

  // A policy that reads the number, and a quota that counts the objects.
  const policies = "/apis/admissionregistration.k8s.io/v1";
  const rule = `{"apiGroups":["${group}"],"apiVersions":["*"],"operations":["CREATE","UPDATE"],"resources":["wides"]}`;
  const cel = "object.spec.i != 9007199254740992 && object.spec.def == 9007199254740993";
  const policy =
    `{"metadata":{"name":"wide"},"spec":{"matchConstraints":{"resourceRules":[${rule}]},"validations":[{"expression":"${cel}"}]}}`;
  const binding = `{"metadata":{"name":"wide"},"spec":{"policyName":"wide","validationActions":["Deny"]}}`;
  await must(201, "POST", `${policies}/validatingadmissionpolicies`, policy);
  await must(201, "POST", `${policies}/validatingadmissionpolicybindings`, binding);
  await until(async () => (await ask("POST", `${path()}?dryRun=All`, object("no", '{"i":9007199254740992}'))).status === 422);
  const quota = `{"metadata":{"name":"q"},"spec":{"hard":{"count/wides.${group}":"100000"}}}`;
  await must(201, "POST", "/api/v1/namespaces/default/resourcequotas", quota);

  for (let round = 0; round < rounds(6); round++) {
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
  await until(async () =>
    partOf(await must(200, "GET", "/api/v1/namespaces/default/resourcequotas/q"), "status", "used").includes(`"${rounds(6)}"`)
  );
  await must(200, "GET", "/openapi/v2"); // has no fields of objects that keep unknown ones
  assert.ok((await must(200, "GET", `/openapi/v3/apis/${group}/v1`)).includes('"default":9007199254740993'));
  await must(200, "DELETE", `${definitions}/wides.${group}`);
  await until(async () => (await ask("GET", `${definitions}/wides.${group}`)).status === 404);
});
