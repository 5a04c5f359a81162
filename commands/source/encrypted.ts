/**
 * Values that a kube-apiserver has encrypted (`--encryption-provider-config`). They begin with the provider and the name of the key:
 *
 *     k8s:enc:aescbc:v1:key1:<initialization vector, 16 bytes><blocks>
 *     k8s:enc:aesgcm:v1:key1:<nonce, 12 bytes><ciphertext and tag>; the key in etcd is authenticated with it
 */
import type { Entry } from "../../kernel/store/store.ts";
import { valueText } from "../../core/value-text.ts";

export interface Encryption {
  /** `aescbc`, `aesgcm`, `secretbox`, `kms`. */
  readonly provider: string;
  /** For messages: `key "key1"`. */
  readonly key: string;
  /** Name of the key, or of the KMS plugin. */
  readonly name: string;
  /** Index of the first byte after the prefix. */
  readonly start: number;
}

const prefix = new TextEncoder().encode("k8s:enc:");
/** Bytes of the provider, its version and the name of its key. */
const headBytesMax = 512;
const colon = 0x3a;

/** Undefined for values that are not encrypted. */
export function encryptionOf(value: Uint8Array): Encryption | undefined {
  if (!prefix.every((byte, index) => value[index] === byte)) return undefined;
  const parts: string[] = [];
  let from = prefix.length;
  for (let at = from; at < Math.min(value.length, headBytesMax) && parts.length < 3; at++) {
    if (value[at] !== colon) continue;
    parts.push(new TextDecoder().decode(value.subarray(from, at)));
    from = at + 1;
  }
  const [provider = "unknown", , name = ""] = parts;
  return { provider, name, key: `key ${valueText(name)}`, start: from };
}

/** A key of a provider that is supported here. */
export interface EncryptionKey {
  readonly provider: "aescbc" | "aesgcm";
  readonly name: string;
  readonly secret: CryptoKey;
}
export type EncryptionKeys = readonly EncryptionKey[];
export const noKeys: EncryptionKeys = Object.freeze([]);

/** The key for these bytes of AES. Rejects for a length that AES does not have. */
export async function encryptionKey(
  provider: EncryptionKey["provider"],
  name: string,
  secret: Uint8Array<ArrayBuffer>,
): Promise<EncryptionKey> {
  const algorithm = provider === "aescbc" ? "AES-CBC" : "AES-GCM";
  return { provider, name, secret: await crypto.subtle.importKey("raw", secret, algorithm, false, ["decrypt"]) };
}

/** The entries with decrypted values. A value stays as it is if no key decrypts it. */
export async function decryptedEntries(entries: readonly Entry[], keys: EncryptionKeys): Promise<readonly Entry[]> {
  if (keys.length === 0) return entries;
  return await Promise.all(entries.map(async (entry) => {
    const encryption = encryptionOf(entry.value);
    if (encryption === undefined) return entry;
    // Several resources may have keys of one name.
    for (const key of keys) {
      if (key.provider !== encryption.provider || key.name !== encryption.name) continue;
      const value = await decrypt(key, entry.value.subarray(encryption.start), entry.key).catch(() => undefined);
      if (value !== undefined) return { ...entry, value };
    }
    return entry;
  }));
}

const vectorBytes = { aescbc: 16, aesgcm: 12 } as const;

async function decrypt({ provider, secret }: EncryptionKey, bytes: Uint8Array, key: string): Promise<Uint8Array> {
  const iv = bytes.slice(0, vectorBytes[provider]), data = bytes.slice(vectorBytes[provider]);
  const algorithm = provider === "aescbc"
    ? { name: "AES-CBC", iv }
    : { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(key) };
  return new Uint8Array(await crypto.subtle.decrypt(algorithm, secret, data));
}
