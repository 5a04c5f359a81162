import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
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

/** Runs with a TCP server whose connections `connected` gets. */
async function withTcp(connected: (socket: Socket) => void, run: (port: number) => Promise<void>): Promise<void> {
  const open = new Set<Socket>();
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    connected(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    await run((server.address() as AddressInfo).port); // it listens on TCP
  } finally {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
const failure = (message: string, more: object): Error => Object.assign(new Error(message), more);

test("a server that accepts a connection and is silent in the handshake is given up, whether or not connections are kept", () =>
  withTcp(() => {}, async (port) => {
    const silent = peersOf(failure, undefined, { handshakeMs: 20 });
    for (const access of [{}, { keeps: true as const }]) {
      const asked = silent.ask({ method: "GET", url: `https://127.0.0.1:${port}/`, headers: {}, access, signal: never });
      await assert.rejects(asked, { message: "net/http: TLS handshake timeout", isDial: true });
    }
  }));

test("requests to one server above the bound are refused, until others have ended in any way; other servers are not concerned", () =>
  withTcp((socket) => {
    socket.once("data", (piece) => {
      const [, path] = String(piece).split(" ");
      if (path === "/whole") socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
      else if (path === "/channel") socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
      else if (path === "/reset") socket.destroy();
      else socket.write("HTTP/1.1 200 OK\r\n\r\npart");
    });
  }, async (port) => {
    const bounded = peersOf(failure, undefined, { connectionsMax: 2 });
    const at = `127.0.0.1:${port}`,
      ask = (path: string, signal = never, headers = {}, keeps = false) =>
        bounded.ask({ method: "GET", url: `http://${at}${path}`, headers, access: keeps ? { keeps } : {}, signal });
    const isFull = async () => {
      await assert.rejects(ask("/whole"), { message: `too many connections to ${at}: the limit is 2` });
      await assert.rejects(ask("/whole", never, {}, true), /too many connections/);
      await assert.rejects(bounded.ask({ method: "GET", url: "http://127.0.0.1:1/", headers: {}, access: {}, signal: never }), /refused/);
    };
    const left = new AbortController(),
      leaving = await ask("/part", left.signal),
      channel = await ask("/channel", never, { connection: "upgrade", upgrade: "x" });
    await isFull();
    left.abort(new Error("the client has left"));
    await assert.rejects(async () => {
      for await (const _ of leaving.body);
    });
    await assert.rejects(ask("/reset"));
    const stopped = await ask("/part");
    await isFull();
    await stopped.body[Symbol.asyncIterator]().return?.();
    for (let times = 0; times < 3; times++) for await (const _ of (await ask("/whole")).body);
    const other = await ask("/part");
    await isFull();
    channel.channel?.close();
    await channel.body[Symbol.asyncIterator]().return?.();
    for (;;) {
      const reply = await ask("/whole").catch(() => undefined);
      if (reply !== undefined) break;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await other.body[Symbol.asyncIterator]().return?.();
  }));

test("a kept connection that has no request is closed after a while", async () => {
  let closed = 0;
  const server = createServer((_, response) => response.end("ok")).on("connection", (socket) => socket.once("close", () => closed++));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    const idle = peersOf(failure, undefined, { idleMs: 20 });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on TCP
    for await (const _ of (await idle.ask({ method: "GET", url, headers: {}, access: { keeps: true }, signal: never })).body);
    while (closed === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
/** What a hostile server sends, again and again if it is `endless`, and what becomes of it. `whole`: the content is all that there is. */
const hostile: readonly { readonly first: string; readonly endless?: string; readonly end?: "half" | "reset"; readonly wanted: RegExp }[] =
  [
    { first: "HTTP/1.1 200 OK\r\n", endless: "x-much: 0123456789\r\n".repeat(100), wanted: /head of the answer is larger|Header overflow/ },
    { first: "", endless: "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100), wanted: /too many 1xx informational responses/ },
    { first: "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", end: "half", wanted: /aborted|ended|hang up|closed/ },
    { first: "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", end: "reset", wanted: /aborted|reset|ended|hang up|closed/i },
    { first: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nhi!", wanted: /Parse Error/ },
    { first: "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", wanted: /Parse Error/ },
    { first: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", wanted: /Parse Error/ },
    { first: "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n", wanted: /switches to another protocol/ },
    { first: `${chunked}zz\r\n`, wanted: /Parse Error|aborted/ },
    { first: `${chunked}2\r\nhi!!\r\n`, wanted: /Parse Error|aborted/ },
    {
      first: chunked,
      endless: "1;a=0123456789012345678901234567890123456789\r\na\r\n".repeat(100),
      wanted: /little but the frames|Parse Error|aborted/,
    },
    {
      first: `${chunked}2\r\nhi\r\n0\r\n`,
      endless: "x-much: 0123456789\r\n".repeat(100),
      wanted: /little but the frames|overflow|aborted/,
    },
    { first: chunked + "2\r\nhi\r\n", end: "reset", wanted: /aborted|reset|ended|hang up|closed/i },
  ];

test("hostile framing of an answer ends it with an error", async () => {
  for (const { first, endless, end, wanted } of hostile) {
    await withTcp((socket) => {
      const more = (): void => {
        if (endless === undefined || socket.destroyed) return;
        if (socket.write(endless)) setImmediate(more);
        else socket.once("drain", more);
      };
      socket.once("data", () => {
        socket.write(
          first === "" ? endless! : first,
          () => end === "half" ? socket.end() : end === "reset" ? socket.resetAndDestroy() : more(),
        );
      });
    }, async (port) => {
      const read = async () => {
        const { body } = await peers.ask({ method: "GET", url: `http://127.0.0.1:${port}/`, headers: {}, access: {}, signal: never });
        for await (const _ of body);
      };
      await assert.rejects(read(), wanted, JSON.stringify(first.slice(0, 120)));
    });
  }
});
