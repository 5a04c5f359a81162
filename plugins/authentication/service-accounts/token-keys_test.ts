import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { systemClock } from "../../../core/async.ts";
import { defaultNames } from "../../../core/names.ts";
import { type Config, defaults } from "../../../server/config/settings.ts";
import { partContext } from "../../../server/startup/part-context.ts";
import { openTokenKeys as open } from "./token-keys.ts";

type Errors = (text: string, fields: { readonly error: string }) => void;

/** The keys of a server with these settings. */
function openTokenKeys(config: Config, log: { readonly error: Errors }) {
  const names = () => defaultNames, gate = () => false, metric = () => assert.fail("no metric"), info = () => {};
  // `as`: the fields of the only error.
  const error = (text: string, fields?: unknown) => log.error(text, fields as { readonly error: string });
  return open(
    partContext(
      "",
      { current: () => ({ config, plugins: [] }), names, gate, clock: systemClock, metric, log: { info, error }, tracing: undefined },
      AbortSignal.abort(),
    ),
  );
}

const noLog = { error: (text: string): never => assert.fail(text) };

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "thole-keys-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
const configOf = (more: Partial<Config>): Config => ({ ...defaults, ...more });
const rsaPem = (): string =>
  String(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }));
const idOf = async (opened: Awaited<ReturnType<typeof openTokenKeys>>): Promise<string> => (await opened.keys()).signing.id;

test("openTokenKeys() creates a key in the data folder on the first start, for its owner only, and keeps it", () =>
  inFolder(async (folder) => {
    const config = configOf({ "data-dir": folder }), path = join(folder, "service-account.key");
    const opened = await openTokenKeys(config, noLog);
    const id = await idOf(opened), text = await readFile(path, "utf8");
    assert.match(text, /^-----BEGIN PRIVATE KEY-----\n/);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal(await idOf(await openTokenKeys(config, noLog)), id);
    assert.equal(await readFile(path, "utf8"), text);
    assert.equal((await opened.keys()).verifying.length, 1);
    assert.equal(await opened.keys(), await opened.keys(), "the same keys are the same value");
  }));

test("openTokenKeys() keeps a key in memory if nothing is written to disk, and creates it on first use", async () => {
  const config = configOf({ "data-dir": ":memory:" });
  const opened = await openTokenKeys(config, noLog);
  assert.deepEqual(opened.followed, []);
  assert.equal(await idOf(opened), await idOf(opened));
  assert.equal(await idOf(opened), await idOf(await openTokenKeys(config, noLog)), "a fork has the configuration of its parent");
  assert.notEqual(await idOf(opened), await idOf(await openTokenKeys(configOf({ "data-dir": ":memory:" }), noLog)));
});

test("openTokenKeys() follows the files: a new key signs, and the old one verifies while it is listed", () =>
  inFolder(async (folder) => {
    const signing = join(folder, "signing.pem"), others = join(folder, "others.pem"), [old, next] = [rsaPem(), rsaPem()];
    await writeFile(signing, old);
    await writeFile(others, next);
    const config = configOf({ "service-account-signing-key-file": signing, "service-account-key-file": [others] });
    const opened = await openTokenKeys(config, noLog), [signer, verifiers] = opened.followed;
    const before = await opened.keys();
    assert.deepEqual(before.verifying.map(({ id }) => id).length, 2);
    assert.equal(await signer!.renew(), undefined, "the file has not changed");
    await writeFile(signing, next);
    await writeFile(others, old);
    assert.deepEqual(await signer!.renew(), { kid: before.verifying[1]!.id });
    assert.deepEqual(await verifiers!.renew(), { kids: [before.signing.id] });
    const after = await opened.keys();
    assert.notEqual(after, before);
    assert.deepEqual(after.verifying.map(({ id }) => id), [before.verifying[1]!.id, before.signing.id]);
    await writeFile(signing, "half of a key");
    await assert.rejects(signer!.renew(), /error reading private key file .*signing\.pem: data does not contain/);
    await writeFile(others, "");
    await assert.rejects(verifiers!.renew(), /error reading public key file .*others\.pem/);
    assert.equal(await opened.keys(), after, "the active keys stay active");
  }));

test("openTokenKeys() retries with the next request if the key cannot be written", () =>
  inFolder(async (folder) => {
    const failures: string[] = [], data = join(folder, "missing");
    const opened = await openTokenKeys(configOf({ "data-dir": data }), { error: (_text, { error }) => failures.push(error) });
    await assert.rejects(opened.keys());
    await assert.rejects(opened.keys());
    await mkdir(data);
    await idOf(opened);
    assert.equal(failures.length, 1);
    assert.match(failures[0]!, /ENOENT|No such file/);
  }));

test("openTokenKeys() rejects its own damaged key instead of replacing it", () =>
  inFolder(async (folder) => {
    const path = join(folder, "service-account.key");
    await writeFile(path, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
    const failures: string[] = [];
    const opened = await openTokenKeys(configOf({ "data-dir": folder }), { error: (_text, { error }) => failures.push(error) });
    await assert.rejects(opened.keys(), /error reading private key file .*service-account\.key/);
    assert.match(await readFile(path, "utf8"), /AAAA/);
  }));
