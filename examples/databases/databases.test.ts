import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { checkRoundTrips, openTestServer, type TestServer } from "thole/testing";
import { beta, BetaDatabase, databases, databasesPlugin, home } from "./databases.ts";

const path = `/apis/${home}/namespaces/default/databases`;
const scale = (replicas: number) => ({ kind: "Scale", apiVersion: "autoscaling/v1", metadata: { name: "main" }, spec: { replicas } });
let server: TestServer;
const ask = async (method: string, path: string, body?: unknown) => {
  const request = {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const response = await server.handle(new Request(`https://test${path}`, request));
  return { status: response.status, text: await response.text() };
};

before(async () => {
  server = await openTestServer({ plugins: [databasesPlugin], settings: { "runtime-config": { [beta]: true } } });
  const object = { metadata: { name: "main" }, spec: { engine: "pg", replicas: 2, tier: "fast" } };
  await server.api.of(databases).create("default", object);
});
after(() => server.close());

test("an object is stored as v1 and shown as v1beta1; the gate drops its tier", async () => {
  assert.deepEqual((await server.api.of(databases).get("default", "main")).spec, { engine: "pg", replicas: 2 });
  assert.deepEqual((await server.api.of(databases, BetaDatabase).get("default", "main")).spec, { type: "pg", size: 2 });
});

test("no version loses data: v1beta1 keeps what it does not have in an annotation", async () => {
  assert.ok((await checkRoundTrips(databasesPlugin)).stored > 0);
});

test("the controller sets the status, and counts it", async () => {
  for await (const { object } of server.api.of(databases).watch("default", {}, AbortSignal.timeout(10_000))) {
    if (object.status?.replicas === 2) break;
  }
  assert.match((await ask("GET", "/metrics")).text, /^example_database_scalings_total\{engine="pg"\} 1$/m);
});

test("scale and restart change the object", async () => {
  assert.equal((await ask("PUT", `${path}/main/scale`, scale(0))).status, 200);
  assert.equal((await server.api.of(databases).get("default", "main")).spec.replicas, 0, "0 is not the default");
  assert.equal((await ask("PUT", `${path}/main/scale`, scale(3))).status, 200);
  assert.equal(JSON.parse((await ask("POST", `${path}/main/restart`)).text).spec.replicas, 3);
});

test("the admission step refuses more than five instances", async () => {
  assert.equal((await ask("PUT", `${path}/main/scale`, scale(6))).status, 403);
});

test("databases are selected by engine, estimates are answered, and the health check is served", async () => {
  assert.equal((await server.api.of(databases).list("", { fieldSelector: "spec.engine=mysql" })).items.length, 0);
  assert.match((await ask("POST", `/apis/${home}/estimates`, { spec: { replicas: 2 } })).text, /"memoryMiB":1024/);
  assert.equal((await ask("GET", "/readyz/database-drivers")).text, "ok");
});
