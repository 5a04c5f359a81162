import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ConfigError } from "../config/parse.ts";
import { fieldErrorText } from "../../core/field-error.ts";
import { type EncryptionConfiguration, encryptionIn, readEncryptionFile, type ReadOptions } from "./configuration.ts";
import { isEncrypted } from "./transformer.ts";

const secret = (bytes: number, character = "k") => btoa(character.repeat(bytes));
const fileOf = (rows: readonly object[]) =>
  JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources: rows });
const keys = (name: string, bytes = 32) => ({ keys: [{ name, secret: secret(bytes) }] });

function read(rows: readonly object[]): EncryptionConfiguration {
  const found = encryptionIn(fileOf(rows));
  if (Array.isArray(found)) assert.fail(found.map(fieldErrorText).join("; "));
  return found as EncryptionConfiguration;
}
function mistakes(rows: readonly object[], options?: ReadOptions): readonly string[] {
  const found = encryptionIn(fileOf(rows), options);
  return Array.isArray(found) ? found.map(fieldErrorText) : [];
}
const value = new TextEncoder().encode('{"kind":"Secret"}\n'), key = "/registry/secrets/default/a";
const head = (bytes: Uint8Array) => new TextDecoder().decode(bytes).split(":").slice(0, 5).join(":");

test("the first key of a resource writes, and all read", () => {
  const providers = [
    { secretbox: keys("s") },
    { aescbc: { keys: [{ name: "a", secret: secret(32) }, { name: "b", secret: secret(16) }] } },
    { aesgcm: keys("g", 24) },
    { identity: {} },
  ];
  const current = read([{ resources: ["secrets"], providers }]).transformerOf("", "secrets")!;
  const sealed = current.seal(value, key);
  assert.equal(head(sealed), "k8s:enc:secretbox:v1:s");
  assert.deepEqual(current.open(sealed, key), { value, isStale: false });
  for (const [index, provider] of providers.entries()) {
    const one = read([{ resources: ["secrets"], providers: [provider] }]).transformerOf("", "secrets")!, stored = one.seal(value, key);
    assert.equal(isEncrypted(stored), index < 3);
    assert.deepEqual(current.open(stored, key), { value, isStale: index > 0 }, head(stored));
    assert.notDeepEqual(one.seal(value, key), index < 3 ? stored : undefined, "each value has a nonce of its own");
  }
});

test("a value is opened only with its key, unchanged, and with aesgcm only at its place", () => {
  for (const provider of ["secretbox", "aesgcm"] as const) {
    const one = read([{ resources: ["secrets"], providers: [{ [provider]: keys("a") }] }]).transformerOf("", "secrets")!;
    const stored = one.seal(value, key), changed = stored.slice();
    changed[changed.length - 1]! ^= 1;
    assert.equal(one.open(changed, key), undefined);
    assert.equal(one.open(stored.slice(0, 30), key), undefined);
    assert.equal(one.open(value, key), undefined, "without identity, values in the clear are not read");
    assert.equal(one.open(stored, "/registry/secrets/default/b") === undefined, provider === "aesgcm");
    const other = read([{ resources: ["secrets"], providers: [{ [provider]: { keys: [{ name: "a", secret: secret(32, "x") }] } }] }]);
    assert.equal(other.transformerOf("", "secrets")!.open(stored, key), undefined);
  }
});

test("keys of one name and several rows of a resource are all tried", () => {
  const old = { resources: ["secrets"], providers: [{ secretbox: { keys: [{ name: "a", secret: secret(32, "o") }] } }] };
  const next = { resources: ["secrets"], providers: [{ secretbox: keys("a") }] };
  const stored = read([old]).transformerOf("", "secrets")!.seal(value, key);
  assert.deepEqual(read([next, old]).transformerOf("", "secrets")!.open(stored, key), { value, isStale: true });
});

test("resources are found by name, by group and by all", () => {
  const row = (resources: readonly string[], name: string) => ({ resources, providers: [{ secretbox: keys(name) }] });
  const found = read([row(["secrets", "deployments.apps"], "one"), row(["*.apps"], "two"), row(["*.*"], "three")]);
  const nameOf = (group: string, resource: string) => head(found.transformerOf(group, resource)!.seal(value, key)).split(":").at(-1);
  assert.deepEqual(
    [["", "secrets"], ["apps", "deployments"], ["apps", "statefulsets"], ["", "configmaps"], ["batch", "jobs"], ["example.com", "things"]]
      .map(
        ([group, resource]) => nameOf(group!, resource!),
      ),
    ["one", "one", "two", "three", "three", "three"],
  );
  assert.equal(read([row(["*."], "one")]).transformerOf("apps", "deployments"), undefined);
  assert.equal(read([row(["*."], "one")]).transformerOf("", "pods") === undefined, false);
});

test("the files of the operator's guide can be used", () => {
  const guide = readFileSync(new URL("../../docs/operators-guide.md", import.meta.url), "utf8");
  for (const block of [/```yaml\n(# encryption\.yaml[^]*?)```/, /```yaml\n(# kms\.yaml[^]*?)```/]) {
    const found = encryptionIn(block.exec(guide)![1]!);
    assert.deepEqual(Array.isArray(found) ? found.map(fieldErrorText) : [], []);
  }
});

test("mistakes name their fields, and no secret", async () => {
  const ofProviders = (...providers: readonly object[]) => mistakes([{ resources: ["secrets"], providers }]);
  assert.deepEqual(mistakes([]), ["resources: Required value: at least one resources is required"]);
  assert.deepEqual(mistakes([{}]), [
    "resources[0].resources: Required value: at least one resources[0].resources is required",
    "resources[0].providers: Required value: at least one resources[0].providers is required",
  ]);
  assert.deepEqual(ofProviders({ aescbc: { keys: [{ name: "a", secret: secret(31) }, { name: "", secret: "%" }, { name: "b" }] } }), [
    'resources[0].providers[0].aescbc.keys[0].secret: Invalid value: "REDACTED": has 31 bytes: expected 16, 24, 32',
    "resources[0].providers[0].aescbc.keys[1].name: Required value: a key needs a name",
    'resources[0].providers[0].aescbc.keys[1].secret: Invalid value: "REDACTED": must be base64',
    "resources[0].providers[0].aescbc.keys[2].secret: Required value: a key needs a secret",
  ]);
  assert.deepEqual(ofProviders({ secretbox: keys("a", 16) }), [
    'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": has 16 bytes: expected 32',
  ]);
  assert.deepEqual(ofProviders({}, { identity: {}, secretbox: {} }, { aesgcm: {} }), [
    "resources[0].providers[0]: Required value: must have one of aescbc, aesgcm, identity, kms, secretbox",
    'resources[0].providers[1]: Invalid value: ["secretbox","identity"]: must have one provider: write several as several elements',
    "resources[0].providers[2].aesgcm.keys: Required value: at least one key is required",
  ]);
  const kms = { apiVersion: "v2", name: "k", endpoint: "unix:///k" }, v1 = { ...kms, apiVersion: "v1" };
  assert.deepEqual(ofProviders({ kms }, { kms: { ...kms, name: "l", timeout: "1ns" } }), []);
  assert.deepEqual(ofProviders({ kms: v1 }), [
    'resources[0].providers[0].kms.apiVersion: Invalid value: "v1": must be v2: v1 is not supported',
  ]);
  assert.deepEqual(mistakes([{ resources: ["secrets"], providers: [{ kms: v1 }] }], { onlyReads: true }), []);
  assert.deepEqual(
    ofProviders({ kms }, { kms: { name: "a:b", endpoint: "http://a", timeout: "0s", cachesize: 5 } }, { kms }, {
      kms: { apiVersion: "v2" },
    }),
    [
      'resources[0].providers[1].kms.apiVersion: Invalid value: "": must be v2: v1 is not supported',
      'resources[0].providers[1].kms.name: Invalid value: "a:b": must not contain a colon',
      'resources[0].providers[1].kms.timeout: Invalid value: "0s": must be more than zero',
      'resources[0].providers[1].kms.endpoint: Invalid value: "http://a": must be the URL of a socket, such as unix:///run/kms.sock',
      "resources[0].providers[1].kms.cachesize: Invalid value: 5: is not supported in v2",
      "resources[0].providers[3].kms.name: Required value: a provider needs a name",
      "resources[0].providers[3].kms.endpoint: Required value: a provider needs a socket",
      'resources[0].providers[2].kms.name: Invalid value: "k": another KMS provider has this name',
    ],
  );
  const ofResources = (...resources: readonly string[]) => mistakes([{ resources, providers: [{ identity: {} }] }]);
  for (
    const [resources, message] of [
      [["secrets", "secrets"], 'resources[0].resources: Invalid value: ["secrets","secrets"]: a resource is named twice'],
      [["secrets", "*."], 'resources[0].resources: Invalid value: ["secrets","*."]: resources overlap, such as secrets and *.'],
      [["*.*", "a.b"], 'resources[0].resources: Invalid value: ["*.*","a.b"]: resources overlap, such as secrets and *.'],
      [["Secrets"], 'resources[0].resources[0]: Invalid value: "Secrets": must not contain capital letters'],
      [["*"], 'resources[0].resources[0]: Invalid value: "*": use *. for the group without a name, or *.* for all resources'],
      [["apiserveripinfo"], 'resources[0].resources[0]: Invalid value: "apiserveripinfo": has no API and cannot be encrypted'],
      [
        ["a.events.k8s.io"],
        'resources[0].resources[0]: Invalid value: "a.events.k8s.io": objects of events.k8s.io are stored as events: name these',
      ],
      [["a.extensions"], 'resources[0].resources[0]: Invalid value: "a.extensions": the group extensions does not exist any more'],
      [["a.*"], 'resources[0].resources[0]: Invalid value: "a.*": one resource of all groups cannot be named'],
    ] as const
  ) assert.deepEqual(ofResources(...resources), [message]);
  assert.deepEqual(ofResources("secrets", "*.apps", "configmaps"), []);
  const hidden = (...rows: readonly (readonly string[])[]) =>
    mistakes(rows.map((resources) => ({ resources, providers: [{ identity: {} }] })));
  assert.deepEqual(hidden(["*.*"], ["secrets"]), [
    'resources[1].resources[0]: Invalid value: "secrets": is hidden by the earlier rule "*.*"',
  ]);
  assert.deepEqual(hidden(["a.apps"], ["*.apps"], ["b.apps", "*.apps"]).slice(-2), [
    'resources[2].resources[0]: Invalid value: "b.apps": is hidden by the earlier rule "*.apps"',
    'resources[2].resources[1]: Invalid value: "*.apps": is hidden by the earlier rule "*.apps"',
  ]);
  assert.deepEqual(hidden(["secrets"], ["secrets", "*.apps"], ["*.*"]), []);
  assert.throws(() => encryptionIn(fileOf([{ providers: [{ aescbx: {} }] }])), /unknown field "resources\[0\].providers\[0\].aescbx"/);
  assert.throws(() => encryptionIn("kind: Other\napiVersion: v1\n"), /no kind "Other"/);
  await assert.rejects(readEncryptionFile("/nowhere/file"), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.mistakes[0]!, /^--encryption-provider-config "\/nowhere\/file": /);
    return true;
  });
});
