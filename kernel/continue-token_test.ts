import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultNames } from "../core/names.ts";
import { StatusError } from "../core/status-error.ts";
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

test("readContinue() says what is wrong with a token in upstream's words", () => {
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

test("readContinue() lets nobody leave the collection", () => {
  assert.equal(refusal(token({ v: "meta.k8s.io/v1", rv: -1, start: "../../secrets/x" })), "../../secrets/x");
  assert.equal(refusal(token({ v: "meta.k8s.io/v1", rv: -1, start: "a/./b" })), "a/./b");
});
