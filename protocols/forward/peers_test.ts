import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { peersOf } from "./peers.ts";

const peers = peersOf((message, more) => Object.assign(new Error(message), more));
const never = new AbortController().signal;

test("an address with a user, or that is none, is refused before anything is sent", async () => {
  for (const url of ["http://10.0.0.1:80@127.0.0.1/", "http://user@127.0.0.1/", "http://127.0.0.1:abc/", "http://127.0.0.1:99999/"]) {
    await assert.rejects(peers.ask({ method: "GET", url, headers: {}, access: {}, signal: never }), /^Error: invalid address$/);
  }
});

test("a reply that nobody reads ends its connection", async () => {
  let closed = 0;
  const server = createServer((request, response) => {
    request.socket.once("close", () => closed++);
    response.writeHead(200).write("x".repeat(1024));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on TCP
    const { body } = await peers.ask({ method: "GET", url, headers: {}, access: {}, signal: never });
    await body[Symbol.asyncIterator]().return?.();
    while (closed === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test("a read whose kept connection has ended is sent once more, and a write is not", async () => {
  let requests = 0, connections = 0;
  const server = createServer((request, response) => {
    // Every second request of a connection ends it without an answer.
    if (++requests % 2 === 0) request.socket.destroy();
    else response.end("ok");
  });
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on TCP
    const ask = async (method: string, body?: AsyncIterable<Uint8Array>) => {
      const reply = await peers.ask({ method, url, headers: {}, body, access: { keeps: true }, signal: never });
      let text = "";
      for await (const piece of reply.body) text += new TextDecoder().decode(piece);
      return text;
    };
    assert.equal(await ask("GET"), "ok");
    assert.equal(await ask("GET"), "ok");
    assert.deepEqual([requests, connections], [3, 2], "the second read was sent again, over a connection of its own");
    const body = async function* () {
      yield new TextEncoder().encode("x");
    };
    await assert.rejects(ask("POST", body()));
    assert.equal(requests, 4);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
