import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../testing.ts";
import { definePlugin, defineResource } from "./define/define.ts";
import { object } from "./meta/object.ts";
import { field, type Infer, int32, list, oneOf, record, string, struct } from "./schema.ts";
import { StatusError } from "./status-error.ts";
import type { Api } from "./api.ts";
import type { Resource } from "./plugin.ts";

const home = "example.com/v1", beta = "example.com/v1beta1";
const status = field(3, struct("ShipStatus", { crew: field(1, int32, "Sailors on board.") }), "What is.");
const Ship = object("Ship", {
  spec: field(
    2,
    struct("ShipSpec", {
      sails: field(1, int32, "Number of sails.", { required: true }),
      colour: field(2, oneOf("red", "green"), "The colour."),
      names: field(3, record(string), "Names by language."),
      ports: field(4, list(string), "Ports in their order."),
    }),
    "What is wanted.",
    { required: true },
  ),
  status,
}, { doc: "A ship." });
type Ship = Infer<typeof Ship>;
const BetaShip = object("Ship", {
  spec: field(2, struct("ShipSpec", { masts: field(1, int32, "Half the number of sails.") }), "What is wanted."),
  status,
}, { doc: "A ship." });
type BetaShip = Infer<typeof BetaShip>;
const Island = object("Island", { names: field(2, record(string), "Names by language.") }, { doc: "An island." });

const ships = defineResource<Ship>({
  kind: "Ship",
  scope: "Namespaced",
  summary: "A ship.",
  storedAs: home,
  storedUnder: "example.com/ships",
  served: {
    [home]: { schema: Ship, introduced: "1.0" },
    [beta]: {
      schema: BetaShip,
      introduced: "1.33",
      toStored: ({ spec, ...rest }: BetaShip): Ship => ({ ...rest, spec: { sails: 2 * (spec?.masts ?? 0) } }),
      fromStored: ({ spec, ...rest }: Ship): BetaShip => ({ ...rest, spec: { masts: spec.sails / 2 } }),
    },
  },
});
const islands = defineResource<Infer<typeof Island>>({
  kind: "Island",
  plural: "isles",
  scope: "Cluster",
  summary: "An island.",
  storedAs: home,
  storedUnder: "example.com/isles",
  served: { [home]: { schema: Island, introduced: "1.0" } },
});
const plugin = definePlugin({ name: "ships", summary: "For tests.", resources: [ships, islands] });
const open = () => openTestServer({ bare: true, plugins: [plugin], settings: { "runtime-config": { [beta]: true } } });
const ship = (name: string, sails = 1) => ({ metadata: { name }, spec: { sails } });
const isReason = (reason: string) => (error: unknown) => error instanceof StatusError && error.reason === reason;

/** Compiled only: each line marked so is an error of types. */
export async function wrongUses(api: Api): Promise<void> {
  const client = api.of(ships);
  const { spec } = await client.get("", "a");
  const sails: number = spec.sails;
  // @ts-expect-error a colour may be absent
  const colour: string = spec.colour;
  // @ts-expect-error there is no such field
  void [sails, colour, spec.sail];
  // @ts-expect-error sails are required
  await client.create("", { metadata: { name: "a" }, spec: {} });
  // @ts-expect-error not a colour
  await client.update("", "a", { metadata: {}, spec: { sails: 1, colour: "blue" } });
  // @ts-expect-error not a number
  await client.patch("", "a", { merge: { spec: { sails: "2" } } });
  // @ts-expect-error a field that does not exist
  await client.apply("", "a", { spec: { sail: 1 } });
  // @ts-expect-error a subresource that may have another kind
  await client.update("", "a", ship("a"), { subresource: "scale" });
  for await (const change of client.watch("", {}, new AbortController().signal)) {
    // @ts-expect-error a deleted object may have its metadata only
    void change.object.spec.sails;
    if (change.type !== "DELETED") void change.object.spec.sails;
  }
  // @ts-expect-error the other version has no sails
  void (await api.of(ships, BetaShip).get("", "a")).spec?.sails;
}

test("a typed client creates, reads, updates, patches, applies and deletes objects of its resource", async () => {
  await using server = await open();
  const client = server.api.of(ships);
  const created = await client.create("default", { ...ship("a", 2), status: { crew: 7 } });
  assert.deepEqual([created.kind, created.apiVersion, created.spec, created.status], ["Ship", home, { sails: 2 }, {}]);
  assert.deepEqual(await client.get("default", "a"), created);
  const updated = await client.update("default", "a", { ...created, spec: { sails: 3, names: { en: "Swan", de: "Schwan" } } });
  assert.deepEqual(updated.spec, { sails: 3, names: { en: "Swan", de: "Schwan" } });
  await assert.rejects(client.update("default", "a", created), isReason("Conflict"));
  const ready = await client.update("default", "a", { ...updated, status: { crew: 4 } }, { subresource: "status" });
  assert.deepEqual(ready.status, { crew: 4 });
  const merged = await client.patch("default", "a", { merge: { spec: { colour: "red", names: { de: null } } } });
  assert.deepEqual(merged.spec, { sails: 3, colour: "red", names: { en: "Swan" } });
  const replaced = await client.patch("default", "a", { json: [{ op: "replace", path: "/spec/sails", value: 4 }] }, { dryRun: true });
  assert.equal(replaced.spec.sails, 4);
  assert.equal(
    (await client.patch("default", "a", { strategic: { spec: { ports: ["Kiel"] } } })).spec.sails,
    3,
    "the dry run is not stored",
  );
  const applied = await client.apply("default", "b", { spec: { sails: 5 } }, { fieldManager: "yard" });
  assert.deepEqual([applied.kind, applied.metadata.namespace, applied.spec], ["Ship", "default", { sails: 5 }]);
  assert.equal(applied.metadata.managedFields?.[0]?.manager, "yard");
  await client.delete("default", "b", { preconditions: { uid: applied.metadata.uid } });
  await assert.rejects(client.get("default", "b"), isReason("NotFound"));
  await client.deleteCollection("default", { fieldSelector: "metadata.name=a" });
  assert.deepEqual((await client.list("default")).items, []);
});

test("a typed client lists in pages at one revision", async () => {
  await using server = await open();
  const client = server.api.of(ships);
  for (const name of ["a", "b", "c", "d", "e"]) await client.create(name === "e" ? "other" : "default", ship(name));
  const pages: (readonly (string | undefined)[])[] = [], revisions = new Set<string>();
  for await (const { items, metadata } of client.pages("default", 2)) {
    pages.push(items.map((each) => `${each.kind} ${each.metadata.name} ${each.spec.sails}`));
    revisions.add(metadata.resourceVersion);
    await client.create("default", ship(`later-${pages.length}`));
  }
  assert.deepEqual([pages, revisions.size], [[["Ship a 1", "Ship b 1"], ["Ship c 1", "Ship d 1"]], 1]);
  const { items, metadata } = await client.list("", { limit: "1", fieldSelector: "metadata.namespace=other" });
  assert.deepEqual([items.map((each) => each.metadata.name), metadata.continue], [["e"], undefined]);
});

test("a typed client watches what exists and every change", async () => {
  await using server = await open();
  const client = server.api.of(ships);
  await client.create("default", ship("a"));
  const ending = new AbortController(), seen: string[] = [];
  for await (const { type, object } of client.watch("default", {}, ending.signal)) {
    seen.push(`${type} ${object.metadata.name} ${object.spec?.sails}`);
    if (seen.length === 1) await client.patch("default", "a", { merge: { spec: { sails: 2 } } });
    if (seen.length === 2) await client.delete("default", "a");
    if (type === "DELETED") ending.abort();
  }
  assert.deepEqual(seen, ["ADDED a 1", "MODIFIED a 2", "DELETED a 2"]);
});

test("a typed client of another version has the objects of its schema", async () => {
  await using server = await open();
  const client = server.api.of(ships, BetaShip);
  const created = await client.create("default", { metadata: { name: "a" }, spec: { masts: 2 } });
  assert.deepEqual([created.apiVersion, created.spec], [beta, { masts: 2 }]);
  assert.equal((await server.api.of(ships, Ship).get("default", "a")).spec.sails, 4);
  const schema = object("Ship", {}, { doc: "Another ship." });
  assert.throws(
    () => server.api.of(ships, schema),
    /Cannot make a client of Ship: none of its versions \(.*v1, .*v1beta1\) has the schema/,
  );
});

test("a typed client of a cluster-scoped kind uses its plural and no namespace", async () => {
  await using server = await open();
  const client = server.api.of(islands);
  await client.create("", { metadata: { name: "a" }, names: { en: "Heligoland" } });
  assert.deepEqual((await client.list("")).items.map(({ names }) => names), [{ en: "Heligoland" }]);
});

test("a typed client of the test server rejects with the error that a hook threw", async () => {
  const failing: Resource<Ship> = defineResource({
    ...ships,
    create() {
      throw new Error("a bug of the hook");
    },
  });
  await using server = await openTestServer({ bare: true, plugins: [definePlugin({ ...plugin, resources: [failing] })] });
  await assert.rejects(server.api.of(failing).create("default", ship("a")), /a bug of the hook/);
});
