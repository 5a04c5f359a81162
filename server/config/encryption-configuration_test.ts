import assert from "node:assert/strict";
import { test } from "node:test";
import { keysIn, readEncryptionKeys } from "./encryption-configuration.ts";
import { ConfigError } from "./parse.ts";

const secret = (bytes: number) => btoa("k".repeat(bytes));
const fileOf = (providers: string) =>
  `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  providers: ${providers}\n`;

test("keysIn() reads the keys of aescbc and aesgcm, and accepts other providers", () => {
  const keys = keysIn(fileOf(
    `[{aescbc: {keys: [{name: a, secret: ${secret(32)}}, {name: b, secret: ${secret(16)}}]}}, {aesgcm: {keys: [{name: c, secret: ${
      secret(24)
    }}]}}, ` +
      `{secretbox: {keys: []}}, {kms: {apiVersion: v2, name: k, endpoint: unix:///k}}, {identity: {}}]`,
  ));
  assert.deepEqual(keys.map(({ provider, name, secret: { length } }) => [provider, name, length]), [["aescbc", "a", 32], [
    "aescbc",
    "b",
    16,
  ], [
    "aesgcm",
    "c",
    24,
  ]]);
});

test("keysIn() names mistakes", () => {
  assert.throws(
    () => keysIn(fileOf(`[{aescbc: {keys: [{name: a, secret: ${secret(31)}}]}}]`)),
    /the secret of the key "a" has 31 bytes: expected 16, 24, 32/,
  );
  assert.throws(() => keysIn(fileOf(`[{aescbc: {keys: [{name: a, secret: "%"}]}}]`)), /the secret of the key "a" is no base64/);
  assert.throws(() => keysIn(fileOf(`[{aescbx: {}}]`)), /unknown field "resources\[0\].providers\[0\].aescbx"/);
  assert.throws(() => keysIn("kind: Other\napiVersion: v1\n"), /no kind "Other"/);
  assert.throws(() => readEncryptionKeys("/nowhere/file"), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.mistakes[0]!, /^--encryption-provider-config "\/nowhere\/file": /);
    return true;
  });
});
