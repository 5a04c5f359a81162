// Values that admission steps make of whole collections: made again only when a collection has changed.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DerivedValues } from "../kernel/write/derived-values.ts";
import type { Item } from "../kernel/objects/objects.ts";
import type { Backend } from "../kernel/request-context.ts";
import type { Catalog, Endpoint } from "../kernel/catalog/catalog.ts";
import { type Admission, type ApiObject, definePlugin } from "../plugin.ts";
import { openTestServer } from "../testing.ts";
import { until } from "./real-server.ts";
import { ask } from "./requests.ts";

/** The collections that a step has made values of. */
const made: (readonly ApiObject[])[] = [];
const step: Admission = {
  name: "Derived",
  resources: "all",
  async refuse(_next, _prior, { resource: { plural }, server }) {
    if (plural !== "configmaps") return undefined;
    const collections = [{ groupVersion: "v1", resource: "secrets" }, { groupVersion: "missing.example.com/v1", resource: "none" }];
    const value = await server.derived(step, collections, ([secrets = [], none = []]) => {
      assert.deepEqual(none, []);
      made.push(secrets);
      return secrets.map(({ metadata: { name = "" } }) => name).join(" ");
    });
    return value;
  },
};

test("a derived value is made again after a change of its collections, and unchanged objects stay the same", async () => {
  const server = await openTestServer({ plugins: [definePlugin({ name: "derived", summary: "A step.", admission: [step] })] });
  const secrets = "/api/v1/namespaces/default/secrets", configMaps = "/api/v1/namespaces/default/configmaps";
  const message = async () => (await ask(server, "POST", configMaps, { metadata: { name: "x" } })).body.message as string;
  try {
    for (const name of ["a", "b"]) await ask(server, "POST", secrets, { metadata: { name } });
    await until(async () => assert.match(await message(), /forbidden: a b$/));
    const before = made.length;
    for (let time = 0; time < 10; time++) await message();
    await ask(server, "POST", "/api/v1/namespaces/default/events", { metadata: { name: "e", namespace: "default" } });
    await message();
    assert.equal(made.length, before);
    await ask(server, "PATCH", `${secrets}/b`, { metadata: { labels: { a: "b" } } });
    await ask(server, "POST", secrets, { metadata: { name: "c" } });
    await until(async () => assert.match(await message(), /forbidden: a b c$/));
    const [earlier, later] = [made[before - 1]!, made.at(-1)!];
    assert.equal(later[0], earlier[0]);
    assert.notEqual(later[1], earlier[1]);
    assert.deepEqual(later[1]!.metadata.labels, { a: "b" });
  } finally {
    await server.close();
  }
});

test("without memory the collection is listed each time, and the value is kept while no object has changed", async () => {
  const object = (name: string): ApiObject => ({ kind: "X", apiVersion: "v1", metadata: { name } });
  let items = [{ key: "a", revision: 1, object: object("a") }, { key: "b", revision: 2, object: object("b") }];
  const endpoint = { stored: { under: "xs" }, fromStored: (each: ApiObject) => ({ ...each }) } as unknown as Endpoint; // what is read of it
  const backend = { prefix: "", reads: { inMemory: () => undefined, changeMark: () => undefined } } as unknown as Backend;
  const reader = { endpointOf: () => endpoint, list: () => Promise.resolve(items as unknown as Item[]) };
  const values = new DerivedValues(backend, reader), key = {}, catalog = {} as Catalog;
  let makes = 0;
  const value = async () =>
    await values.of(key, catalog, [{ groupVersion: "v1", resource: "xs" }], ([xs = []]) => ({ xs, makes: ++makes }));
  const first = await value();
  assert.equal(await value(), first);
  items = [items[0]!, { key: "b", revision: 3, object: object("b") }];
  const second = await value();
  assert.equal(makes, 2);
  assert.equal(second.xs[0], first.xs[0]);
  assert.notEqual(second.xs[1], first.xs[1]);
});
