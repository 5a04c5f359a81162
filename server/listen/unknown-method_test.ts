import assert from "node:assert/strict";
import { test } from "node:test";
import { readHead } from "./unknown-method.ts";
import { headersOf, pathOf } from "./request.ts";
import { headerBytesMax } from "../../kernel/access/authentication/token-chain.ts";

const read = (text: string) => readHead(Buffer.from(text, "latin1"));

test("readHead() reads method, target, version and headers as written", () => {
  assert.deepEqual(read("FOO /a%20b?c HTTP/1.0\r\nHost: x\r\nX-Empty:\r\nx-two:  a  b \r\n\r\nwhatever"), {
    method: "FOO",
    target: "/a%20b?c",
    minor: 0,
    rawHeaders: ["Host", "x", "X-Empty", "", "x-two", "a  b"],
  });
});

test("readHead() rejects malformed and incomplete heads", () => {
  for (
    const text of [
      "",
      "FOO / HTTP/1.1\r\nhost: x\r\n",
      "FOO / HTTP/1.1\nhost: x\n\n",
      "FOO  / HTTP/1.1\r\n\r\n",
      "FOO / HTTP/2.0\r\n\r\n",
      "F(O / HTTP/1.1\r\n\r\n",
      "FOO /a b HTTP/1.1\r\n\r\n",
      "FOO / HTTP/1.1\r\nhost : x\r\n\r\n",
      "FOO / HTTP/1.1\r\n folded: x\r\n\r\n",
      "FOO / HTTP/1.1\r\nx: a\rb\r\n\r\n",
      "FOO / HTTP/1.1\r\nx: a\0b\r\n\r\n",
      "FOO / HTTP/1.1\r\nno colon\r\n\r\n",
      "FOO / HTTP/1.1\r\n: no name\r\n\r\n",
      "FOO / HTTP/1.1 \r\n\r\n",
      "FOO  HTTP/1.1\r\n\r\n",
      "FOO HTTP/1.1\r\n\r\n",
      "FOO /\x7f HTTP/1.1\r\n\r\n",
      "FOO /\r\n\r\n",
    ]
  ) assert.equal(read(text), undefined, JSON.stringify(text));
});

test("readHead() reads blanks of any number in linear time", () => {
  const blanks = " \t".repeat(headerBytesMax / 4);
  const begun = performance.now();
  for (const text of [`X:${blanks}\x01`, `X:a${blanks}\x01`, `X:${blanks}a${blanks}\x01b`]) {
    assert.equal(read(`FOO / HTTP/1.1\r\n${text}\r\n\r\n`), undefined);
  }
  assert.deepEqual(read(`FOO / HTTP/1.1\r\nX:${blanks.slice(64)}\r\n\r\n`)?.rawHeaders, ["X", ""]);
  // A cubic pattern needs half a minute for a hundredth of these blanks.
  assert.ok(performance.now() - begun < 5_000);
});

test("headersOf() collects repeated names in order and uses HTTP/2's authority as the host", () => {
  const headers = headersOf([":method", "GET", ":authority", "h:1", "X-A", "1", "x-a", "2", "X-a", "3", "__proto__", "p"]);
  assert.deepEqual(Object.entries(headers), [["host", "h:1"], ["x-a", ["1", "2", "3"]], ["__proto__", "p"]]);
});

test("pathOf() removes scheme and host from a target in absolute form", () => {
  assert.equal(pathOf("https://host:1/a?b"), "/a?b");
  assert.equal(pathOf("HTTP://host"), "/");
  assert.equal(pathOf("https://host?x"), "/?x");
  assert.equal(pathOf("//host/a"), "//host/a");
  assert.equal(pathOf("*"), "*");
});
