// Heads of HTTP/1.1 requests that node's parser accepts and the listener rejects.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { checkHead } from "./head-check.ts";
import { http1, rawConnection, readAll, type TestServer, textReply, withServer } from "./testing/clients.ts";
import { bodyBytesMax } from "../../kernel/request-context.ts";
import { headersMax } from "../../protocols/http2/client/hpack.ts";

const timeout = 60_000;

/** The server's whole output, and the targets that reached its handler. */
async function said(text: string, more: (server: TestServer) => Promise<void> = () => Promise.resolve()) {
  const seen: string[] = [];
  let answers = "";
  const handle = async (exchange: Exchange): Promise<Reply> => {
    seen.push(exchange.url);
    const body = await exchange.body(bodyBytesMax);
    return textReply(`${body.length} bytes`);
  };
  await withServer(handle, async (server) => {
    const socket = await rawConnection(server.listener, server.ca);
    const all = readAll(socket);
    socket.write(Buffer.from(text, "latin1"));
    answers = await all;
    await more(server);
  });
  return { answers, seen };
}

const host = "host: x\r\n";
const refused: readonly (readonly [what: string, head: string, answer: string])[] = [
  ["two hosts", `GET / HTTP/1.1\r\n${host}Host: y\r\n`, "400 Bad Request: too many Host headers"],
  ["the same host twice", `GET / HTTP/1.1\r\n${host}${host}`, "400 Bad Request: too many Host headers"],
  ["two hosts in HTTP/1.0", `GET / HTTP/1.0\r\n${host}${host}`, "400 Bad Request: too many Host headers"],
  ["no host", "GET / HTTP/1.1\r\nx: y\r\n", "400 Bad Request: missing required Host header"],
  ["a host with a blank", "GET / HTTP/1.1\r\nhost: a b\r\n", "400 Bad Request: malformed Host header"],
  ["a host with a path", "GET / HTTP/1.1\r\nhost: a/b\r\n", "400 Bad Request: malformed Host header"],
  ["no version", `GET /\r\n${host}`, "400 Bad Request: unsupported protocol version"],
  ["HTTP/2.0", `GET / HTTP/2.0\r\n${host}`, "400 Bad Request: unsupported protocol version"],
  ["HTTP/0.9", `GET / HTTP/0.9\r\n${host}`, "400 Bad Request: unsupported protocol version"],
  ["HTTP/1.2", `GET / HTTP/1.2\r\n${host}`, "400 Bad Request"],
  ["HTTP/3.0", `GET / HTTP/3.0\r\n${host}`, "400 Bad Request"],
  ["a coding of its own", `POST / HTTP/1.1\r\n${host}transfer-encoding: gzip\r\n`, "501 Not Implemented: Unsupported transfer encoding"],
  ["the identity", `POST / HTTP/1.1\r\n${host}transfer-encoding: identity\r\n`, "501 Not Implemented: Unsupported transfer encoding"],
  ["an empty coding", `POST / HTTP/1.1\r\n${host}transfer-encoding:\r\n`, "501 Not Implemented: Unsupported transfer encoding"],
  [
    "chunks of another coding",
    `POST / HTTP/1.1\r\n${host}transfer-encoding: gzip, chunked\r\n`,
    "501 Not Implemented: Unsupported transfer encoding",
  ],
  [
    "codings in two headers",
    `POST / HTTP/1.1\r\n${host}transfer-encoding: identity\r\ntransfer-encoding: chunked\r\n`,
    "501 Not Implemented: Unsupported transfer encoding",
  ],
  ["chunks twice", `POST / HTTP/1.1\r\n${host}transfer-encoding: chunked, chunked\r\n`, "400 Bad Request"],
  ["chunks in HTTP/1.0", `POST / HTTP/1.0\r\n${host}transfer-encoding: chunked\r\n`, "400 Bad Request: transfer encoding in HTTP/1.0"],
  ["chunks and a length", `POST / HTTP/1.1\r\n${host}transfer-encoding: chunked\r\ncontent-length: 5\r\n`, "400 Bad Request"],
  ["a length and chunks", `POST / HTTP/1.1\r\n${host}content-length: 5\r\ntransfer-encoding: chunked\r\n`, "400 Bad Request"],
  ["two lengths", `POST / HTTP/1.1\r\n${host}content-length: 5\r\ncontent-length: 6\r\n`, "400 Bad Request"],
  ["a length with a sign", `POST / HTTP/1.1\r\n${host}content-length: +5\r\n`, "400 Bad Request"],
  ["a length in hexadecimal", `POST / HTTP/1.1\r\n${host}content-length: 0x5\r\n`, "400 Bad Request"],
  ["lengths in a list", `POST / HTTP/1.1\r\n${host}content-length: 5, 5\r\n`, "400 Bad Request"],
  ["a blank behind a name", `POST / HTTP/1.1\r\n${host}content-length : 5\r\n`, "400 Bad Request"],
  ["a folded line", `GET / HTTP/1.1\r\n${host}x: y\r\n z\r\n`, "400 Bad Request"],
  ["a folded coding", `POST / HTTP/1.1\r\n${host}transfer-encoding:\r\n chunked\r\n`, "400 Bad Request"],
  ["a line that ends with LF alone", `GET / HTTP/1.1\r\nhost: x\nx: y\r\n`, "400 Bad Request"],
  ["a line that ends with CR alone", `GET / HTTP/1.1\r\nhost: x\rx: y\r\n`, "400 Bad Request"],
  ["a NUL in a value", `GET / HTTP/1.1\r\n${host}x: a\0b\r\n`, "400 Bad Request"],
  ["an unknown expectation", `POST / HTTP/1.1\r\n${host}expect: magic\r\ncontent-length: 5\r\n`, "417 Expectation Failed"],
  ["an unknown method with two hosts", `FOO / HTTP/1.1\r\n${host}${host}`, "400 Bad Request: too many Host headers"],
  ["an unknown method without a host", "FOO / HTTP/1.1\r\nx: y\r\n", "400 Bad Request: missing required Host header"],
];

for (const [what, head, answer] of refused) {
  test(`listen() rejects ${what} and reads nothing after it`, { timeout }, async () => {
    const { answers, seen } = await said(`${head}\r\n5\r\nhello\r\n0\r\n\r\nGET /second HTTP/1.1\r\n${host}\r\n`);
    const status = answer.split(":")[0];
    assert.equal(
      answers,
      `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${answer}`,
    );
    assert.deepEqual(seen, []);
  });
}

const close = "connection: close\r\n";
const taken: readonly (readonly [what: string, text: string, answer: string])[] = [
  ["an empty host", `GET / HTTP/1.1\r\nhost:\r\n${close}\r\n`, "0 bytes"],
  ["a host with port and brackets", `GET / HTTP/1.1\r\nhost: [::1]:443\r\n${close}\r\n`, "0 bytes"],
  ["HTTP/1.0 without a host", "GET / HTTP/1.0\r\n\r\n", "0 bytes"],
  ["chunks", `POST / HTTP/1.1\r\n${host}${close}Transfer-Encoding: Chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nx: y\r\n\r\n`, "5 bytes"],
  ["a length", `POST / HTTP/1.1\r\n${host}${close}content-length: 005\r\n\r\nhello`, "5 bytes"],
];
for (const [what, text, answer] of taken) {
  test(`listen() accepts ${what}`, { timeout }, async () => {
    const { answers, seen } = await said(text);
    assert.match(answers, /^HTTP\/1\.1 200 OK\r\n/);
    assert.equal(answers.split("\r\n\r\n")[1], answer);
    assert.deepEqual(seen, ["/"]);
  });
}

function headers(count: number): string {
  return Array.from({ length: count }, (_, index) => `x-${index}: y\r\n`).join("");
}

test("listen() accepts as many headers as the bound allows", { timeout }, async () => {
  const head = `POST / HTTP/1.1\r\n${headers(headersMax - 3)}${host}${close}content-length: 5\r\n\r\n`;
  const { answers } = await said(`${head}hello`);
  assert.equal(answers.split("\r\n\r\n")[1], "5 bytes");
});

for (const more of [1, 2, 31, 32, 33, 5_000]) {
  test(`listen() answers a head with ${more} headers more than are allowed with 431`, { timeout }, async () => {
    const head = `POST / HTTP/1.1\r\n${host}${headers(headersMax - 2 + more)}content-length: 5\r\n\r\n`;
    const { answers, seen } = await said(`${head}helloGET /second HTTP/1.1\r\n${host}\r\n`, async ({ listener, ca }) => {
      const unrelated = await http1(listener, { ca });
      assert.equal(unrelated.status, 200);
    });
    assert.match(answers, /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    assert.deepEqual(seen, ["/"], "only the unrelated request");
  });
}

test("listen() answers complete requests before malformed bytes, and ends the connection", { timeout }, async () => {
  const post = `POST /first HTTP/1.1\r\n${host}content-length: 5\r\n\r\nhello`;
  const { answers, seen } = await said(`${post}\0junk`);
  assert.match(answers, /^HTTP\/1\.1 200 OK\r\n[^]*5 bytes$/);
  assert.deepEqual(seen, ["/first"]);
});

test("listen() ends the connection after a protocol upgrade request", { timeout }, async () => {
  const offer = `GET /first HTTP/1.1\r\n${host}connection: upgrade\r\nupgrade: websocket\r\n\r\n`;
  const { answers, seen } = await said(`${offer}GET /second HTTP/1.1\r\n${host}\r\n`);
  assert.match(answers, /^HTTP\/1\.1 200 OK\r\nconnection: close\r\n[^]*0 bytes$/);
  assert.deepEqual(seen, ["/first"]);
});

test("listen() reads an unknown method with thousands of blanks in linear time", { timeout }, async () => {
  const begun = performance.now();
  const { answers } = await said(`FOO / HTTP/1.1\r\n${host}X:${" ".repeat(4_000)}\x01\r\n\r\n`);
  assert.match(answers, /^HTTP\/1\.1 405 /);
  assert.ok(performance.now() - begun < 10_000); // a pattern that backtracks takes half a minute
});

test("checkHead() detects an announced body", () => {
  const of = (...rawHeaders: string[]) => checkHead({ rawHeaders: ["Host", "x", ...rawHeaders], httpVersion: "1.1" });
  assert.deepEqual(of(), {});
  assert.deepEqual(of("Content-Length", "0"), {});
  assert.deepEqual(of("Content-Length", "00"), { hasBody: true, upgrades: false });
  assert.deepEqual(of("content-LENGTH", "1"), { hasBody: true, upgrades: false });
  assert.deepEqual(of("Transfer-Encoding", "CHUNKED"), { hasBody: true, chunked: true, upgrades: false });
  assert.deepEqual(of("Upgrade", "h2c"), { hasBody: false, upgrades: true });
});
