import assert from "node:assert/strict";
import { test } from "node:test";
import { CborWriter } from "../../core/codec/cbor/write.ts";
import { newWriter } from "../../core/codec/protobufjs.ts";
import { readEnvelope, writeEnvelope } from "../../core/codec/protobuf.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { protobufWriter } from "../../core/derive/protobuf.ts";
import type { Progress } from "../../core/progress.ts";
import { readJson } from "../../core/tree/json.ts";
import { plugins } from "../../plugins/mod.ts";
import type { StoredKind } from "../../kernel/catalog/catalog.ts";
import { withStoredResources } from "../../commands/stored-resources.ts";
import { activeConfigOf } from "../../server/config/active-config.ts";
import { withDefaults } from "../../server/config/parse.ts";
import { testTransformer } from "../../server/encryption/test-transformer.ts";
import { fileSource, type Source } from "../../commands/source/source.ts";
import { openDatabase } from "../../commands/source/etcd-files/etcd-database.ts";
import { inMemory } from "../../commands/source/etcd-files/random-access.ts";
import { databaseFile, type KeyChange } from "../../commands/source/etcd-files/test-etcd-file.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import type { Store } from "../../kernel/store/store.ts";
import { type ChoiceOptions, chooser } from "../../commands/import/choice.ts";
import { importObjects } from "../../commands/import/import-objects.ts";
import { unreadableShownMax } from "../../commands/verify/checks.ts";

const active = activeConfigOf(withDefaults({}), plugins);
const kindOf = (plural: string): StoredKind => active.catalog.stored.find((kind) => kind.plural === plural)!;
const metaOf = (name: string, more: object = {}) => ({
  name,
  namespace: "default",
  uid: `uid-${name}`,
  generation: 3,
  creationTimestamp: "2020-01-02T03:04:05Z",
  finalizers: ["example.com/wait"],
  ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "uid-owner" }],
  managedFields: [{
    manager: "m",
    operation: "Update",
    apiVersion: "v1",
    time: "2020-01-02T03:04:05Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": {} },
  }],
  ...more,
});
const json = (object: object) => JSON.stringify(object);
const mapOf = (name: string, more: object = {}) => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: metaOf(name),
  data: { a: name },
  ...more,
});

/** As kube-apiserver stores built-in kinds. */
function protobufOf(object: ReturnType<typeof mapOf>): Uint8Array {
  const { metadata, data } = object, kind = kindOf("configmaps");
  const decoded = kind.storedForm("v1")!.decode(readTree(json({ metadata, data })));
  return writeEnvelope({ kind: "ConfigMap", apiVersion: "v1" }, protobufWriter(kind.schema as never)(decoded as never));
}
function readTree(text: string) {
  const read = readJson(text);
  assert.ok(read.ok);
  return read.tree;
}

const definition = {
  kind: "CustomResourceDefinition",
  apiVersion: "apiextensions.k8s.io/v1beta1",
  metadata: { name: "widgets.example.com", uid: "uid-crd" },
  spec: {
    group: "example.com",
    version: "v1",
    scope: "Namespaced",
    names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    validation: { openAPIV3Schema: { type: "object", properties: { size: { type: "integer" } } } },
    versions: [{ name: "v1", served: true, storage: true }],
    preserveUnknownFields: false,
  },
  status: {
    acceptedNames: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
    storedVersions: ["v1"],
    conditions: [{ type: "NamesAccepted", status: "True" }, { type: "Established", status: "True" }],
  },
};
const widget = { kind: "Widget", apiVersion: "example.com/v1", metadata: { name: "w", namespace: "default", uid: "uid-w" }, size: 3 };

const changes: readonly KeyChange[] = [
  { key: "/registry/configmaps/default/json", value: json(mapOf("json")) },
  { key: "/registry/configmaps/default/protobuf", value: protobufOf(mapOf("protobuf")) },
  { key: "/registry/configmaps/default/cbor", value: cborOf(mapOf("cbor")) },
  { key: "/registry/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com", value: json(definition) },
  { key: "/registry/example.com/widgets/default/w", value: json(widget) },
  {
    key: "/registry/events/default/e",
    value: json({ kind: "Event", apiVersion: "v1", metadata: metaOf("e"), involvedObject: {}, reason: "r" }),
  },
  {
    key: "/registry/leases/default/l",
    value: json({ kind: "Lease", apiVersion: "coordination.k8s.io/v1", metadata: metaOf("l"), spec: {} }),
  },
  { key: "/registry/deployments/default/d", value: json({ kind: "Deployment", apiVersion: "apps/v1", metadata: metaOf("d") }) },
  { key: "/registry/services/specs/default/s", value: json({ kind: "Service", apiVersion: "v1", metadata: metaOf("s") }) },
  { key: "/registry/ranges/serviceips", value: json({ kind: "RangeAllocation", apiVersion: "v1" }) },
  { key: "/registry/example.com/nets/default/n", value: json({ kind: "Net", apiVersion: "example.com/v1", metadata: { name: "n" } }) },
];

function cborOf(object: ReturnType<typeof mapOf>): Uint8Array {
  const kind = kindOf("configmaps"), decoded = kind.storedForm("v1")!.decode(readTree(json(object)));
  return cborWriter(kind.schema as never)(decoded as never, new CborWriter().selfDescribed()).finish();
}
const sourceOf = (some: readonly KeyChange[], options: Partial<Parameters<typeof fileSource>[1]> = {}) =>
  fileSource({ ...openDatabase(inMemory(databaseFile(some)), "/registry/"), close() {} }, { prefix: "/registry", ...options });

async function chooserOf(source: Source, more: Partial<ChoiceOptions> = {}, settings = active) {
  const { catalog } = await withStoredResources(source, source.prefix, settings);
  return chooser({ catalog, prefix: source.prefix, skip: new Set(), include: new Set(), dropsUnknownFields: false, ...more });
}
async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const store = await openSqlite(":memory:");
  try {
    await work(store);
  } finally {
    await store.close();
  }
}
const targetOf = (store: Store, overwrites = false) => ({ store, prefix: "/own", encoding: "json" as const, overwrites });
const textOf = async (store: Store, key: string) => {
  const { entry } = await store.get(key);
  return entry === undefined ? undefined : new TextDecoder().decode(entry.value);
};

test("importObjects() writes objects of each encoding with all of their metadata, and says why others are left behind", () =>
  withStore(async (store) => {
    const source = sourceOf(changes), pages: number[] = [];
    const progress: Progress = { done: (objects) => void pages.push(objects), end: () => assert.fail() };
    const { survey, outcomes, problems } = await importObjects(source, await chooserOf(source), targetOf(store), progress);
    assert.deepEqual(problems.texts, []);
    assert.deepEqual(outcomes, { created: 7, equal: 0, overwritten: 0, different: 0, unverified: 0 });
    assert.equal(pages.reduce((sum, count) => sum + count, 0), changes.length);
    for (const name of ["json", "protobuf", "cbor"]) {
      assert.deepEqual(JSON.parse(await textOf(store, `/own/configmaps/default/${name}`) ?? ""), mapOf(name), name);
    }
    assert.deepEqual(JSON.parse(await textOf(store, "/own/example.com/widgets/default/w") ?? ""), widget);
    const own = JSON.parse(await textOf(store, "/own/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com") ?? "");
    assert.equal(own.apiVersion, "apiextensions.k8s.io/v1");
    assert.deepEqual(own.spec.versions, [{ name: "v1", served: true, storage: true, schema: definition.spec.validation }]);
    // The definition is the first object that is written.
    assert.equal((await store.get("/own/apiextensions.k8s.io/customresourcedefinitions/widgets.example.com")).entry?.revision, 2);
    const { count } = await store.list({ prefix: "/" });
    assert.equal(count, 7);
    const rows = survey.rows().map(({ resource, version, namespace, objects, left }) => [resource, version, namespace, objects, left]);
    assert.deepEqual(rows, [
      ["configmaps", "v1", "default", 3, ""],
      ["customresourcedefinitions.apiextensions.k8s.io", "apiextensions.k8s.io/v1beta1", "", 1, ""],
      ["deployments.apps", "apps/v1", "default", 1, ""],
      ["events", "v1", "default", 1, "events expire within an hour (--include=events)"],
      ["leases", "coordination.k8s.io/v1", "default", 1, "leases belong to running processes of the other server (--include=leases)"],
      ["nets.example.com", "example.com/v1", "", 1, "no established CustomResourceDefinition"],
      ["ranges", "v1", "", 1, "internal state of kube-apiserver"],
      ["services", "v1", "default", 1, ""],
      ["widgets.example.com", "example.com/v1", "default", 1, ""],
    ]);
  }));

test("importObjects() writes definitions first, whatever the domain of their group is", () =>
  withStore(async (store) => {
    const domain = "zoo.example",
      definitions = `apiextensions.${domain}`,
      settings = activeConfigOf(withDefaults({ "group-domain": domain }), plugins);
    const group = "a.example.com"; // Keys with it come before those of definitions.
    const source = sourceOf([
      { key: `/registry/${group}/widgets/default/w`, value: json({ ...widget, apiVersion: `${group}/v1` }) },
      {
        key: `/registry/${definitions}/customresourcedefinitions/widgets.${group}`,
        value: json({
          ...definition,
          apiVersion: `${definitions}/v1beta1`,
          metadata: { name: `widgets.${group}`, uid: "u" },
          spec: { ...definition.spec, group },
        }),
      },
    ]);
    const written: string[] = [];
    const watching: Pick<Store, "get" | "commit"> = {
      get: (key) => store.get(key),
      commit(change) {
        written.push(change.key);
        return store.commit(change);
      },
    };
    await importObjects(source, await chooserOf(source, {}, settings), { ...targetOf(store), store: watching });
    assert.deepEqual(written, [`/own/${definitions}/customresourcedefinitions/widgets.${group}`, `/own/${group}/widgets/default/w`]);
  }));

test("importObjects() without a target writes nothing and finds the same", async () => {
  const source = sourceOf(changes), { outcomes, survey } = await importObjects(source, await chooserOf(source), undefined);
  assert.equal(outcomes.created, 0);
  assert.equal(survey.rows().length, 9);
});

test("importObjects() skips equal objects, and keeps those that differ unless they are to be replaced", () =>
  withStore(async (store) => {
    const source = sourceOf(changes), choose = await chooserOf(source);
    await importObjects(source, choose, targetOf(store));
    const key = "/own/configmaps/default/json", { entry } = await store.get(key);
    // Another form of the same object is equal.
    const cbor = "/own/configmaps/default/cbor", before = await store.get(cbor);
    await store.commit({ key: cbor, expect: before.entry!.revision, value: cborOf(mapOf("cbor")) });
    await store.commit({ key, expect: entry!.revision, value: new TextEncoder().encode(json(mapOf("json", { data: { a: "own" } }))) });
    const kept = await importObjects(source, choose, targetOf(store));
    assert.deepEqual(kept.outcomes, { created: 0, equal: 6, overwritten: 0, different: 1, unverified: 0 });
    assert.deepEqual(kept.problems.texts, [
      'the object "/registry/configmaps/default/json" is in the store and differs: it was kept (--overwrite replaces it)',
    ]);
    assert.match(await textOf(store, key) ?? "", /"own"/);
    const replaced = await importObjects(source, choose, targetOf(store, true));
    assert.deepEqual(replaced.outcomes, { created: 0, equal: 6, overwritten: 1, different: 0, unverified: 0 });
    assert.deepEqual(JSON.parse(await textOf(store, key) ?? ""), mapOf("json"));
  }));

test("importObjects() reports an object that another program changes before it is read again", () =>
  withStore(async (store) => {
    const source = sourceOf(changes.slice(0, 1));
    const changing: Pick<Store, "get" | "commit"> = {
      get: (key) => store.get(key),
      async commit(change) {
        const done = await store.commit(change);
        if (done.done) {
          await store.commit({ ...change, expect: done.revision, value: new TextEncoder().encode(json(mapOf("json", { data: {} }))) });
        }
        return done;
      },
    };
    const { outcomes, problems } = await importObjects(source, await chooserOf(source), { ...targetOf(store), store: changing });
    assert.equal(outcomes.unverified, 1);
    assert.match(problems.texts[0]!, /was written and is not in the store as it was written/);
  }));

test("--skip, --include and --drop-unknown-fields change what is imported; events get their time to live", () =>
  withStore(async (store) => {
    const newer = { key: "/registry/configmaps/default/newer", value: json(mapOf("newer", { novel: 1 })) };
    const wire = protobufOf(mapOf("wire")), end = newWriter().uint32(8 * 99).uint32(1).finish();
    const { kind, apiVersion } = mapOf("wire");
    const source = sourceOf([...changes, newer, {
      key: "/registry/configmaps/default/wire",
      value: writeEnvelope({ kind, apiVersion }, Uint8Array.from([...readEnvelope(wire).raw, ...end])),
    }]);
    const strict = await importObjects(source, await chooserOf(source), undefined);
    assert.deepEqual(strict.problems.texts, [
      'the object stored under "/registry/configmaps/default/newer" has fields that this release does not have: novel (--drop-unknown-fields imports it without them)',
      'the object stored under "/registry/configmaps/default/wire" has fields that this release does not have: #99 (--drop-unknown-fields imports it without them)',
    ]);
    let ttlSeconds: number | undefined;
    const watching: Pick<Store, "get" | "commit"> = {
      get: (key) => store.get(key),
      commit(change) {
        if (change.key.startsWith("/own/events/")) ttlSeconds = change.ttlSeconds;
        return store.commit(change);
      },
    };
    const choose = await chooserOf(source, {
      skip: new Set(["widgets.example.com"]),
      include: new Set(["events", "leases.coordination.k8s.io"]),
      dropsUnknownFields: true,
    });
    const { outcomes, problems } = await importObjects(source, choose, { ...targetOf(store), store: watching });
    assert.deepEqual([outcomes.created, problems.count, ttlSeconds], [10, 0, 3600]);
    assert.equal(await textOf(store, "/own/example.com/widgets/default/w"), undefined);
    assert.deepEqual(JSON.parse(await textOf(store, "/own/configmaps/default/newer") ?? ""), mapOf("newer"));
  }));

test("values that cannot be read, are at a wrong key, of an unknown version or encrypted are problems, and nothing else is lost", () =>
  withStore(async (store) => {
    const at = (name: string) => `/registry/configmaps/default/${name}`;
    const source = sourceOf([
      { key: at("good"), value: json(mapOf("good")) },
      { key: at("torn"), value: "{" },
      { key: at("moved"), value: json(mapOf("other")) },
      { key: at("old"), value: json({ ...mapOf("old"), apiVersion: "v9" }) },
      { key: "/registry/configmaps/other/spaced", value: json(mapOf("spaced")) },
      { key: at("kind"), value: json({ ...mapOf("kind"), kind: "Secret" }) },
      { key: "/registry/secrets/default/s", value: "k8s:enc:aescbc:v1:key1:xyz" },
    ], { keys: testTransformer(["aescbc", "other", new Uint8Array(16)]) });
    const { outcomes, problems, survey } = await importObjects(source, await chooserOf(source), targetOf(store));
    assert.equal(outcomes.created, 1);
    const texts = Object.fromEntries(problems.texts.map((text) => [/stored under "\/registry\/(.*?)"/.exec(text)![1]!, text]));
    assert.match(texts["configmaps/default/torn"]!, /^the object stored under .* cannot be read: unexpected end of JSON input$/);
    assert.match(texts["configmaps/default/moved"]!, /has the name "other"$/);
    assert.match(texts["configmaps/default/old"]!, /: no kind "ConfigMap" is known in version "v9"; it is not lost: /);
    assert.match(texts["configmaps/other/spaced"]!, /has the namespace "default"$/);
    assert.match(texts["configmaps/default/kind"]!, /has the kind "Secret": expected ConfigMap$/);
    assert.match(
      texts["secrets/default/s"]!,
      /it is encrypted by aescbc with key "key1", for which --from-encryption-provider-config has no key$/,
    );
    assert.equal(problems.count, 6);
    assert.deepEqual(survey.rows().filter(({ left }) => left === "encrypted").map(({ resource, namespace }) => [resource, namespace]), [[
      "secrets",
      "default",
    ]]);
    const many = sourceOf(Array.from({ length: unreadableShownMax + 1 }, (_, index) => ({ key: at(`${index}`), value: "?" })));
    const { problems: bounded } = await importObjects(many, await chooserOf(many), undefined);
    assert.deepEqual([bounded.count, bounded.texts.length, bounded.hidden], [unreadableShownMax + 1, unreadableShownMax, 1]);
  }));

test("service account tokens are counted", async () => {
  const secret = { kind: "Secret", apiVersion: "v1", metadata: metaOf("t"), type: "kubernetes.io/service-account-token" };
  const source = sourceOf([{ key: "/registry/secrets/default/t", value: json(secret) }]);
  assert.equal((await importObjects(source, await chooserOf(source), undefined)).tokens, 1);
});
