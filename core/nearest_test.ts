import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./nearest.ts";

test("nearest() finds what was mistyped and nothing where nothing is near", () => {
  const flags = ["--secure-port", "--bind-address", "--etcd-servers"];
  assert.equal(nearest("--secure-prt", flags), "--secure-port");
  assert.equal(nearest("--etcd-sevrers", flags), "--etcd-servers");
  assert.equal(nearest("--SECURE-PORT", flags), "--secure-port");
  assert.equal(nearest("--something-else-entirely", flags), undefined);
  assert.equal(nearest("x", []), undefined);
});

test("nearest() takes words of any length in bounded time", () => {
  assert.equal(nearest("a".repeat(1_000_000), ["b"]), undefined);
});
