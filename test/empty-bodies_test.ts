// No kind meets an unexpected condition when a body lacks most members, as bodies of attackers and of mistaken clients do.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../testing.ts";
import { ask } from "./requests.ts";

const bodies: readonly object[] = [
  {},
  { spec: {} },
  { spec: null, status: null },
  { metadata: { name: "a" } },
  { metadata: { name: "a" }, spec: {}, status: {} },
  { metadata: { generateName: "a" }, spec: null },
  { metadata: { name: "a" }, spec: { template: {} } },
  { metadata: { name: "a" }, spec: { template: { spec: {} }, selector: {} } },
];

test("bodies without most members are answered with a precise error, for every kind and subresource", async () => {
  await using server = await openTestServer({
    unexpectedErrors: "answer",
    settings: { "runtime-config": { "api/all": true }, "feature-gates": { AllBeta: true } },
  });
  const read = async (path: string) => JSON.parse((await ask(server, "GET", path)).text);
  const { groups } = await read("/apis"), unexpected: string[] = [];
  let count = 0;
  const send = async (method: string, path: string, body: object, type?: string) => {
    const { status, text } = await ask(server, method, path, body, type);
    count++;
    if (status === 500 && text.includes("unexpected condition")) unexpected.push(`${method} ${path} ${JSON.stringify(body)}`);
  };
  for (const groupVersion of ["v1", ...groups.flatMap(({ versions }: any) => versions.map(({ groupVersion }: any) => groupVersion))]) {
    const root = `/${groupVersion.includes("/") ? "apis" : "api"}/${groupVersion}`;
    for (const { name, namespaced, kind } of (await read(root)).resources) {
      const [plural, ...subresource] = name.split("/"), collection = `${root}${namespaced ? "/namespaces/default" : ""}/${plural}`;
      const one = [collection, "a", ...subresource].join("/");
      for (const body of bodies) {
        await send("POST", subresource.length === 0 ? collection : one, body);
        await send("PUT", one, body);
        await send("PATCH", one, body, "application/merge-patch+json");
        const applied = { apiVersion: groupVersion, kind, ...body, metadata: { name: "a" } };
        await send("PATCH", `${one}?fieldManager=x`, applied, "application/apply-patch+yaml");
      }
    }
  }
  assert.deepEqual(unexpected, []);
  assert.ok(count > 3_000, `${count} requests`);
});
