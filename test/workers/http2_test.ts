// A server with two workers over HTTP/2: a connection belongs to one worker, and ends with it.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { frame, type FramesClient, framesClient, headers, request } from "../../server/listen/testing/frames-client.ts";
import { flag, frameType } from "../../protocols/http2/frames.ts";
import { type EtcdServer, startEtcd } from "../etcd.ts";
import { httpsClient } from "../https.ts";
import { ownRuntime, type RealServer, signal, startRealServer, until } from "../real-server.ts";
import { metric, path, skip } from "./workers.ts";

const connections = 12, requests = 30;
const goAwayLast = ({ payload }: { readonly payload: Buffer }) => payload.readUInt32BE(0) & 0x7fffffff;
const noBound = 0x7fffffff;

const fieldsOf = ({ token }: RealServer, where: string, more: Readonly<Record<string, string>> = {}) =>
  request({ ":path": where, authorization: `Bearer ${token}`, ...more });

/** The body of a response with this status. */
async function answer(client: FramesClient, stream: number, status: string): Promise<string> {
  assert.deepEqual(await client.outcome(stream), { status });
  return await client.body(stream);
}

describe("a server with two workers over HTTP/2", { skip }, () => {
  let folder: string, etcd: EtcdServer, server: RealServer;
  const opened: FramesClient[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "thole-workers-"));
    etcd = await startEtcd();
    const args = [`--etcd-servers=${etcd.endpoint}`, "--workers=2"];
    server = await startRealServer({ runtime: ownRuntime, folder, args });
  });
  after(async () => {
    for (const { socket } of opened) socket.destroy();
    await server?.close();
    await etcd?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  /** Connections of which both workers have some. */
  async function connect(): Promise<readonly FramesClient[]> {
    const clients: FramesClient[] = [];
    for (let count = 0; count < connections; count++) clients.push(await framesClient(server));
    opened.push(...clients);
    return clients;
  }

  test("each HTTP/2 connection stays on one worker, and each worker reads what the other has written", async () => {
    const clients = await connect();
    const counting = httpsClient({ ...server, single: true });
    const answered = async () => await Promise.all(["1", "2"].map((worker) => metric(counting, "thole_worker_requests_total", { worker })));
    const owners = new Set<number>();
    // The last client only reads, once for each of the others.
    const reader = clients.at(-1)!;
    for (const [at, client] of clients.slice(0, -1).entries()) {
      const before = await answered(), name = `h2-${at}`;
      client.send(
        headers(1, fieldsOf(server, path, { ":method": "POST", "content-type": "application/json" }), 0),
        frame(frameType.data, flag.endStream, 1, JSON.stringify({ metadata: { name } })),
      );
      await answer(client, 1, "201");
      // All at once: they share the connection.
      const streams = Array.from({ length: requests }, (_, index) => 2 * index + 3);
      client.send(...streams.map((stream) => headers(stream, fieldsOf(server, `${path}/${name}`))));
      for (const stream of streams) assert.equal(JSON.parse(await answer(client, stream, "200")).metadata.name, name);
      const after = await answered(), counts = after.map((count, index) => count - before[index]!);
      const most = Math.max(...counts), least = Math.min(...counts);
      // The scrapes of the test are counted too.
      assert.ok(most > requests && least < requests, `${counts}`);
      owners.add(counts.indexOf(most));
      const read = 2 * at + 1;
      reader.send(headers(read, fieldsOf(server, `${path}/${name}`)));
      await answer(reader, read, "200");
      if (owners.size === 2) break;
    }
    assert.equal(owners.size, 2, "both workers have connections");
    counting.close();
    for (const { socket } of clients) socket.destroy();
  });

  test("a killed worker resets its HTTP/2 connections only; SIGTERM ends the watches of both with two GOAWAYs", async () => {
    const clients = await connect();
    for (const client of clients) {
      client.send(headers(1, fieldsOf(server, `${path}?watch=1&resourceVersion=0`)));
      assert.deepEqual(await client.outcome(1), { status: "200" });
    }
    const gone = new Set<FramesClient>();
    for (const client of clients) void client.closed.then(() => gone.add(client));
    const pid = server.workers().get(2)!;
    signal(pid, "SIGKILL");
    await until(() => assert.notEqual(server.workers().get(2), pid));
    const left = clients.filter((client) => !gone.has(client));
    assert.ok(left.length > 0 && left.length < clients.length, `${left.length} of ${clients.length} are left`);
    for (const client of left) {
      client.send(headers(3, fieldsOf(server, "/livez")));
      assert.equal(await answer(client, 3, "200"), "ok");
    }
    const replaced = await connect();
    for (const client of replaced) {
      client.send(headers(1, fieldsOf(server, `${path}?watch=1&resourceVersion=0`)));
      assert.deepEqual(await client.outcome(1), { status: "200" });
    }
    server.signal("SIGTERM");
    await Promise.all([...left, ...replaced].map(async (client) => {
      const first = (await client.next(({ type }) => type === frameType.goAway))!;
      assert.equal(goAwayLast(first), noBound);
      const ping = (await client.next(({ type }) => type === frameType.ping))!;
      client.send(frame(frameType.ping, flag.ack, 0, ping.payload));
      const second = (await client.next((each) => each.type === frameType.goAway && each !== first))!;
      assert.equal(goAwayLast(second), left.includes(client) ? 3 : 1);
      await client.body(1);
      assert.equal(client.received.filter(({ type }) => type === frameType.reset).length, 0, "the watch ends, and is not cut");
      await client.closed;
    }));
    assert.equal(await server.exited, 0, server.errors());
  });
});
