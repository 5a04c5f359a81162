/** Lists, newest, at least as new as a version, and exact. */
import assert from "node:assert/strict";
import { StatusError } from "../../../core/status-error.ts";
import { list, put, remove } from "./fixture.ts";
import { type Case, refusedBy } from "./case.ts";

export function lists(promise: Case): void {
  promise("list() shows every write that was answered before it", async (room) => {
    for (let round = 0; round < 20; round++) {
      const revision = await put(room, `a-${round % 3}`, { data: { round: `${round}` } });
      const { page, objects } = await list(room);
      assert.equal(page.revision, revision);
      assert.equal(objects.length, Math.min(3, round + 1));
      assert.equal(objects.find(({ metadata }) => metadata.name === `a-${round % 3}`)?.metadata.resourceVersion, `${revision}`);
    }
  });

  promise("list() sorts by the bytes of keys, over all namespaces by namespace slash name", async (room) => {
    for (const name of ["b", "ab", "a0", "a.b", "a-b", "a"]) await put(room, name);
    assert.deepEqual((await list(room)).names, ["a", "a-b", "a.b", "a0", "ab", "b"]);
    for (const namespace of ["x", "x-y"]) await put(room, "z", { namespace });
    const { names } = await list(room, "", { namespace: "" });
    assert.deepEqual(names.filter((name) => name.startsWith("x")), ["x-y/z", "x/z"]);
    assert.deepEqual((await list(room, "", { namespace: "x" })).names, ["z"]);
    assert.deepEqual((await list(room, "", { namespace: "nowhere" })).names, []);
  });

  promise("list() keeps kinds apart", async (room) => {
    await put(room, "a");
    await put(room, "b", { plural: "shelves" });
    assert.deepEqual((await list(room, "", { plural: "shelves" })).names, ["b"]);
    assert.deepEqual((await list(room, "", { namespace: "" })).names, ["ns/a"]);
  });

  promise("list() takes any limit that 64 bits hold", async (room) => {
    const revision = await put(room, "a");
    for (const where of ["notes", "scraps"]) {
      const place = where === "notes" ? {} : { plural: where, namespace: "" };
      if (where === "scraps") await put(room, "a", place);
      for (const limit of ["9007199254740991", "9007199254740992", "9223372036854775807", "-9223372036854775808"]) {
        for (const query of ["", `&resourceVersion=${revision}&resourceVersionMatch=Exact`]) {
          const { names, page } = await list(room, `limit=${limit}${query}`, place);
          assert.deepEqual([names.length, page.continue, page.remaining], [query === "" || where === "notes" ? 1 : 0, "", undefined]);
        }
      }
    }
  });

  promise("list() at 0 is any version and ignores the limit; at a version it is that or a later one", async (room) => {
    const first = await put(room, "a");
    const last = await put(room, "b");
    await list(room);
    const any = await list(room, "resourceVersion=0&limit=1");
    assert.deepEqual([any.names, any.page.continue], [["a", "b"], ""]);
    for (
      const query of [
        `resourceVersion=${first}`,
        `resourceVersion=${first}&resourceVersionMatch=NotOlderThan`,
        `resourceVersion=${first}&limit=0`,
      ]
    ) {
      const shown = await list(room, query);
      assert.deepEqual([shown.names, shown.page.revision], [["a", "b"], last]);
    }
    const limited = await list(room, `resourceVersion=${first}&resourceVersionMatch=NotOlderThan&limit=1`);
    assert.deepEqual([limited.names, limited.page.revision, limited.page.remaining], [["a"], last, 1]);
  });
}

export function exactLists(promise: Case): void {
  promise("list() at exactly a version shows what was there then", async (room) => {
    const states: { revision: number; names: string[] }[] = [];
    const there = new Set<string>();
    for (let round = 0; round < 30; round++) {
      const name = `n-${(round * 7) % 11}`;
      const revision = there.has(name) && round % 3 === 0
        ? (there.delete(name), await remove(room, name))
        : (there.add(name), await put(room, name, { data: { round: `${round}` } }));
      states.push({ revision, names: [...there].sort() });
    }
    for (const { revision, names } of states) {
      const shown = await list(room, `resourceVersion=${revision}&resourceVersionMatch=Exact`);
      assert.deepEqual([shown.names, shown.page.revision], [names, revision]);
      for (const { metadata } of shown.objects) assert.ok(Number(metadata.resourceVersion) <= revision);
      const legacy = await list(room, `resourceVersion=${revision}&limit=100`);
      assert.deepEqual([legacy.names, legacy.page.revision], [names, revision]);
      assert.deepEqual(legacy.objects, shown.objects);
    }
  });

  promise("list() with a limit and one name is not older than a version, with Exact it is exact", async (room) => {
    const old = await put(room, "a", { data: { k: "old" } });
    const young = await put(room, "a", { data: { k: "new" } });
    const at = async (query: string) =>
      (await list(room, `resourceVersion=${old}&fieldSelector=metadata.name=a&${query}`)).objects[0]?.metadata.resourceVersion;
    // A cache may stand at the old version until somebody asks for the newest.
    assert.equal((await list(room)).page.revision, young);
    assert.equal(await at("limit=10"), `${young}`);
    assert.equal(await at("resourceVersionMatch=Exact"), `${old}`);
  });

  promise("list() of one name at an exact version not reached yet is refused without a time to retry", async (room) => {
    const future = (await put(room, "a")) + 1000;
    const retryAfter = async (query: string, namespace = "ns") => {
      const error = await list(room, `resourceVersion=${future}&${query}`, { namespace }).then(() => undefined, (error: unknown) => error);
      assert.ok(error instanceof StatusError && error.code === 504, `${query}: ${error}`);
      return error.details?.retryAfterSeconds;
    };
    const name = "fieldSelector=metadata.name=a";
    for (const query of [`${name}&resourceVersionMatch=Exact`, `${name}&limit=1`, `${name}&limit=1&resourceVersionMatch=Exact`]) {
      assert.equal(await retryAfter(query), undefined, query);
      assert.equal(await retryAfter(query.replace(name, `${name},metadata.namespace=ns`), ""), undefined, query);
    }
    for (const query of [name, `${name}&resourceVersionMatch=NotOlderThan&limit=1`, "limit=1", "resourceVersionMatch=Exact"]) {
      assert.equal(await retryAfter(query), 1, query);
    }
    // In all namespaces a name alone selects many keys.
    assert.equal(await retryAfter(`${name}&resourceVersionMatch=Exact`, ""), 1);
  });

  promise("list() over all namespaces with a limit, one name and one namespace is not older than a version either", async (room) => {
    const old = await put(room, "a");
    const young = await put(room, "a");
    const at = async (fields: string) =>
      (await list(room, `resourceVersion=${old}&limit=1&fieldSelector=${fields}`, { namespace: "" })).page.revision;
    assert.equal((await list(room)).page.revision, young);
    assert.equal(await at("metadata.name=a,metadata.namespace=ns"), young);
    for (const fields of ["metadata.name=a", "metadata.namespace=ns", "metadata.name=a,metadata.namespace=NS"]) {
      assert.equal(await at(fields), old, fields);
    }
  });

  promise("list() with a limit and a name that no object can have is exact, as one without a name", async (room) => {
    const old = await put(room, "a");
    const young = await put(room, "a");
    assert.equal((await list(room)).page.revision, young);
    for (const name of ["", ".", "..", "a/b", "a%25"]) {
      const { names, page } = await list(room, `resourceVersion=${old}&limit=1&fieldSelector=metadata.name=${name}`);
      assert.deepEqual([names, page.revision], [[], old], name);
    }
  });

  promise("list() at a version that is compacted away answers 410", async (room) => {
    const old = await put(room, "a");
    const young = await put(room, "a");
    const newest = await put(room, "b");
    await room.store.compact(young);
    await refusedBy(
      () => list(room, `resourceVersion=${old}&resourceVersionMatch=Exact`),
      410,
      "The resourceVersion for the provided list is too old.",
    );
    await refusedBy(() => list(room, `resourceVersion=${old}&limit=1`), 410, "The resourceVersion for the provided list is too old.");
    assert.deepEqual((await list(room, `resourceVersion=${young}&resourceVersionMatch=Exact`)).names, ["a"]);
    assert.equal((await list(room, `resourceVersion=${old}`)).page.revision, newest);
  });
}
