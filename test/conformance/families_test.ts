// Behaviours of single kinds and forms: immutability, Events of two APIs, tables.
// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { merged } from "../validation/rule.ts";
import { kinds, objectOf } from "./kinds.ts";
import { world } from "./world.ts";

const table = { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } };
const collection = (resource: string) => `/api/v1/namespaces/default/${resource}`;

describe("families", () => {
  const { ask, client, create, patch, put, remove } = world();

  for (const [resource, before, after] of [["configmaps", "one", "two"], ["secrets", "b25l", "dHdv"]] as const) {
    test(`immutable ${resource} keep data and flag, accept metadata, and can be created again`, async () => {
      const path = collection(resource), one = `${path}/fixed`;
      const made = await create(path, { metadata: { name: "fixed" }, data: { key: before } });
      await patch(one, { data: { key: after } });
      const fixed = await put(one, { metadata: { name: "fixed" }, data: { key: before }, immutable: true });
      for (
        const change of [{ data: { key: after } }, { data: { another: before } }, { data: null }, { immutable: false }, { immutable: null }]
      ) {
        const refused = await ask(422, one, { method: "PUT", body: merged(fixed, change) });
        assert.ok(refused.details.causes.every(({ reason }: { reason: string }) => reason === "FieldValueForbidden"), refused.message);
        assert.match(refused.message, /field is immutable when `immutable` is set/);
      }
      await patch(one, { metadata: { labels: { still: "changes" } } });
      await remove(one);
      const anew = await create(path, { metadata: { name: "fixed" }, data: { key: after } });
      assert.notEqual(anew.metadata.uid, made.metadata.uid);
      await remove(one);
    });
  }

  test("an Event of one API is the same object in the other, and can be changed and deleted through both", async () => {
    const kind = kinds.find(({ resource }) => resource === "events.events.k8s.io")!;
    const core = kind.path.replace("/apis/events.k8s.io/v1", "/api/v1");
    const made = await create(kind.path, objectOf(kind, "both", { conformance: "both" }));
    const seen = await ask(200, `${core}/both`);
    assert.deepEqual([seen.apiVersion, made.apiVersion], ["v1", "events.k8s.io/v1"]);
    assert.deepEqual([seen.metadata.uid, seen.metadata.resourceVersion], [made.metadata.uid, made.metadata.resourceVersion]);
    assert.deepEqual([seen.message, seen.involvedObject, seen.reportingComponent], [made.note, made.regarding, made.reportingController]);
    const series = { count: 100, lastObservedTime: "2024-01-02T03:04:05.000006Z" };
    await patch(`${kind.path}/both`, { series });
    const once = await ask(200, `${core}/both`);
    assert.deepEqual(once.series, series);
    await put(`${core}/both`, merged(once, { series: { count: 101 } }) as object);
    assert.equal((await ask(200, `${kind.path}/both`)).series.count, 101);
    await ask(200, `${core}?labelSelector=conformance=both`, { method: "DELETE" });
    await ask(404, `${kind.path}/both`);
  });

  test("a Table has columns and a row per object, in chunks as the list; each row has the object's metadata", async () => {
    const kind = kinds.find(({ resource }) => resource === "podtemplates")!;
    for (let at = 0; at < 5; at++) await create(kind.path, objectOf(kind, `row-${at}`, { conformance: "table" }));
    const query = "?limit=3&labelSelector=conformance=table";
    const first = await ask(200, kind.path + query, table);
    const rest = await ask(200, `${kind.path}${query}&continue=${first.metadata.continue}`, table);
    assert.deepEqual([first.kind, first.apiVersion, rest.metadata.continue], ["Table", "meta.k8s.io/v1", undefined]);
    const rows: readonly any[] = [...first.rows, ...rest.rows]; // In order of receipt.
    assert.deepEqual(rows.map(({ cells }) => cells[0]), ["row-0", "row-1", "row-2", "row-3", "row-4"]);
    assert.ok(rows.every(({ cells }) => cells.length === first.columnDefinitions.length));
    assert.deepEqual(
      rows.map(({ object }) => [object.kind, object.metadata.name]),
      rows.map(({ cells }) => ["PartialObjectMetadata", cells[0]]),
    );
    const one = await ask(200, `${kind.path}/row-0`, table);
    assert.deepEqual([one.kind, one.rows.length], ["Table", 1]);
    await ask(200, `${kind.path}?labelSelector=conformance=table`, { method: "DELETE" });
  });

  test("a kind that is never stored has no Table: 406, unless another form is accepted too", async () => {
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const asked = (accept: string) => client.ask(path, { method: "POST", body: {}, headers: { accept } });
    const refused = await asked(table.headers.accept);
    assert.deepEqual([refused.status, refused.json().reason], [406, "NotAcceptable"]);
    assert.equal((await asked(`${table.headers.accept},application/json`)).json().kind, "SelfSubjectReview");
  });
});
