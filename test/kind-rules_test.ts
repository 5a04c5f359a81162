// Rules of single kinds that are not in the recordings, compared with a kube-apiserver.
// In Deno's suite only: rules of kinds use nothing of the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask as request, send } from "./requests.ts";

type Ask = (method: string, path: string, body?: unknown, type?: string) => Promise<Answer>;
interface Answer {
  readonly status: number;
  readonly body: any; // JSON of responses.
  readonly warnings: readonly string[];
}

function asking(server: TestServer): Ask {
  return async (method, path, body, type = "application/json") => {
    const answer = await request(server, method, path, body, type);
    const warning = answer.headers.get("warning") ?? "";
    return {
      status: answer.status,
      body: answer.body,
      warnings: [...warning.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text!),
    };
  };
}
const merge = "application/merge-patch+json", strategic = "application/strategic-merge-patch+json", apply = "application/apply-patch+yaml";
const core = "/api/v1/namespaces/default", storage = "/apis/storage.k8s.io/v1";

test("an immutable object distinguishes an empty map from an absent one, and stores neither", async () => {
  await using server = await openTestServer();
  const ask = asking(server);
  for (const [plural, kind, key] of [["configmaps", "ConfigMap", "binaryData"], ["secrets", "Secret", "data"]] as const) {
    const path = `${core}/${plural}`;
    for (const first of [undefined, {}, null]) {
      const object = { metadata: { name: "a" }, immutable: true };
      const made = await ask("POST", path, first === undefined ? object : { ...object, [key]: first });
      assert.equal(made.status, 201);
      assert.equal(made.body[key], undefined);
      assert.equal(made.body.metadata.managedFields[0].fieldsV1[`f:${key}`], undefined);
      const sent = { ...object, [key]: {} };
      for (
        const [method, body, type] of [
          ["PUT", sent, undefined],
          ["PATCH", { [key]: {} }, merge],
          ["PATCH", { [key]: {} }, strategic],
          ["PATCH", { apiVersion: "v1", kind, ...sent }, apply],
        ] as const
      ) {
        const { status, body: answer } = await ask(method, `${path}/a?fieldManager=m`, body, type);
        assert.equal(status, 422, `${plural} ${type}`);
        assert.equal(answer.details.causes[0].message, "Forbidden: field is immutable when `immutable` is set");
      }
      for (const same of [object, { ...object, [key]: null }]) assert.equal((await ask("PUT", `${path}/a`, same)).status, 200);
      await ask("DELETE", `${path}/a`);
    }
  }
  // A mutable object accepts it, without a new version.
  const open = await ask("POST", `${core}/configmaps`, { metadata: { name: "b" } });
  const same = await ask("PUT", `${core}/configmaps/b`, { metadata: { name: "b" }, binaryData: {} });
  assert.equal(same.body.metadata.resourceVersion, open.body.metadata.resourceVersion);
});

test("an error shows an empty map as {} and an absent one as null", async () => {
  await using server = await openTestServer();
  const ask = asking(server);
  await ask("POST", `${storage}/storageclasses`, { metadata: { name: "c" }, provisioner: "p", parameters: { a: "b" } });
  for (const [parameters, shown] of [[{}, "{}"], [null, "null"], [undefined, "null"]] as const) {
    const { body } = await ask("PUT", `${storage}/storageclasses/c`, { metadata: { name: "c" }, provisioner: "p", parameters });
    assert.equal(body.details.causes[0].message, `Invalid value: ${shown}: field is immutable`);
  }
  for (const [capacity, shown] of [[{}, "{}"], [undefined, "null"]] as const) {
    const spec = { capacity, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } };
    const { body } = await ask("POST", "/api/v1/persistentvolumes", { metadata: { name: "v" }, spec });
    assert.equal(body.details.causes[1].message, `Unsupported value: ${shown}: supported values: "storage"`);
  }
});

test("an apply that keeps the nil topology keys of a driver changes nothing, so its managed fields have no time", async () => {
  await using server = await openTestServer();
  const ask = asking(server);
  const spec = { drivers: [{ name: "d", nodeID: "n", topologyKeys: null }] };
  await ask("POST", `${storage}/csinodes`, { metadata: { name: "n" }, spec });
  const document = { apiVersion: "storage.k8s.io/v1", kind: "CSINode", metadata: { name: "n" }, spec };
  const { body } = await ask("PATCH", `${storage}/csinodes/n?fieldManager=m`, document, apply);
  const entry = body.metadata.managedFields.find(({ manager }: { manager: string }) => manager === "m");
  assert.equal(entry.operation, "Apply");
  assert.equal(entry.time, undefined);
});

test("warnings of deprecated labels in the topology of a capacity: expressions first, sorted by key", async () => {
  await using server = await openTestServer();
  const nodeTopology = {
    matchLabels: { "beta.kubernetes.io/os": "linux" },
    matchExpressions: [{ key: "ok", operator: "Exists" }, { key: "failure-domain.beta.kubernetes.io/zone", operator: "Exists" }],
  };
  const path = "/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities";
  const { status, warnings } = await asking(server)("POST", path, { metadata: { name: "a" }, storageClassName: "c", nodeTopology });
  assert.equal(status, 201);
  assert.deepEqual(warnings, [
    String
      .raw`nodeTopology.matchExpressions[1].key: failure-domain.beta.kubernetes.io/zone is deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead`,
    String.raw`nodeTopology.matchLabels.beta.kubernetes.io/os: deprecated since v1.14; use \"kubernetes.io/os\" instead`,
  ]);
});

test("an update of an attachment is validated as a create", async () => {
  await using server = await openTestServer();
  const ask = asking(server);
  const source = { persistentVolumeName: "v" };
  await ask("POST", `${storage}/volumeattachments`, { metadata: { name: "a" }, spec: { attacher: "d", nodeName: "n", source } });
  const { body } = await ask(
    "PATCH",
    `${storage}/volumeattachments/a`,
    { spec: { attacher: "/d", source: { persistentVolumeName: "" } } },
    merge,
  );
  assert.deepEqual(body.details.causes.map(({ field }: { field: string }) => field), [
    "spec.attacher",
    "spec.source.persistentVolumeName",
    "spec.source.persistentVolumeName",
    "spec",
  ]);
});

test("a watch as PartialObjectMetadataList ends at its first event with an error event", async () => {
  await using server = await openTestServer();
  const ask = asking(server);
  const { body } = await ask("POST", `${core}/configmaps`, { metadata: { name: "a" } });
  const watch = async (query: string, type = "application/json") => {
    const accept = `${type};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;
    const { status, text } = await request(server, "GET", `${core}/configmaps?watch=1&timeoutSeconds=30&${query}`, undefined, { accept });
    return [status, text] as const;
  };
  for (const type of ["application/json", "application/vnd.kubernetes.protobuf"]) assert.deepEqual(await watch("", type), [200, ""]);
  assert.deepEqual(
    await watch(`fieldSelector=metadata.name=none&allowWatchBookmarks=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan`),
    [200, ""],
  );
  const future = Number(body.metadata.resourceVersion) + 1000;
  const [status, text] = await watch(`resourceVersion=${future}&sendInitialEvents=1&resourceVersionMatch=NotOlderThan`);
  assert.equal(status, 200);
  assert.equal(JSON.parse(text).type, "ERROR");
});

test("the error of a migration condition that cannot be reverted shows the value of the request: null or an empty list", async () => {
  const settings = {
    "feature-gates": { StorageVersionMigrator: true },
    "runtime-config": { "storagemigration.k8s.io/v1beta1": true },
  };
  await using server = await openTestServer({ settings });
  const ask = asking(server);
  const path = "/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations";
  await ask("POST", path, { metadata: { name: "m" }, spec: { resource: { group: "none.example.com", resource: "things" } } });
  const lastTransitionTime = "2024-01-01T00:00:00Z";
  const conditions = [{ type: "Succeeded", status: "True", reason: "R", message: "", lastTransitionTime }];
  assert.equal((await ask("PATCH", `${path}/m/status`, { status: { conditions } }, merge)).status, 200);
  for (const [sent, shown] of [[null, "null"], [[], "[]"]] as const) {
    const { body } = await ask("PATCH", `${path}/m/status`, { status: { conditions: sent } }, merge);
    assert.equal(body.details.causes[0].message, `Invalid value: ${shown}: Success condition cannot be set to false once it is true`);
  }
});

test("objects that own each other are deleted with foreground propagation, and a removed reference releases its owner", async () => {
  await using server = await openTestServer();
  const ask = asking(server);
  const path = `${core}/configmaps`;
  const owner = (name: string, uid: string) => ({ apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true });
  const make = async (name: string, ownerReferences: object[]) =>
    (await ask("POST", path, { metadata: { name, ownerReferences } })).body.metadata.uid as string;
  const gone = async (name: string) => {
    // The garbage collector is asynchronous: the wait is bounded by the timeout of a watch.
    const answer = await send(server, "GET", `${path}?watch=1&timeoutSeconds=30&fieldSelector=metadata.name=${name}`);
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of answer.body!) {
      text += decoder.decode(piece, { stream: true });
      if (text.includes('"type":"DELETED"')) return true;
    }
    return false;
  };
  const a = await make("a", []);
  const b = await make("b", [owner("a", a)]);
  await ask("PATCH", `${path}/a`, { metadata: { ownerReferences: [owner("b", b)] } }, merge);
  const both = Promise.all([gone("a"), gone("b")]);
  await ask("DELETE", `${path}/a?propagationPolicy=Foreground`);
  assert.deepEqual(await both, [true, true]);

  const c = await make("c", []), d = await make("d", []);
  await make("e", [owner("c", c), owner("d", d)]);
  const first = gone("c");
  await ask("DELETE", `${path}/c?propagationPolicy=Foreground`);
  assert.equal(await first, true);
  const { body } = await ask("GET", `${path}/e`);
  assert.deepEqual(body.metadata.ownerReferences.map(({ name }: { name: string }) => name), ["d"]);
});

test("a response that is invalid YAML is a 500, although the object is written", async () => {
  await using server = await openTestServer();
  const yaml = async (method: string, path: string, body?: object) => {
    const { status, text } = await request(server, method, path, body, { accept: "application/yaml" });
    return [status, text] as const;
  };
  const refused =
    "apiVersion: v1\ncode: 500\nkind: Status\nmessage: 'yaml: control characters are not allowed'\nmetadata: {}\nstatus: Failure\n";
  const path = `${core}/configmaps`;
  for (const [index, odd] of ["\x7f", "\x80", "a\x9fb", "\ufffe", "\uffff"].entries()) {
    const name = `odd-${index}`;
    assert.deepEqual(await yaml("POST", path, { metadata: { name }, data: { k: odd } }), [500, refused]);
    assert.deepEqual(await yaml("GET", `${path}/${name}`), [500, refused]);
    assert.deepEqual(await yaml("GET", path), [500, refused]);
    const { body } = await asking(server)("GET", `${path}/${name}`);
    assert.equal(body.data.k, odd);
    assert.equal((await yaml("DELETE", `${path}/${name}`))[0], 200);
  }
  // An error response keeps its status code.
  assert.deepEqual(await yaml("POST", path, { metadata: { name: "a" }, data: { "\x7f": "x" } }), [422, refused]);
  assert.deepEqual(await yaml("GET", `${path}/%C2%80`), [404, refused]);
  const folded: readonly (readonly [string, string])[] = [
    ["\x85", "k: ' '"],
    ["a\x85b", "k: a b"],
    ["a  \x85  b", "k: a b"],
    ["a\x85\x85b", "k: |-\n    a\n    b"],
    ["\x85a", "k: ' a'"],
    ["\x01\ufeff", 'k: "\\x01\\uFEFF"'],
  ];
  for (const [index, [text, shown]] of folded.entries()) {
    const [status, answer] = await yaml("POST", path, { metadata: { name: `fold-${index}` }, data: { k: text } });
    assert.equal(status, 201);
    assert.ok(answer.startsWith(`apiVersion: v1\ndata:\n  ${shown}\n`), answer);
  }
});

test("the generation of a CSIDriver is the client's at creation and counts changes of the spec afterwards, without dropped fields", async () => {
  await using server = await openTestServer({ settings: { "feature-gates": { CSIServiceAccountTokenSecrets: false } } });
  const ask = asking(server);
  const path = `${storage}/csidrivers`;
  const made = await ask("POST", path, { metadata: { name: "none" }, spec: {} });
  assert.equal(made.body.metadata.generation, undefined);
  assert.equal((await ask("POST", path, { metadata: { name: "own", generation: 7 }, spec: {} })).body.metadata.generation, 7);
  const after = async (spec: object) => (await ask("PATCH", `${path}/none`, { spec }, merge)).body.metadata.generation;
  assert.equal(await after({ storageCapacity: false }), undefined, "the default is no change");
  assert.equal(await after({ tokenRequests: [] }), undefined, "an empty list is an absent one");
  assert.equal(await after({ serviceAccountTokenInSecrets: true }), undefined, "the gate is off");
  assert.equal(await after({ storageCapacity: true }), 1);
  assert.equal(await after({ requiresRepublish: true }), 2);
});
