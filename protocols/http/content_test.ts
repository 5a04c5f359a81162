import assert from "node:assert/strict";
import { test } from "node:test";
import { type Content, content } from "./content.ts";

const bytes = new TextEncoder().encode("0123456789");
const modified = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const whole = { bytes, headers: { etag: '"e"', "content-type": "text/x" }, modified };
function ask(headers: Record<string, string>, { method = "GET", of = whole as Content } = {}) {
  return content({ method, headers }, of);
}
function get(headers: Record<string, string>, of: Content = whole) {
  const { status, headers: answered, body } = ask(headers, { of });
  return [status, body instanceof Uint8Array ? new TextDecoder().decode(body) : body, answered["content-range"]];
}

test("content() returns one range", () => {
  assert.deepEqual(get({}), [200, "0123456789", undefined]);
  assert.deepEqual(get({ range: "bytes=0-0" }), [206, "0", "bytes 0-0/10"]);
  assert.deepEqual(get({ range: "bytes=3-" }), [206, "3456789", "bytes 3-9/10"]);
  assert.deepEqual(get({ range: "bytes=-2" }), [206, "89", "bytes 8-9/10"]);
  assert.deepEqual(get({ range: "bytes=-20" }), [206, "0123456789", "bytes 0-9/10"]);
  assert.deepEqual(get({ range: "bytes=9-99" }), [206, "9", "bytes 9-9/10"]);
});

test("content() rejects invalid ranges", () => {
  assert.deepEqual(get({ range: "bytes=10-" }), [416, "invalid range: failed to overlap\n", "bytes */10"]);
  for (const range of ["bytes=5-4", "bytes=-", "bytes=a-b", "lines=0-1", "bytes=1", "bytes=--5", "BYTES=0-1", "bytes=0x1-3"]) {
    assert.deepEqual(get({ range }), [416, "invalid range\n", undefined]);
  }
  const { headers } = ask({ range: "bytes=5-4" });
  assert.deepEqual(headers, {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  });
});

test("content() returns the whole content if a range does not apply", () => {
  assert.deepEqual(get({ range: "bytes=0-0,2-2" }), [200, "0123456789", undefined]);
  for (const old of ['"old"', 'W/"e"', "e", "Thu, 01 Jan 2026 00:00:00 GMT"]) {
    assert.deepEqual(get({ range: "bytes=0-0", "if-range": old }), [200, "0123456789", undefined], old);
  }
  for (const current of ['"e"', "Fri, 02 Jan 2026 03:04:05 GMT"]) {
    assert.deepEqual(get({ range: "bytes=0-0", "if-range": current }), [206, "0", "bytes 0-0/10"], current);
  }
  assert.equal(ask({ range: "bytes=0-0", "if-range": '"old"' }, { method: "POST" }).status, 206);
});

test("content() compresses whole replies only", () => {
  const of = { ...whole, gzipped: new TextEncoder().encode("zip") };
  assert.deepEqual(get({}, of), [200, "zip", undefined]);
  assert.equal(ask({}, { of }).headers["content-encoding"], "gzip");
  assert.deepEqual(get({ range: "bytes=0-0" }, of), [206, "0", "bytes 0-0/10"]);
});

test("content() evaluates conditions on entity tags", () => {
  for (const had of ['"e"', 'W/"e"', "*", '"f", "e"', ',"e"', '"f" "e"', '"f",*']) {
    assert.equal(get({ "if-none-match": had })[0], 304, had);
    assert.equal(ask({ "if-none-match": had }, { method: "POST" }).status, 412, had);
  }
  for (const had of ['"f"', "e", 'x, "e"', 'w/"e"', '"e']) assert.equal(get({ "if-none-match": had })[0], 200, had);
  for (const match of ['"f"', 'W/"e"', ",", "e"]) assert.equal(get({ "if-match": match })[0], 412, match);
  for (const match of ['"e"', '"f", "e"', "*"]) assert.equal(get({ "if-match": match })[0], 200, match);
});

test("content() evaluates conditions on time if there is none on tags", () => {
  const made = "Fri, 02 Jan 2026 03:04:05 GMT", before = "Fri, 02 Jan 2026 03:04:04 GMT";
  assert.equal(get({ "if-modified-since": made })[0], 304);
  assert.equal(get({ "if-modified-since": "Friday, 02-Jan-26 03:04:05 GMT" })[0], 304);
  assert.equal(get({ "if-modified-since": "Fri Jan  2 03:04:05 2026" })[0], 304);
  for (const since of [before, "soon", "2026-01-02T03:04:05Z"]) assert.equal(get({ "if-modified-since": since })[0], 200, since);
  assert.equal(ask({ "if-modified-since": made }, { method: "POST" }).status, 200);
  assert.equal(get({ "if-none-match": '"f"', "if-modified-since": made })[0], 200);
  assert.equal(get({ "if-unmodified-since": made })[0], 200);
  assert.equal(get({ "if-unmodified-since": before })[0], 412);
  assert.equal(get({ "if-unmodified-since": before, "if-match": '"e"' })[0], 200);
});

test("content() without an ETag matches only a star, and sends its time with 304", () => {
  const of: Content = { bytes, headers: { "content-type": "text/x" }, modified };
  assert.equal(get({ "if-none-match": '"e"' }, of)[0], 200);
  assert.equal(get({ "if-match": '"e"' }, of)[0], 412);
  assert.deepEqual(ask({ "if-none-match": "*" }, { of }).headers, { "last-modified": "Fri, 02 Jan 2026 03:04:05 GMT" });
  assert.deepEqual(ask({ "if-none-match": "*" }).headers, { etag: '"e"' });
});
