import assert from "node:assert/strict";
import { test } from "node:test";
import { webhookAddressMistakes } from "./webhook-addresses.ts";

test("webhookAddressMistakes() finds entries without host and port on both sides", () => {
  assert.deepEqual(
    webhookAddressMistakes(new Map([["hook.default.svc:443", "10.0.0.5:8443"], ["hook.example.com:443", "[::1]:9443"]])),
    [],
  );
  const wrong = {
    "hook": "10.0.0.5:1",
    "a:1": "10.0.0.5",
    "b:1": "https://x:1",
    "c:1": "u@x:1",
    "d:1": "x:1/y",
    "e:1": "",
    "f:1": "x:99999",
  };
  assert.equal(webhookAddressMistakes(new Map(Object.entries(wrong))).length, 7);
});
