import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { cipherOf } from "../ciphers.ts";
import { kmsKey, Transformer } from "../transformer.ts";
import { dataCipher } from "./data-key.ts";
import { kmsAnnotationBytesMax, kmsKeyIdBytesMax, kmsSourceBytesMax } from "./key-rules.ts";
import { decodeObject, encodeObject, type EncryptedObject } from "./messages.ts";
import { kmsAnswerBytesMax, kmsPlugin } from "./plugin.ts";
import { kmsFailedMs, kmsKeysMax, type KmsProvider, kmsProvider, kmsStatusEveryMs, kmsWriteMsMax } from "./provider.ts";
import { type Behaviour, end, type Fields, framed, message, testKmsPlugin, type TestPlugin } from "./test-plugin.ts";

interface Setting {
  readonly plugin: TestPlugin;
  readonly provider: KmsProvider;
  readonly transformer: Transformer;
  /** What was measured and called. */
  readonly seen: string[];
  /** Another process with the same plugin. */
  other(): Transformer;
  later(ms: number): void;
}

const folder = () => mkdtemp(join(tmpdir(), "thole-kms-"));
const timeoutMs = 20_000;

async function withPlugin(use: (setting: Setting) => Promise<void>, callMs = timeoutMs): Promise<void> {
  const at = await folder(), plugin = await testKmsPlugin(join(at, "kms.sock")), opened: KmsProvider[] = [], seen: string[] = [];
  let now = 0;
  const open = (): KmsProvider => {
    const provider = kmsProvider({
      name: "one",
      timeoutMs: callMs,
      plugin: kmsPlugin({
        endpoint: plugin.endpoint,
        timeoutMs: callMs,
        called: (method, code) => seen.push(`${method.slice(25)} ${code}`),
      }),
      now: () => now,
      changed: () => seen.push("changed"),
      meter: {
        used: () => {},
        missed: () => seen.push("missed"),
        status: () => {},
        invalidKeyId: (error) => seen.push(`invalid ${error}`),
        cached: () => {},
      },
    });
    opened.push(provider);
    return provider;
  };
  const transformerOf = ({ cipher }: KmsProvider) => new Transformer([kmsKey("one", cipher), undefined]);
  try {
    const provider = open();
    await use({
      plugin,
      provider,
      transformer: transformerOf(provider),
      seen,
      other: () => transformerOf(open()),
      later: (ms) => now += ms,
    });
  } finally {
    for (const each of opened) each.close();
    await plugin.close();
    await rm(at, { recursive: true, force: true });
  }
}

const value = new TextEncoder().encode('{"kind":"Secret"}\n'), key = "/registry/secrets/default/a";
const prefix = "k8s:enc:kms:v2:one:";
const reason = async (run: () => Promise<unknown>): Promise<string> => {
  try {
    await run();
  } catch (error) {
    return String(error);
  }
  return assert.fail("it did not fail");
};

test("values are encrypted with keys derived from one seed, and another process reads them with one call for all", () =>
  withPlugin(async ({ plugin, provider, transformer, seen, other }) => {
    assert.throws(() => transformer.seal(value, key), /Cannot encrypt the value: the KMS provider "one" has given no key yet/);
    await provider.check();
    assert.deepEqual(plugin.calls, ["Status", "Encrypt"]);
    const [one, two] = [transformer.seal(value, key), transformer.seal(value, key)];
    assert.equal(new TextDecoder("latin1").decode(one).slice(0, prefix.length), prefix);
    const objects = [one, two].map((each) => decodeObject(each.subarray(prefix.length)));
    assert.deepEqual(objects.map(({ keyId, sourceType }) => [keyId, sourceType]), Array(2).fill(["key-1", 1]));
    assert.deepEqual(Array.from(objects[0]!.annotations), [["version.example.com", new TextEncoder().encode("7")]]);
    assert.notDeepEqual(objects[0]!.data.slice(0, 32), objects[1]!.data.slice(0, 32), "each value has a key of its own");
    assert.deepEqual(transformer.open(one, key), { value, isStale: false }, "no call for the own seed");
    const another = other();
    seen.length = 0;
    // A process without a key of its own regards all values as stale.
    const opened = await Promise.all([another.open(one, key), another.open(two, key)]);
    assert.deepEqual(opened, Array(2).fill({ value, isStale: true }));
    assert.deepEqual(seen, ["missed", "missed", "Decrypt OK"]);
    assert.equal(another.open(one, "/registry/secrets/default/b"), undefined, "a value has one place");
    const changed = one.slice();
    changed[prefix.length + 50]! ^= 1;
    assert.equal(await another.open(changed, key), undefined);
  }));

test("a key of another name in Status makes a new seed, and old values are stale", () =>
  withPlugin(async ({ plugin, provider, transformer, later, seen }) => {
    await provider.check();
    const old = transformer.seal(value, key);
    plugin.keyId = "key-2";
    await provider.check();
    assert.deepEqual(await transformer.open(old, key), { value, isStale: false }, "the result of a check is used again");
    later(kmsStatusEveryMs);
    await provider.check();
    assert.deepEqual(plugin.calls, ["Status", "Encrypt", "Status", "Encrypt"]);
    assert.equal(seen.filter((each) => each === "changed").length, 1, "caches mark their values as stale");
    assert.deepEqual(await transformer.open(old, key), { value, isStale: true });
    assert.equal(decodeObject(transformer.seal(value, key).subarray(prefix.length)).keyId, "key-2");
    // Between Status and Encrypt the key changes: the present one is used on.
    plugin.behave = (method) => method === "Status" ? [[1, "v2"], [2, "ok"], [3, "key-3"]] : undefined;
    later(kmsStatusEveryMs);
    assert.match(await reason(() => provider.check()), /the key of its status is not the one that it encrypts with/);
    assert.equal(decodeObject(transformer.seal(value, key).subarray(prefix.length)).keyId, "key-2");
  }));

test("values are written for three minutes after the last good Status, and read without end", () =>
  withPlugin(async ({ plugin, provider, transformer, later }) => {
    await provider.check();
    const stored = transformer.seal(value, key);
    plugin.behave = (_, stream) => (end(stream, "14", Buffer.alloc(0)), "handled");
    later(kmsWriteMsMax);
    await reason(() => provider.check());
    transformer.seal(value, key);
    later(1);
    assert.throws(() => transformer.seal(value, key), /Cannot encrypt the value: the KMS provider "one" has not worked for 3 minutes/);
    assert.deepEqual(await transformer.open(stored, key), { value, isStale: false });
    plugin.behave = () => undefined;
    later(kmsFailedMs);
    await provider.check();
    transformer.seal(value, key);
    assert.equal(plugin.calls.filter((each) => each === "Encrypt").length, 1, "the key has the same name");
  }));

test("what could not be decrypted is read again after a good check, in growing intervals", () =>
  withPlugin(async ({ plugin, provider, transformer, seen, other, later }) => {
    await provider.check();
    const stored = transformer.seal(value, key), second = transformer.seal(value, key);
    plugin.behave = (method, stream) => method === "Decrypt" ? (end(stream, "13", Buffer.alloc(0), "seed: secret"), "handled") : undefined;
    const another = kmsProvider({
      name: "one",
      timeoutMs,
      plugin: kmsPlugin({ endpoint: plugin.endpoint, timeoutMs }),
      now: () => 0,
      changed: () => seen.push("changed"),
    });
    try {
      const reading = new Transformer([kmsKey("one", another.cipher)]);
      assert.equal(await reading.open(stored, key), undefined);
      const calls = plugin.calls.length;
      assert.equal(await reading.open(second, key), undefined);
      assert.equal(plugin.calls.length, calls, "the same key is not tried again at once");
      await another.check();
      assert.equal(seen.filter((each) => each === "changed").length, 1);
    } finally {
      another.close();
    }
    const reading = other();
    assert.equal(await reading.open(stored, key), undefined);
    later(kmsFailedMs);
    plugin.behave = () => undefined;
    assert.deepEqual(await reading.open(stored, key), { value, isStale: true });
  }));

test("values with a key in the place of a seed are read, as kube-apiserver wrote them before 1.29", () =>
  withPlugin(async ({ plugin, other }) => {
    const dataKey = new Uint8Array(32).fill(7);
    plugin.behave = (method) => method === "Decrypt" ? [[1, dataKey]] : undefined;
    const object = {
      data: cipherOf("aesgcm", dataKey).seal(value, key),
      keyId: "key-1",
      source: Uint8Array.of(1, 2, 3),
      annotations: new Map(),
      sourceType: 0,
    };
    const head = new TextEncoder().encode(prefix), stored = Buffer.concat([head, encodeObject(object)]);
    assert.deepEqual(await other().open(stored, key), { value, isStale: true });
  }));

test("the derivation of keys is HKDF-Expand with SHA-256", async () => {
  const seed = Uint8Array.from({ length: 32 }, (_, index) => index), sealed = dataCipher(1, seed).seal(value, key);
  // Web Crypto has HKDF whole: HKDF-Extract with the salt "" of a key k is HMAC("", k), so the same expansion is compared for that key.
  const extracted = new Uint8Array(
    await crypto.subtle.sign(
      "HMAC",
      await crypto.subtle.importKey("raw", new Uint8Array(32), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]),
      seed,
    ),
  );
  const material = await crypto.subtle.importKey("raw", seed, "HKDF", false, ["deriveBits"]), info = sealed.slice(0, 32);
  const derived = await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info }, material, 256);
  const ofExtracted = dataCipher(1, extracted), plain = cipherOf("aesgcm", new Uint8Array(derived)).seal(value, key);
  assert.deepEqual(ofExtracted.open(Buffer.concat([info, plain]), key), value);
  assert.throws(() => dataCipher(1, new Uint8Array(31)), /a seed has 31 bytes, less than 32/);
  assert.throws(() => dataCipher(0, new Uint8Array(31)), /a data key has 31 bytes/);
});

const status = (keyId: string, healthz = "ok", version = "v2"): Fields => [[1, version], [2, healthz], [3, keyId]];
const encrypted = (source: number, keyId: string, ...annotations: Fields[]): Fields => [
  [1, new Uint8Array(source).fill(1)],
  [2, keyId],
  ...annotations.map((each) => [3, message(each)] as const),
];
const ofEncrypt = (fields: Fields): Behaviour => (method) => method === "Encrypt" ? fields : undefined;
const ofStatus = (fields: Fields): Behaviour => (method) => method === "Status" ? fields : undefined;
const annotation = (name: string, bytes: number): Fields => [[1, name], [2, new Uint8Array(bytes)]];

test("an answer that a plugin may not give changes nothing, and is named without what is in it", () =>
  withPlugin(async ({ plugin, provider, transformer, later, seen }) => {
    await provider.check();
    const rows: readonly (readonly [Behaviour, RegExp])[] = [
      [ofStatus(status("")), /its key has no name/],
      [ofStatus(status("k".repeat(kmsKeyIdBytesMax + 1))), /the name of its key has 1025 bytes, more than 1024/],
      [ofStatus(status("key-1", "x".repeat(9000))), /its healthz is "x{200}"$/],
      [ofStatus(status("key-1", "ok", "v1")), /its version is not v2/],
      [ofStatus(status("key-1", "ok", "v2beta1")), /its version has changed/],
      [ofStatus([[3, Uint8Array.of(0xff)]]), /is not a message of this method/],
      [(_, stream) => (end(stream, "0", framed(Uint8Array.of(0xff, 0xff))), "handled"), /is not a message of this method/],
      [(_, stream) => (end(stream, "0", framed(Uint8Array.of(0x0b, 0x0b, 0x0b))), "handled"), /is not a message of this method/],
      [(_, stream) => (end(stream, "7", Buffer.alloc(0), "seed secret"), "handled"), /the plugin answered PermissionDenied$/],
      [(_, stream) => (end(stream, "0", framed(new Uint8Array(kmsAnswerBytesMax))), "handled"), /failed: ResourceExhausted/],
      [(_, stream) => (stream.respond({ ":status": 200 }), pour(stream), "handled"), /failed: ResourceExhausted/],
      [(_, stream) => (stream.session?.destroy(), "handled"), /failed: Unavailable/],
    ];
    const rotating: readonly (readonly [Behaviour, RegExp])[] = [
      [ofEncrypt(encrypted(0, "key-2")), /it has no data key/],
      [ofEncrypt(encrypted(kmsSourceBytesMax + 1, "key-2")), /its data key has 1025 bytes, more than 1024/],
      [ofEncrypt(encrypted(9, "key-2", annotation("plain", 1))), /an annotation has a name that is no domain/],
      [ofEncrypt(encrypted(9, "key-2", annotation("a.b", kmsAnnotationBytesMax - 2))), /its annotations have 32769 bytes, more than 32768/],
      [ofEncrypt(encrypted(9, "k".repeat(kmsKeyIdBytesMax + 1))), /the name of its key has 1025 bytes/],
    ];
    const wrong = async (rows: readonly (readonly [Behaviour, RegExp])[]) => {
      for (const [behave, expected] of rows) {
        plugin.behave = behave;
        later(kmsFailedMs);
        const text = await reason(() => provider.check());
        assert.match(text, expected);
        assert.doesNotMatch(text, /secret/);
        assert.equal(decodeObject(transformer.seal(value, key).subarray(prefix.length)).keyId, "key-1");
      }
    };
    later(kmsStatusEveryMs);
    await wrong(rows);
    plugin.keyId = "key-2";
    await wrong(rotating);
    plugin.behave = ofEncrypt(encrypted(kmsSourceBytesMax, "key-2", annotation("a.b", kmsAnnotationBytesMax - 3)));
    later(kmsFailedMs);
    await provider.check();
    assert.deepEqual(seen.filter((each) => each.startsWith("invalid")), ["invalid empty", "invalid too_long"]);
  }));

/** Sends without end until the other side has had enough. */
function pour(stream: Parameters<Behaviour>[1]): void {
  const more = (): void => {
    while (!stream.destroyed && stream.write(new Uint8Array(16_384)));
    if (!stream.destroyed) stream.once("drain", more);
  };
  more();
}

test("a plugin that does not answer costs one timeout, not one for each value; one that is not there is waited for", () =>
  withPlugin(async ({ plugin, provider, transformer, other, seen, later }) => {
    await provider.check();
    const stored = [0, 1, 2].map(() => transformer.seal(value, key));
    const objects = stored.map((each, index): EncryptedObject => ({
      ...decodeObject(each.subarray(prefix.length)),
      source: new Uint8Array(9).fill(index + 1),
    }));
    const others = objects.map((each) => Buffer.concat([new TextEncoder().encode(prefix), encodeObject(each)]));
    plugin.behave = () => "handled";
    const reading = other();
    for (const each of others) assert.equal(await reading.open(each, key), undefined);
    assert.deepEqual(seen.filter((each) => each.startsWith("Decrypt")), ["Decrypt DeadlineExceeded"]);
    later(kmsFailedMs);
    assert.equal(await reading.open(others[0]!, key), undefined);
    assert.equal(seen.filter((each) => each.startsWith("Decrypt")).length, 2);
  }, 50));

test("a plugin that starts after the server is reached", async () => {
  const at = await folder(), socket = join(at, "late.sock");
  const provider = kmsProvider({ name: "late", timeoutMs, plugin: kmsPlugin({ endpoint: `unix://${socket}`, timeoutMs }) });
  try {
    const checking = provider.check(), plugin = await testKmsPlugin(socket);
    await checking;
    provider.close();
    await plugin.close();
  } finally {
    provider.close();
    await rm(at, { recursive: true, force: true });
  }
});

test("the cache of keys is bounded, and drops those that were not used", async () => {
  const calls: number[] = [];
  const provider = kmsProvider({
    name: "many",
    timeoutMs,
    plugin: {
      status: () => Promise.reject(new Error("not asked")),
      encrypt: () => Promise.reject(new Error("not asked")),
      decrypt: ({ ciphertext }) => (calls.push(new DataView(ciphertext.slice().buffer).getUint32(0)), Promise.resolve(new Uint8Array(32))),
      close: () => {},
    },
  });
  const data = dataCipher(1, new Uint8Array(32)).seal(value, key);
  const open = (number: number) => {
    const source = new Uint8Array(4);
    new DataView(source.buffer).setUint32(0, number);
    return provider.cipher.open(encodeObject({ data, keyId: "k", source, annotations: new Map(), sourceType: 1 }), key);
  };
  for (let number = 0; number < kmsKeysMax; number++) await open(number);
  await open(0);
  assert.equal(calls.length, kmsKeysMax);
  await open(kmsKeysMax);
  await open(0);
  assert.equal(calls.length, kmsKeysMax + 1, "the first is still there");
  await open(1);
  assert.equal(calls.length, kmsKeysMax + 2, "the second was dropped");
});
