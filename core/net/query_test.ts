import assert from "node:assert/strict";
import { test } from "node:test";
import { percentDecode, percentDecodeBytes } from "./percent.ts";
import { parseQuery } from "./query.ts";

test("Query.first() is the first value of a key, Query.all() are all of them", () => {
  const query = parseQuery("a=1&a=2&b&c=");
  assert.equal(query.first("a"), "1");
  assert.deepEqual(query.all("a"), ["1", "2"]);
  assert.equal(query.has("b"), true);
  assert.equal(query.first("b"), "");
  assert.equal(query.has("d"), false);
});

test("parseQuery() reads a plus as a space and ignores pairs that cannot be decoded or contain a semicolon", () => {
  const query = parseQuery("a+b=c+d&e=%zz&f;g=1&h=%e2%82%ac");
  assert.equal(query.first("a b"), "c d");
  assert.equal(query.has("e"), false);
  assert.equal(query.has("f"), false);
  assert.equal(query.first("h"), "€");
});

test("parseQuery() treats names of prototype properties as ordinary keys", () => {
  const query = parseQuery("__proto__=1&constructor=2");
  assert.equal(query.first("__proto__"), "1");
  assert.equal(query.first("hasOwnProperty"), "");
});

test("percentDecode() rejects malformed escapes and replaces bytes that are not UTF-8", () => {
  assert.equal(percentDecode("a%2"), undefined);
  assert.equal(percentDecode("a%g1"), undefined);
  assert.equal(percentDecode("%ff%C3%A9é"), "\ufffdéé");
});

test("percentDecodeBytes() keeps each byte that is not UTF-8 as a lone surrogate", () => {
  assert.equal(percentDecodeBytes("a%2"), undefined);
  assert.equal(percentDecodeBytes("%C3%A9é%F0%9F%98%80"), "éé\u{1f600}");
  assert.equal(percentDecodeBytes("%ef%bf%bd%ef%bb%bf"), "\ufffd\ufeff", "the replacement character and the byte order mark are UTF-8");
  assert.equal(percentDecodeBytes("a%ffb"), "a\udcffb");
  assert.equal(percentDecodeBytes("%e2%82"), "\udce2\udc82", "a sequence that ends too early");
  assert.equal(percentDecodeBytes("%c3%28"), "\udcc3(");
  assert.equal(percentDecodeBytes("%ed%a0%80"), "\udced\udca0\udc80", "a surrogate");
  assert.equal(percentDecodeBytes("%f4%90%80%80"), "\udcf4\udc90\udc80\udc80", "beyond Unicode");
  assert.equal(percentDecodeBytes("%c1%81"), "\udcc1\udc81", "a form that is too long");
  assert.equal(percentDecodeBytes("%ef%bf%bd%ff%e2%82%ac"), "\ufffd\udcff\u20ac");
});
