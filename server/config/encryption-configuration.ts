/** The file of kube-apiserver's --encryption-provider-config: the keys that decrypt its values. */
import { reasonOf } from "../../core/reason-of.ts";
import { anyJson, field, type Infer, list, string, struct } from "../../core/schema.ts";
import { readConfigObject } from "../../core/config/config-object.ts";
import { ConfigError } from "./parse.ts";
import { readWholeTextSync } from "../../protocols/files/bounded-files.ts";
import { valueText } from "../../core/value-text.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of the file of --encryption-provider-config. */
const encryptionFileBytesMax = bound(1024 * 1024);
/** Keys in the file of --encryption-provider-config. */
const encryptionKeysMax = bound(1_000);

const Key = struct("Key", {
  name: field(0, string, "Name of the key.", { written: "always" }),
  secret: field(0, string, "The key, in base64.", { written: "always" }),
});
const Keys = struct("AESConfiguration", { keys: field(0, list(Key), "The keys; the first encrypts.") });
const Provider = struct("ProviderConfiguration", {
  aesgcm: field(0, Keys, "AES in Galois/Counter mode.", { pointer: true }),
  aescbc: field(0, Keys, "AES in cipher block chaining mode.", { pointer: true }),
  secretbox: field(0, anyJson, "XSalsa20 and Poly1305.", { pointer: true }),
  identity: field(0, anyJson, "No encryption.", { pointer: true }),
  kms: field(0, anyJson, "Keys of a key management service.", { pointer: true }),
});
const Resources = struct("ResourceConfiguration", {
  resources: field(0, list(string), "The resources that are encrypted."),
  providers: field(0, list(Provider), "The providers; the first encrypts."),
});
const Configuration = Object.freeze(
  { ...struct("EncryptionConfiguration", { resources: field(0, list(Resources), "Providers by resource.") }), typeMeta: true } as const,
);
type Configuration = Infer<typeof Configuration>;

/** A key with its bytes. */
export interface ConfiguredKey {
  readonly provider: "aescbc" | "aesgcm";
  readonly name: string;
  readonly secret: Uint8Array<ArrayBuffer>;
}

const secretBytes: readonly number[] = Object.freeze([16, 24, 32]);

/** The keys in the file, in its order. Throws a ConfigError for a file that cannot be read, and for keys of a wrong length. */
export function readEncryptionKeys(path: string): readonly ConfiguredKey[] {
  const mistake = (text: string) => new ConfigError([`--encryption-provider-config "${path}": ${text}`]);
  try {
    return keysIn(readWholeTextSync(path, encryptionFileBytesMax));
  } catch (error) {
    throw mistake(reasonOf(error));
  }
}

/** As `readEncryptionKeys`, of the text of a file. */
export function keysIn(text: string): readonly ConfiguredKey[] {
  const { resources } = readConfigObject<Configuration>(text, {
    kind: "EncryptionConfiguration",
    group: "apiserver.config.k8s.io",
    versions: ["v1"],
    schema: Configuration,
  });
  const keys = (resources ?? []).flatMap(({ providers }) => providers ?? []).flatMap(({ aescbc, aesgcm }) => [
    ...keysOf("aescbc", aescbc?.keys),
    ...keysOf("aesgcm", aesgcm?.keys),
  ]);
  if (keys.length > encryptionKeysMax) throw new Error(`it has ${keys.length} keys, more than ${encryptionKeysMax}`);
  return keys;
}

function keysOf(provider: ConfiguredKey["provider"], keys: readonly Infer<typeof Key>[] | null | undefined): readonly ConfiguredKey[] {
  return (keys ?? []).map(({ name, secret }) => {
    const bytes = bytesOf(secret);
    if (bytes === undefined) throw new Error(`the secret of the key ${valueText(name)} is no base64`);
    if (!secretBytes.includes(bytes.length)) {
      throw new Error(`the secret of the key ${valueText(name)} has ${bytes.length} bytes: expected ${secretBytes.join(", ")}`);
    }
    return { provider, name, secret: bytes };
  });
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
