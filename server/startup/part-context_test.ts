import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { defaults } from "../config/settings.ts";
import { settingsOf } from "../../core/part.ts";
import { settingOf } from "../config/plugin-settings.ts";
import { partInspection } from "./part-context.ts";

test("settingOf() reads the current value of a setting by name and kind, and throws for any other", () => {
  let config = defaults;
  const setting = settingOf(() => ({ config, plugins: [] }));
  assert.equal(setting({ name: "anonymous-auth", kind: "bool" }), true);
  config = { ...defaults, "anonymous-auth": false, "api-audiences": ["a"] };
  assert.deepEqual(settingsOf(setting, { "anonymous-auth": "bool", "api-audiences": "list" }), {
    "anonymous-auth": false,
    "api-audiences": ["a"],
  });
  assert.throws(() => setting({ name: "anonymous-auth", kind: "string" }), /it is of the kind bool/);
  for (const name of ["anonymous", "__proto__", "constructor"]) {
    assert.throws(() => setting({ name, kind: "string" }), { message: `Cannot read the setting "${name}": there is none` });
  }
});

test("keysIn() has the keys of all PEM blocks in their order, and leaves out what is no key", () => {
  const { crypto } = partInspection(defaults, []);
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = (key: typeof privateKey, type: "pkcs8" | "sec1" | "spki") => String(key.export({ type: type as "pkcs8", format: "pem" }));
  const damaged = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
  const text = `names\n${pem(publicKey, "spki")}${damaged}between\n${pem(privateKey, "pkcs8")}${pem(privateKey, "sec1")}-----BEGIN X-----`;
  const keys = crypto.keysIn(text), spki = new Uint8Array(publicKey.export({ type: "spki", format: "der" }));
  assert.deepEqual(keys.map((key) => [key.spki, key.pkcs8 !== undefined]), [[spki, false], [spki, true], [spki, true]]);
  assert.deepEqual(crypto.keysIn(""), []);
});

test("checkAuthorities() throws for a text without certificates; hashes differ in the boundaries of texts", () => {
  const { crypto } = partInspection(defaults, []);
  assert.throws(() => crypto.checkAuthorities("no certificate"), { message: "no PEM certificate found" });
  assert.equal(crypto.isCertificate(Uint8Array.of(0x30, 0)), false);
  assert.notEqual(crypto.keyedHash(["ab", "c"]), crypto.keyedHash(["a", "bc"]));
  assert.equal(crypto.keyedHash(["a"]), crypto.keyedHash(["a"]));
  assert.notEqual(crypto.keyedHash(["a"]), partInspection(defaults, []).crypto.keyedHash(["a"]), "each part has a key of its own");
  assert.equal(crypto.sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
