// The life of an object of every kind, with client and watch: created, read, listed, changed in each way, deleted alone and in a
// collection.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { merged } from "../validation/rule.ts";
import { type Kind, kinds, objectOf, unchangeable } from "./kinds.ts";
import { told, type Watch, type WatchEvent, world } from "./world.ts";

const labels = { conformance: "life-cycle" };
const selector = "conformance=life-cycle";
const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

test("every kind has a change, or is listed as without one", () => {
  const without = kinds.filter(({ change }) => change === undefined).map(({ resource }) => resource);
  assert.deepEqual([...new Set(without)].toSorted(), unchangeable);
});

describe("the life of an object", () => {
  const { ask, create, gone, now, patch, put, remove, watch } = world();

  async function names(path: string, query = `?labelSelector=${selector}`): Promise<readonly string[]> {
    return (await ask(200, path + query)).items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  }

  async function served({ path }: Kind): Promise<void> {
    const words = path.split("/").slice(1), root = words[0] === "api" ? 2 : 3;
    const { resources } = await ask(200, `/${words.slice(0, root).join("/")}`);
    const resource = resources.find(({ name }: { name: string }) => name === words.at(-1));
    assert.deepEqual(resource?.verbs, verbs);
    assert.equal(resource.namespaced, words.includes("namespaces"));
  }

  async function madeAndFound(kind: Kind): Promise<any> {
    const made = await create(kind.path, objectOf(kind, "one", labels));
    const { name, uid, resourceVersion, creationTimestamp } = made.metadata;
    assert.ok(name === "one" && uid.length === 36 && /^\d+$/.test(resourceVersion) && Date.parse(creationTimestamp) > 0);
    assert.deepEqual(await ask(200, `${kind.path}/one`), made);
    const again = await ask(409, kind.path, { method: "POST", body: objectOf(kind, "one") });
    assert.equal(again.reason, "AlreadyExists");
    for (const path of [kind.path, kind.everywhere]) assert.deepEqual(await names(path), ["one"]);
    assert.deepEqual(await names(kind.everywhere, "?labelSelector=conformance=other"), []);
    return made;
  }

  /** Patched in two dialects and replaced, each based on the last; a write of an older version is rejected. */
  async function changed(kind: Kind, made: any): Promise<void> {
    const patched = await patch(`${kind.path}/one`, merged(kind.change ?? {}, { metadata: { labels: { step: "patched" } } }) as object);
    assert.deepEqual(patched.metadata.labels, { ...labels, step: "patched" });
    assert.deepEqual(merged(patched, kind.change ?? {}), patched, "what was asked for is there");
    const strategic = await ask(200, `${kind.path}/one`, {
      method: "PATCH",
      headers: { "content-type": "application/strategic-merge-patch+json" },
      body: { metadata: { annotations: { step: "strategic" } } },
    });
    assert.deepEqual(strategic.metadata.annotations, { ...patched.metadata.annotations, step: "strategic" });
    const replaced = await put(`${kind.path}/one`, merged(strategic, { metadata: { labels: { step: "replaced" } } }) as object);
    assert.deepEqual(await ask(200, `${kind.path}/one`), replaced);
    const { uid, creationTimestamp } = replaced.metadata;
    assert.deepEqual([uid, creationTimestamp], [made.metadata.uid, made.metadata.creationTimestamp]);
    const stale = await ask(409, `${kind.path}/one`, { method: "PUT", body: merged(made, { metadata: { labels: { step: "stale" } } }) });
    assert.equal(stale.reason, "Conflict");
  }

  async function deletedTogether(kind: Kind): Promise<void> {
    for (const name of ["two", "three"]) await create(kind.path, objectOf(kind, name, labels));
    await create(kind.path, objectOf(kind, "other", { conformance: "other" }));
    await ask(200, `${kind.path}?labelSelector=${selector}`, { method: "DELETE" });
    for (const name of ["two", "three"]) await gone(`${kind.path}/${name}`);
    assert.deepEqual(await names(kind.path), []);
    assert.deepEqual(await names(kind.path, "?labelSelector=conformance=other"), ["other"]);
    await remove(`${kind.path}/other`);
  }

  /** The events until `count` deletions, without changes by finalizers. */
  async function untilDeleted(seen: Watch, count: number): Promise<readonly WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (let left = count; left > 0;) {
      const event = await seen.next();
      if (event.type === "DELETED") left--;
      events.push(event);
    }
    const versions = events.map(({ object }) => BigInt(object.metadata.resourceVersion));
    assert.ok(versions.every((version, at) => at === 0 || version > versions[at - 1]!), "versions grow");
    return events.filter(({ type, object }) => type !== "MODIFIED" || object.metadata.deletionTimestamp === undefined);
  }

  for (const kind of kinds) {
    test(`of ${kind.path}`, async () => {
      await served(kind);
      const seen = await watch(kind.everywhere, { resourceVersion: await now(kind.path), labelSelector: selector });
      const made = await madeAndFound(kind);
      await changed(kind, made);
      await remove(`${kind.path}/one`);
      await deletedTogether(kind);
      const events = await untilDeleted(seen, 3);
      const steps = ["ADDED one", "MODIFIED one", "MODIFIED one", "MODIFIED one", "DELETED one", "ADDED two", "ADDED three"];
      assert.deepEqual(told(events).slice(0, steps.length), steps);
      // Finalizers determine the order of the two ends.
      assert.deepEqual(told(events).slice(steps.length).toSorted(), ["DELETED three", "DELETED two"]);
      assert.deepEqual(events[0]!.object, made);
      assert.equal(events[3]!.object.metadata.labels.step, "replaced");
      seen.close();
    });
  }
});
