// The shard selector of lists, watches and deletions of collections (KEP-5866).
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../testing.ts";
import { until } from "./real-server.ts";
import { ask, done, type Handles, refused } from "./requests.ts";

const gate = { settings: { preset: "control-plane", "feature-gates": { ShardedListAndWatch: true } } };
const first = "'0x0000000000000000'", half = "'0x8000000000000000'", end = "'0x10000000000000000'";
const range = (from: string, to: string, field = "uid") => `shardRange(object.metadata.${field}, ${from}, ${to})`;
const shards = [range(first, half), range(half, end)];
const path = (selector: string, rest = "", base = "/api/v1/namespaces/default/configmaps") =>
  `${base}?shardSelector=${encodeURIComponent(selector)}${rest}`;
const names = (list: { readonly items: readonly { readonly metadata: { readonly name: string } }[] }) =>
  list.items.map(({ metadata }) => metadata.name);

async function makeConfigMaps(server: Handles, count: number): Promise<readonly string[]> {
  const made = Array.from({ length: count }, (_, index) => `c${index}`).sort();
  for (const name of made) {
    await done(server, "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name, labels: { half: `${name.length}` } } });
  }
  return made;
}

test("lists of shards have each object once, say their shard, and take other selectors, pages and tables", async () => {
  await using server = await openTestServer(gate);
  const made = await makeConfigMaps(server, 24);
  const lists = await Promise.all(shards.map((shard) => done(server, "GET", path(shard))));
  assert.deepEqual(lists.map(({ metadata }) => metadata.shardInfo), shards.map((selector) => ({ selector })));
  assert.deepEqual(lists.flatMap(names).sort(), made);
  const [one] = lists.map(names), labelled = one!.filter((name) => name.length === 3);
  assert.deepEqual(names(await done(server, "GET", path(shards[0]!, "&labelSelector=half%3D3"))), labelled);
  assert.deepEqual(names(await done(server, "GET", path(shards.join(" || ")))), made);
  assert.deepEqual(names(await done(server, "GET", path(range(first, end, "namespace")))), made);
  const paged: string[] = [];
  for (let token = "";;) {
    const page = await done(server, "GET", path(shards[0]!, `&limit=3&continue=${encodeURIComponent(token)}`));
    paged.push(...names(page));
    assert.equal(page.metadata.remainingItemCount, undefined);
    token = page.metadata.continue ?? "";
    if (token === "") break;
  }
  assert.deepEqual(paged, one);
  const table = await done(server, "GET", path(shards[0]!), undefined, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" });
  assert.deepEqual([table.metadata.shardInfo, table.rows.length], [{ selector: shards[0] }, one!.length]);
  const { text } = await ask(server, "GET", path(shards[0]!), undefined, { accept: "application/vnd.kubernetes.protobuf" });
  assert.ok(text.includes(shards[0]!));
});

test("a watch of a shard has the events of its objects only, and a deletion of a collection deletes them only", async () => {
  await using server = await openTestServer(gate);
  const made = await makeConfigMaps(server, 12), mine = names(await done(server, "GET", path(shards[1]!)));
  const { text } = await ask(server, "GET", path(shards[1]!, "&watch=1&resourceVersion=0&timeoutSeconds=1"));
  const events = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(events.map(({ object }) => object.metadata.name).sort(), [...mine].sort());
  await done(server, "DELETE", path(shards[1]!));
  const left = names(await done(server, "GET", "/api/v1/namespaces/default/configmaps"));
  assert.deepEqual(left, left.filter((name) => !mine.includes(name)));
  assert.deepEqual(left.filter((name) => name.startsWith("c")), made.filter((name) => !mine.includes(name)));
});

test("custom resources have shards", async () => {
  await using server = await openTestServer(gate);
  const schema = { openAPIV3Schema: { type: "object" } }, names = { plural: "things", kind: "Thing" };
  const versions = [{ name: "v1", served: true, storage: true, schema }];
  const definition = { metadata: { name: "things.example.com" }, spec: { group: "example.com", scope: "Cluster", names, versions } };
  await done(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
  const base = "/apis/example.com/v1/things";
  await until(() => done(server, "GET", base));
  for (let index = 0; index < 8; index++) {
    await done(server, "POST", base, { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: `t${index}` } });
  }
  const lists = await Promise.all(shards.map((shard) => done(server, "GET", path(shard, "", base))));
  assert.deepEqual(lists.map(({ metadata }) => metadata.shardInfo), shards.map((selector) => ({ selector })));
  assert.deepEqual(lists.reduce((sum, { items }) => sum + items.length, 0), 8);
});

test("a malformed selector is refused; without the gate none is read", async () => {
  await using server = await openTestServer(gate);
  assert.deepEqual(await refused(server, "GET", path("foo(1)")), [
    400,
    'invalid shard selector: unsupported function "foo"; only shardRange() and || are allowed',
  ]);
  assert.equal((await refused(server, "GET", path("((", "&watch=1")))[0], 400);
  await using plain = await openTestServer({ settings: { preset: "control-plane" } });
  const made = await makeConfigMaps(plain, 3), list = await done(plain, "GET", path("(("));
  assert.deepEqual([list.metadata.shardInfo, names(list)], [undefined, made]);
});
