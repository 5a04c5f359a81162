import assert from "node:assert/strict";
import { test } from "node:test";
import { isValidField, requestHead } from "./request-head.ts";

const get = [[":method", "GET"], [":scheme", "https"], [":path", "/"]] as const;
const headersOf = (...more: readonly (readonly [string, string])[]) =>
  requestHead([...get, ...more].map(([name, value]) => ({ name, value, isValid: isValidField(name, value) })), true)?.headers;

test("requestHead() joins cookies in their order, wherever they stand, and makes lists of other repeated fields", () => {
  assert.deepEqual({ ...headersOf(["cookie", "a=1"]) }, { cookie: "a=1" });
  assert.deepEqual({ ...headersOf(["cookie", "a=1"], ["x", "1"], ["cookie", "b=2; c=3"], ["x", "2"], ["x", "3"], ["cookie", "d"]) }, {
    cookie: "a=1; b=2; c=3; d",
    x: ["1", "2", "3"],
  });
  assert.equal(headersOf(["x", "1"])!["cookie"], undefined);
});

test("requestHead() refuses a path that does not begin with a slash, before anybody decides about it", () => {
  const withPath = (path: string, method = "GET") =>
    requestHead(
      [[":method", method], [":scheme", "https"], [":path", path]].map(([name, value]) => ({
        ...{ name: name!, value: value! },
        isValid: isValidField(name!, value!),
      })),
      true,
    )?.url;
  for (const path of ["api/v1/secrets", "metrics", "", ".", "?watch=1", "https://x/metrics", "\\metrics"]) {
    assert.equal(withPath(path), undefined, path);
  }
  assert.equal(withPath("/metrics"), "/metrics");
  assert.equal(withPath("*", "OPTIONS"), "*");
});
