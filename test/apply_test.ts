// In Deno's suite only: what the API answers does not depend on the runtime.
/** Server-side apply over HTTP with many clients, many writes or several runs of a server, which recordings cannot contain. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { definePlugin, defineResource } from "../core/define/define.ts";
import { object } from "../core/meta/object.ts";
import type { Plugin } from "../core/plugin.ts";
import { field, list, mapBy, string, struct } from "../core/schema.ts";
import { plugins } from "../plugins/mod.ts";
import { startTestServer, type TestServer } from "./harness.ts";
import { type Answer, type Client, httpsClient } from "./https.ts";
import { updateManagersMax } from "../core/apply/owners.ts";
import { documentDepthMax } from "../core/bounds.ts";

const path = "/api/v1/namespaces/default/configmaps";

function clientOf(server: TestServer): Client {
  return httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
}
function apply(client: Client, at: string, manager: string, body: unknown, more = ""): Promise<Answer> {
  const headers = { "content-type": "application/apply-patch+yaml" };
  return client.ask(`${at}?fieldManager=${manager}${more}`, { method: "PATCH", headers, body });
}
const configMap = (name: string, data: Record<string, string>) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

describe("apply", () => {
  let server: TestServer, client: Client;
  before(async () => {
    server = await startTestServer();
    client = clientOf(server);
  });
  after(async () => {
    client.close();
    await server.close();
  });

  test("of concurrent applies of an absent object, one creates it and the others update it", async () => {
    const managers = Array.from({ length: 12 }, (_, i) => `m${i}`);
    const answers = await Promise.all(
      managers.map((manager) => apply(client, `${path}/race`, manager, configMap("race", { [manager]: "1" }))),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [...managers.slice(1).map(() => 200), 201]);
    const made = (await client.ask(`${path}/race`)).json();
    assert.deepEqual(Object.keys(made.data).sort(), managers.toSorted());
    assert.deepEqual(made.metadata.managedFields.map((entry: { manager: string }) => entry.manager).sort(), managers.toSorted());
  });

  test("an apply that names a UID creates nothing", async () => {
    const body = { ...configMap("gone", {}), metadata: { name: "gone", uid: "u-1" } };
    const refused = await apply(client, `${path}/gone`, "m", body);
    assert.deepEqual([refused.status, refused.json().reason], [409, "Conflict"]);
    assert.match(refused.json().message, /: uid mismatch: the provided object specified uid u-1, and no existing object was found$/);
    assert.equal((await client.ask(`${path}/gone`)).status, 404);
    const { uid } = (await apply(client, `${path}/gone`, "m", configMap("gone", {}))).json().metadata;
    assert.equal((await apply(client, `${path}/gone`, "m", { ...body, metadata: { name: "gone", uid } })).status, 200);
  });

  test("managed fields stay bounded for any number of managers", async () => {
    for (let i = 0; i < 60; i++) {
      await apply(client, `${path}/grown`, `applier${i % 3}`, configMap("grown", { [`a${i % 3}`]: String(i) }));
      const headers = { "content-type": "application/merge-patch+json", "user-agent": `agent${i}/1` };
      const patched = await client.ask(`${path}/grown`, { method: "PATCH", headers, body: { data: { [`u${i}`]: "1" } } });
      assert.equal(patched.status, 200);
    }
    const entries: readonly { operation: string; manager: string }[] = (await client.ask(`${path}/grown`)).json().metadata.managedFields;
    assert.equal(entries.filter(({ operation }) => operation === "Apply").length, 3);
    assert.equal(entries.filter(({ operation }) => operation === "Update").length, updateManagersMax);
    assert.ok(entries.some(({ manager }) => manager === "ancient-changes"));
  });

  test("an apply that changes nothing is not written", async () => {
    const first = (await apply(client, `${path}/same`, "one", configMap("same", { a: "1" }))).json();
    const again = (await apply(client, `${path}/same`, "one", configMap("same", { a: "1" }))).json();
    assert.deepEqual(again, first);
  });

  test("an empty list of a request is absent once stored, so the next writer does not own it", async () => {
    const nodes = "/apis/storage.k8s.io/v1/csinodes";
    const node = (name: string, drivers: readonly object[]) => ({
      apiVersion: "storage.k8s.io/v1",
      kind: "CSINode",
      metadata: { name, labels: { a: "1" } },
      spec: { drivers },
    });
    const made = await client.ask(`${nodes}?fieldManager=one`, { method: "POST", body: node("sent-empty", []) });
    assert.equal(made.status, 201);
    const headers = { "content-type": "application/merge-patch+json" };
    const body = { metadata: { labels: { b: "2" } } };
    const patched = (await client.ask(`${nodes}/sent-empty?fieldManager=two`, { method: "PATCH", headers, body })).json();
    const owned = patched.metadata.managedFields.map((entry: any) => [entry.manager, "f:spec" in entry.fieldsV1]);
    assert.deepEqual(owned, [["one", true], ["two", false]]);

    // An emptied list after an apply, and an update with the same object.
    const at = `${nodes}/applied-twice`;
    for (const label of ["1", "2"]) {
      const document = node("applied-twice", [{ name: "d", nodeID: "n" }]);
      await apply(client, at, "one", { ...document, metadata: { ...document.metadata, labels: { a: label } } });
    }
    const read = (await client.ask(at)).json();
    assert.deepEqual((await client.ask(at, { method: "PUT", body: read })).json(), read);
  });

  test("a document of the maximum depth is rejected, and the server continues", async () => {
    const deep = (levels: number) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"data":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    for (const levels of [100, documentDepthMax - 1, documentDepthMax + 1]) {
      const { status } = await apply(client, `${path}/deep`, "one", deep(levels));
      assert.ok(status === 500 || status === 400, `${levels} levels: ${status}`);
    }
    assert.equal((await client.ask(`${path}/same`)).status, 200);
  });

  test("a dry run of an apply returns the result and stores nothing", async () => {
    const shown = await apply(client, `${path}/dry`, "one", configMap("dry", { a: "1" }), "&dryRun=All");
    assert.equal(shown.status, 201);
    assert.equal(shown.json().metadata.managedFields.length, 1);
    assert.equal((await client.ask(`${path}/dry`)).status, 404);
  });
});

const Part = struct("Part", {
  name: field(1, string, "Name.", { required: true }),
  value: field(2, string, "Value."),
}, { package: "example.test/v1", doc: "A part." });

/** A kind whose list is merged by name, or atomic. */
function kindWith(parts: "map" | "atomic"): readonly Plugin[] {
  const node = parts === "map" ? mapBy(["name"], Part) : list(Part);
  const Thing = object("Thing", { parts: field(2, node, "Parts.") }, { package: "example.test/v1", doc: "A thing with parts." });
  const things = defineResource({
    kind: "Thing",
    scope: "Namespaced",
    summary: "A thing with parts.",
    storedAs: "example.test/v1",
    storedUnder: "example.test/things",
    served: { "example.test/v1": { schema: Thing, introduced: "1.0" } },
  });
  return [...plugins, definePlugin({ name: "things", summary: "Things with parts.", resources: [things] })];
}

test("apply supports a list that changes from map to atomic and back between runs of a server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "thole-apply-"));
  const at = "/apis/example.test/v1/namespaces/default/things/one";
  const thing = (...parts: { name: string; value: string }[]) => ({
    apiVersion: "example.test/v1",
    kind: "Thing",
    metadata: { name: "one" },
    parts,
  });
  const inRun = async (parts: "map" | "atomic", work: (client: Client) => Promise<void>) => {
    const server = await startTestServer({ args: [`--data-dir=${folder}`], plugins: kindWith(parts) });
    const client = clientOf(server);
    try {
      await work(client);
    } finally {
      client.close();
      await server.close();
    }
  };
  const a = { name: "a", value: "1" }, b = { name: "b", value: "1" }, c = { name: "c", value: "1" };
  try {
    await inRun("map", async (client) => {
      assert.equal((await apply(client, at, "alpha", thing(a))).status, 201);
      assert.deepEqual((await apply(client, at, "beta", thing(b))).json().parts, [a, b]);
    });
    await inRun("atomic", async (client) => {
      const refused = (await apply(client, at, "gamma", thing(c))).json();
      assert.equal(refused.message, 'Apply failed with 2 conflicts: conflicts with "alpha":\n- .parts\nconflicts with "beta":\n- .parts');
      const taken = (await apply(client, at, "gamma", thing(c), "&force=true")).json();
      assert.deepEqual(taken.parts, [c]);
      assert.deepEqual(
        taken.metadata.managedFields.map(({ manager, fieldsV1 }: { manager: string; fieldsV1: unknown }) => [manager, fieldsV1]),
        [
          ["gamma", { "f:parts": {} }],
        ],
      );
    });
    await inRun("map", async (client) => {
      const both = (await apply(client, at, "alpha", thing(a))).json();
      assert.deepEqual(both.parts.map(({ name }: { name: string }) => name).sort(), ["a", "c"]);
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("ownership in two versions is compared by conversion between the versions", async () => {
  const old = object("Thing", { text: field(2, string, "Text."), label: field(3, string, "Label.") }, {
    package: "two.test/v1beta1",
    doc: "A thing.",
  });
  const next = object("Thing", { title: field(2, string, "Text."), label: field(3, string, "Label.") }, {
    package: "two.test/v1",
    doc: "A thing.",
  });
  const renamed = (from: string, to: string) => (value: Record<string, unknown>) => {
    const { [from]: moved, ...rest } = value;
    return moved === undefined ? rest : { ...rest, [to]: moved };
  };
  const things = defineResource({
    kind: "Thing",
    scope: "Namespaced",
    summary: "A thing.",
    storedAs: "two.test/v1",
    storedUnder: "two.test/things",
    served: {
      "two.test/v1": { schema: next, introduced: "1.0" },
      "two.test/v1beta1": {
        schema: old,
        introduced: "1.0",
        toStored: renamed("text", "title") as (served: any) => any,
        fromStored: renamed("title", "text") as (stored: any) => any,
      },
    },
  });
  const server = await startTestServer({
    args: ["--runtime-config=two.test/v1beta1=true"],
    plugins: [...plugins, definePlugin({ name: "two", summary: "Two versions.", resources: [things] })],
  });
  const client = clientOf(server);
  const at = (version: string) => `/apis/two.test/${version}/namespaces/default/things/one`;
  const thing = (version: string, fields: object) => ({
    apiVersion: `two.test/${version}`,
    kind: "Thing",
    metadata: { name: "one" },
    ...fields,
  });
  try {
    assert.equal((await apply(client, at("v1beta1"), "alpha", thing("v1beta1", { text: "a", label: "l" }))).status, 201);
    const refused = (await apply(client, at("v1"), "beta", thing("v1", { title: "b" }))).json();
    assert.equal(refused.message, 'Apply failed with 1 conflict: conflict with "alpha": .text');
    const forced = (await apply(client, at("v1"), "beta", thing("v1", { title: "b" }), "&force=true")).json();
    assert.equal(forced.title, "b");
    const sets = forced.metadata.managedFields.map((entry: any) => [entry.manager, entry.apiVersion, entry.fieldsV1]);
    assert.deepEqual(sets.sort(), [["alpha", "two.test/v1beta1", { "f:label": {} }], ["beta", "two.test/v1", { "f:title": {} }]]);
    // Fields that the manager omits are removed, also if it applies in the other version now.
    const moved = (await apply(client, at("v1"), "alpha", thing("v1", { title: "b" }))).json();
    assert.equal(moved.label, undefined);
    assert.equal(moved.title, "b");
  } finally {
    client.close();
    await server.close();
  }
});
