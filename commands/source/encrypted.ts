/**
 * Values that an API server has encrypted (`--encryption-provider-config`). They begin with the provider and the name of the key:
 * `k8s:enc:aescbc:v1:key1:`.
 */
import type { Entry } from "../../kernel/store/store.ts";
import { encryptedPrefix } from "../../kernel/objects/objects.ts";
import { isEncrypted, type Transformer } from "../../server/encryption/transformer.ts";
import { valueText } from "../../core/value-text.ts";

export interface Encryption {
  /** `aescbc`, `aesgcm`, `secretbox`, `kms`. */
  readonly provider: string;
  /** For messages: `key "key1"`. */
  readonly key: string;
  /** Name of the key, or of the KMS plugin. */
  readonly name: string;
}

/** Bytes of the provider, its version and the name of its key. */
const headBytesMax = 512;
const colon = 0x3a;

/** Returns undefined for values that are not encrypted. */
export function encryptionOf(value: Uint8Array): Encryption | undefined {
  if (!isEncrypted(value)) return undefined;
  const parts: string[] = [];
  let from = encryptedPrefix.length;
  for (let at = from; at < Math.min(value.length, headBytesMax) && parts.length < 3; at++) {
    if (value[at] !== colon) continue;
    parts.push(new TextDecoder().decode(value.subarray(from, at)));
    from = at + 1;
  }
  const [provider = "unknown", , name = ""] = parts;
  return { provider, name, key: `key ${valueText(name)}` };
}

/** Resolves with the entries with decrypted values. A value stays as it is if no key decrypts it. */
export async function decryptedEntries(entries: readonly Entry[], keys: Transformer): Promise<readonly Entry[]> {
  const all: Entry[] = [];
  for (const entry of entries) {
    const opened = isEncrypted(entry.value) ? await keys.open(entry.value, entry.key) : undefined;
    all.push(opened === undefined ? entry : { ...entry, value: opened.value });
  }
  return all;
}
