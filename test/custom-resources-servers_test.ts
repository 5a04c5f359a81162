// Two servers on one etcd: each serves the definitions that the other has written, also those that it missed while it was stopped.
import assert from "node:assert/strict";
import { test } from "node:test";
import { etcdMissing, startEtcd } from "./etcd.ts";
import { type Client, documents, httpsClient } from "./https.ts";
import { type RealServer, runtimeMissing, startRealServer, startSkipped, until } from "./real-server.ts";

const group = "servers.example.com";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const definition = `${definitions}/things.${group}`;
const things = (version = "v1") => `/apis/${group}/${version}/namespaces/default/things`;

const versionOf = (name: string, colour: string) => ({
  name,
  served: true,
  storage: name === "v1",
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          default: {},
          properties: { colour: { type: "string", default: colour }, size: { type: "integer", maximum: colour === "blue" ? 10 : 20 } },
        },
      },
    },
  },
});
const body = (colour: string, versions: readonly string[] = ["v1"], scope = "Namespaced") => ({
  metadata: { name: `things.${group}` },
  spec: { group, scope, names: { plural: "things", kind: "Thing" }, versions: versions.map((name) => versionOf(name, colour)) },
});
const thing = (name: string, spec: object = {}, version = "v1") => ({
  apiVersion: `${group}/${version}`,
  kind: "Thing",
  metadata: { name },
  spec,
});

interface Pair {
  readonly a: Client;
  readonly b: Client;
  readonly servers: readonly [RealServer, RealServer];
}

async function pair(use: (pair: Pair) => Promise<void>): Promise<void> {
  const etcd = await startEtcd();
  const start = (runtime: "deno" | "node") => startRealServer({ runtime, args: [`--etcd-servers=${etcd.endpoint}`] });
  const servers = await Promise.all([start("deno"), start("node")]);
  const [a, b] = [httpsClient(servers[0]), httpsClient(servers[1])];
  try {
    for (const client of [a, b]) await until(async () => assert.equal((await client.ask("/readyz")).status, 200));
    await use({ a, b, servers });
  } finally {
    for (const client of [a, b]) client.close();
    for (const server of servers) await server.close();
    await etcd.stop();
  }
}

async function done(client: Client, path: string, method: string, sent?: object): Promise<any> {
  const answer = await client.ask(path, { method, ...(sent === undefined ? {} : { body: sent }) });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json();
}
/** The events of a watch; `ended` resolves when the server has ended it. */
async function follow(client: Client, path: string): Promise<{ readonly events: string[]; readonly ended: Promise<void> }> {
  const { status, chunks } = await client.stream(path);
  assert.equal(status, 200);
  const events: string[] = [];
  const ended = (async () => {
    for await (const { type, object } of documents(chunks)) events.push(`${type} ${object.metadata?.name ?? object.code}`);
  })();
  return { events, ended };
}

/** Waits until a request has this status. */
const answered = (client: Client, path: string, status: number) =>
  until(async () => {
    const answer = await client.ask(path);
    assert.equal(answer.status, status, answer.text);
    return status === 200 ? answer.json() : undefined;
  });

const skip = etcdMissing() || startSkipped("deno") || runtimeMissing("node");

test("a definition that one server has written is served, changed and removed by the other", { skip }, () =>
  pair(async ({ a, b }) => {
    await done(a, definitions, "POST", body("blue"));
    await answered(b, things(), 200);
    await answered(a, things(), 200);
    await done(b, things(), "POST", thing("from-b"));
    assert.equal((await done(a, `${things()}/from-b`, "GET")).spec.colour, "blue");
    const { events, ended } = await follow(b, `${things()}?watch=1&resourceVersion=0`);
    await done(a, things(), "POST", thing("from-a"));
    await until(() => assert.deepEqual(events, ["ADDED from-b", "ADDED from-a"]));
    const invalid = await b.ask(things(), { method: "POST", body: thing("wrong", { size: 15 }) });
    assert.equal(invalid.status, 422, invalid.text);

    const stored = await done(a, definition, "GET");
    await done(a, definition, "PUT", { ...stored, spec: body("red", ["v1", "v2"]).spec });
    const list = await answered(b, things("v2"), 200);
    assert.deepEqual(list.items.map(({ apiVersion, metadata }: any) => [apiVersion, metadata.name]), [
      [`${group}/v2`, "from-a"],
      [`${group}/v2`, "from-b"],
    ]);
    const made = await done(b, things("v2"), "POST", thing("second", { size: 15 }, "v2"));
    assert.deepEqual(made.spec, { size: 15, colour: "red" });
    const found = await done(b, `/apis/${group}`, "GET");
    assert.deepEqual(found.versions.map(({ version }: any) => version), ["v2", "v1"]);

    await ended; // with the change of its resource
    const last = await follow(b, `${things()}?watch=1&resourceVersion=${made.metadata.resourceVersion}`);
    await done(b, definition, "DELETE");
    await answered(a, definition, 404);
    await answered(a, things(), 404);
    await answered(b, things(), 404);
    await last.ended;
    assert.deepEqual(last.events.filter((event) => event.startsWith("DELETED")).toSorted(), [
      "DELETED from-a",
      "DELETED from-b",
      "DELETED second",
    ]);
  }));

test(
  "a server that was stopped serves the definitions and objects that the other has written meanwhile",
  { skip },
  () =>
    pair(async ({ a, b, servers }) => {
      await done(a, definitions, "POST", body("blue"));
      await answered(b, things(), 200);
      await answered(a, things(), 200);
      servers[1].signal("SIGSTOP");
      await done(a, definition, "DELETE");
      await answered(a, definition, 404);
      await done(a, definitions, "POST", body("red", ["v1"], "Cluster"));
      const cluster = `/apis/${group}/v1/things`;
      await until(() => done(a, cluster, "POST", thing("unknown-to-b")));
      servers[1].signal("SIGCONT");
      const { spec } = await answered(b, `${cluster}/unknown-to-b`, 200);
      assert.deepEqual(spec, { colour: "red" });
      assert.equal((await b.ask(things())).status, 404, "the deleted definition's resource was in namespaces");
      await done(b, cluster, "POST", thing("from-b", { size: 20 }));
      const names = async (client: Client) => (await done(client, cluster, "GET")).items.map(({ metadata }: any) => metadata.name);
      assert.deepEqual([await names(a), await names(b)], [["from-b", "unknown-to-b"], ["from-b", "unknown-to-b"]]);
    }),
);
