// The client of remote servers, and its retries.
import assert from "node:assert/strict";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { TLSSocket } from "node:tls";
import { test } from "node:test";
import { systemClock } from "../../core/async.ts";
import { issue } from "../../server/listen/testing/clients.ts";
import type { RemoteAccess } from "./remote-access.ts";
import { type RemoteAnswer, remoteClient, remoteCredentialsMs, RemoteError } from "./remote-client.ts";
import { remoteRetryAfterMsMax, withRetries } from "./retry.ts";

const never = new AbortController().signal;

async function withServer(listener: RequestListener, run: (access: RemoteAccess) => Promise<void>): Promise<void> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  try {
    await run({ server: new URL(`http://127.0.0.1:${(server.address() as { port: number }).port}/base/`), authorization: "Bearer s3cret" });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test("a client sends JSON with its credentials, and reads the answer", () =>
  withServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => body += chunk).on("end", () => {
      const { method, url, headers } = request;
      response.writeHead(201, { "retry-after": "7" }).end(JSON.stringify({ method, url, body, authorization: headers.authorization }));
    });
  }, async (access) => {
    const client = remoteClient(() => Promise.resolve(access));
    assert.deepEqual(await client.send({ method: "POST", path: "/apis/x?a=1", body: { a: "ü" }, signal: never }), {
      status: 201,
      retryAfter: 7,
      body: { method: "POST", url: "/base/apis/x?a=1", body: '{"a":"ü"}', authorization: "Bearer s3cret" },
    });
    const { body } = await client.send({ method: "GET", path: "", signal: never });
    assert.equal((body as { url: string }).url, "/base/");
    client.close();
  }));

test("a client rejects an endless response, aborts, and reports the host of an unavailable server", () =>
  withServer((request, response) => {
    if (request.url === "/base/silent") return;
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
      response.once("drain", more);
    };
    more();
  }, async (access) => {
    const client = remoteClient(() => Promise.resolve(access));
    await assert.rejects(client.send({ method: "GET", path: "/endless", signal: never }), /the answer is larger than/);
    const ended = new AbortController();
    const silent = client.send({ method: "GET", path: "/silent", signal: ended.signal });
    ended.abort(new Error("enough"));
    await assert.rejects(silent, /enough/);
    client.close();
    const gone = remoteClient(() => Promise.resolve({ ...access, server: new URL("http://127.0.0.1:1") }));
    await assert.rejects(
      gone.send({ method: "GET", path: "/", signal: never }),
      (error: Error) => error.message.startsWith("127.0.0.1:1: ") && !error.message.includes("s3cret"),
    );
  }));

test("an aborted request on a connection that has served another one is not sent again", async () => {
  const asked: string[] = [];
  const aborting = new AbortController();
  await withServer((request, response) => {
    asked.push(String(request.url));
    if (request.url === "/base/held") aborting.abort(new Error("enough"));
    else if (request.url === "/base/begun") response.write("{");
    else response.end("{}");
  }, async (access) => {
    const client = remoteClient(() => Promise.resolve(access));
    await client.send({ method: "POST", path: "/first", body: {}, signal: never });
    await assert.rejects(client.send({ method: "POST", path: "/held", body: {}, signal: aborting.signal }), /enough/);
    await client.send({ method: "POST", path: "/last", body: {}, signal: never });
    assert.deepEqual(asked, ["/base/first", "/base/held", "/base/last"]);
    const begun = new AbortController();
    const reading = client.send({ method: "POST", path: "/begun", body: {}, signal: begun.signal });
    while (asked.length < 4) await new Promise((resolve) => setTimeout(resolve, 1));
    begun.abort(new Error("enough"));
    await assert.rejects(reading, /enough/);
    client.close();
  });
});

test("a client streams values line by line, and reads expired credentials again", () => {
  let now = 0;
  return withServer((request, response) => {
    if (request.headers.authorization !== "Bearer fresh") return void response.writeHead(401).end('{"message":"who?"}');
    response.writeHead(200).write('{"a":1}\n{"a"');
    setImmediate(() => response.end(":2}\n"));
  }, async (access) => {
    let authorization = "Bearer old";
    const client = remoteClient(() => Promise.resolve({ ...access, authorization }), () => now);
    await assert.rejects(
      Array.fromAsync(client.stream("/watch", never)),
      (error) => error instanceof RemoteError && error.status === 401 && error.message === "who?",
    );
    authorization = "Bearer fresh";
    now = remoteCredentialsMs + 1;
    assert.deepEqual(await Array.fromAsync(client.stream("/watch", never)), [{ a: 1 }, { a: 2 }]);
    client.close();
  });
});

test("withRetries() makes five attempts at most, with growing pauses of at least Retry-After", async () => {
  const waits: number[] = [];
  const clock = { now: systemClock.now, after: (ms: number, run: () => void) => (waits.push(ms), systemClock.after(0, run)) };
  const needs = { clock, random: () => 0, signal: never };
  const answer = (status: number, retryAfter?: number): RemoteAnswer => ({ status, body: undefined, retryAfter });
  let asked = 0;
  const bad = await withRetries(() => (asked++, Promise.resolve(answer(503))), needs);
  assert.deepEqual([bad.status, asked, waits.splice(0)], [503, 5, [500, 750, 1125, 1687.5]]);
  const outcomes = [answer(429, 3), new Error("reset"), answer(201)];
  const good = await withRetries(() => {
    const next = outcomes.shift()!;
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
  }, needs);
  assert.deepEqual([good.status, waits.splice(0)], [201, [3000, 750]]);
  assert.equal((await withRetries(() => Promise.resolve(answer(403)), needs)).status, 403);
  await assert.rejects(withRetries(() => Promise.reject(new Error("down")), needs), /down/);
});

test("withRetries() starts with the given pause, retries the given responses, and bounds Retry-After", async () => {
  const waits: number[] = [];
  const clock = { now: systemClock.now, after: (ms: number, run: () => void) => (waits.push(ms), systemClock.after(0, run)) };
  const answers: RemoteAnswer[] = [[403, undefined], [500, 999_999], [200, undefined]].map(([status = 0, retryAfter]) => ({
    status,
    body: undefined,
    retryAfter,
  }));
  const isRetried = ({ status }: RemoteAnswer) => status >= 300;
  const needs = { clock, random: () => 0, signal: never, firstMs: 10_000, isRetried };
  assert.equal((await withRetries(() => Promise.resolve(answers.shift()!), needs)).status, 200);
  assert.deepEqual(waits, [10_000, remoteRetryAfterMsMax]);
});

test("a client verifies the server's certificate, optionally by another name, and presents its own", async () => {
  const ca = issue({ usage: "ca", commonName: "authority" });
  const serving = issue({ usage: "server", names: ["hook.example"] }, ca);
  const identity = issue({ usage: "client", commonName: "thole" }, ca);
  const server = createTlsServer({ ...serving, ca: ca.cert, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate() ?? {};
    response.end(JSON.stringify({ client: subject?.CN ?? "" }));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const access = { server: new URL(`https://127.0.0.1:${(server.address() as { port: number }).port}/`) };
  const outcome = async (more: Partial<RemoteAccess>) => {
    const client = remoteClient(() => Promise.resolve({ ...access, ...more }));
    try {
      const { body } = await client.send({ method: "GET", path: "", signal: never });
      return (body as { client: string }).client;
    } catch (error) {
      return "refused: " + (error as Error).message;
    } finally {
      client.close();
    }
  };
  const serverName = "hook.example";
  try {
    assert.equal(await outcome({ ca: ca.cert, serverName, ...identity }), "thole");
    assert.equal(await outcome({ ca: ca.cert, serverName }), "");
    assert.equal(await outcome({ insecure: true, ...identity }), "thole");
    const stranger = issue({ usage: "ca", commonName: "another authority" });
    for (const more of [{}, { ca: ca.cert }, { ca: ca.cert, serverName: "other.example" }, { ca: stranger.cert, serverName }]) {
      assert.match(await outcome(more), /^refused: 127\.0\.0\.1:/, JSON.stringify(Object.keys(more)));
    }
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
