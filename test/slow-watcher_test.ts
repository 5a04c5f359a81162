// A watch client that does not read, over the network: its watch is ended and counted, its connection is closed, and other watches are
// unaffected.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "node:tls";
import { withRelay } from "../server/listen/testing/clients.ts";
import { startTestServer } from "./harness.ts";
import { documents, httpsClient } from "./https.ts";

const path = "/api/v1/namespaces/default/configmaps";
/**
 * Events of a megabyte: many more than the bound of a watcher and the buffers of sockets; the watcher must also be behind for a minimum
 * time.
 */
const writesMax = 1_000;

test("a watcher that does not read is counted and loses its connection, and others get all events", { timeout: 600_000 }, async () => {
  const server = await startTestServer();
  const client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
  try {
    const listed = (await client.ask(`${path}?limit=1`)).json().metadata.resourceVersion;
    const query = `${path}?watch=1&resourceVersion=${listed}`;
    const reading = await client.stream(query), seen: string[] = [];
    let wanted = Infinity;
    const read = (async () => {
      for await (const { object } of documents(reading.chunks)) if (seen.push(object.metadata.resourceVersion) >= wanted) break;
    })();
    await withRelay(server, 64 * 1024, async (relay) => {
      const stuck = connect({ host: "127.0.0.1", port: relay.port, ca: server.ca, ALPNProtocols: ["http/1.1"] });
      stuck.on("error", () => {});
      await new Promise<void>((resolve) => stuck.once("secureConnect", resolve));
      stuck.write(`GET ${query} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${server.tokens.admin}\r\n\r\n`);
      await new Promise<void>((resolve) => stuck.once("readable", resolve));

      const versions: string[] = [];
      let pending = 0;
      const metric = async (line: RegExp): Promise<number> => Number(line.exec((await client.ask("/metrics")).text)?.[1] ?? 0);
      const terminated = () => metric(/^apiserver_terminated_watchers_total\{.*resource="configmaps".*\} (\d+)$/m);
      const watches = () => metric(/^apiserver_longrunning_requests\{.*resource="configmaps".*verb="WATCH".*\} (\d+)$/m);
      assert.equal(await watches(), 2);
      for (let at = 0; at < writesMax && await terminated() === 0; at++) {
        const body = { metadata: { name: "large" }, data: { text: String(at).padStart(900_000, "x") } };
        const answer = await (at === 0 ? client.ask(path, { method: "POST", body }) : client.ask(`${path}/large`, { method: "PUT", body }));
        assert.ok(answer.status < 300, answer.text.slice(0, 300));
        versions.push(answer.json().metadata.resourceVersion);
        pending = Math.max(pending, await metric(/^thole_watch_pending_bytes (\d+)$/m));
      }
      assert.ok(pending > 900_000, `at most ${pending} bytes were counted for the client that reads nothing`);
      assert.equal(await terminated(), 1);
      // The server has ended it although its client has not closed the connection.
      while (await watches() !== 1) await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(stuck.destroyed, false);

      // A final event, at which the reader ends.
      wanted = versions.length + 1;
      const last = await client.ask(path, { method: "POST", body: { metadata: { name: "last" } } });
      await read;
      assert.deepEqual(seen, [...versions, last.json().metadata.resourceVersion]);
      stuck.destroy();
    });
  } finally {
    client.close();
    await server.close();
  }
});
