import assert from "node:assert/strict";
import { connect as tcpConnect } from "node:net";
import { test } from "node:test";
import { StatusError } from "../../core/status-error.ts";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import {
  http1,
  http2,
  http2Ask,
  http2Session,
  issue,
  protocols,
  rawConnection,
  readAll,
  signalled,
  textReply,
  withRelay,
  withServer,
} from "./testing/clients.ts";
import { bodyBytesMax } from "../../kernel/request-context.ts";
import { headerBytesMax } from "../../kernel/access/authentication/token-chain.ts";
import { chunkBytes } from "../../kernel/objects/chunks.ts";
import { discardBytesMax } from "./bounds.ts";

/** Milliseconds; for tests whose awaited event may be missing. */
const timeout = 60_000;

async function echo(exchange: Exchange): Promise<Reply> {
  try {
    const body = await exchange.body(bodyBytesMax);
    return textReply(JSON.stringify({ method: exchange.method, url: exchange.url, protocol: exchange.protocol, bytes: body.length }));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { status: error.code, headers: {}, body: error.message };
  }
}

for (const [protocol, ask] of protocols) {
  test(`listen() over ${protocol} gives the method, the target as written, and the body`, () =>
    withServer(echo, async ({ listener, ca }) => {
      const got = await ask(listener, { ca, method: "PATCH", path: "/a%2Fb//c?x=%20&x=+", body: new Uint8Array(1_000_000) });
      assert.equal(got.status, 200);
      const received = JSON.parse(got.body.toString());
      assert.deepEqual(received, {
        method: "PATCH",
        url: "/a%2Fb//c?x=%20&x=+",
        protocol: protocol === "HTTP/2" ? "HTTP/2.0" : "HTTP/1.1",
        bytes: 1_000_000,
      });
      assert.equal(new Map(got.headers).get("content-length"), String(got.body.length));
    }));

  test(`listen() over ${protocol} accepts a body at the bound and rejects one byte more`, () =>
    withServer(echo, async ({ listener, ca }) => {
      const fits = await ask(listener, { ca, method: "POST", body: new Uint8Array(bodyBytesMax) });
      assert.equal(fits.status, 200);
      const over = await ask(listener, { ca, method: "POST", body: new Uint8Array(bodyBytesMax + 1) });
      assert.equal(over.status, 413);
      assert.equal(over.body.toString(), "Request entity too large: limit is 3145728");
      const chunked = await ask(listener, {
        ca,
        method: "POST",
        body: new Uint8Array(bodyBytesMax + 1),
        headers: protocol === "HTTP/2" ? {} : { "transfer-encoding": "chunked" },
      });
      assert.equal(chunked.status, 413);
    }));

  test(`listen() over ${protocol} keeps repeated headers apart and names in lower case, for any names`, () =>
    withServer(
      (exchange) =>
        Promise.resolve(
          textReply(
            JSON.stringify([exchange.headers["impersonate-group"], exchange.headers["__proto__"], exchange.headers["constructor"]]),
          ),
        ),
      async ({ listener, ca }) => {
        const got = await ask(listener, { ca, headers: { "Impersonate-Group": ["a", "b, c"], ["__proto__"]: "x" } });
        assert.deepEqual(JSON.parse(got.body.toString()), [["a", "b, c"], "x", null]);
      },
    ));

  test(`listen() over ${protocol} answers HEAD with the length and without the body`, () =>
    withServer(() => Promise.resolve(textReply("12345")), async ({ listener, ca }) => {
      const got = await ask(listener, { ca, method: "HEAD" });
      assert.equal(got.status, 200);
      assert.equal(got.body.length, 0);
      assert.equal(new Map(got.headers).get("content-length"), "5");
    }));

  test(`listen() over ${protocol} sends every chunk of a large stream`, () =>
    withServer(() => Promise.resolve(textReply(chunksOf(200, 65_536))), async ({ listener, ca }) => {
      const got = await ask(listener, { ca });
      assert.equal(got.body.length, 200 * 65_536);
      assert.ok(got.body.every((byte) => byte === 7));
    }));

  test(`listen() over ${protocol} breaks off a stream whose source fails`, () =>
    withServer(
      () =>
        Promise.resolve(textReply((async function* () {
          yield new Uint8Array(10);
          throw new Error("the source failed");
        })())),
      async ({ listener, ca, reported }) => {
        await assert.rejects(ask(listener, { ca }));
        assert.match(String(reported[0]), /the source failed/);
      },
    ));

  test(`listen() over ${protocol} answers 500 and reports when the handler rejects`, () =>
    withServer(() => Promise.reject(new Error("a bug")), async ({ listener, ca, reported }) => {
      const got = await ask(listener, { ca });
      assert.equal(got.status, 500);
      assert.equal(JSON.parse(got.body.toString()).reason, "InternalError");
      assert.match(String(reported[0]), /a bug/);
    }));

  test(`listen() over ${protocol} identifies a client by its certificate if the configured authority issued it for clients`, () =>
    withServer(
      ({ peer, peerRefused }) =>
        Promise.resolve(
          textReply(JSON.stringify({ name: peer?.commonName, groups: peer?.organizations, refused: peerRefused !== undefined })),
        ),
      async ({ listener, ca }) => {
        const who = async (identity?: ReturnType<typeof issue>) =>
          JSON.parse((await ask(listener, identity === undefined ? { ca } : { ca, identity })).body.toString());
        const wish = { usage: "client", commonName: "ann", organizations: ["a", "b\nCN=root"] } as const;
        assert.deepEqual(await who(issue(wish, ca)), { name: "ann", groups: ["a", "b\nCN=root"], refused: false });
        assert.deepEqual(await who(), { refused: false });
        assert.deepEqual(await who(issue(wish, issue({ usage: "ca", commonName: "test authority" }))), { refused: true });
        assert.deepEqual(await who(issue(wish)), { refused: true });
        assert.deepEqual(await who(issue({ ...wish, usage: "server" }, ca)), { refused: true });
        assert.deepEqual(await who(issue({ ...wish, notAfter: Date.now() - 1000 }, ca)), { refused: true });
      },
    ));
}

test("listen() sends a list of header values as repeated headers", () =>
  withServer(() => Promise.resolve(textReply("", { warning: ['299 - "a"', '299 - "b, c"'] })), async ({ listener, ca }) => {
    const first = await http1(listener, { ca });
    assert.deepEqual(first.headers.filter(([name]) => name === "warning").map(([, value]) => value), ['299 - "a"', '299 - "b, c"']);
    const second = await http2(listener, { ca });
    assert.equal(new Map(second.headers).get("warning"), '299 - "a", 299 - "b, c"');
  }));

test("listen() keeps an HTTP/1.1 connection for several requests, also after a rejected body", () =>
  withServer(echo, async ({ listener, ca }) => {
    const socket = await rawConnection(listener, ca);
    const all = readAll(socket);
    socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3145729\r\n\r\n");
    socket.write(new Uint8Array(bodyBytesMax + 1));
    socket.write("GET /second HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    assert.deepEqual([...(await all).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status), ["413", "200"]);
  }));

test("listen() sends 100 Continue to an HTTP/1.1 client that waits for it", () =>
  withServer(echo, async ({ listener, ca }) => {
    const socket = await rawConnection(listener, ca);
    const all = readAll(socket);
    socket.once("data", (first: Buffer) => {
      assert.match(first.toString(), /^HTTP\/1\.1 100 /);
      socket.write("12345");
    });
    socket.write("POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 5\r\nconnection: close\r\n\r\n");
    assert.match(await all, /"bytes":5/);
  }));

for (const method of ["FOO", "get", "FETCH", "constructor"]) {
  test(`listen() passes on the method ${method}, which node's HTTP/1.1 parser does not know`, () =>
    withServer(echo, async ({ listener, ca }) => {
      const socket = await rawConnection(listener, ca);
      const all = readAll(socket);
      socket.write(`${method} /livez?x HTTP/1.1\r\nhost: x\r\n\r\n`);
      const text = await all;
      assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
      assert.ok(text.includes(JSON.stringify({ method, url: "/livez?x", protocol: "HTTP/1.1", bytes: 0 })), text);
      assert.match(text, /connection: close/i);
      const over2 = await http2(listener, { ca, method });
      assert.equal(JSON.parse(over2.body.toString()).method, method);
    }));
}

test("listen() never reads a second request after a method that node's parser does not know", () => {
  const seen: string[] = [];
  return withServer((exchange) => Promise.resolve(textReply(String(seen.push(exchange.url)))), async ({ listener, ca }) => {
    const socket = await rawConnection(listener, ca);
    const all = readAll(socket);
    socket.write("FOO /first HTTP/1.1\r\nhost: x\r\n\r\nGET /second HTTP/1.1\r\nhost: x\r\n\r\n");
    await all;
    assert.deepEqual(seen, ["/first"]);
  });
});

test("listen() answers an unknown method with an unreadable head with 405, other malformed requests with 400", () =>
  withServer(echo, async ({ listener, ca }) => {
    const say = async (text: string) => {
      const socket = await rawConnection(listener, ca);
      const all = readAll(socket);
      socket.write(text);
      return await all;
    };
    const answer = await say("FOO /half HTTP/1.1\r\nhost");
    assert.match(answer, /^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    assert.equal(
      answer.split("\r\n\r\n")[1],
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405}\n',
    );
    assert.match(await say("GET / HTTP/1.1\r\nhost : x y\r\n\r\n"), /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(await say(`GET / HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(headerBytesMax)}\r\n\r\n`), /^HTTP\/1\.1 431 /);
  }));

test("listen() accepts heads of hundreds of kilobytes and hundreds of headers", () =>
  withServer(echo, async ({ listener, ca }) => {
    const path = `/${"a".repeat(900_000)}`;
    assert.equal((await http1(listener, { ca, path })).status, 200);
    const headers = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x-${i}`, "v"]));
    for (const [, ask] of protocols) assert.equal((await ask(listener, { ca, headers })).status, 200);
  }));

for (const [protocol, ask] of protocols) {
  test(`listen() over ${protocol} sends chunks of every size whole and in order`, () => {
    // Sizes around the bound of one write.
    const sizes = [1, 2 * chunkBytes - 1, 0, 2 * chunkBytes, 2 * chunkBytes + 1, 3_000_000];
    const chunks = sizes.map((size, at) => Uint8Array.from({ length: size }, (_, index) => (index * 31 + at) % 251));
    const handle = (): Promise<Reply> =>
      Promise.resolve(textReply((async function* () {
        yield* chunks;
      })()));
    return withServer(handle, async ({ listener, ca }) => {
      const { body } = await ask(listener, { ca });
      assert.ok(body.equals(Buffer.concat(chunks)), `${body.length} bytes came`);
    });
  });
}

for (const [protocol, open] of [["HTTP/1.1", openHttp1], ["HTTP/2", openHttp2]] as const) {
  test(`listen() over ${protocol} pulls no more chunks while a client does not read, and stops when it disconnects`, () => {
    const state = { pulled: 0, returned: signalled(), aborted: signalled() };
    const handle = (exchange: Exchange): Promise<Reply> => {
      exchange.signal.addEventListener("abort", () => state.aborted.done());
      return Promise.resolve(textReply((async function* () {
        try {
          for (;;) {
            state.pulled++;
            yield new Uint8Array(65_536);
          }
        } finally {
          state.returned.done();
        }
      })()));
    };
    return withServer(handle, async ({ listener, ca }) => {
      await withRelay(listener, 256 * 1024, async (relay) => {
        const client = await open(relay, ca);
        await settled(() => state.pulled);
        // Far less than without backpressure; sockets in between hold some megabytes.
        assert.ok(state.pulled < 1000, `pulled ${state.pulled} chunks`);
        client.leave();
      });
      await Promise.all([state.returned.promise, state.aborted.promise]);
    });
  });

  test(`listen() over ${protocol} aborts the signal of a request whose client disconnects while it waits`, { timeout }, () => {
    const [began, aborted] = [signalled(), signalled()];
    const seen: { signal?: AbortSignal } = {};
    const handle = async ({ signal }: Exchange): Promise<Reply> => {
      seen.signal = signal;
      began.done();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      aborted.done();
      return textReply("too late");
    };
    return withServer(handle, async ({ listener, ca, reported }) => {
      const client = await open(listener, ca);
      await began.promise;
      assert.equal(seen.signal?.aborted, false);
      client.leave();
      await aborted.promise;
      assert.equal(seen.signal?.reason?.name, "AbortError");
      assert.deepEqual(reported, []);
    });
  });

  test(`listen() over ${protocol} sends the head of a stream before its first chunk`, () =>
    withServer(
      ({ signal }) =>
        Promise.resolve(textReply((async function* () {
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          yield new Uint8Array();
        })())),
      async ({ listener, ca }) => {
        const client = await open(listener, ca);
        await client.head;
        client.leave();
      },
    ));
}

for (const [protocol, ask] of protocols) {
  test(`listen() over ${protocol} does not read a body that the handler does not read`, () => {
    const [began, go] = [signalled(), signalled()];
    let answered = false;
    const handle = async (): Promise<Reply> => {
      began.done();
      await go.promise;
      return textReply("not read");
    };
    return withServer(handle, ({ listener, ca }) =>
      withRelay(listener, Infinity, async (relay) => {
        // A client of HTTP/1.1 asks to close the connection unless told otherwise; on a busy machine that happened while it still wrote.
        const headers: Readonly<Record<string, string>> = protocol === "HTTP/1.1" ? { connection: "keep-alive" } : {};
        const answer = ask(relay, { ca, method: "POST", headers, body: new Uint8Array(discardBytesMax - 1_000_000) });
        void answer.then(() => answered = true, () => answered = true);
        await began.promise;
        await settled(relay.carried);
        assert.equal(answered, false);
        // The buffers of sockets and flow-control windows.
        assert.ok(relay.carried() < 12_000_000, `${relay.carried()} bytes went in`);
        go.done();
        assert.equal((await answer).body.toString(), "not read");
      }));
  });
}

test("listen() aborts one HTTP/2 stream that its client cancels and leaves the others", () => {
  const [began, aborted] = [signalled(), signalled()];
  const handle = async ({ url, signal }: Exchange): Promise<Reply> => {
    if (url !== "/wait") return textReply("still here");
    began.done();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    aborted.done();
    return textReply("too late");
  };
  return withServer(handle, async ({ listener, ca }) => {
    const session = await http2Session(listener, { ca });
    const stream = session.request({ ":path": "/wait" });
    stream.on("error", () => {});
    await began.promise;
    stream.close(8);
    await aborted.promise;
    assert.equal((await http2Ask(session, {})).body.toString(), "still here");
    session.close();
  });
});

test("listen() closes connections without a complete handshake or head, and idle ones", () =>
  withServer(echo, async ({ listener, ca }) => {
    const silent = tcpConnect(listener.port, "127.0.0.1");
    silent.on("error", () => {});
    // Read at once: it may be closed before the next one is open.
    const ended = [new Promise<string>((resolve) => silent.once("close", () => resolve("")))];
    for (
      const text of [
        "GET / HTTP/1.1\r\nhost: x\r\nx-slow: ",
        "GET / HTTP/1.1\r\nhost: x\r\n\r\n",
        "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9999999\r\n\r\nab",
      ]
    ) {
      const connection = await rawConnection(listener, ca);
      connection.write(text);
      ended.push(readAll(connection));
    }
    const session = await http2Session(listener, { ca });
    const sessionEnded = new Promise<void>((resolve) => session.once("close", resolve));
    await http2Ask(session, {});
    const answers = await Promise.all(ended);
    await sessionEnded;
    assert.deepEqual(answers.slice(0, 2), ["", ""]);
    assert.match(String(answers[2]), /^HTTP\/1\.1 200/);
    assert.match(String(answers[3]), /^HTTP\/1\.1 413/);
  }, { connections: { times: { handshakeMs: 3_000, firstRequestMs: 3_000, idleMs: 100, sweepMs: 20 } } }));

test("listen() closes hundreds of connections that never begin a handshake at its deadline, and serves others meanwhile", () =>
  withServer(echo, async ({ listener, ca }) => {
    const session = await http2Session(listener, { ca });
    const silent = Array.from({ length: 300 }, () => tcpConnect(listener.port, "127.0.0.1").on("error", () => {}).resume());
    await Promise.all(
      silent.map((socket) => new Promise<void>((resolve) => socket.once("close", () => resolve()))).concat(
        http2Ask(session, {}).then(({ status }) => assert.equal(status, 200)),
      ),
    );
    assert.equal((await http2Ask(session, {})).status, 200);
    session.close();
  }, { connections: { times: { handshakeMs: 3_000, sweepMs: 20 } } }));

test("Listener.close() lets answers finish, rejects new connections and ends idle ones", () => {
  const [both, go] = [signalled(), signalled()];
  const waiting: string[] = [];
  const handle = async ({ url, protocol }: Exchange): Promise<Reply> => {
    if (url === "/wait") {
      if (waiting.push(protocol) === 2) both.done();
      await go.promise;
    }
    return textReply("done");
  };
  return withServer(handle, async ({ listener, ca }) => {
    const idle = await http2Session(listener, { ca });
    const gone = new Promise<void>((resolve) => idle.once("close", resolve));
    const inFlight = [http1(listener, { ca, path: "/wait" }), http2(listener, { ca, path: "/wait" })];
    await both.promise;
    const closed = listener.close(60_000);
    await gone;
    await assert.rejects(http1(listener, { ca }));
    go.done();
    const answers = await Promise.all(inFlight);
    assert.deepEqual(answers.map((answer) => answer.body.toString()), ["done", "done"]);
    assert.equal(new Map(answers[0]?.headers).get("connection"), "close");
    await closed;
  });
});

test("Listener.close() resolves after its grace period although a client does not read and another never ends", { timeout }, () => {
  const [stream, wait] = [signalled(), signalled()];
  let cutOff = 0;
  const handle = async ({ url, signal }: Exchange): Promise<Reply> => {
    if (url === "/stream") {
      stream.done();
      return textReply(chunksOf(Infinity, 65_536));
    }
    wait.done();
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    cutOff++;
    return textReply("too late");
  };
  return withServer(handle, ({ listener, ca }) =>
    withRelay(listener, 256 * 1024, async (relay) => {
      const clients = [
        await openHttp1(relay, ca, "/stream"),
        await openHttp2(relay, ca, "/stream"),
        await openHttp2(listener, ca, "/wait"),
      ];
      await Promise.all([stream.promise, wait.promise]);
      await listener.close(50);
      await clients[2]?.closed; // the relay carries nothing to the others
      assert.equal(cutOff, 1);
      await assert.rejects(http1(listener, { ca }));
    }));
});

for (const [name, client] of protocols) {
  test(`listen() sends nothing of a reply that is dropped, and serves the next request (${name})`, () =>
    withServer(
      ({ url }) => Promise.resolve(url === "/dropped" ? { ...textReply("lost"), isDropped: true } : textReply("next")),
      async ({ listener, ca, reported }) => {
        const dropped = await client(listener, { ca, path: "/dropped" }).then(({ status }) => status, () => 0);
        assert.equal(dropped, 0);
        assert.equal(String((await client(listener, { ca, path: "/" })).body), "next");
        assert.deepEqual(reported, []);
      },
    ));
}

test("Listener.beginShutdown() asks HTTP/1.1 clients to reconnect and still accepts new ones", () =>
  withServer(echo, async ({ listener, ca }) => {
    const socket = await rawConnection(listener, ca);
    listener.beginShutdown();
    const all = readAll(socket);
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    assert.match(await all, /connection: close/i);
    for (const [, ask] of protocols) assert.equal((await ask(listener, { ca })).status, 200);
  }));

test("listen() rejects when its port is taken", () =>
  withServer(echo, async ({ listener }) => {
    await assert.rejects(withServer(echo, () => Promise.resolve(), { address: { port: listener.port } }), /EADDRINUSE|in use/i);
  }));

test("listen() shares its port only with others that share it", () =>
  withServer(echo, async ({ listener: { port } }) => {
    await withServer(echo, ({ listener }) => Promise.resolve(assert.equal(listener.port, port)), { address: { port, sharesPort: true } });
    await assert.rejects(withServer(echo, () => Promise.resolve(), { address: { port } }), /EADDRINUSE|in use/i);
  }, { address: { sharesPort: true } }));

async function* chunksOf(count: number, bytes: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield await Promise.resolve(new Uint8Array(bytes).fill(7));
}
/** Waits until a number is unchanged for ten turns of the event loop with I/O between them. */
async function settled(read: () => number): Promise<void> {
  for (let [same, last] = [0, -1]; same < 10;) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const now = read();
    same = now === last && now > 0 ? same + 1 : 0;
    last = now;
  }
}

interface OpenClient {
  /** Resolves when the connection is closed, by either side. */
  readonly closed: Promise<void>;
  /** Resolves when the head of the answer was received. */
  readonly head: Promise<void>;
  leave(): void;
}
type Server = Parameters<Parameters<typeof withServer>[1]>[0];
async function openHttp1(listener: Pick<Server["listener"], "port">, ca: Server["ca"], path = "/"): Promise<OpenClient> {
  const socket = await rawConnection(listener, ca);
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  const head = new Promise<void>((resolve) =>
    socket.once("readable", () => {
      socket.read(1);
      resolve();
    })
  );
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return { closed, head, leave: () => void socket.destroy() };
}
async function openHttp2(listener: Pick<Server["listener"], "port">, ca: Server["ca"], path = "/"): Promise<OpenClient> {
  const session = await http2Session(listener, { ca });
  const stream = session.request({ ":path": path });
  stream.on("error", () => {});
  session.on("error", () => {});
  const head = new Promise<void>((resolve) => stream.once("response", () => resolve()));
  const closed = new Promise<void>((resolve) => session.once("close", resolve));
  return { closed, head, leave: () => void session.destroy() };
}
