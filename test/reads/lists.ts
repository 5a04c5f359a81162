/** Lists, newest, at least as new as a version, and exact. */
import assert from "node:assert/strict";
import { StatusError } from "../../core/status-error.ts";
import { list, put, remove } from "./fixture.ts";
import { type Case, refusedBy } from "./case.ts";

export function lists(promise: Case): void {
  promise("list() shows every write that was answered before it", async (fixture) => {
    for (let round = 0; round < 20; round++) {
      const revision = await put(fixture, `a-${round % 3}`, { data: { round: `${round}` } });
      const { page, objects } = await list(fixture);
      assert.equal(page.revision, revision);
      assert.equal(objects.length, Math.min(3, round + 1));
      assert.equal(objects.find(({ metadata }) => metadata.name === `a-${round % 3}`)?.metadata.resourceVersion, `${revision}`);
    }
  });

  promise("list() sorts by the bytes of keys, over all namespaces by namespace slash name", async (fixture) => {
    for (const name of ["b", "ab", "a0", "a.b", "a-b", "a"]) await put(fixture, name);
    assert.deepEqual((await list(fixture)).names, ["a", "a-b", "a.b", "a0", "ab", "b"]);
    for (const namespace of ["x", "x-y"]) await put(fixture, "z", { namespace });
    const { names } = await list(fixture, "", { namespace: "" });
    assert.deepEqual(names.filter((name) => name.startsWith("x")), ["x-y/z", "x/z"]);
    assert.deepEqual((await list(fixture, "", { namespace: "x" })).names, ["z"]);
    assert.deepEqual((await list(fixture, "", { namespace: "nowhere" })).names, []);
  });

  promise("list() keeps kinds apart", async (fixture) => {
    await put(fixture, "a");
    await put(fixture, "b", { plural: "shelves" });
    assert.deepEqual((await list(fixture, "", { plural: "shelves" })).names, ["b"]);
    assert.deepEqual((await list(fixture, "", { namespace: "" })).names, ["ns/a"]);
  });

  promise("list() takes any limit that 64 bits hold", async (fixture) => {
    const revision = await put(fixture, "a");
    for (const where of ["notes", "scraps"]) {
      const place = where === "notes" ? {} : { plural: where, namespace: "" };
      if (where === "scraps") await put(fixture, "a", place);
      for (const limit of ["9007199254740991", "9007199254740992", "9223372036854775807", "-9223372036854775808"]) {
        for (const query of ["", `&resourceVersion=${revision}&resourceVersionMatch=Exact`]) {
          const { names, page } = await list(fixture, `limit=${limit}${query}`, place);
          assert.deepEqual([names.length, page.continue, page.remaining], [query === "" || where === "notes" ? 1 : 0, "", undefined]);
        }
      }
    }
  });

  promise("list() at 0 is any version and ignores the limit; at a version it is that or a later one", async (fixture) => {
    const first = await put(fixture, "a");
    const last = await put(fixture, "b");
    await list(fixture);
    const any = await list(fixture, "resourceVersion=0&limit=1");
    assert.deepEqual([any.names, any.page.continue], [["a", "b"], ""]);
    for (
      const query of [
        `resourceVersion=${first}`,
        `resourceVersion=${first}&resourceVersionMatch=NotOlderThan`,
        `resourceVersion=${first}&limit=0`,
      ]
    ) {
      const shown = await list(fixture, query);
      assert.deepEqual([shown.names, shown.page.revision], [["a", "b"], last]);
    }
    const limited = await list(fixture, `resourceVersion=${first}&resourceVersionMatch=NotOlderThan&limit=1`);
    assert.deepEqual([limited.names, limited.page.revision, limited.page.remaining], [["a"], last, 1]);
  });
}

export function exactLists(promise: Case): void {
  promise("list() at exactly a version shows the state at it", async (fixture) => {
    const states: { revision: number; names: string[] }[] = [];
    const there = new Set<string>();
    for (let round = 0; round < 30; round++) {
      const name = `n-${(round * 7) % 11}`;
      const revision = there.has(name) && round % 3 === 0
        ? (there.delete(name), await remove(fixture, name))
        : (there.add(name), await put(fixture, name, { data: { round: `${round}` } }));
      states.push({ revision, names: [...there].sort() });
    }
    for (const { revision, names } of states) {
      const shown = await list(fixture, `resourceVersion=${revision}&resourceVersionMatch=Exact`);
      assert.deepEqual([shown.names, shown.page.revision], [names, revision]);
      for (const { metadata } of shown.objects) assert.ok(Number(metadata.resourceVersion) <= revision);
      const legacy = await list(fixture, `resourceVersion=${revision}&limit=100`);
      assert.deepEqual([legacy.names, legacy.page.revision], [names, revision]);
      assert.deepEqual(legacy.objects, shown.objects);
    }
  });

  promise("list() with a limit and one name is not older than a version, with Exact it is exact", async (fixture) => {
    const old = await put(fixture, "a", { data: { k: "old" } });
    const young = await put(fixture, "a", { data: { k: "new" } });
    const at = async (query: string) =>
      (await list(fixture, `resourceVersion=${old}&fieldSelector=metadata.name=a&${query}`)).objects[0]?.metadata.resourceVersion;
    // A cache may be at the old version until a read needs the newest one.
    assert.equal((await list(fixture)).page.revision, young);
    assert.equal(await at("limit=10"), `${young}`);
    assert.equal(await at("resourceVersionMatch=Exact"), `${old}`);
  });

  promise("list() of one name at an exact version not reached yet is refused without a time to retry", async (fixture) => {
    const future = (await put(fixture, "a")) + 1000;
    const retryAfter = async (query: string, namespace = "ns") => {
      const error = await list(fixture, `resourceVersion=${future}&${query}`, { namespace }).then(
        () => undefined,
        (error: unknown) => error,
      );
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
    // Across namespaces a name selects many keys.
    assert.equal(await retryAfter(`${name}&resourceVersionMatch=Exact`, ""), 1);
  });

  promise("list() over all namespaces with a limit, one name and one namespace is not older than a version either", async (fixture) => {
    const old = await put(fixture, "a");
    const young = await put(fixture, "a");
    const at = async (fields: string) =>
      (await list(fixture, `resourceVersion=${old}&limit=1&fieldSelector=${fields}`, { namespace: "" })).page.revision;
    assert.equal((await list(fixture)).page.revision, young);
    assert.equal(await at("metadata.name=a,metadata.namespace=ns"), young);
    for (const fields of ["metadata.name=a", "metadata.namespace=ns", "metadata.name=a,metadata.namespace=NS"]) {
      assert.equal(await at(fields), old, fields);
    }
  });

  promise("list() with a limit and a name that no object can have is exact, as one without a name", async (fixture) => {
    const old = await put(fixture, "a");
    const young = await put(fixture, "a");
    assert.equal((await list(fixture)).page.revision, young);
    for (const name of ["", ".", "..", "a/b", "a%25"]) {
      const { names, page } = await list(fixture, `resourceVersion=${old}&limit=1&fieldSelector=metadata.name=${name}`);
      assert.deepEqual([names, page.revision], [[], old], name);
    }
  });

  promise("list() at a compacted version answers 410", async (fixture) => {
    const old = await put(fixture, "a");
    const young = await put(fixture, "a");
    const newest = await put(fixture, "b");
    await fixture.store.compact(young);
    await refusedBy(
      () => list(fixture, `resourceVersion=${old}&resourceVersionMatch=Exact`),
      410,
      "The resourceVersion for the provided list is too old.",
    );
    await refusedBy(() => list(fixture, `resourceVersion=${old}&limit=1`), 410, "The resourceVersion for the provided list is too old.");
    assert.deepEqual((await list(fixture, `resourceVersion=${young}&resourceVersionMatch=Exact`)).names, ["a"]);
    assert.equal((await list(fixture, `resourceVersion=${old}`)).page.revision, newest);
  });
}
