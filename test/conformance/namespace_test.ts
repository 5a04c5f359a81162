// The life of a Namespace: changed, its status written, and at its end emptied of one object of every kind.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { merged } from "../validation/rule.ts";
import { kinds, objectOf } from "./kinds.ts";
import { told, world } from "./world.ts";

const path = "/api/v1/namespaces";

describe("a namespace", () => {
  const { ask, create, gone, now, patch, put, remove, watch } = world();
  const namespace = (name: string, more: object = {}) => ({ metadata: { name, labels: { conformance: name } }, ...more });

  test("is active when created, is listed, patched and replaced; a watch sees its deletion as a change and a deletion", async () => {
    const seen = await watch(path, { resourceVersion: await now(path), labelSelector: "conformance=life" });
    const made = await create(path, namespace("life"));
    assert.deepEqual([made.spec, made.status], [{ finalizers: ["kubernetes"] }, { phase: "Active" }]);
    const { items } = await ask(200, `${path}?labelSelector=conformance=life`);
    assert.deepEqual(items.map(({ metadata }: { metadata: { uid: string } }) => metadata.uid), [made.metadata.uid]);
    const patched = await patch(`${path}/life`, { metadata: { labels: { patched: "yes" } } });
    assert.deepEqual(patched.metadata.labels, { conformance: "life", "kubernetes.io/metadata.name": "life", patched: "yes" });
    const replaced = await put(`${path}/life`, merged(patched, { metadata: { annotations: { replaced: "yes" } } }) as object);
    assert.deepEqual([replaced.spec, replaced.status], [made.spec, made.status]);
    await ask(405, path, { method: "DELETE" });
    await remove(`${path}/life`);
    const events = [await seen.next()];
    while (events.at(-1)!.type !== "DELETED") events.push(await seen.next());
    const phases = events.map(({ type, object }) => `${type} ${object.status.phase}`);
    assert.deepEqual(phases.filter((each, at) => each !== phases[at - 1]), [
      "ADDED Active",
      "MODIFIED Active",
      "MODIFIED Terminating",
      "DELETED Terminating",
    ]);
    seen.close();
  });

  test("deletes one object of every kind with it, and a new one of the same name is empty", async () => {
    await create(path, namespace("full"));
    const own = kinds.filter(({ path, everywhere }) => path !== everywhere)
      .map((kind) => ({ ...kind, path: kind.path.replace(/\/namespaces\/[^/]+/, "/namespaces/full") }));
    assert.ok(own.length > 5);
    for (const kind of own) {
      // An event must be in the namespace of its object.
      const about = kind.resource === "events"
        ? { involvedObject: { namespace: "full" } }
        : kind.resource === "events.events.k8s.io"
        ? { regarding: { namespace: "full" } }
        : {};
      await create(kind.path, merged(objectOf(kind, kind.resource), about) as object);
    }
    await ask(200, `${path}/full`, { method: "DELETE" });
    await gone(`${path}/full`);
    const left = async () => (await Promise.all(own.map(({ path }) => ask(200, path)))).flatMap(({ items }) => items ?? []);
    assert.deepEqual(await left(), []);
    const again = await create(path, namespace("full"));
    assert.equal(again.status.phase, "Active");
    const names = (await left()).map(({ metadata }) => metadata.name);
    assert.deepEqual(names.filter((name: string) => name !== "default" && name !== "kube-root-ca.crt"), [], "but for what each has");
    await remove(`${path}/full`);
  });

  test("that is terminating accepts no new objects, and keeps an object with a finalizer until that is removed", async () => {
    await create(path, namespace("held"));
    const configMaps = `${path}/held/configmaps`;
    await create(configMaps, { metadata: { name: "held", finalizers: ["example.com/hold"] } });
    const seen = await watch(path, { resourceVersion: await now(path), fieldSelector: "metadata.name=held" });
    await ask(200, `${path}/held`, { method: "DELETE" });
    const refused = await ask(403, configMaps, { method: "POST", body: { metadata: { name: "late" } } });
    assert.equal(refused.details.causes[0].reason, "NamespaceTerminating");
    const remaining = (object: any) =>
      (object.status.conditions ?? []).find(({ type }: { type: string }) => type === "NamespaceFinalizersRemaining");
    let event = await seen.next();
    while (remaining(event.object)?.status !== "True") event = await seen.next();
    assert.match(remaining(event.object).message, /example\.com\/hold in 1 resource instances/);
    const changed = await patch(`${configMaps}/held`, { data: { still: "here" } });
    assert.ok(changed.metadata.deletionTimestamp);
    await patch(`${configMaps}/held`, { metadata: { finalizers: null } });
    await gone(`${path}/held`);
    seen.close();
  });

  test("waits for a foreign finalizer in its spec, and is deleted when it is finalized", async () => {
    const made = await create(path, namespace("waiting", { spec: { finalizers: ["example.com/wait"] } }));
    assert.deepEqual(made.spec.finalizers, ["example.com/wait", "kubernetes"]);
    const seen = await watch(path, { resourceVersion: made.metadata.resourceVersion, fieldSelector: "metadata.name=waiting" });
    await ask(200, `${path}/waiting`, { method: "DELETE" });
    let { object } = await seen.next();
    while (object.spec.finalizers.length > 1) ({ object } = await seen.next());
    assert.deepEqual(object.spec.finalizers, ["example.com/wait"], "the platform's is gone once it is empty");
    await put(`${path}/waiting/finalize`, { ...(await ask(200, `${path}/waiting`)), spec: {} });
    await gone(`${path}/waiting`);
    const rest = [await seen.next()];
    while (rest.at(-1)!.type !== "DELETED") rest.push(await seen.next());
    assert.equal(told(rest).at(-1), "DELETED waiting");
    seen.close();
  });
});
