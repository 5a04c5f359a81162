// Responses that are not in the recordings, compared with those of a kube-apiserver.
import assert from "node:assert/strict";
import { test } from "node:test";
import { writeEnvelope } from "../core/codec/protobuf.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask as request, send, textOf } from "./requests.ts";
import { gzipBytesMin } from "../kernel/objects/chunks.ts";

interface Sent {
  readonly body?: object | Uint8Array;
  readonly headers?: Record<string, string>;
}
const ask = (server: TestServer, method: string, path: string, { body, headers = {} }: Sent = {}) =>
  request(server, method, path, body, { headers });
const configMaps = "/api/v1/namespaces/default/configmaps";
const merge = { "content-type": "application/merge-patch+json" };

test("an invalid name is rejected before the object is read; PUT checks the name in the body first", async () => {
  await using server = await openTestServer();
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const { status, body } = await ask(server, method, `${configMaps}/a%25b`, method === "PATCH" ? { body: {}, headers: merge } : {});
    assert.deepEqual([status, body.message], [400, `Name parameter invalid: "a%b": may not contain '%'`], method);
  }
  const put = await ask(server, "PUT", `${configMaps}/a%25b`, { body: {} });
  assert.equal(put.body.message, "the name of the object (a%b based on URL) was undeterminable: name must be provided");
  assert.equal((await ask(server, "GET", `${configMaps}/a%22b`)).body.message, String.raw`configmaps "a\"b" not found`);
});

test("a create in the empty namespace reports all errors of its object", async () => {
  await using server = await openTestServer();
  const { status, body } = await ask(server, "POST", "/api/v1/namespaces//configmaps", { body: {} });
  assert.equal(status, 422);
  assert.deepEqual(body.details.causes.map(({ field }: { field: string }) => field), ["metadata.name", "metadata.namespace"]);
});

test("the list of core versions is read-only, and the old prefixes alone are 404", async () => {
  await using server = await openTestServer();
  assert.equal((await ask(server, "POST", "/api", { body: {} })).status, 405);
  assert.equal((await ask(server, "POST", "/apis", { body: {} })).status, 200);
  assert.equal((await ask(server, "GET", "/api/v1/proxy/namespaces/default/configmaps")).status, 404);
  for (const method of ["GET", "POST", "DELETE"]) {
    const answer = await send(server, method, "/api/v1/watch?a=%22&b");
    assert.equal(answer.status, 500);
    assert.equal(
      await answer.text(),
      'Internal Server Error: "/api/v1/watch?a=%22&amp;b": failed to create RequestInfo: ' +
        "unable to determine kind and namespace from url, /api/v1/watch?a=%22&amp;b\n",
    );
    const subresource = await ask(server, method, "/api/v1/watch/namespaces/default/status", method === "POST" ? { body: {} } : {});
    assert.equal(subresource.status, 404, method);
  }
});

test("a failed precondition of a namespace has its own message", async () => {
  await using server = await openTestServer();
  const { body: { metadata } } = await ask(server, "POST", "/api/v1/namespaces", { body: { metadata: { name: "a" } } });
  const remove = (preconditions: object) => ask(server, "DELETE", "/api/v1/namespaces/a", { body: { preconditions } });
  const other = await remove({ uid: "x", resourceVersion: "1" });
  assert.deepEqual(other.body.details, { name: "a", kind: "namespaces" });
  const why = `Precondition failed: UID in precondition: x, UID in object meta: ${metadata.uid}`;
  assert.equal(other.body.message, `Operation cannot be fulfilled on namespaces "a": ${why}`);
  assert.match((await remove({ resourceVersion: "1" })).body.message, /Precondition failed: ResourceVersion in precondition: 1, /);
});

test("the deletion of a namespace begins once; later propagation policies have no effect", async () => {
  await using server = await openTestServer();
  const held = { metadata: { name: "a" }, spec: { finalizers: ["example.com/held"] } };
  await ask(server, "POST", "/api/v1/namespaces", { body: held });
  const remove = (query: string) => ask(server, "DELETE", `/api/v1/namespaces/a?${query}`);
  const first = await remove("orphanDependents=false");
  assert.deepEqual([first.status, first.body.metadata.finalizers], [202, ["foregroundDeletion"]]);
  const second = await remove("propagationPolicy=Orphan");
  assert.equal(second.body.metadata.finalizers?.includes("orphan") ?? false, false);
});

test("delete options of another kind are rejected with upstream's errors", async () => {
  await using server = await openTestServer();
  const remove = async (kind: string, apiVersion: string) =>
    (await ask(server, "DELETE", `${configMaps}/a`, { body: { kind, apiVersion } })).body.message;
  assert.equal(await remove("Status", "v1"), "converting (v1.Status) to (v1.DeleteOptions): unknown conversion");
  assert.equal(await remove("Status", "meta.k8s.io/v1"), "converting (v1.Status) to (v1.DeleteOptions): unknown conversion");
  assert.equal(await remove("APIGroup", "nope/v1"), "converting (v1.APIGroup) to (v1.DeleteOptions): unknown conversion");
  assert.equal(await remove("Table", ""), "converting (v1.Table) to (v1.DeleteOptions): unknown conversion");
  assert.match(await remove("Table", "v1"), /^no kind "Table" is registered for version "v1"/);
  assert.match(await remove("ConfigMap", "v1"), /^no kind "ConfigMap" is registered for version "v1"/);
});

test("a body of another kind is rejected with upstream's error, whether the kind is served or not", async () => {
  await using server = await openTestServer();
  const why = async (apiVersion: string, kind: string, plural = configMaps) =>
    (await ask(server, "POST", plural, { body: { kind, apiVersion, metadata: { name: "a" } } })).body.message;
  const unknown = (type: string) => `converting (${type}) to (core.ConfigMap): unknown conversion`;
  assert.equal(
    await why("apps/v1", "Deployment"),
    `Deployment in version "v1" cannot be handled as a ConfigMap: ${unknown("v1.Deployment")}`,
  );
  assert.equal(
    await why("batch/v1beta1", "CronJobList"),
    `CronJobList in version "v1beta1" cannot be handled as a ConfigMap: ${unknown("v1beta1.CronJobList")}`,
  );
  assert.equal(await why("nope/v2", "Status"), `Status in version "v2" cannot be handled as a ConfigMap: ${unknown("v1.Status")}`);
  assert.equal(
    await why("storage.k8s.io/v1beta1", "ListOptions"),
    `ListOptions in version "v1beta1" cannot be handled as a ConfigMap: ${unknown("v1.ListOptions")}`,
  );
  assert.match(
    await why("apps/v1", "Nope"),
    /^Nope in version "v1" cannot be handled as a ConfigMap: no kind "Nope" is registered for version "apps\/v1"/,
  );
  // Removed versions are versions of the same kind.
  const classes = "/apis/storage.k8s.io/v1/storageclasses";
  assert.equal(
    await why("storage.k8s.io/v1beta1", "StorageClass", classes),
    "the API version in the data (storage.k8s.io/v1beta1) does not match the expected API version (storage.k8s.io/v1)",
  );
  assert.match(await why("storage.k8s.io/", "Nope", classes), /^Nope in version "v1" cannot.* for version "storage\.k8s\.io\/v1" in /);
  const made = await ask(server, "POST", classes, {
    body: { kind: "StorageClass", apiVersion: "storage.k8s.io/", metadata: { name: "a" }, provisioner: "a.b/c" },
  });
  assert.equal(made.status, 201);
});

test("a patch that removes the version leaves an object of the internal version", async () => {
  await using server = await openTestServer();
  await ask(server, "POST", configMaps, { body: { metadata: { name: "a" } } });
  const why = async (kind: string) =>
    (await ask(server, "PATCH", `${configMaps}/a`, { body: { kind, apiVersion: "" }, headers: merge })).body.message;
  assert.match(await why("Nope"), /: no kind "Nope" is registered for the internal version of group "" in scheme /);
  assert.match(await why("Secret"), /: converting \(core\.Secret\) to \(core\.ConfigMap\): unknown conversion$/);
  assert.match(await why("Status"), /: converting \(v1\.Status\) to \(core\.ConfigMap\): unknown conversion$/);
});

const events = "/api/v1/namespaces/default/events";
const groupEvents = "/apis/events.k8s.io/v1/namespaces/default/events";
const event = { metadata: { name: "a" }, involvedObject: { namespace: "default" } };

test("the deletion of an event does not wait for the garbage collector with any of its finalizers", async () => {
  await using server = await openTestServer();
  for (const finalizer of ["orphan", "foregroundDeletion"]) {
    await ask(server, "POST", events, { body: { ...event, metadata: { name: "a", finalizers: [finalizer] } } });
    assert.equal((await ask(server, "DELETE", `${events}/a`)).body.kind, "Status");
    assert.equal((await ask(server, "GET", `${events}/a`)).status, 404);
  }
});

test("a write through the other group of events drops the managed fields of the first, even without other changes", async () => {
  await using server = await openTestServer();
  const made = await ask(server, "POST", events, { body: event });
  assert.equal(made.body.metadata.managedFields.length, 1);
  const same = await ask(server, "PATCH", `${events}/a`, { body: {}, headers: merge });
  assert.deepEqual(same.body.metadata, made.body.metadata);
  const other = await ask(server, "PATCH", `${groupEvents}/a`, { body: {}, headers: merge });
  assert.equal(other.body.metadata.managedFields, undefined);
  assert.notEqual(other.body.metadata.resourceVersion, made.body.metadata.resourceVersion);
});

test("an unsafe deletion of a namespace is rejected before all other checks", async () => {
  await using server = await openTestServer({ settings: { "feature-gates": { AllowUnsafeMalformedObjectDeletion: true } } });
  const { status, body } = await ask(server, "DELETE", "/api/v1/namespaces/default", {
    body: { ignoreStoreReadErrorWithClusterBreakingPotential: true },
  });
  assert.deepEqual([status, body.reason], [500, "InternalError"]);
});

test("a user name that is not ASCII is read as UTF-8", async () => {
  await using server = await openTestServer();
  const manager = async (agent: string) => {
    const headers = { "user-agent": agent, "content-type": "application/json" };
    const made = await ask(server, "POST", configMaps, { body: { metadata: { generateName: "a" }, data: { a: "b" } }, headers });
    return made.body.metadata.managedFields[0].manager;
  };
  assert.equal(await manager("a\u00c3\u00a9/1"), "a\u00e9");
  assert.equal(await manager("\u00e9b"), "\ufffdb");
});

test("an apply with managed fields is rejected if upstream can parse them, and ignores them otherwise", async () => {
  await using server = await openTestServer();
  const apply = (managedFields: unknown) =>
    ask(server, "PATCH", `${configMaps}/a?fieldManager=m`, {
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", managedFields } },
      headers: { "content-type": "application/apply-patch+yaml" },
    });
  for (const entries of [[], [{}], [{ time: null }], [{ manager: "m" }]]) {
    assert.equal((await apply(entries)).body.message, "metadata.managedFields must be nil");
  }
  for (const entries of [[null], [null, {}]]) assert.equal((await apply(entries)).body.kind, "ConfigMap");
  assert.match((await apply([{ time: "x" }])).body.message, /^failed to convert new object .*: parsing time "x" as /);
  assert.match((await apply([{ time: 5 }])).body.message, /cannot unmarshal number into Go value of type string$/);
  assert.match((await apply(["x"])).body.message, /managedFields\[0\]: expected map, got &\{x\}$/);
});

test("a selfLink of the request is in the response of a dry run only", async () => {
  await using server = await openTestServer();
  const body = { metadata: { name: "a", selfLink: "/x" } };
  await ask(server, "POST", configMaps, { body });
  for (const [query, selfLink] of [["?dryRun=All", "/x"], ["", undefined]]) {
    assert.equal((await ask(server, "PUT", `${configMaps}/a${query}`, { body })).body.metadata.selfLink, selfLink);
    assert.equal((await ask(server, "PATCH", `${configMaps}/a${query}`, { body, headers: merge })).body.metadata.selfLink, selfLink);
  }
  assert.equal((await ask(server, "GET", `${configMaps}/a`)).body.metadata.selfLink, undefined);
});

test("invalid UTF-8 of a query value is shown as in Go", async () => {
  await using server = await openTestServer();
  const why = async (method: string, path: string) => (await ask(server, method, path, method === "POST" ? { body: {} } : {})).body.message;
  assert.match(await why("POST", `${configMaps}?fieldValidation=a%ffb`), /Unsupported value: "a\\xffb": /);
  assert.equal(await why("GET", `${configMaps}?limit=%ff`), String.raw`strconv.ParseInt: parsing "\xff": invalid syntax`);
  assert.match(await why("GET", `${configMaps}?labelSelector=a%3D%c3x`), /Invalid value: "\\xc3x": /);
  assert.match(await why("DELETE", `${configMaps}/a?propagationPolicy=%ff`), /Unsupported value: "\\ufffd": /);
  const { status } = await ask(server, "POST", `${configMaps}?fieldManager=%ff`, { body: { metadata: { name: "a" } } });
  assert.equal(status, 201);
});

test("delete options in protobuf are recognised by their envelope before the message is decoded", async () => {
  await using server = await openTestServer();
  const remove = async (kind: string, apiVersion: string, raw: number[]) => {
    const body = new Uint8Array(writeEnvelope({ kind, apiVersion }, Uint8Array.from(raw)));
    return (await ask(server, "DELETE", `${configMaps}/a`, { body, headers: { "content-type": "application/vnd.kubernetes.protobuf" } }))
      .body;
  };
  assert.match((await remove("ConfigMap", "v1", [])).message, /^no kind "ConfigMap" is registered for version "v1"/);
  assert.match((await remove("ConfigMap", "v1", [0x0a, 0])).message, /^no kind "ConfigMap" is registered for version "v1"/);
  assert.equal((await remove("DeleteOptions", "v1", [0x0a, 0])).message, "proto: wrong wireType = 2 for field GracePeriodSeconds");
  assert.equal((await remove("DeleteOptions", "v1", [])).message, 'configmaps "a" not found');
});

test("a dry run that creates by PUT reports the key without the prefix of the store", async () => {
  await using server = await openTestServer();
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a";
  const put = async (query: string) =>
    (await ask(server, "PUT", path + query, { body: { metadata: { name: "a", uid: "x" } } })).body.message;
  assert.match(await put(""), /, Key: \/registry\/leases\/default\/a, /);
  assert.match(await put("?dryRun=All"), /, Key: \/leases\/default\/a, /);
});

test("errors show enumerations as JSON, plain strings with Go's quotes, keys of owned items with escapes for HTML", async () => {
  await using server = await openTestServer();
  const odd = 'a<b\u0001"';
  const make = async (path: string, body: object) => (await ask(server, "POST", path, { body })).body;
  const message = async (path: string, body: object) => (await make(path, body)).details.causes[0].message;
  const classOf = (more: object) => ({ metadata: { name: "a" }, provisioner: "example.com/p", ...more });
  const classes = "/apis/storage.k8s.io/v1/storageclasses";
  assert.match(await message(classes, classOf({ reclaimPolicy: odd })), /^Unsupported value: "a\\u003cb\\u0001\\"": supported/);
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, volumeName: odd };
  const selector = { matchExpressions: [{ key: "k", operator: odd }] };
  const told = await message("/api/v1/namespaces/default/persistentvolumeclaims", {
    metadata: { name: "a" },
    spec: { ...claim, selector },
  });
  assert.match(told, /^Invalid value: "a\\u003cb\\u0001\\"": not a valid selector operator/);
  assert.match(await message(classes, classOf({ mountOptions: [], provisioner: odd })), /^Invalid value: "a<b\\x01\\"": /);
  const owner = { apiVersion: "v1", kind: "ConfigMap", name: "b", uid: odd };
  const { metadata } = await make(configMaps, { metadata: { name: "a", ownerReferences: [owner] } });
  const owned = Object.keys(metadata.managedFields[0].fieldsV1["f:metadata"]["f:ownerReferences"]);
  assert.deepEqual(owned, [".", String.raw`k:{"uid":"a\u003cb\u0001\""}`]);
});

test("an invalid continue token is reported before a conflicting resourceVersion", async () => {
  await using server = await openTestServer();
  const { status, body } = await ask(server, "GET", `${configMaps}?continue=bad&resourceVersion=5`);
  assert.equal(status, 400);
  assert.match(body.message, /^invalid continue token: /);
});

test("parameters of Accept without a value are ignored, and an event has the name of its stored kind", async () => {
  await using server = await openTestServer();
  const accept = async (path: string, accept: string) => await ask(server, "GET", path, { headers: { accept } });
  for (const plain of ["application/json;as=", "application/json;as", "application/json;as=Table;v=v1;g=meta.k8s.io=x;as="]) {
    assert.equal((await accept("/api/v1/namespaces/default", plain)).status, plain.includes("Table") ? 406 : 200, plain);
  }
  const event = { metadata: { name: "e" }, involvedObject: { kind: "ConfigMap", namespace: "default", name: "a" } };
  await ask(server, "POST", "/api/v1/namespaces/default/events", { body: event });
  const list = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
  const { body } = await accept("/apis/events.k8s.io/v1/namespaces/default/events/e", list);
  assert.equal(body.message, "you requested PartialObjectMetadataList, but the requested object is not a list (*core.Event)");
});

test("an update of a template has warnings only if the template changes", async () => {
  await using server = await openTestServer();
  const volumes = [{ name: "v", gitRepo: { repository: "r" } }];
  const template = (image: string, labels: object) => ({
    metadata: { name: "t", labels },
    template: { spec: { containers: [{ name: "c", image }], volumes } },
  });
  const path = "/api/v1/namespaces/default/podtemplates";
  const warned = async (method: string, url: string, body: object) => (await send(server, method, url, body)).headers.has("warning");
  assert.equal(await warned("POST", path, template("a", {})), true);
  assert.equal(await warned("PUT", `${path}/t`, template("a", { a: "b" })), false);
  assert.equal(await warned("PUT", `${path}/t`, template("b", { a: "b" })), true);
});

test("a patched document without a version is an unknown kind without a name", async () => {
  await using server = await openTestServer();
  await ask(server, "POST", configMaps, { body: { metadata: { name: "a" }, data: { k: "v" } } });
  const patch = async (query: string, sent: object) => {
    const { status, headers, body } = await request(server, "PATCH", `${configMaps}/a?${query}`, sent);
    return { status, warning: headers.get("warning"), message: body.message };
  };
  assert.deepEqual(await patch("", { apiVersion: null }), {
    status: 400,
    warning: String.raw`299 - "unknown field \"data\"", 299 - "unknown field \"metadata\""`,
    message: "the name of the object (a based on URL) was undeterminable: name must be provided",
  });
  assert.equal((await patch("fieldValidation=Strict", { apiVersion: null })).status, 422);
  assert.equal((await patch("", { kind: null })).status, 200);
});

test("an apply to the status of a missing object is 404 before its body is validated", async () => {
  await using server = await openTestServer();
  const body = { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "a" }, status: { lastPhaseTransitionTime: "never" } };
  const headers = { "content-type": "application/apply-patch+yaml" };
  const { status } = await ask(server, "PATCH", "/api/v1/persistentvolumes/a/status?fieldManager=m", { body, headers });
  assert.equal(status, 404);
});

test("finalizers of CSI kinds must be standard or qualified, as those of the core kinds", async () => {
  await using server = await openTestServer();
  const body = { metadata: { name: "a.example.com", finalizers: ["word"] }, spec: {} };
  const { status, body: { message } } = await ask(server, "POST", "/apis/storage.k8s.io/v1/csidrivers", { body });
  assert.equal(status, 422);
  assert.match(message, /metadata.finalizers\[0\]: Invalid value: "word": name is neither a standard finalizer name nor is it fully/);
});

test("a request can have a shorter timeout; an invalid one is rejected", async () => {
  await using server = await openTestServer();
  const odd = await ask(server, "GET", `${configMaps}?timeout=x`);
  assert.deepEqual([odd.status, odd.body.message], [400, 'invalid timeout specified in the request URL - time: invalid duration "x"']);
  for (const right of ["", "0", "-1s", "1s", "1h"]) {
    assert.equal((await ask(server, "GET", `${configMaps}?timeout=${right}`)).status, 200, right);
  }
});

test("the deletion fields of a created object have no owner", async () => {
  await using server = await openTestServer();
  const metadata = { name: "a", deletionTimestamp: "2024-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 };
  const { body } = await ask(server, "POST", configMaps, { body: { metadata } });
  assert.deepEqual([body.metadata.deletionTimestamp, body.metadata.managedFields], [undefined, undefined]);
});

test("an apply to an object whose items lack their keys is rejected", async () => {
  await using server = await openTestServer();
  const path = "/api/v1/namespaces/default/serviceaccounts";
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a", namespace: "default" } };
  await ask(server, "POST", path, { body: { ...account, secrets: [{ kind: "Secret" }] } });
  const apply = { body: { ...account, automountServiceAccountToken: true }, headers: { "content-type": "application/apply-patch+yaml" } };
  const { status, body } = await ask(server, "PATCH", `${path}/a?fieldManager=m&force=true`, apply);
  assert.equal(status, 500);
  assert.equal(
    body.message,
    "failed to create manager for existing fields: failed to convert new object (default/a; /v1, Kind=ServiceAccount) to smd typed: " +
      '.secrets: element 0: associative list with keys has an element that omits all key fields ["name"] ' +
      "(and doesn't have default values for any key fields)",
  );
});

test("an error is indented JSON if the client accepts no media type of errors", async () => {
  await using server = await openTestServer();
  const told = async (accept: string) => await textOf(server, `${configMaps}/a`, { accept, headers: { "user-agent": "test" } });
  const compact = await told("application/json");
  assert.match(compact, /^\{"kind":"Status",/);
  const indented = await told("application/json;as=Table;v=v1;g=meta.k8s.io");
  assert.match(indented, /^\{\n {2}"kind": "Status",/);
  assert.deepEqual(JSON.parse(indented), JSON.parse(compact));
  assert.match(await told("text/plain"), /^\{\n {2}"kind": "Status",/);
});

test("the table of a watch without objects has the metadata of the bookmark that ends the initial events", async () => {
  await using server = await openTestServer();
  await ask(server, "POST", configMaps, { body: { metadata: { name: "a" } } });
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const query = "watch=1&allowWatchBookmarks=1&includeObject=None&fieldSelector=metadata.name%3Da&timeoutSeconds=1";
  const events = (await textOf(server, `${configMaps}?${query}`, { accept })).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(events.map(({ type }) => type), ["ADDED", "BOOKMARK"]);
  const [added, bookmark] = events.map(({ object }) => object.rows[0].object);
  assert.equal(added, null);
  assert.deepEqual([bookmark.kind, bookmark.metadata.annotations], ["PartialObjectMetadata", { "k8s.io/initial-events-end": "true" }]);
});

test("the table of a bookmark is that of the empty object in the version of the request, without defaults and conversion", async () => {
  await using server = await openTestServer();
  const query = "watch=1&allowWatchBookmarks=1&includeObject=Object&labelSelector=none&timeoutSeconds=1";
  const bookmark = async (path: string) => {
    const { type, object } = JSON.parse(
      await textOf(server, `${path}?${query}`, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
    );
    assert.equal(type, "BOOKMARK");
    const [{ cells, object: { metadata, ...rest } }] = object.rows;
    assert.deepEqual(metadata.annotations, { "k8s.io/initial-events-end": "true" });
    return [cells, rest];
  };
  assert.deepEqual(await bookmark("/api/v1/secrets"), [["", "", 0, "<unknown>"], { kind: "Secret", apiVersion: "v1" }]);
  const [cells, event] = await bookmark("/apis/events.k8s.io/v1/events");
  assert.deepEqual(cells.slice(0, 3), ["<unknown>", "", ""]);
  assert.deepEqual(event, {
    kind: "Event",
    apiVersion: "events.k8s.io/v1",
    eventTime: null,
    regarding: {},
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  });
});

test("a watch of the deprecated paths can have bookmarks, but none that ends the initial events", async () => {
  await using server = await openTestServer();
  await ask(server, "POST", configMaps, { body: { metadata: { name: "a" } } });
  const old = configMaps.replace("/v1/", "/v1/watch/");
  const query = "allowWatchBookmarks=1&fieldSelector=metadata.name%3Da&timeoutSeconds=3";
  const lines = (await send(server, "GET", `${old}?${query}`)).body!.pipeThrough(new TextDecoderStream());
  const events = [];
  // Its last bookmark comes two seconds before it ends.
  for await (const line of lines) if (events.push(JSON.parse(line)) === 2) break;
  assert.deepEqual(events.map(({ type }) => type), ["ADDED", "BOOKMARK"]);
  assert.equal(events[1].object.metadata.annotations, undefined);
});

test("a watch is rejected for its version first, then for its table, then for an encoding without streaming", async () => {
  await using server = await openTestServer();
  const refused = async (query: string, accept = "application/yaml") =>
    (await send(server, "GET", `${configMaps}?watch=1&${query}`, undefined, { accept })).status;
  assert.equal(await refused("resourceVersion=abc"), 500);
  assert.equal(await refused("includeObject=abc", "application/yaml;as=Table;v=v1;g=meta.k8s.io"), 400);
  assert.equal(await refused(""), 406);
});

test("of two invalid numeric options, the error reports the one that kube-apiserver parses first", async () => {
  await using server = await openTestServer();
  const answer = await ask(server, "GET", `${configMaps}?limit=x&timeoutSeconds=1.5`);
  assert.deepEqual([answer.status, answer.body.message], [400, 'strconv.ParseInt: parsing "1.5": invalid syntax']);
});

test("?pretty also indents errors, and indented JSON has no final line break", async () => {
  await using server = await openTestServer();
  await ask(server, "POST", configMaps, { body: { metadata: { name: "a" } } });
  const told = async (path: string, agent: string) => await textOf(server, configMaps + path, { headers: { "user-agent": agent } });
  for (const [path, sign] of [["/a", "?"], ["/nothing", "?"], ["?fieldSelector=metadata.name%3Da", "&"], ["?limit=x", "&"]] as const) {
    for (const pretty of [await told(path, "curl/8"), await told(`${path}${sign}pretty=1`, "test")]) {
      assert.match(pretty, /^\{\n {2}"kind": [^]*\n\}$/);
    }
    for (const compact of [await told(path, "test"), await told(`${path}${sign}pretty=0`, "curl/8")]) {
      assert.match(compact, /^\{"kind":.*\}\n$/);
    }
  }
});

test("large objects and lists are compressed for every verb", async () => {
  await using server = await openTestServer();
  const long = { metadata: { name: "a", labels: { l: "1" } }, data: { k: "x".repeat(gzipBytesMin) } };
  const encoding = async (method: string, path: string, body?: object, type?: string) => {
    const headers = { "accept-encoding": "gzip", "content-type": type ?? "application/json" };
    return (await send(server, method, configMaps + path, body, { headers })).headers.get("content-encoding");
  };
  assert.equal(await encoding("POST", "", long), "gzip");
  assert.equal(await encoding("PATCH", "/a", {}, "application/merge-patch+json"), "gzip");
  assert.equal(await encoding("PUT", "/a", long), "gzip");
  assert.equal(await encoding("GET", "/a"), "gzip");
  assert.equal(await encoding("DELETE", "?dryRun=All&labelSelector=l%3D1"), "gzip");
  assert.equal(await encoding("DELETE", "/a"), null);
});

test("deletecollection at an old resourceVersion deletes that state, unless its limit is negative", async () => {
  await using server = await openTestServer();
  const { body: { metadata } } = await ask(server, "POST", configMaps, { body: { metadata: { name: "a" } } });
  await ask(server, "POST", configMaps, { body: { metadata: { name: "b" } } });
  const remove = (query: string) =>
    ask(server, "DELETE", `${configMaps}?dryRun=All&fieldSelector=metadata.name!%3Da&resourceVersion=${metadata.resourceVersion}${query}`);
  for (const query of ["", "&limit=0", "&limit=1"]) {
    const { status, body } = await remove(query);
    assert.deepEqual([status, body.items], [200, []], query);
  }
  // An invalid name matches no object.
  for (const name of ["", "..", "a%25"]) {
    const named = `${configMaps}?dryRun=All&fieldSelector=metadata.name%3D${name}&resourceVersion=${metadata.resourceVersion}`;
    assert.equal((await ask(server, "DELETE", named)).body.metadata.resourceVersion, metadata.resourceVersion, name);
  }
  const now = await remove("&limit=-1");
  assert.equal(now.status, 409);
  assert.match(now.body.message, /ConfigMap "b": the ResourceVersion in the precondition \(\d+\) does not match/);
});

test("deletecollection with a continue token checks the current objects", async () => {
  await using server = await openTestServer();
  const put = async (method: string, name: string, data: object) => {
    const { body } = await ask(server, method, method === "POST" ? configMaps : `${configMaps}/${name}`, {
      body: { metadata: { name }, data },
    });
    return body.metadata.resourceVersion as string;
  };
  for (const name of ["a", "b", "c"]) await put("POST", name, { k: "old" });
  const { metadata } = (await ask(server, "GET", `${configMaps}?limit=1`)).body;
  const resourceVersion = await put("PUT", "b", { k: "new" });
  await ask(server, "DELETE", `${configMaps}/c`);
  const body = { preconditions: { resourceVersion } };
  const deleted = await ask(server, "DELETE", `${configMaps}?limit=1&continue=${metadata.continue}`, { body });
  assert.deepEqual([deleted.status, deleted.body.items?.length], [200, 1], deleted.body.message);
  const left = (await ask(server, "GET", configMaps)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  assert.ok(left.includes("a") && !left.includes("b"), left.join());
});
