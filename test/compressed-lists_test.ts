// Compressed lists, whose parts are compressed once and shared, equal the plain lists of the same revision.
// In Deno's suite only: what is compressed, and once, does not depend on the runtime; the tests of protocols/gzip compress on both.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { gunzipSync, inflateRawSync } from "node:zlib";
import { randomFrom } from "../protocols/gzip/testing/random.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import { programs } from "./programs.ts";
import { send } from "./requests.ts";

const json = "application/json", protobuf = "application/vnd.kubernetes.protobuf";
const partial = "as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const collection = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;

interface Body {
  readonly bytes: Uint8Array;
  /** The bytes that were sent. */
  readonly sent: Uint8Array;
  readonly coding: string | null;
}

async function get(server: TestServer, path: string, headers: Record<string, string>): Promise<Body> {
  const response = await send(server, "GET", path, undefined, { headers });
  const sent = new Uint8Array(await response.arrayBuffer());
  assert.equal(response.status, 200, new TextDecoder().decode(sent));
  const coding = response.headers.get("content-encoding");
  assert.equal(response.headers.get("vary"), coding === null ? null : "Accept-Encoding");
  return { bytes: coding === null ? sent : onlyMember(sent), sent, coding };
}

/** Decompresses gzip that must consist of one member. */
function onlyMember(bytes: Uint8Array): Uint8Array {
  const content = new Uint8Array(gunzipSync(bytes));
  assert.deepEqual(new Uint8Array(inflateRawSync(bytes.subarray(10, -8))), content);
  return content;
}

/** Reads a list plain and twice compressed, at the same revision; returns the compressed one. */
async function compare(server: TestServer, path: string, accept: string): Promise<Body> {
  const at = path.includes("?") ? `${path}&` : `${path}?`;
  const { metadata } = JSON.parse(new TextDecoder().decode((await get(server, `${at}limit=1`, { accept: json })).bytes));
  const exact = path.includes("continue=") ? path : `${at}resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
  const plain = await get(server, exact, { accept });
  assert.equal(plain.coding, null);
  const first = await get(server, exact, { accept, "accept-encoding": "gzip" });
  const second = await get(server, exact, { accept, "accept-encoding": "gzip" });
  for (const { bytes } of [first, second]) assert.ok(Buffer.from(bytes).equals(plain.bytes), `${path} ${accept}`);
  assert.equal(first.coding, plain.bytes.length >= 128 * 1024 ? "gzip" : first.coding);
  return second;
}

function configMap(name: string, n: number, bytes: Uint8Array): object {
  return {
    metadata: { name, labels: { part: `${n % 3}` } },
    data: { n: `${n}` },
    binaryData: { k: Buffer.from(bytes).toString("base64") },
  };
}

async function blocks(server: TestServer): Promise<{ readonly compressed: number; readonly kept: number; readonly bytes: number }> {
  const { bytes } = await get(server, "/metrics", {});
  const text = new TextDecoder().decode(bytes);
  const of = (name: string) =>
    text.split("\n").filter((line) => line.startsWith(name)).reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  return {
    compressed: of('thole_compressed_list_blocks_total{group="",kept="false"'),
    kept: of('thole_compressed_list_blocks_total{group="",kept="true"'),
    bytes: of("thole_compressed_list_kept_bytes "),
  };
}

async function fill(server: TestServer, count: number, bytes = 1_000): Promise<void> {
  const random = randomFrom(count);
  for (let n = 0; n < count; n++) {
    const made = await send(server, "POST", collection("default"), configMap(`cm-${String(n).padStart(4, "0")}`, n, random.bytes(bytes)));
    assert.equal(made.status, 201);
  }
}

test("compressed lists equal plain ones through random writes, in every encoding and page", async () => {
  await using server = await openTestServer();
  const random = randomFrom(20);
  const names = new Set<string>();
  for (const name of ["a", "b"]) assert.equal((await send(server, "POST", "/api/v1/namespaces", { metadata: { name } })).status, 201);
  for (let round = 0; round < 8; round++) {
    for (let write = 0; write < (round === 0 ? 200 : 20); write++) {
      const namespace = random.below(4) === 0 ? "b" : "a", name = `cm-${random.below(300)}`, key = `${namespace}/${name}`;
      const path = collection(namespace);
      // A few objects take more than one block.
      const size = random.below(100) === 0 ? 300_000 : random.below(10) === 0 ? 20_000 : random.below(1_500);
      const value = configMap(name, round, random.bytes(size));
      const method = !names.has(key) ? "POST" : random.below(3) === 0 ? "DELETE" : "PUT";
      const answer = await send(server, method, method === "POST" ? path : `${path}/${name}`, method === "DELETE" ? undefined : value);
      assert.ok(answer.status < 300, await answer.text());
      if (method === "DELETE") names.delete(key);
      else names.add(key);
    }
    const all = "/api/v1/configmaps";
    for (const accept of [json, protobuf, `${json};${partial}`, `${protobuf};${partial}`]) {
      await compare(server, all, accept);
      await compare(server, collection("a"), accept);
    }
    await compare(server, `${all}?limit=${70 + random.below(150)}`, [json, protobuf][round % 2]!);
    await compare(server, `${all}?labelSelector=part=1`, json);
    let token = "";
    do {
      const page = `${all}?limit=${90 + round}${token === "" ? "" : `&continue=${token}`}`;
      const { metadata } = JSON.parse(new TextDecoder().decode((await compare(server, page, json)).bytes));
      token = encodeURIComponent(metadata.continue ?? "");
    } while (token !== "" && round % 4 === 0);
  }
  const { kept, compressed } = await blocks(server);
  assert.ok(kept > 50 && compressed > 50, `${kept} were kept, ${compressed} compressed`);
});

test("lists of custom resources are compressed in blocks as well, and equal plain ones", async () => {
  await using server = await openTestServer();
  const schema = {
    openAPIV3Schema: { type: "object", properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } },
  };
  const made = await send(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema }, { name: "v2", served: true, storage: false, schema }],
    },
  });
  assert.equal(made.status, 201, await made.text());
  const path = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets`;
  for (let answer = 404; answer !== 200;) {
    answer = (await send(server, "GET", path("v1"))).status;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (let n = 0; n < 60; n++) {
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: `w-${n}` }, spec: { text: `${n} `.repeat(2_000) } };
    assert.equal((await send(server, "POST", path("v1"), widget)).status, 201);
  }
  for (const version of ["v1", "v2"]) {
    for (const accept of [json, `${json};${partial}`]) await compare(server, path(version), accept);
  }
  const metrics = new TextDecoder().decode((await get(server, "/metrics", {})).bytes);
  assert.match(metrics, /^thole_compressed_list_blocks_total\{group="example\.com",kept="true",resource="widgets"\} \d+$/m);
});

test("a list after a change of one object compresses one block, and pages share the blocks of lists", async () => {
  await using server = await openTestServer();
  await fill(server, 400, 2_000);
  const gzip = { accept: json, "accept-encoding": "gzip" };
  const list = () => get(server, collection("default"), gzip);
  await list();
  const first = await blocks(server);
  assert.ok(first.compressed >= 6 && first.kept === 0, JSON.stringify(first));
  await Promise.all([list(), list()]);
  const second = await blocks(server);
  assert.deepEqual([second.compressed, second.kept], [first.compressed, 2 * first.compressed]);

  const changed = configMap("cm-0200", 1, new Uint8Array(1_900));
  assert.equal((await send(server, "PUT", `${collection("default")}/cm-0200`, changed)).status, 200);
  await list();
  const third = await blocks(server);
  assert.ok(third.compressed - second.compressed <= 2, JSON.stringify([second, third]));
  assert.ok(third.bytes <= second.bytes + 200_000);

  // Only what is before the first and after the last whole block is compressed.
  await get(server, `${collection("default")}?limit=350`, gzip);
  const fourth = await blocks(server);
  assert.ok(fourth.compressed - third.compressed <= 1 && fourth.kept > third.kept, JSON.stringify([third, fourth]));
  await get(server, `${collection("default")}?limit=350`, gzip);
  assert.equal((await blocks(server)).compressed, fourth.compressed);
});

test("many different pages keep a bounded amount of memory", async () => {
  await using server = await openTestServer();
  await fill(server, 200, 2_000);
  const gzip = { accept: json, "accept-encoding": "gzip" };
  await get(server, collection("default"), gzip);
  const { bytes } = await blocks(server);
  for (let limit = 100; limit < 200; limit++) await get(server, `${collection("default")}?limit=${limit}`, gzip);
  const after = await blocks(server);
  // At most four pages that end in the same block are kept, each with at most this block.
  assert.ok(after.bytes < 6 * bytes, `${after.bytes} after ${bytes}`);
});

test("a compressed list is compressed as it is read, and 256 readers that stop reading cost no more", async () => {
  await using server = await openTestServer();
  // Blocks of random bytes fill the buffers of a reader soon.
  await fill(server, 100, 24_000);
  const open = async () => {
    const headers = { accept: json, "accept-encoding": "gzip" };
    const { body } = await send(server, "GET", collection("default"), undefined, { headers });
    const reader = body!.getReader();
    assert.equal((await reader.read()).done, false);
    return reader;
  };
  const readers = [await open()];
  const { compressed: begun } = await blocks(server);
  while (readers.length < 256) readers.push(await open());
  const { compressed: all } = await blocks(server);
  assert.equal(all, begun, "the others share what the first one has compressed");
  await readers[0]!.cancel();
  assert.equal((await blocks(server)).compressed, all, "nothing is compressed for a reader that has gone");
  for (let done = false; !done;) done = (await readers[1]!.read()).done;
  assert.ok((await blocks(server)).compressed > all);
  await Promise.all(readers.slice(2).map((reader) => reader.cancel()));
});

test("lists below the bound and watches are not compressed in blocks", async () => {
  await using server = await openTestServer();
  await fill(server, 40);
  const gzip = { accept: json, "accept-encoding": "gzip" };
  assert.equal((await get(server, collection("default"), gzip)).coding, null);
  const watch = await send(server, "GET", `${collection("default")}?watch=1`, undefined, { headers: gzip });
  assert.equal(watch.headers.get("content-encoding"), null);
  await watch.body?.cancel();
  assert.deepEqual(await blocks(server), { compressed: 0, kept: 0, bytes: 0 });
});

test("the feature gate APIResponseCompression disables compressed lists", async () => {
  await using server = await openTestServer({ settings: { "feature-gates": { APIResponseCompression: false } } });
  await fill(server, 200);
  assert.equal((await get(server, collection("default"), { accept: json, "accept-encoding": "gzip" })).coding, null);
});

/** Programs that read compressed bytes from their input, or from a URL, and write them decompressed. */
const decoders: readonly { readonly program: string; readonly args: (url: string) => readonly string[] }[] = [
  { program: "gzip", args: () => ["-dc"] },
  // One member, and nothing after it.
  {
    program: "python3",
    args: () => [
      "-c",
      "import sys, zlib; d = zlib.decompressobj(31); o = d.decompress(sys.stdin.buffer.read()); " +
      "assert d.eof and not d.unused_data; sys.stdout.buffer.write(o)",
    ],
  },
  { program: "curl", args: (url) => ["--silent", "--fail", "--compressed", url] },
];

test("other decoders read compressed lists", async (t) => {
  await using server = await openTestServer();
  await fill(server, 200, 2_000);
  const list = await compare(server, collection("default"), json);
  assert.equal(list.coding, "gzip");
  const http = createServer((_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(list.sent)).listen(
    0,
    "127.0.0.1",
  );
  await once(http, "listening");
  const address = http.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
  try {
    const fetched = new Uint8Array(await (await fetch(url)).arrayBuffer());
    assert.ok(Buffer.from(fetched).equals(list.bytes), "fetch");
    const stream = new Blob([list.sent as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
    assert.ok(Buffer.from(await new Response(stream).arrayBuffer()).equals(list.bytes), "DecompressionStream");
    for (const { program, args } of decoders) {
      const [path] = programs(program);
      if (path === undefined) {
        t.diagnostic(`${program} is not on PATH`);
        continue;
      }
      const child = spawn(path, args(url), { stdio: ["pipe", "pipe", "inherit"] });
      const exited = once(child, "exit");
      child.stdin.on("error", () => {});
      child.stdin.end(list.sent);
      const pieces: Uint8Array[] = [];
      for await (const piece of child.stdout) pieces.push(piece);
      assert.deepEqual([program, (await exited)[0]], [program, 0]);
      assert.ok(Buffer.concat(pieces).equals(list.bytes), program);
    }
  } finally {
    http.close();
    http.closeAllConnections();
  }
});
