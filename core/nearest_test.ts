import assert from "node:assert/strict";
import { test } from "node:test";
import { nearest } from "./nearest.ts";

test("nearest() returns the name of a typing mistake, and undefined for other words", () => {
  const flags = ["--secure-port", "--bind-address", "--etcd-servers"];
  assert.equal(nearest("--secure-prt", flags), "--secure-port");
  assert.equal(nearest("--etcd-sevrers", flags), "--etcd-servers");
  assert.equal(nearest("--SECURE-PORT", flags), "--secure-port");
  assert.equal(nearest("--something-else-entirely", flags), undefined);
  assert.equal(nearest("x", []), undefined);
});

test("nearest() takes bounded time for words of any length", () => {
  assert.equal(nearest("a".repeat(1_000_000), ["b"]), undefined);
});
