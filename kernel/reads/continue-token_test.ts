import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../../core/names.ts";
import { StatusError } from "../../core/status-error.ts";
import { readContinue, writeContinue } from "./continue-token.ts";

function refusal(token: string): string {
  try {
    readContinue(token, defaultNames);
  } catch (error) {
    if (error instanceof StatusError && error.code === 400) {
      return error.message.replace("invalid continue token: continue key is not valid: ", "");
    }
    throw error;
  }
  return "";
}
const token = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_");

test("writeContinue() writes upstream's encoding and readContinue() reads it back", () => {
  const written = writeContinue({ revision: 57, start: "default/b\0" }, defaultNames);
  assert.equal(atob(written), '{"v":"meta.k8s.io/v1","rv":57,"start":"default/b\\u0000"}');
  assert.deepEqual(readContinue(written, defaultNames), { revision: 57, start: "default/b\0" });
});

test("readContinue() rejects malformed tokens with upstream's messages", () => {
  assert.equal(refusal("!!!"), "illegal base64 data at input byte 0");
  assert.equal(refusal("e30="), "illegal base64 data at input byte 3");
  assert.equal(refusal("bm90anNvbg"), "invalid character 'o' in literal null (expecting 'u')");
  assert.equal(refusal("W10"), "json: cannot unmarshal array into Go value of type storage.continueToken");
  assert.equal(refusal("e30"), "server does not recognize this encoded version ");
  assert.equal(
    refusal(token({ v: "meta.k8s.io/v1", rv: 0, start: "b" })),
    "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
  );
  assert.equal(refusal(token({ v: "meta.k8s.io/v1", rv: -1, start: "" })), "encoded start key empty (version meta.k8s.io/v1)");
});

test("readContinue() rejects keys outside the collection", () => {
  assert.equal(refusal(token({ v: "meta.k8s.io/v1", rv: -1, start: "../../secrets/x" })), "../../secrets/x");
  assert.equal(refusal(token({ v: "meta.k8s.io/v1", rv: -1, start: "a/./b" })), "a/./b");
});

test("readContinue() accepts keys with and without a leading slash, and rejects keys that are not normalized", () => {
  const startOf = (start: string) => readContinue(token({ v: "meta.k8s.io/v1", rv: 5, start }), defaultNames).start;
  assert.deepEqual(["/a/b\0", "a/b\0", "b/\0", "/"].map(startOf), ["a/b\0", "a/b\0", "b/\0", ""]);
  for (const start of ["a/", "//a", "/a//b", "/.", "..", "/a/../b"]) {
    assert.equal(refusal(token({ v: "meta.k8s.io/v1", rv: 5, start })), start);
  }
});

test("readContinue() reads members as upstream does: case-insensitively, the last one wins, null is absent", () => {
  const read = (text: string) => readContinue(btoa(text).replace(/=+$/, ""), defaultNames);
  const from = '{"v":"meta.k8s.io/v1","rv":5,"start":"a"';
  assert.deepEqual(read(`${from},"RV":7,"Start":"b","rv":null,"x":[]}`), { revision: 7, start: "b" });
  assert.equal(refusal(btoa(`${from},"START":5,"rv":"x"}`).replace(/=+$/, "")), mistyped("number", "start", "string"));
  for (const [rv, what] of [['"5"', "string"], ["1.5", "number 1.5"], ["true", "bool"], [`${2n ** 63n}`, `number ${2n ** 63n}`]] as const) {
    assert.equal(refusal(btoa(`{"v":"meta.k8s.io/v1","rv":${rv},"start":"a"}`).replace(/=+$/, "")), mistyped(what, "rv", "int64"));
  }
  assert.equal(read(`{"v":"meta.k8s.io/v1","rv":${2n ** 63n - 1n},"start":"a"}`).start, "a");
});
function mistyped(what: string, key: string, type: string): string {
  return `json: cannot unmarshal ${what} into Go struct field continueToken.${key} of type ${type}`;
}

test("readContinue() ignores line ends", () => {
  const written = writeContinue({ revision: 5, start: "a\0" }, defaultNames);
  assert.deepEqual(readContinue(`${written.slice(0, 7)}\r\n${written.slice(7)}\n`, defaultNames), { revision: 5, start: "a\0" });
  assert.equal(refusal("ey\nJ!"), "illegal base64 data at input byte 4");
});
