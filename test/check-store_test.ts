// `thole check --store`: what it finds in both stores, and what it prints.
// In Deno's suite only: findings do not depend on the runtime; test/start/commands_test.ts runs commands on both.
import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Progress } from "../core/progress.ts";
import type { StoredKind } from "../kernel/catalog/catalog.ts";
import { withStoredResources } from "../commands/stored-resources.ts";
import { activeConfigOf } from "../server/config/active-config.ts";
import { withDefaults } from "../server/config/parse.ts";
import { liveSource } from "../commands/source/source.ts";
import { openSqlite } from "../kernel/store/sqlite/sqlite.ts";
import type { Store } from "../kernel/store/store.ts";
import { verifyStore } from "../commands/verify/verify-store.ts";
import { plugins } from "../plugins/mod.ts";
import type { Client } from "./https.ts";
import { ownRuntime, run, runtimePath, until } from "./real-server.ts";
import { stores, within } from "./stores.ts";
import { fillPageEntriesFirst } from "../kernel/cache/fill/pages.ts";
import { unreadableShownMax } from "../commands/verify/checks.ts";

const active = activeConfigOf(withDefaults({}), plugins);
const placeOfDefinitions = active.catalog.stored.find(({ plural }) => plural === "customresourcedefinitions")!.under;

async function checkStore(store: Store, prefix: string, kinds: readonly StoredKind[], progress?: Progress) {
  const { findings, ...verified } = await verifyStore(await liveSource(store, { prefix }), kinds, progress);
  return { ...verified, ...findings };
}

async function put(store: Store, key: string, text: string): Promise<void> {
  const path = `/registry/${key}`, { entry } = await store.get(path);
  const { done } = await store.commit({ key: path, expect: entry?.revision ?? "absent", value: new TextEncoder().encode(text) });
  assert.ok(done);
}

test("verifyStore() reads each object, and names those that cannot be read", async () => {
  const { catalog } = active;
  const store = await openSqlite(":memory:");
  const map = (name: string) => JSON.stringify({ kind: "ConfigMap", apiVersion: "v1", metadata: { name, namespace: "default" } });
  const pages: (readonly [number, number | undefined])[] = [];
  const progress: Progress = { done: (objects, left) => void pages.push([objects, left]), end: () => assert.fail() };
  try {
    for (let index = 0; index < 501; index++) await put(store, `configmaps/default/m-${index}`, map(`m-${index}`));
    await put(store, "example.com/rods/a", "{}");
    const { read, custom, other, unreadable, mismatched } = await checkStore(store, "/registry", catalog.stored, progress);
    assert.deepEqual([read, custom, other, unreadable.count, mismatched.count], [501, 0, 1, 0, 0]);
    assert.deepEqual([pages[0], pages.at(-1)![1]], [[fillPageEntriesFirst, 502 - fillPageEntriesFirst], 0]);
    assert.equal(pages.reduce((sum, [objects]) => sum + objects, 0), 502);
    await put(store, "configmaps/default/broken", "{");
    await put(store, "configmaps/default/other", map("another"));
    await put(store, "configmaps/default/newer", map("newer").replace('"v1"', '"v9"'));
    const broken = await checkStore(store, "/registry", catalog.stored);
    assert.deepEqual([broken.read, broken.unreadable.count], [504, 3]);
    const { texts } = broken.unreadable;
    assert.match(texts[0]!, /the object stored under "\/registry\/configmaps\/default\/broken" cannot be read/);
    assert.match(texts[1]!, /newer" cannot be read: no kind "ConfigMap" is known in version "v9"/);
    assert.equal(texts[2], 'the object stored under "/registry/configmaps/default/other" has the name "another"');
    for (let index = 0; index < unreadableShownMax; index++) await put(store, `configmaps/default/z-${index}`, "?");
    const many = await checkStore(store, "/registry", catalog.stored);
    assert.deepEqual([many.unreadable.count, many.unreadable.texts.length], [unreadableShownMax + 3, unreadableShownMax]);
  } finally {
    await store.close();
  }
});

const version = (name: string, storage: boolean, size: object) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { size } } } } },
});
const definitionOf = (kind: string, more: object = {}) => {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural, kind },
      versions: [version("v1", true, { type: "integer" }), version("v2", false, { type: "integer", maximum: 9 })],
      ...more,
    },
  };
};
const calls = {
  conversion: {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://127.0.0.1:1/convert" } },
  },
};
const objectOf = (kind: string, apiVersion: string, name: string, size: unknown) =>
  JSON.stringify({ kind, apiVersion, metadata: { name, namespace: "default" }, spec: { size } });

async function makeDefinitions(client: Client): Promise<void> {
  for (const body of [definitionOf("Rod"), definitionOf("Reel", calls)]) {
    const { status, text } = await client.ask("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { method: "POST", body });
    assert.equal(status, 201, text);
  }
  await until(async () => assert.equal((await client.ask("/apis/example.com/v1/namespaces/default/reels")).status, 200));
}

for (const { store, on, skip } of stores) {
  describe(`thole check --store on ${store}`, { skip }, () => {
    it("reads custom resources by the stored definitions, in each version, and shows those that do not match their schema", () =>
      on(async (open, args) => {
        await within(args, makeDefinitions);
        const opened = await open();
        try {
          for (const [kind, plural] of [["Rod", "rods"], ["Reel", "reels"]] as const) {
            const at = (name: string) => `example.com/${plural}/default/${name}`;
            await put(opened, at("first"), objectOf(kind, "example.com/v1", "first", 1));
            await put(opened, at("second"), objectOf(kind, "example.com/v2", "second", 9));
          }
          const { catalog } = await withStoredResources(opened, "/registry", active);
          const before = await checkStore(opened, "/registry", catalog.stored);
          assert.deepEqual([before.custom, before.unreadable.texts, before.mismatched.texts], [4, [], []]);
          const without = await checkStore(opened, "/registry", active.catalog.stored);
          assert.deepEqual([without.custom, without.other], [0, before.other + 4]);

          await put(opened, "example.com/reels/default/gone", objectOf("Reel", "example.com/v3", "gone", 1));
          await put(opened, "example.com/reels/default/torn", '{"kind":"Reel","apiVersion":"example.com/v2","metadata":7}');
          await put(opened, "example.com/reels/default/wide", objectOf("Reel", "example.com/v2", "wide", 10));
          await put(opened, "example.com/rods/default/gone", objectOf("Rod", "example.com/v3", "gone", 1));
          await put(opened, "example.com/rods/default/text", objectOf("Rod", "example.com/v1", "text", "long"));
          // Valid in v1, in which it is stored.
          await put(opened, "example.com/rods/default/wide", objectOf("Rod", "example.com/v1", "wide", 10));
          await put(opened, "example.com/nets/default/a", "{}"); // no definition
          // Definitions that cannot be read are reported, and define nothing.
          await put(opened, `${placeOfDefinitions}/nets.example.com`, "{");
          const after = await withStoredResources(opened, "/registry", active);
          const { custom, other, unreadable, mismatched } = await checkStore(opened, "/registry", after.catalog.stored);
          assert.deepEqual([custom, other], [10, before.other + 1]);
          assert.deepEqual(unreadable.texts.map((text) => text.split("; ")[0]), [
            `Internal error occurred: the object stored under "/registry/${placeOfDefinitions}/nets.example.com" cannot be read: unexpected end of JSON input`,
            'Internal error occurred: the object stored under "/registry/example.com/reels/default/gone" cannot be read: no kind "Reel" is known in version "example.com/v3"',
            'Internal error occurred: the object stored under "/registry/example.com/reels/default/torn" cannot be read: json: cannot unmarshal number into Go struct field Reel.metadata of type v1.ObjectMeta',
            'Internal error occurred: the object stored under "/registry/example.com/rods/default/gone" cannot be read: no kind "Rod" is known in version "example.com/v3"',
          ]);
          assert.deepEqual(mismatched.texts, [
            'the object stored under "/registry/example.com/reels/default/wide" does not match the schema of example.com/v2: spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9',
            'the object stored under "/registry/example.com/rods/default/text" does not match the schema of example.com/v1: spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
          ]);
        } finally {
          await opened.close();
        }
      }));

    it("exits with 0 for objects that only do not match their schema, and with 1 for one that cannot be read", () =>
      on(async (open, args) => {
        await within(args, makeDefinitions);
        const change = async (key: string, text: string) => {
          const opened = await open();
          await put(opened, key, text);
          await opened.close();
        };
        const main = fileURLToPath(new URL("../server/main.ts", import.meta.url));
        const flags = ownRuntime === "deno" ? ["run", "-A", "--no-check"] : ["--disable-warning=ExperimentalWarning"];
        const check = () => run(runtimePath(ownRuntime), [...flags, main, "check", "--store", ...args]);
        await change("example.com/rods/default/text", objectOf("Rod", "example.com/v1", "text", "long"));
        const first = await check();
        assert.match(
          first.output,
          /^The store has \d+ objects, 1 of them custom resources, and \d+ other keys\. 0 objects cannot be read, 1 custom/m,
        );
        // A check that takes seconds logs its progress.
        assert.match(
          first.errors.replaceAll(/^I.* server\] "checking the store.*\n/gm, ""),
          /^thole: the object stored under "\/registry\/example.com\/rods\/default\/text" does not match the schema/m,
        );
        assert.equal(first.code, 0);
        await change("example.com/rods/default/torn", "{");
        const second = await check();
        assert.match(second.errors, /^thole: Internal error occurred: the object stored under ".*torn" cannot be read/m);
        assert.equal(second.code, 1);
      }));
  });
}
