/** What the providers of one list of resources do with their values. */
import { encryptedPrefix } from "../../kernel/objects/objects.ts";
import { cipherOf, type LocalProvider } from "./ciphers.ts";

/** A result that may need an answer of a KMS plugin. */
export type Soon<T> = T | Promise<T>;

/** Encrypts and decrypts the values of one key, or of one KMS plugin. */
export interface ValueCipher {
  /** Throws a StoreError if there is no key to write with. */
  seal(value: Uint8Array, key: string): Uint8Array;
  /** Throws or rejects for bytes that it cannot decrypt. */
  open(sealed: Uint8Array, key: string): Soon<OpenedValue>;
}

/** A key of a provider; undefined for `identity`, which leaves values as they are. */
export type ValueKey = { readonly prefix: Uint8Array; readonly cipher: ValueCipher } | undefined;

/** A key by its name. `secret` has one of the lengths of `secretBytes`. */
export function valueKey(provider: LocalProvider, name: string, secret: Uint8Array): ValueKey {
  const { seal, open } = cipherOf(provider, secret);
  return {
    prefix: new TextEncoder().encode(`${encryptedPrefix}${provider}:v1:${name}:`),
    cipher: { seal, open: (sealed, key) => ({ value: open(sealed, key), isStale: false }) },
  };
}

/** The keys of a KMS plugin, by the plugin's name. */
export function kmsKey(name: string, cipher: ValueCipher): ValueKey {
  return { prefix: new TextEncoder().encode(`${encryptedPrefix}kms:v2:${name}:`), cipher };
}

/** A value as the server sees it. */
export interface OpenedValue {
  readonly value: Uint8Array;
  /** Whether a write would store it in another way: with another key, encrypted, or in the clear. */
  readonly isStale: boolean;
}

const encrypted = new TextEncoder().encode(encryptedPrefix);

/** Whether a provider has encrypted these bytes. */
export function isEncrypted(value: Uint8Array): boolean {
  return beginsWith(value, encrypted);
}

/** Encrypts and decrypts the values of some resources. The first key writes, all read, as in kube-apiserver. */
export class Transformer {
  readonly #keys: readonly ValueKey[];

  constructor(keys: readonly ValueKey[]) {
    this.#keys = keys;
  }
  seal(value: Uint8Array, key: string): Uint8Array {
    const [first] = this.#keys;
    if (first === undefined) return value;
    const sealed = first.cipher.seal(value, key), whole = new Uint8Array(first.prefix.length + sealed.length);
    whole.set(first.prefix);
    whole.set(sealed, first.prefix.length);
    return whole;
  }
  /** Undefined if no key decrypts the value. Several keys may have one name: each is tried. */
  open(value: Uint8Array, key: string): Soon<OpenedValue | undefined> {
    return this.#openFrom(0, value, key);
  }
  #openFrom(first: number, value: Uint8Array, key: string): Soon<OpenedValue | undefined> {
    const isPlain = !isEncrypted(value);
    for (let index = first; index < this.#keys.length; index++) {
      const each = this.#keys[index];
      if (each === undefined) {
        if (isPlain) return { value, isStale: index > 0 };
        continue;
      }
      if (!beginsWith(value, each.prefix)) continue;
      const found = ({ value, isStale }: OpenedValue): OpenedValue => ({ value, isStale: isStale || index > 0 });
      try {
        const opened = each.cipher.open(value.subarray(each.prefix.length), key);
        return opened instanceof Promise ? opened.then(found, () => this.#openFrom(index + 1, value, key)) : found(opened);
      } catch {
        // Another key may decrypt it. The bytes of a failure say nothing, and must not reach a log.
      }
    }
    return undefined;
  }
}

function beginsWith(value: Uint8Array, prefix: Uint8Array): boolean {
  return value.length >= prefix.length && prefix.every((byte, index) => value[index] === byte);
}
