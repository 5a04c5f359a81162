import assert from "node:assert/strict";
import { test } from "node:test";
import { namedPairs } from "./named-certificates.ts";

test("namedPairs() reads pairs with and without names from one list", () => {
  const { pairs, mistakes } = namedPairs(["/a.crt", "/a.key", "/b.crt", "/b.key:*.Example.com", "example.com", "./c.crt", "./c.key:c"]);
  assert.deepEqual(mistakes, []);
  assert.deepEqual(pairs, [
    { cert: "/a.crt", key: "/a.key", names: [] },
    { cert: "/b.crt", key: "/b.key", names: ["*.example.com", "example.com"] },
    { cert: "./c.crt", key: "./c.key", names: ["c"] },
  ]);
  assert.deepEqual(namedPairs([]), { pairs: [], mistakes: [] });
});

test("namedPairs() names what is missing or in a wrong form", () => {
  for (
    const [items, mistake] of [
      [["/a.crt"], 'the certificate "/a.crt" needs the path of its key'],
      [["a.crt", "/a.key"], '"a.crt" must be a path with a slash, such as ./a.crt'],
      [["/a.crt", "a.key"], '"a.key" must be a path with a slash, such as ./a.key'],
      [["/a.crt", "/a.key", "example.com"], '"example.com" must be a path with a slash, such as ./example.com'],
      [["/a.crt", "/a.key:a.*.com"], '"a.*.com" is no name of a server'],
      [["/a.crt", "/a.key:"], '"" is no name of a server'],
    ] as const
  ) assert.ok(namedPairs(items).mistakes.includes(`flag "--tls-sni-cert-key": ${mistake}`), JSON.stringify(namedPairs(items).mistakes));
});
