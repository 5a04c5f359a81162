import assert from "node:assert/strict";
import { test } from "node:test";
import type { Api } from "../../core/api.ts";
import type { ControllerContext } from "../../core/controller.ts";
import { fakeApi, fakeContext } from "../../testing/fakes.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { conflictError, internalError, methodNotAllowedError, notFoundError } from "../../core/status-error.ts";
import { conditionsAfter, type Content } from "./namespace-conditions.ts";
import { deleteContent } from "./namespace-content.ts";
import { namespaceController, pass } from "./namespace-controller.ts";
import { backoffMs } from "./work-queue.ts";
import type { Namespace } from "./namespace.ts";

type Held = Record<string, readonly string[]>; // finalizers by name

/** A fake cluster with the namespace `one` and its content. */
class Cluster {
  namespace: Namespace | undefined = {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name: "one", deletionTimestamp: "2024-01-02T03:04:05Z" },
    spec: { finalizers: ["example.com/a", "kubernetes"] },
    status: { phase: "Terminating" },
  };
  readonly content: Record<string, Held>;
  readonly calls: string[] = [];
  /** Errors by call, each thrown once. */
  readonly refusals = new Map<string, Error>();
  /** Resources without deletecollection. */
  single: readonly string[] = [];

  constructor(content: Record<string, Held>) {
    this.content = content;
  }
  #enter(call: string): void {
    this.calls.push(call);
    const refusal = this.refusals.get(call);
    this.refusals.delete(call);
    if (refusal !== undefined) throw refusal;
  }
  get context(): ControllerContext {
    const notFound = () => notFoundError({ group: "", name: "namespaces" }, "one");
    const api = fakeApi({
      get: async () => {
        this.#enter("get");
        if (this.namespace === undefined) throw notFound();
        return this.namespace;
      },
      list: async (_groupVersion, resource, _namespace, query = {}) => {
        this.#enter(`list ${resource}`);
        const names = Object.keys(this.content[resource] ?? {}), from = Number(query["continue"] ?? 0), limit = Number(query["limit"]);
        const items = names.slice(from, from + limit).map((name) => ({
          kind: "",
          apiVersion: "",
          metadata: { name, finalizers: this.content[resource]![name]! },
        }));
        const more = from + limit < names.length ? { continue: String(from + limit) } : {};
        return { metadata: { resourceVersion: "1", ...more }, items };
      },
      update: async (_groupVersion, _resource, _namespace, _name, object, { subresource } = {}) => {
        this.#enter(`update ${subresource}`);
        if (this.namespace === undefined) throw notFound();
        const next = object as Namespace; // `as`: the controller writes namespaces
        const { namespace } = this;
        this.namespace = subresource === "finalize" ? { ...namespace, spec: next.spec } : { ...namespace, status: next.status };
        if ((this.namespace.spec.finalizers ?? []).length === 0) this.namespace = undefined;
        return { ...namespace, spec: next.spec, status: next.status };
      },
      delete: async (_groupVersion, resource, _namespace, name) => {
        this.#enter(`delete ${resource}/${name}`);
        this.#remove(resource, name);
      },
      deleteCollection: async (_groupVersion, resource) => {
        this.#enter(`deletecollection ${resource}`);
        for (const name of Object.keys(this.content[resource] ?? {})) this.#remove(resource, name);
      },
      watch: async function* () {},
      collections: (verb) => [
        { groupVersion: "v1", resource: "namespaces", kind: "Namespace", namespaced: false },
        ...Object.keys(this.content).filter((resource) => verb !== "deletecollection" || !this.single.includes(resource)).flatMap((
          resource,
        ) =>
          ["v1", "v1beta1"].map((version) => ({
            groupVersion: resource === "things" ? `example.com/${version}` : "v1",
            resource,
            kind: resource,
            namespaced: true,
          }))
        ),
      ],
    });
    return fakeContext({ api });
  }
  #remove(resource: string, name: string): void {
    if (this.content[resource]![name]!.length === 0) delete this.content[resource]![name];
  }
  /** Status and message of a condition. */
  condition(type: string): string | undefined {
    const found = this.namespace?.status.conditions?.find((each) => each.type === type);
    return found && `${found.status} ${found.reason}: ${found.message}`;
  }
}

test("pass() deletes the content of a namespace and removes its own finalizer only", async () => {
  const cluster = new Cluster({ configmaps: { a: [], b: [] }, things: { c: [] }, secrets: {} });
  assert.equal(await pass(cluster.context, "one"), "done");
  assert.deepEqual(cluster.namespace?.spec, { finalizers: ["example.com/a"] });
  assert.deepEqual(cluster.content, { configmaps: {}, things: {}, secrets: {} });
  assert.deepEqual(cluster.namespace?.status.conditions?.map(({ type, status }) => [type, status]), [
    ["NamespaceDeletionDiscoveryFailure", "False"],
    ["NamespaceDeletionGroupVersionParsingFailure", "False"],
    ["NamespaceDeletionContentFailure", "False"],
    ["NamespaceContentRemaining", "False"],
    ["NamespaceFinalizersRemaining", "False"],
  ]);
});

test("pass() finalizes an empty namespace after one list request for each resource", async () => {
  const cluster = new Cluster({ configmaps: {}, things: {} });
  cluster.namespace = { ...cluster.namespace!, spec: { finalizers: ["kubernetes"] } };
  assert.equal(await pass(cluster.context, "one"), "done");
  assert.equal(cluster.namespace, undefined);
  assert.deepEqual(cluster.calls, ["get", "list configmaps", "list things", "update status", "update finalize"]);
});

test("pass() reports remaining objects and their finalizers, sorted, and keeps the namespace", async () => {
  const cluster = new Cluster({
    secrets: { held: ["example.com/hold", "example.com/other"] },
    things: {},
    configmaps: { held: ["example.com/hold"] },
  });
  assert.equal(await pass(cluster.context, "one"), "left");
  assert.deepEqual(cluster.namespace?.spec.finalizers, ["example.com/a", "kubernetes"]);
  assert.equal(
    cluster.condition("NamespaceContentRemaining"),
    "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, secrets. has 1 resource instances",
  );
  assert.equal(
    cluster.condition("NamespaceFinalizersRemaining"),
    "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances, example.com/other in 1 resource instances",
  );
  cluster.calls.length = 0;
  assert.equal(await pass(cluster.context, "one"), "left");
  assert.ok(!cluster.calls.includes("update status"), "an unchanged status is not written");
});

test("pass() deletes nothing else while pods remain", async () => {
  const pods: Held = { held: ["example.com/hold"], gone: [] }, cluster = new Cluster({ networkpolicies: { a: [] }, pods });
  assert.equal(await pass(cluster.context, "one"), "left");
  assert.deepEqual(cluster.content, { networkpolicies: { a: [] }, pods: { held: ["example.com/hold"] } });
  assert.match(cluster.condition("NamespaceContentRemaining") ?? "", /: pods\. has 1 resource instances$/);
  pods["held"] = [];
  assert.equal(await pass(cluster.context, "one"), "done");
  assert.deepEqual(cluster.content, { networkpolicies: {}, pods: {} });
});

test("pass() counts the objects of all pages, by resource and group", async () => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`t${i}`, ["example.com/hold"]]));
  const cluster = new Cluster({ things: many });
  await pass(cluster.context, "one");
  assert.match(cluster.condition("NamespaceContentRemaining") ?? "", /: things\.example\.com has 1001 resource instances$/);
});

test("pass() deletes the objects of a resource without deletecollection one by one", async () => {
  const cluster = new Cluster({ things: { a: [], b: [] } });
  cluster.single = ["things"];
  cluster.refusals.set("delete things/a", notFoundError({ group: "example.com", name: "things" }, "a"));
  const content = await deleteContent(cluster.context.api, "one");
  assert.deepEqual(cluster.calls.filter((call) => call.startsWith("delete")), ["delete things/a", "delete things/b"]);
  assert.deepEqual([...content.remaining], [["things.example.com", 1]]);
});

test("pass() continues after the failure of a resource and reports it; a resource no longer served is empty", async () => {
  const cluster = new Cluster({ configmaps: { a: [] }, things: { b: [] }, secrets: { c: [] } });
  cluster.refusals.set("deletecollection configmaps", internalError("broken"));
  cluster.refusals.set("list secrets", methodNotAllowedError());
  assert.equal(await pass(cluster.context, "one"), "left");
  assert.deepEqual(cluster.content["things"], {});
  assert.equal(
    cluster.condition("NamespaceDeletionContentFailure"),
    "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: Internal error occurred: broken",
  );
});

test("pass() is repeated after a conflict, and does nothing for a deleted, active or finalized namespace", async () => {
  const cluster = new Cluster({});
  cluster.refusals.set("update finalize", conflictError({ group: "", name: "namespaces" }, "one", "the object has been modified"));
  assert.equal(await pass(cluster.context, "one"), "left");
  assert.equal(await pass(cluster.context, "one"), "done");
  assert.deepEqual(cluster.namespace?.spec.finalizers, ["example.com/a"]);
  cluster.calls.length = 0;
  assert.equal(await pass(cluster.context, "one"), "done");
  cluster.namespace = { ...cluster.namespace!, metadata: { name: "one" }, spec: { finalizers: ["kubernetes"] } };
  assert.equal(await pass(cluster.context, "one"), "done");
  cluster.namespace = undefined;
  assert.equal(await pass(cluster.context, "one"), "done");
  assert.deepEqual(cluster.calls, ["get", "get", "get"]);
});

test("conditionsAfter() keeps the time of a condition with unchanged status, and all other conditions", () => {
  const nothing: Content = { remaining: new Map(), held: new Map(), failures: [], undiscovered: [] };
  const some: Content = { remaining: new Map([["things.example.com", 2]]), held: new Map(), failures: [], undiscovered: [] };
  const foreign = { type: "Mine", status: "True", lastTransitionTime: "2024-01-01T00:00:00Z" };
  const first = conditionsAfter([foreign], some, "2024-01-02T00:00:00Z");
  assert.equal(first.length, 6);
  assert.equal(first[0], foreign);
  assert.equal(conditionsAfter(first, some, "2024-01-03T00:00:00Z"), first);
  const fewer = conditionsAfter(first, { ...some, remaining: new Map([["things.example.com", 1]]) }, "2024-01-03T00:00:00Z");
  assert.equal(fewer[4]!.lastTransitionTime, "2024-01-02T00:00:00Z");
  assert.match(fewer[4]!.message ?? "", /has 1 resource instances$/);
  const done = conditionsAfter(fewer, nothing, "2024-01-04T00:00:00Z");
  assert.deepEqual([done[4]!.status, done[4]!.reason, done[4]!.lastTransitionTime], ["False", "ContentRemoved", "2024-01-04T00:00:00Z"]);
});

test("backoffMs() grows from 50 ms to at most five seconds", () => {
  assert.deepEqual([0, 1, 6, 7, 1_000_000].map(backoffMs), [50, 100, 3200, 5000, 5000]);
});

/** A context whose watch yields these objects and then stays open. */
function watched(cluster: Cluster, objects: readonly ApiObject[]): ControllerContext {
  return {
    ...cluster.context,
    api: {
      ...cluster.context.api,
      watch: async function* (_groupVersion, _resource, _namespace, _query, signal) {
        for (const object of objects) yield { type: "ADDED", object };
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      },
    },
  };
}

test("the controller processes namespaces that terminate at its start, retries while objects remain, and ends with its signal", async () => {
  const cluster = new Cluster({ configmaps: { held: ["example.com/hold"] } });
  cluster.namespace = { ...cluster.namespace!, spec: { finalizers: ["kubernetes"] } };
  const stop = new AbortController();
  const living = { kind: "Namespace", apiVersion: "v1", metadata: { name: "two" } };
  const context = watched(cluster, [cluster.namespace, living]);
  const { update } = context.api;
  const api: Api = {
    ...context.api,
    update: async (...call) => {
      const object = await update(...call);
      // The first pass has reported the remaining object: remove its finalizer, so that the next pass can delete it.
      if (call[5]?.subresource === "status") cluster.content["configmaps"] = { held: [] };
      if (call[5]?.subresource === "finalize") stop.abort();
      return object;
    },
  };
  await namespaceController.run({ ...context, api }, stop.signal);
  assert.equal(cluster.namespace, undefined);
  assert.equal(cluster.calls.filter((call) => call === "get").length, 2);
});

test("a namespace whose pass has an unexpected error is logged and tried again, and the others are finalized", async () => {
  const cluster = new Cluster({}), ending = new AbortController(), logged: string[] = [];
  const context = watched(
    cluster,
    ["bad", "one"].map((name) => ({ ...cluster.namespace!, metadata: { ...cluster.namespace!.metadata, name } })),
  );
  let tries = 0;
  const api: Api = {
    ...context.api,
    get: (...[groupVersion, resource, namespace, name]) => {
      if (name !== "bad") return context.api.get(groupVersion, resource, namespace, name);
      if (++tries === 2) ending.abort();
      return Promise.reject(new TypeError("a bug"));
    },
  };
  const logError = (sentence: string, error?: unknown) => void logged.push(`${sentence}: ${(error as Error).message}`);
  await namespaceController.run({ ...context, api, logError }, ending.signal);
  assert.equal(logged[0], "the content of namespace bad cannot be deleted; it is tried again: a bug");
  assert.deepEqual(cluster.namespace?.spec.finalizers, ["example.com/a"], "the other one");
});

test("an error of one collection is in the conditions of the namespace, and the others are deleted", async () => {
  const cluster = new Cluster({ configmaps: { a: [] }, secrets: { b: [] } });
  cluster.refusals.set("list configmaps", new TypeError("its value cannot be read"));
  const { failures } = await deleteContent(cluster.context.api, "one");
  assert.deepEqual(failures, ["configmaps.: its value cannot be read"]);
  assert.deepEqual(Object.keys(cluster.content["secrets"]!), []);
});
