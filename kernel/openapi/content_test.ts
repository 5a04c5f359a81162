import assert from "node:assert/strict";
import { test } from "node:test";
import type { Exchange } from "../exchange.ts";
import { content } from "./content.ts";

const bytes = new TextEncoder().encode("0123456789");
function get(headers: Record<string, string>, encoding?: "gzip") {
  const exchange: Exchange = {
    method: "GET",
    url: "/",
    headers,
    body: () => Promise.resolve(new Uint8Array()),
    peer: undefined,
    remote: "",
    protocol: "HTTP/1.1",
    signal: new AbortController().signal,
  };
  const { status, headers: answered, body } = content(exchange, bytes, { etag: '"e"' }, encoding);
  return [status, body instanceof Uint8Array ? new TextDecoder().decode(body) : body, answered["content-range"]];
}

test("content() cuts one range", () => {
  assert.deepEqual(get({}), [200, "0123456789", undefined]);
  assert.deepEqual(get({ range: "bytes=0-0" }), [206, "0", "bytes 0-0/10"]);
  assert.deepEqual(get({ range: "bytes=3-" }), [206, "3456789", "bytes 3-9/10"]);
  assert.deepEqual(get({ range: "bytes=-2" }), [206, "89", "bytes 8-9/10"]);
  assert.deepEqual(get({ range: "bytes=-20" }), [206, "0123456789", "bytes 0-9/10"]);
  assert.deepEqual(get({ range: "bytes=9-99" }), [206, "9", "bytes 9-9/10"]);
});

test("content() refuses ranges that make no sense", () => {
  assert.deepEqual(get({ range: "bytes=10-" }), [416, "invalid range: failed to overlap\n", "bytes */10"]);
  for (const range of ["bytes=5-4", "bytes=-", "bytes=a-b", "lines=0-1"]) {
    assert.deepEqual(get({ range }), [416, "invalid range\n", "bytes */10"]);
  }
});

test("content() answers with everything where a range does not apply", () => {
  assert.deepEqual(get({ range: "bytes=0-0,2-2" }), [200, "0123456789", undefined]);
  assert.deepEqual(get({ range: "bytes=0-0", "if-range": '"old"' }), [200, "0123456789", undefined]);
  assert.deepEqual(get({ range: "bytes=0-0", "if-range": '"e"' }), [206, "0", "bytes 0-0/10"]);
  assert.deepEqual(get({ range: "bytes=0-0" }, "gzip"), [200, "0123456789", undefined]);
});

test("content() keeps to conditions", () => {
  assert.equal(get({ "if-none-match": '"e"' })[0], 304);
  assert.equal(get({ "if-none-match": '"f"' })[0], 200);
  assert.equal(get({ "if-match": '"f"' })[0], 412);
  assert.equal(get({ "if-match": '"f", "e"' })[0], 200);
});
