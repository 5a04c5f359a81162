// Requests for group versions of other servers, through this server's listener to servers of the test's own.
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect as tlsConnect, type TLSSocket } from "node:tls";
import type { Duplex } from "node:stream";
import { gzipSync } from "node:zlib";
import { issue, withRelay } from "../../server/listen/testing/clients.ts";
import { until as untilDone } from "../real-server.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { echo, type FakeKubelet } from "../connections/fake-kubelet.ts";
import { backend, group, register, untilReason } from "./backend.ts";

let server: TestServer, client: Client, api: FakeKubelet, folder: string;
const base = `/apis/${group}/v1`;
const endless = Buffer.alloc(64 * 1024, "x");
/** Bytes of the endless answers so far, and how many of them have ended. */
let written = 0, ended = 0;

/** Writes as long as somebody reads. */
function flood(response: ServerResponse, piece: Uint8Array): void {
  const more = (): void => {
    do written += piece.length; while (response.write(piece));
  };
  response.on("drain", more).on("close", () => ended++);
  more();
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url!, "https://api"), socket = request.socket as TLSSocket; // the server has TLS
  switch (pathname.slice(base.length)) {
    case "/gzip":
      return void response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/vnd.kubernetes.protobuf" })
        .end(gzipSync("some bytes"));
    case "/headers":
      return void response.writeHead(201, {
        "location": `https://127.0.0.1:${api.port}/made`,
        "access-control-allow-origin": "*",
        "audit-id": "its own",
        "cache-control": "max-age=9",
        "warning": '299 - "old"',
        "keep-alive": "timeout=9",
        "set-cookie": ["a=1", "b=2"],
      }).end("{}");
    case "/redirect":
      return void response.writeHead(307, { location: "https://203.0.113.1/elsewhere" }).end("go");
    case "/not-modified":
      return void response.writeHead(304, { etag: '"1"' }).end();
    case "/bye":
      return void socket.destroy();
    case "/nonsense":
      return void socket.end("SSH-2.0-server\r\n");
    case "/switched":
      return void socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n");
    case "/heads":
      response.on("close", () => ended++);
      return void socket.write("HTTP/1.1 200 OK\r\n" + "x-much: 0123456789\r\n".repeat(20_000));
    case "/short":
      return void response.writeHead(200, { "content-length": "100" }).write("half", () => socket.destroy());
    case "/long":
      return void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfour and more");
    case "/pieces": // the last one is alone in its turn
      response.writeHead(200, { "content-length": 1_000_010 }).write(Buffer.alloc(1_000_000, "x"));
      return void setTimeout(() => response.end("0123456789"), 5);
    case "/trailers":
      response.writeHead(200, { trailer: "x-sum, content-length" }).write("content");
      response.addTrailers([["x-sum", "7"], ["x-more", "a"], ["x-more", "b"], ["authorization", "secret"]]);
      return void response.end();
    case "/flood":
      return flood(response.writeHead(200), endless);
    case "/events":
      response.writeHead(200, { "content-type": "application/json" }).write('{"type":"ADDED"}\n');
      return void response.on("close", () => ended++);
  }
  let body = "";
  for await (const piece of request) body += piece;
  const { CN } = socket.getPeerCertificate().subject;
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, length: body.length, by: CN }));
}

/** Accepts upgrades, except at paths that say what comes instead. */
function upgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): void {
  const [, , , , last] = (request.url ?? "").split("/");
  switch (last) {
    case "plain":
      return void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
    case "refused":
      return void socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno");
    case "garbage":
      return void socket.end("\0\x01\x02\r\n\r\n");
    case "gone":
      return void socket.destroy();
  }
  echo(request, socket, head);
}

before(async () => {
  api = await backend("api", (request, response) => void answer(request, response).catch(() => response.destroy()), upgrade);
  folder = await mkdtemp(join(tmpdir(), "thole-aggregation-"));
  const identity = issue({ usage: "client", commonName: "front-proxy-client" }, api.authority);
  for (const [name, text] of Object.entries({ crt: identity.cert, key: identity.key })) await writeFile(join(folder, name), text);
  server = await startTestServer({
    args: [
      `--proxy-client-cert-file=${join(folder, "crt")}`,
      `--proxy-client-key-file=${join(folder, "key")}`,
      "--requestheader-username-headers=X-Who",
      "--disable-admission-plugins=ServiceAccount",
    ],
  });
  client = httpsClient({ ...server, token: server.tokens.admin });
  await register(client, "api", "v1", api.port, { caBundle: Buffer.from(api.authority.cert).toString("base64") });
  await untilReason(client, "v1", "Passed");
});
after(async () => {
  client.close();
  await server.close();
  api.close();
  await rm(folder, { recursive: true });
});

/** A raw request over HTTP/1.1, and what has come back. */
function raw(text: string, port = server.port): { readonly socket: TLSSocket; text(): string; readonly closed: Promise<void> } {
  let received = "";
  const socket = tlsConnect({ host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] }, () => socket.write(text));
  socket.on("data", (piece) => received += piece.toString("latin1")).on("error", () => {});
  return { socket, text: () => received, closed: new Promise((resolve) => socket.once("close", () => resolve())) };
}
function head(method: string, path: string, headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ host: "api", authorization: `Bearer ${server.tokens.admin}`, ...headers });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}
/** The headers and the trailers of a reply over HTTP/2, and the number of its bytes. */
async function overHttp2(path: string) {
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { rejectUnauthorized: false });
  try {
    const stream = session.request({ ":path": path, authorization: `Bearer ${server.tokens.admin}` });
    let headers: IncomingHttpHeaders = {}, trailers: IncomingHttpHeaders = {}, bytes = 0;
    stream.on("response", (got) => headers = got).on("trailers", (got) => trailers = got);
    for await (const piece of stream) bytes += piece.length;
    return { headers, trailers, bytes };
  } finally {
    session.close();
  }
}
async function until(condition: () => boolean): Promise<void> {
  await untilDone(() => assert.ok(condition()));
}

test("a request goes to the server of its version, with the user in headers and the certificate of this server", async () => {
  const spoofed = {
    "connection": "x-remote-group, x-remote-user, keep-alive",
    "x-remote-user": "root",
    "x-remote-group": "root",
    "x-remote-extra-scope": "all",
    "x-who": "root",
    "accept-encoding": "gzip",
    "user-agent": "kubectl",
    "x-forwarded-for": "192.0.2.7",
  };
  const reply = await client.ask(`${base}/namespaces/a/things/%C3%A9%2Fb?watch=0&x=%20a&y`, { headers: spoofed });
  assert.equal(reply.status, 200, reply.text);
  const { url, headers, by, method } = reply.json();
  assert.deepEqual([method, url, by], ["GET", `${base}/namespaces/a/things/%C3%A9/b?watch=0&x=%20a&y`, "front-proxy-client"]);
  const { connection: _, ...sent } = headers;
  assert.deepEqual(sent, {
    "host": `localhost:${api.port}`,
    "accept-encoding": "gzip",
    "user-agent": "kubectl",
    "x-forwarded-for": "192.0.2.7, 127.0.0.1",
    "x-forwarded-uri": `${base}/namespaces/a/things/%C3%A9/b`,
    "x-remote-user": "admin",
    "x-remote-group": "system:masters, system:authenticated",
    "x-remote-uid": "admin-uid",
    "audit-id": reply.headers["audit-id"],
  });
});

test("an impersonated user is named, and may be refused before the other server is asked", async () => {
  const { headers } =
    (await client.ask(`${base}/things`, { headers: { "impersonate-user": "bob", "impersonate-group": "system:masters" } })).json();
  assert.deepEqual(
    [headers["x-remote-user"], headers["x-remote-group"], headers["impersonate-user"]],
    ["bob", "system:masters, system:authenticated", undefined],
  );
  const asked = api.asked.length;
  const refused = await client.ask(`${base}/things`, { headers: { authorization: `Bearer ${server.tokens.alice}` } });
  assert.deepEqual([refused.status, refused.json().reason], [403, "Forbidden"]);
  assert.equal(api.asked.length, asked);
});

test("a path stays as it is: it does not become another one on its way", async () => {
  const { text, closed } = raw(head("GET", `${base}/../../../%2e%2e/x`, { connection: "close" }));
  await closed;
  assert.ok(text().includes(`"url":"${base}/../../../../x"`), text());
});

test("bodies pass as they are, with their encodings and headers", async () => {
  const length = 2_000_000;
  const made = await client.ask(`${base}/things`, {
    method: "POST",
    body: "x".repeat(length),
    headers: { "content-type": "application/vnd.kubernetes.protobuf" },
  });
  assert.deepEqual([made.json().method, made.json().length, made.json().headers["content-length"]], ["POST", length, String(length)]);
  const { text, closed } = raw(
    head("PUT", `${base}/things/a`, { "transfer-encoding": "chunked", "connection": "close" }) + "3\r\nabc\r\n0\r\n\r\n",
  );
  await closed;
  assert.match(text(), /"transfer-encoding":"chunked".*"length":3/);
  const packed = await client.ask(`${base}/gzip`);
  assert.deepEqual(
    [packed.headers["content-encoding"], packed.headers["content-type"], Buffer.from(packed.bytes).equals(gzipSync("some bytes"))],
    ["gzip", "application/vnd.kubernetes.protobuf", true],
  );
  const reply = await client.ask(`${base}/headers`);
  assert.deepEqual([reply.status, reply.headers["set-cookie"], reply.headers["warning"]], [201, ["a=1", "b=2"], '299 - "old"']);
  assert.equal(reply.headers["access-control-allow-origin"], undefined);
  assert.equal(reply.headers["cache-control"], "max-age=9");
  assert.notEqual(reply.headers["audit-id"], "its own");
  const none = await client.ask(`${base}/not-modified`);
  assert.deepEqual([none.status, none.headers.etag, none.text], [304, '"1"', ""]);
  const headOnly = await client.ask(`${base}/things`, { method: "HEAD" });
  assert.deepEqual([headOnly.status, headOnly.text], [200, ""]);
});

test("a reply in pieces keeps its length, over HTTP/1.1 and HTTP/2, and the connection goes on or ends as the client wishes", async () => {
  const length = "1000010", whole = await client.ask(`${base}/pieces`);
  assert.deepEqual(
    [whole.headers["content-length"], whole.headers["transfer-encoding"], whole.bytes.length],
    [length, undefined, 1_000_010],
  );
  const last = raw(head("GET", `${base}/pieces`, { connection: "close" }));
  await last.closed;
  assert.ok(last.text().endsWith("\r\n\r\n" + "x".repeat(1_000_000) + "0123456789"));
  const both = raw(head("GET", `${base}/pieces`) + head("GET", `${base}/not-modified`, { connection: "close" }));
  await both.closed;
  assert.match(both.text(), /0123456789HTTP\/1\.1 304 /);
  const { headers, bytes } = await overHttp2(`${base}/pieces`);
  assert.deepEqual([headers["content-length"], bytes], [length, 1_000_010]);
});

test("the trailers of a reply follow its content, over HTTP/1.1 and HTTP/2", async () => {
  const { text, closed } = raw(head("GET", `${base}/trailers`, { connection: "close" }));
  await closed;
  assert.match(text(), /\r\ntrailer: x-sum\r\n/);
  assert.match(text(), /\r\n\r\n7\r\ncontent\r\n0\r\nx-sum: 7\r\nx-more: a\r\nx-more: b\r\n\r\n$/);
  const { headers, trailers, bytes } = await overHttp2(`${base}/trailers`);
  assert.deepEqual([headers["trailer"], bytes], ["x-sum", 7]);
  assert.deepEqual([Object.keys(trailers), trailers["x-sum"], trailers["x-more"]], [["x-sum", "x-more"], "7", "a, b"]);
});

test("a redirect of the other server does not reach the client", async () => {
  const reply = await client.ask(`${base}/redirect`);
  assert.deepEqual(
    [reply.status, reply.headers.location, reply.text],
    [502, undefined, "the backend attempted to redirect this request, which is not permitted"],
  );
});

test("an answer that is none is 503 in plain text, and one that breaks off breaks the reply off", async () => {
  for (const path of ["bye", "nonsense", "heads", "switched"]) {
    const reply = await client.ask(`${base}/${path}`);
    assert.deepEqual([reply.status, reply.headers["content-type"]], [503, "text/plain; charset=utf-8"], path);
    assert.match(reply.text, /^error trying to reach service: .*\n$/, path);
  }
  const short = raw(head("GET", `${base}/short`, { connection: "close" }));
  await short.closed;
  assert.match(short.text(), /\r\ncontent-length: 100\r\n[^]*\r\n\r\nhalf$/);
  const long = raw(head("GET", `${base}/long`, { connection: "close" }));
  await long.closed;
  assert.match(long.text(), /\r\n\r\nfour$/);
  const metrics = (await client.ask("/metrics")).text;
  assert.match(metrics, /^apiserver_request_terminations_total\{code="503",component="aggregator",.*\} 4$/m);
});

test("events arrive as they are sent, and a client that leaves ends the request at the other server", async () => {
  const before = ended;
  const { chunks } = await client.stream(`${base}/events?watch=1`);
  for await (const chunk of chunks) {
    assert.equal(new TextDecoder().decode(chunk), '{"type":"ADDED"}\n');
    break; // the client leaves
  }
  await until(() => ended === before + 1);
});

test("a client that does not read its reply makes the other server wait", () =>
  withRelay(server, 256 * 1024, async (relay) => {
    const before = ended;
    const { socket, text } = raw(head("GET", `${base}/flood`), relay.port);
    await until(() => text().length > 0);
    // The buffers of all three are full when nothing was written for many turns.
    for (let idle = 0, before = -1; idle < 100; idle = written === before ? idle + 1 : 0) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 1));
      assert.ok(written < 64 * 1024 * 1024, "the server reads a reply that nobody takes");
    }
    socket.destroy();
    await until(() => ended === before + 1);
  }));

const spdy = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" };
const webSocket = {
  connection: "keep-alive, Upgrade, x-remote-user",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-protocol": "v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0",
};

test("an upgrade changes the protocol: bytes pass in both directions, for SPDY and for websockets", async () => {
  for (const [method, offer] of [["POST", spdy], ["GET", webSocket]] as const) {
    const { socket, text, closed } = raw(head(method, `${base}/things/a/exec?b=2&a=1`, offer) + "early");
    await until(() => text().endsWith("early"));
    assert.match(text(), /^HTTP\/1\.1 101 Switching Protocols\r\n[^]*\r\n\r\nhelloearly$/);
    const sent = api.headers.at(-1)!;
    assert.deepEqual(
      [sent.connection, sent.upgrade, sent["x-remote-user"], sent.authorization, sent["sec-websocket-protocol"]],
      ["Upgrade", offer.upgrade, "admin", undefined, method === "GET" ? "v4.channel.k8s.io" : undefined],
    );
    const before = text().length, much = "y".repeat(1_000_000);
    socket.write(much);
    await until(() => text().length === before + much.length);
    socket.end();
    await closed;
  }
});

test("an upgrade that the other server does not make is its error, or 503", async () => {
  const cases: readonly (readonly [path: string, status: number, text: RegExp])[] = [
    ["refused", 403, /\r\ncontent-length: 2\r\n[^]*\r\n\r\nno$/],
    ["plain", 503, /\r\n\r\ninvalid upgrade response: status code 200\n$/],
    ["garbage", 503, /\r\n\r\n.*\n$/],
    ["gone", 503, /\r\n\r\n.*\n$/],
  ];
  for (const [path, status, wanted] of cases) {
    const { socket, text } = raw(head("GET", `${base}/${path}`, webSocket));
    await until(() => wanted.test(text()));
    assert.ok(text().startsWith(`HTTP/1.1 ${status} `), `${path}: ${text()}`);
    socket.destroy();
  }
});

test("a server whose certificate is not trusted, that is down, or that hangs, is unavailable; the others serve", async () => {
  const silent = await backend("silent", () => {}), description = `/apis/${group}/v2`;
  try {
    await register(client, "silent", "v2", silent.port, { caBundle: Buffer.from(api.authority.cert).toString("base64") });
    await register(client, "down", "v3", 1, { insecureSkipTLSVerify: true });
    for (const version of ["v2", "v3"]) {
      await untilReason(client, version, "FailedDiscoveryCheck");
      for (const path of [`/apis/${group}/${version}`, `/apis/${group}/${version}/things`]) {
        const reply = await client.ask(path);
        assert.deepEqual([reply.status, reply.text], [503, "service unavailable\n"]);
      }
    }
    await client.ask(`/apis/apiregistration.k8s.io/v1/apiservices/v2.${group}`, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: { spec: { caBundle: null, insecureSkipTLSVerify: true } },
    });
    await untilReason(client, "v2", "Passed");
    assert.equal((await client.ask(description)).status, 200);
    assert.equal((await client.ask(`${base}/things`)).status, 200);
  } finally {
    silent.close();
  }
});
