import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeApi, fakeContext } from "../../testing/fakes.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { alreadyExistsError, conflictError, forbiddenError, internalError, notFoundError } from "../../core/status-error.ts";
import { rootCaController } from "./root-ca-controller.ts";

const rootCertificates = "-----BEGIN CERTIFICATE-----\n", annotation = "kubernetes.io/description";
const maps = { group: "", name: "configmaps" };
type Change = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: ApiObject };
const namespace = (name: string, more: object = {}): ApiObject => ({ kind: "Namespace", apiVersion: "v1", metadata: { name, ...more } });
const map = (into: string, data: object, annotations: object = { [annotation]: "d" }): any => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "kube-root-ca.crt", namespace: into, resourceVersion: "5", annotations },
  data,
});

interface FakeCluster {
  readonly changes: Readonly<Record<string, readonly Change[]>>;
  readonly stored?: readonly any[];
  readonly writeError?: Error;
  readonly logError?: (sentence: string) => void;
}

/** Runs the controller with these watch events and returns its writes as `verb namespace at resourceVersion`. */
async function written({ changes, stored = [], writeError, logError }: FakeCluster): Promise<readonly string[]> {
  const writes: string[] = [];
  const write = (verb: string, into: string, object: any) => {
    if (writeError !== undefined) return Promise.reject(writeError);
    assert.deepEqual([object.metadata.name, object.data], ["kube-root-ca.crt", { "ca.crt": rootCertificates }]);
    assert.ok(object.metadata.annotations[annotation]);
    const { resourceVersion = "none" } = object.metadata;
    writes.push(`${verb} ${into} at ${resourceVersion}`);
    return Promise.resolve(object);
  };
  const api = fakeApi({
    get: (_groupVersion, _resource, into, name) => {
      const found = stored.find(({ metadata }) => metadata.namespace === into);
      return found === undefined ? Promise.reject(notFoundError(maps, name)) : Promise.resolve(found);
    },
    create: (_groupVersion, _resource, into, object) => write("create", into, object),
    update: (_groupVersion, _resource, into, _name, object) => write("update", into, object),
    watch: async function* (_groupVersion, resource) {
      yield* changes[resource] ?? [];
    },
  });
  const context = fakeContext({ api, rootCertificates, ...(logError === undefined ? {} : { logError }) });
  await rootCaController.run(context, new AbortController().signal);
  return writes.toSorted();
}

test("the controller creates the ConfigMap in every active namespace, and restores changed and deleted ones", async () => {
  const right = map("right", { "ca.crt": rootCertificates });
  const writes = await written({
    changes: {
      namespaces: [
        { type: "ADDED", object: namespace("new") },
        { type: "ADDED", object: namespace("right") },
        { type: "ADDED", object: namespace("ending", { deletionTimestamp: "2024-01-02T03:04:05Z" }) },
        { type: "DELETED", object: namespace("gone") },
      ],
      configmaps: [
        { type: "ADDED", object: right },
        { type: "MODIFIED", object: map("changed", {}) },
        { type: "MODIFIED", object: map("more", {}) },
        { type: "MODIFIED", object: map("bare", {}) },
        { type: "DELETED", object: map("lost", {}) },
      ],
    },
    stored: [
      right,
      map("changed", { "ca.crt": "x" }),
      map("more", { "ca.crt": rootCertificates, other: "" }),
      map("bare", { "ca.crt": rootCertificates }, {}),
    ],
  });
  assert.deepEqual(writes, ["create lost at none", "create new at none", "update bare at 5", "update changed at 5", "update more at 5"]);
});

test("the controller logs an immutable ConfigMap with other data once, and adds the annotation to one with the right data", async () => {
  const logged: string[] = [];
  const immutable = (into: string, data: object, annotations?: object) => ({ ...map(into, data, annotations), immutable: true });
  const other = immutable("other", { "ca.crt": "x" });
  const bare = immutable("bare", { "ca.crt": rootCertificates }, {});
  const more = immutable("more", { "ca.crt": rootCertificates, other: "" });
  const writes = await written({
    changes: {
      namespaces: ["other", "bare", "more"].map((name) => ({ type: "ADDED", object: namespace(name) })),
      configmaps: [other, bare, more].map((object) => ({ type: "MODIFIED", object })),
    },
    stored: [other, bare, more],
    logError: (sentence) => void logged.push(sentence),
  });
  assert.deepEqual(writes, ["update bare at 5", "update bare at 5"]);
  assert.deepEqual(logged.map((sentence) => sentence.split(" ")[1]).toSorted(), ['"more/kube-root-ca.crt"', '"other/kube-root-ca.crt"']);
  assert.match(logged.join(), /is immutable and holds other certificates/);
});

test("the controller ignores conflicts and terminating namespaces, and rejects with other errors", async () => {
  const changes = { namespaces: [{ type: "ADDED", object: namespace("one") }] } as const;
  const name = "kube-root-ca.crt";
  for (
    const writeError of [
      alreadyExistsError(maps, name),
      conflictError(maps, name, "changed"),
      notFoundError(maps, "one"),
      forbiddenError(maps, name, "ending"),
    ]
  ) assert.deepEqual(await written({ changes, writeError }), []);
  await assert.rejects(written({ changes, writeError: internalError("broken") }), /broken/);
});

test("without root certificates the controller makes no request", async () => {
  const ending = new AbortController();
  const running = rootCaController.run(fakeContext({}), ending.signal);
  ending.abort();
  await running;
});
