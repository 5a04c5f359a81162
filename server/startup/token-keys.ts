/** The keys of service account tokens: given in files, or the server's own; reloaded when the files change. */
import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { join } from "node:path";
import { reasonOf } from "../../core/reason-of.ts";
import {
  type KeyBytes,
  type KeySet,
  keySet,
  newSigningKey,
  type SigningKey,
  signingKey,
  type VerifyingKey,
  verifyingKey,
} from "../../kernel/access/service-accounts/mod.ts";
import type { Followed } from "../config/follow-files.ts";
import { readText } from "../config/read-files.ts";
import type { Config } from "../config/settings.ts";
import { writePrivateFile } from "../listen/pki-files.ts";
import { parseCertificate } from "../../protocols/x509/parse-certificate.ts";
import type { CheckedSetting } from "./checked-setting.ts";
import { isInMemory } from "./open-store.ts";

export interface TokenKeys {
  /** The active keys. The server's own key is created on first use, or at once if it is stored in a file. */
  keys(): Promise<KeySet>;
  readonly followed: readonly Followed[];
  /** Resolves when no key is being created. */
  ended(): Promise<void>;
}

/** Rejects for given files without keys. */
export async function openTokenKeys(
  config: Config,
  log: { error(text: string, fields: { readonly error: string }): void },
): Promise<TokenKeys> {
  const path = signingKeyPath(config), others = config["service-account-key-file"];
  const isGiven = config["service-account-signing-key-file"] !== "";
  let verifying = await readVerifyingKeys(others);
  let signing: Promise<SigningKey> | undefined = isGiven ? Promise.resolve(await readSigningKey(path!)) : undefined;
  let inForce:
    | { readonly of: Promise<SigningKey>; readonly verifying: readonly VerifyingKey[]; readonly keys: Promise<KeySet> }
    | undefined;

  function keys(): Promise<KeySet> {
    const of = signing ??= ownKey(path);
    if (inForce?.of !== of || inForce.verifying !== verifying) {
      const known = verifying;
      inForce = { of, verifying: known, keys: of.then((key) => keySet(key, known)) };
      // After a failure the next request creates the key.
      of.catch(() => signing === of ? signing = undefined : undefined);
    }
    return inForce.keys;
  }
  // Creating a key takes a while: the first request for a token should not wait for it.
  if (path !== undefined && !isGiven) {
    keys().catch((error) => log.error("cannot create the key of service account tokens", { error: reasonOf(error) }));
  }
  const signer: Followed = {
    what: "signing key of service account tokens",
    paths: path === undefined ? [] : [path],
    async renew() {
      // A key that is being created has no file yet.
      const before = await signing?.catch(() => undefined), next = await readSigningKey(path!);
      if (before?.id === next.id) return undefined;
      signing = Promise.resolve(next);
      return { kid: next.id };
    },
  };
  const verifiers: Followed = {
    what: "verifying keys of service account tokens",
    paths: others,
    async renew() {
      const next = await readVerifyingKeys(others);
      if (next.map(({ id }) => id).join() === verifying.map(({ id }) => id).join()) return undefined;
      verifying = next;
      return { kids: next.map(({ id }) => id) };
    },
  };
  return {
    keys,
    followed: [...(path === undefined ? [] : [signer]), ...(others.length === 0 ? [] : [verifiers])],
    ended: async () => void await signing?.catch(() => {}),
  };
}

/** Reads the given files without activating them. Each promise rejects for a file without a key. */
export function checkGivenTokenKeys(config: Config): readonly CheckedSetting[] {
  const path = config["service-account-signing-key-file"];
  return [
    ...(path === "" ? [] : [["service-account-signing-key-file", readSigningKey(path)] as const]),
    ...config["service-account-key-file"].map((each) => ["service-account-key-file", readVerifyingKeys([each])] as const),
  ];
}

/** The file of the signing key; undefined if it is in memory. */
function signingKeyPath(config: Config): string | undefined {
  const given = config["service-account-signing-key-file"];
  if (given !== "") return given;
  return isInMemory(config) ? undefined : join(config["data-dir"], "service-account.key");
}

/** The server's own key: from its file, or created and written there. */
async function ownKey(path: string | undefined): Promise<SigningKey> {
  if (path === undefined) return await signingKey(await newSigningKey());
  const known = await readText(path, "key").catch(() => undefined); // Before the first start the file does not exist.
  if (known === undefined) {
    const { pkcs8 } = await newSigningKey();
    await writePrivateFile(path, privateKeyPem(pkcs8));
  }
  // Two servers that start in one folder at the same time both use the file that was written last.
  return await readSigningKey(path);
}

async function readSigningKey(path: string): Promise<SigningKey> {
  const text = await readText(path, "signing key of service account tokens");
  const found = pemBlocks(text).map(privateKeyOf).find((key) => key !== undefined);
  if (found === undefined) {
    throw new Error(`error reading private key file ${path}: data does not contain a valid RSA or ECDSA private key`);
  }
  try {
    return await signingKey(keyBytes(found));
  } catch (error) {
    throw new Error(`error reading private key file ${path}: ${reasonOf(error)}`);
  }
}

async function readVerifyingKeys(paths: readonly string[]): Promise<readonly VerifyingKey[]> {
  const found = await Promise.all(paths.map(async (path) => {
    const text = await readText(path, "verifying keys of service account tokens");
    const keys = await Promise.all(pemBlocks(text).map(verifyingKeyOf));
    const usable = keys.filter((key) => key !== undefined);
    if (usable.length > 0) return usable;
    throw new Error(`error reading public key file ${path}: data does not contain any valid RSA or ECDSA public keys`);
  }));
  return found.flat();
}

interface PemBlock {
  readonly label: string;
  readonly whole: string;
  readonly bytes: Uint8Array;
}

/** The PEM blocks of a text; text between them is ignored. */
function pemBlocks(text: string): readonly PemBlock[] {
  return text.split("-----BEGIN ").slice(1).flatMap((part) => {
    const start = part.indexOf("-----"), label = part.slice(0, start), end = part.indexOf(`-----END ${label}-----`);
    if (start <= 0 || end < 0) return [];
    const body = part.slice(start + 5, end);
    return [{
      label,
      whole: `-----BEGIN ${label}-----${body}-----END ${label}-----\n`,
      bytes: new Uint8Array(Buffer.from(body, "base64")),
    }];
  });
}

/** The private key of a block; undefined for a block of another type or an invalid one. */
function privateKeyOf({ label, whole }: PemBlock): KeyObject | undefined {
  if (!["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"].includes(label)) return undefined;
  return readOrNone(() => createPrivateKey(whole));
}

/** The key of a block; undefined for a block without one, as upstream tolerates. */
async function verifyingKeyOf(block: PemBlock): Promise<VerifyingKey | undefined> {
  const { label, bytes } = block;
  const key = privateKeyOf(block) ?? readOrNone(() => {
    const spki = label === "CERTIFICATE" ? parseCertificate(bytes).publicKeyInfo : bytes;
    return createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
  });
  return key === undefined ? undefined : await verifyingKey(keyBytes(key)).catch(() => undefined); // A type that cannot sign tokens.
}

function readOrNone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined; // Not a key: other blocks of the file may contain one.
  }
}

function keyBytes(key: KeyObject): KeyBytes {
  const spki = new Uint8Array(
    (key.type === "private" ? createPublicKey(key as unknown as Parameters<typeof createPublicKey>[0]) : key).export({
      format: "der",
      type: "spki",
    }),
  );
  return key.type === "private" ? { spki, pkcs8: new Uint8Array(key.export({ format: "der", type: "pkcs8" })) } : { spki };
}

function privateKeyPem(pkcs8: Uint8Array): string {
  const lines = Buffer.from(pkcs8).toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
}
