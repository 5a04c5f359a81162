// Writes with an If-Match header succeed only if the stored version is one of those in the header.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask, done, send } from "./requests.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const write = (server: TestServer, method: string, path: string, body: unknown, type: string, ifMatch: string) =>
  ask(server, method, path, body, { type, headers: { "if-match": ifMatch } });
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
let written = 0;
const data = () => ({ data: { k: `${++written}` } });

/** Each kind of write to the ConfigMap `a`. */
const ways: Readonly<Record<string, (server: TestServer, ifMatch: string) => Promise<{ status: number; body: any }>>> = {
  PUT: (server, ifMatch) => write(server, "PUT", `${maps}/a`, { ...map, ...data() }, "application/json", ifMatch),
  "merge patch": (server, ifMatch) => write(server, "PATCH", `${maps}/a`, data(), "application/merge-patch+json", ifMatch),
  "strategic merge patch": (server, ifMatch) =>
    write(server, "PATCH", `${maps}/a`, data(), "application/strategic-merge-patch+json", ifMatch),
  "JSON patch": (server, ifMatch) =>
    write(server, "PATCH", `${maps}/a`, [{ op: "add", path: "/data", value: data().data }], "application/json-patch+json", ifMatch),
  apply: (server, ifMatch) =>
    write(server, "PATCH", `${maps}/a?fieldManager=m&force=true`, { ...map, ...data() }, "application/apply-patch+yaml", ifMatch),
};

for (const [name, write] of Object.entries(ways)) {
  test(`${name} with If-Match succeeds on the named version, in each form, and is 409 on any other`, async () => {
    await using server = await openTestServer();
    let { resourceVersion } = (await server.api.create("v1", "configmaps", "default", { metadata: { name: "a" } })).metadata;
    const stale = resourceVersion!;
    for (
      const form of [(rv: string) => `"${rv}"`, (rv: string) => rv, (rv: string) => `W/"${rv}"`, (rv: string) => `"1", "${rv}"`, () => "*"]
    ) {
      const { status, body } = await write(server, form(resourceVersion!));
      assert.equal(status, 200, JSON.stringify(body));
      assert.notEqual(body.metadata.resourceVersion, resourceVersion);
      resourceVersion = body.metadata.resourceVersion as string;
      if (form("") === "*") continue;
      const refused = await write(server, form(stale));
      assert.equal(refused.status, 409, form(stale));
      assert.equal(refused.body.reason, "Conflict");
      assert.match(refused.body.message, /the object has been modified/);
    }
    for (const odd of ["x", '""', `"${resourceVersion}`]) assert.equal((await write(server, odd)).status, 409, odd);
    const now = await server.api.get("v1", "configmaps", "default", "a");
    assert.equal(now.metadata.resourceVersion, resourceVersion, "what was refused has changed nothing");
  });
}

test("a resourceVersion in the body must match in addition to If-Match", async () => {
  await using server = await openTestServer();
  const before = await server.api.create("v1", "configmaps", "default", { metadata: { name: "a" } });
  const after = await server.api.update("v1", "configmaps", "default", "a", { ...before, ...data() });
  const put = async (resourceVersion: string, ifMatch: string) =>
    (await write(server, "PUT", `${maps}/a`, { ...map, metadata: { name: "a", resourceVersion } }, "application/json", ifMatch)).status;
  const old = before.metadata.resourceVersion!, newest = after.metadata.resourceVersion!;
  assert.deepEqual([await put(old, newest), await put(newest, old), await put(newest, newest)], [409, 409, 200]);
});

test("with If-Match nothing is created: apply and PUT return 409, or 404 for a kind that PUT does not create", async () => {
  await using server = await openTestServer();
  assert.equal((await ways["apply"]!(server, "*")).status, 409);
  assert.equal((await ways["PUT"]!(server, "*")).status, 404);
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" } };
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
  assert.equal((await write(server, "PUT", path, lease, "application/json", '"5"')).status, 409);
  assert.equal((await write(server, "PUT", path, lease, "application/json", "")).status, 201);
});

test("If-Match applies to subresources, and is the version of an update for kinds that require one", async () => {
  await using server = await openTestServer();
  const claim = { metadata: { name: "c" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } };
  const { metadata } = await server.api.create("v1", "persistentvolumeclaims", "default", claim);
  const status = (ifMatch: string) =>
    write(
      server,
      "PATCH",
      "/api/v1/namespaces/default/persistentvolumeclaims/c/status",
      { status: { phase: "Lost" } },
      "application/merge-patch+json",
      ifMatch,
    );
  assert.deepEqual([(await status("1")).status, (await status(`W/"${metadata.resourceVersion}"`)).status], [409, 200]);

  const driver = { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name: "d" }, spec: { attachRequired: true } };
  const made = await server.api.create("storage.k8s.io/v1", "csidrivers", "", driver);
  const put = async (ifMatch: string) =>
    (await write(server, "PUT", "/apis/storage.k8s.io/v1/csidrivers/d", driver, "application/json", ifMatch)).status;
  assert.deepEqual([await put(""), await put("*"), await put(made.metadata.resourceVersion!)], [422, 422, 200]);
});

test("GET and DELETE do not read If-Match: a deletion has preconditions in its options", async () => {
  await using server = await openTestServer();
  await server.api.create("v1", "configmaps", "default", { metadata: { name: "a" } });
  const of = (method: string) => send(server, method, `${maps}/a`, undefined, { headers: { "if-match": '"1"' } });
  assert.deepEqual([(await of("GET")).status, (await of("DELETE")).status], [200, 200]);
});

test("limit applies with continue and resourceVersion=0, from the cache and from the store", async () => {
  for (const on of [true, false]) {
    await using server = await openTestServer({ settings: { "feature-gates": { ListFromCacheSnapshot: on } } });
    for (const name of ["a", "b", "c", "d"]) {
      await server.api.create("v1", "configmaps", "default", { metadata: { name, labels: { t: "x" } } });
    }
    const names: string[][] = [];
    const remaining: (number | undefined)[] = [];
    for (let token: string | undefined = ""; token !== undefined;) {
      const rest: string = token === "" ? "" : `&continue=${token}&resourceVersion=0`;
      const { items, metadata } = await done(server, "GET", `/api/v1/namespaces/default/configmaps?limit=1${rest}`);
      names.push(items.map((item: { metadata: { name: string } }) => item.metadata.name));
      remaining.push(metadata.remainingItemCount);
      token = metadata.continue;
    }
    assert.deepEqual([names, remaining], [[["a"], ["b"], ["c"], ["d"]], [3, 2, 1, undefined]]);
  }
});
