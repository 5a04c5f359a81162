import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConnectReply, PeerError, type Peers } from "../../core/connect.ts";
import type { DelegatedRequest, RegisteredVersion } from "../../core/delegate.ts";
import type { Exchange, Reply } from "../../kernel/request/exchange.ts";
import { requestInfo } from "../../kernel/request/request-info.ts";
import { forward, type ForwardNeeds } from "./forward.ts";

const version: RegisteredVersion = { group: "g", version: "v1", groupPriority: 1, versionPriority: 1, isRemote: true, server: "a/b:443" };
const peers: Peers = {
  ask: () => Promise.reject(new PeerError("no")),
  addressesOf: () => Promise.reject(new PeerError("no")),
  recoded: (body) => body,
};
const never = new AbortController().signal;

/** Passes a request on to `answer`. */
async function forwarded(
  url: string,
  answer: (request: DelegatedRequest) => Promise<ConnectReply>,
  { exchange, ...more }: Partial<Omit<ForwardNeeds, "delegate">> & { readonly exchange?: Partial<Exchange> } = {},
): Promise<Reply> {
  const info = requestInfo("GET", url);
  assert.ok(info !== undefined);
  const whole: Exchange = {
    ...{
      method: "GET",
      url,
      headers: {},
      body: () => new Uint8Array(),
      peer: undefined,
      remote: "192.0.2.1:5",
      protocol: "HTTP/1.1",
      signal: never,
    },
    ...exchange,
  };
  const needs: ForwardNeeds = {
    delegate: { forward: (_version, request) => answer(request) },
    peers,
    requestTimeoutMs: () => 60_000,
    ending: () => never,
    identityHeaders: () => ({ names: [], prefixes: [] }),
    ...more,
  };
  return await forward(version, { user: { name: "ann", groups: [] }, exchange: whole, info, auditId: "an-id" }, needs);
}
const hangs = ({ signal }: DelegatedRequest): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
async function* piecesOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}
async function textOf({ body }: Reply): Promise<string> {
  if (typeof body === "string" || body instanceof Uint8Array) return String(body);
  let text = "";
  for (let pieces = body[Symbol.asyncIterator](), next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    text += new TextDecoder().decode(next.value);
  }
  return text;
}

test("credentials and headers by which users are named stay here, and the audit ID goes along", async () => {
  let sent: DelegatedRequest["headers"] = {};
  await forwarded("/apis/g/v1/things", (request) => {
    sent = request.headers;
    return Promise.resolve({ status: 200, body: "" });
  }, {
    exchange: {
      headers: {
        "authorization": "Bearer secret",
        "impersonate-user": "root",
        "x-remote-user": "root",
        "x-remote-extra-a": "b",
        "x-who": "root",
        "x-more-a": "b",
        "accept": "application/yaml",
        "audit-id": "of the client",
      },
    },
    identityHeaders: () => ({ names: ["x-who"], prefixes: ["x-more-"] }),
  });
  assert.deepEqual(sent, { "accept": "application/yaml", "audit-id": "an-id" });
});

test("a request ends at its time limit, a description sooner and in other words, a watch not", async () => {
  await assert.rejects(forwarded("/apis/g/v1/things", hangs, { requestTimeoutMs: () => 1 }), { name: "TimeoutError" });
  await assert.rejects(forwarded("/apis/g/v1/things?timeout=1ms", hangs), { name: "TimeoutError" });
  let outcome = "waits";
  const client = new AbortController(), exchange = { signal: client.signal };
  const watch = forwarded("/apis/g/v1/things?watch=1&timeout=1ms", hangs, { requestTimeoutMs: () => 1, exchange });
  watch.catch(() => outcome = "ended");
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(outcome, "waits");
  client.abort(new Error("the client has gone"));
  await assert.rejects(watch, /the client has gone/);
});

test("a reply ends at the time limit too, and the one of another protocol does not", async () => {
  const stuck = (channel?: ConnectReply["channel"]) => ({ signal }: DelegatedRequest): Promise<ConnectReply> => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode("one");
      await new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        if (channel !== undefined) setTimeout(resolve, 5);
      });
    }
    return Promise.resolve({ status: 200, body: pieces(), ...(channel === undefined ? {} : { channel }) });
  };
  const reply = await forwarded("/apis/g/v1/things", stuck(), { requestTimeoutMs: () => 1 });
  await assert.rejects(textOf(reply), { name: "TimeoutError" });
  const upgraded = await forwarded("/apis/g/v1/things", stuck({ send: () => undefined, close() {} }), { requestTimeoutMs: () => 2 });
  assert.equal(await textOf(upgraded), "one");
});

test("a watch ends without an error at shutdown", async () => {
  const shutdown = new AbortController();
  const reply = await forwarded("/apis/g/v1/things?watch=1", ({ signal }) => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode("{}\n");
      shutdown.abort();
      signal.throwIfAborted();
    }
    return Promise.resolve({ status: 200, body: pieces() });
  }, { ending: () => shutdown.signal });
  assert.equal(await textOf(reply), "{}\n");
});

test("a reply follows nothing after its end, or when its reader leaves", async () => {
  let followers = 0;
  const client = {
    aborted: false,
    addEventListener: () => void followers++,
    removeEventListener: () => void followers--,
  } as unknown as AbortSignal; // the members that are used
  const exchange = { signal: client };
  const whole = await forwarded("/apis/g/v1/things", () => Promise.resolve({ status: 200, body: piecesOf("a", "b") }), { exchange });
  assert.equal(followers, 1);
  assert.equal(await textOf(whole), "ab");
  assert.equal(followers, 0);
  const left = await forwarded("/apis/g/v1/things", () => Promise.resolve({ status: 200, body: piecesOf("a", "b") }), { exchange });
  assert.ok(typeof left.body !== "string" && !(left.body instanceof Uint8Array));
  await left.body[Symbol.asyncIterator]().return?.();
  assert.equal(followers, 0);
  await forwarded("/apis/g/v1/things", () => Promise.resolve({ status: 503, body: "no" }), { exchange });
  assert.equal(followers, 0);
  await assert.rejects(forwarded("/apis/g/v1/things", () => Promise.reject(new Error("no")), { exchange }));
  assert.equal(followers, 0);
});
