/**
 * A KMS provider: values are encrypted with keys of this process, and the plugin encrypts these (upstream's KMS v2).
 *
 *   start ──> Status, Encrypt(seed) ──> writing ──> a key with another name in Status: a new seed
 *                  │                       │
 *                  └── fails: again in 10 s; writes are refused without a key, and 3 minutes after the last good Status
 *
 * A value that is read has its own encrypted source. The plugin decrypts each source once, then it is in the cache of keys.
 */
import { createHash } from "node:crypto";
import { bound } from "../../../core/bound.ts";
import { elapsedClock, pause } from "../../../core/async.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import { valueText } from "../../../core/value-text.ts";
import { StoreError } from "../../../kernel/store/store.ts";
import type { Cipher } from "../ciphers.ts";
import type { OpenedValue, ValueCipher } from "../transformer.ts";
import { dataCipher, seedBytes } from "./data-key.ts";
import { checkObject, keyIdMistake } from "./key-rules.ts";
import { decodeObject, encodeObject, type EncryptedObject, sourceType, type StatusReply, withData } from "./messages.ts";
import { KmsError, type KmsPlugin } from "./plugin.ts";

/** Milliseconds between calls of Status while they succeed. */
export const kmsStatusEveryMs = bound(60_000);
/** Milliseconds between calls of Status after a failure. */
export const kmsRetryEveryMs = bound(10_000);
/** Milliseconds after the last good Status during which values are still written. */
export const kmsWriteMsMax = bound(3 * 60_000);
/** Milliseconds for which the result of a good check is used again. */
const kmsHealthyMs = bound(20_000);
/** Milliseconds for which a failure is used again: of a check, and of the decryption of a key. */
export const kmsFailedMs = bound(3_000);
/** Keys of values that are kept decrypted, by provider. */
export const kmsKeysMax = bound(1_000);
/** Milliseconds between two rounds of reading again what could not be decrypted, at most; the first waits as long as a check. */
const kmsReadAgainMsMax = bound(30 * 60_000);
/** Characters of the plugin's healthz in an error. */
const healthzMax = 200;

/** Meters of a provider. `keyId` is hashed before it becomes a label. */
export interface KmsMeter {
  used(direction: "from_storage" | "to_storage", keyId: string): void;
  missed(): void;
  status(keyId: string): void;
  invalidKeyId(error: string): void;
  cached(keys: number): void;
}

export interface ProviderNeeds {
  readonly name: string;
  /** Milliseconds of one call of the plugin. */
  readonly timeoutMs: number;
  readonly plugin: KmsPlugin;
  readonly meter?: KmsMeter;
  /** Milliseconds; monotonic. */
  readonly now?: () => number;
  /** Called when values that were read are to be read again: they may be readable now, or are stale because the key has changed. */
  readonly changed?: () => void;
}

export interface KmsProvider {
  readonly name: string;
  readonly timeoutMs: number;
  readonly cipher: ValueCipher;
  /** Rejects with the reason if the plugin does not work. Results are used again for some seconds. */
  check(): Promise<void>;
  /** Checks again and again until the signal aborts. `failed` is called when a check fails after a good one, with undefined for the first good one after. */
  follow(signal: AbortSignal, failed: (reason: string | undefined) => void): Promise<void>;
  /** Ends the connection. */
  close(): void;
}

/** The key that writes. */
interface Writing {
  readonly cipher: Cipher;
  readonly object: Omit<EncryptedObject, "data">;
  /** The object without data, as it is stored. */
  readonly rest: Uint8Array;
  readonly until: number;
}

const any = Uint8Array.of(0);

class Provider implements KmsProvider {
  readonly name: string;
  readonly timeoutMs: number;
  readonly #plugin: KmsPlugin;
  readonly #meter: KmsMeter | undefined;
  readonly #now: () => number;
  readonly #changed: () => void;
  /** By the hash of what the plugin decrypts; the last used are at the end. */
  readonly #keys = new Map<string, Cipher>();
  readonly #decrypting = new Map<string, Promise<Cipher>>();
  /** Until when the decryption of a key is not tried again. */
  readonly #failed = new Map<string, number>();
  #lostUntil = -Infinity;
  #writing: Writing | undefined;
  #version = "";
  #checked: { readonly at: number; readonly reason: string | undefined } | undefined;
  #checking: Promise<void> | undefined;
  /** Whether a value could not be decrypted, and from when on its readers are called again. */
  #unread = false;
  #readAgainAt = -Infinity;
  #readAgainMs = kmsStatusEveryMs;

  constructor({ name, timeoutMs, plugin, meter, now = () => elapsedClock.now(), changed = () => {} }: ProviderNeeds) {
    this.name = name;
    this.timeoutMs = timeoutMs;
    this.#plugin = plugin;
    this.#meter = meter;
    this.#now = now;
    this.#changed = changed;
  }
  get cipher(): ValueCipher {
    return { seal: (value, key) => this.#seal(value, key), open: (sealed, key) => this.#open(sealed, key) };
  }

  async check(): Promise<void> {
    const { at, reason } = this.#checked ?? { at: -Infinity, reason: undefined };
    if (this.#now() - at >= (reason === undefined ? kmsHealthyMs : kmsFailedMs)) {
      this.#checking ??= this.#checkNow().finally(() => this.#checking = undefined);
      return await this.#checking;
    }
    if (reason !== undefined) throw new Error(reason);
  }
  async follow(signal: AbortSignal, failed: (reason: string | undefined) => void): Promise<void> {
    let last = this.#checked;
    if (last?.reason !== undefined) failed(last.reason);
    for (;;) {
      await pause(kmsRetryEveryMs, signal);
      if (signal.aborted) return;
      const waits = last?.reason === undefined && !this.#unread ? kmsStatusEveryMs : kmsRetryEveryMs;
      if (last !== undefined && this.#now() - last.at < waits) continue;
      await this.check().catch(() => {});
      if (this.#checked?.reason !== last?.reason) failed(this.#checked?.reason);
      last = this.#checked;
    }
  }
  close(): void {
    this.#plugin.close();
  }

  async #checkNow(): Promise<void> {
    try {
      await this.#adopt(await this.#plugin.status());
    } catch (error) {
      const reason = `the KMS provider ${valueText(this.name)} does not work: ${reasonOf(error)}`;
      this.#checked = { at: this.#now(), reason };
      throw new Error(reason);
    }
    this.#checked = { at: this.#now(), reason: undefined };
    this.#lostUntil = -Infinity;
    this.#readAgain();
  }
  /** Throws an error with every reason why a status is not good. A key is adopted also if only the rest is not. */
  async #adopt({ healthz, version, keyId }: StatusReply): Promise<void> {
    const reasons: string[] = [];
    if (healthz !== "ok") reasons.push(`its healthz is ${valueText(healthz.slice(0, healthzMax))}`);
    if (version !== "v2" && version !== "v2beta1") reasons.push(`its version is not v2`);
    else if (this.#version !== "" && this.#version !== version) reasons.push("its version has changed");
    else this.#version = version;
    const mistaken = keyIdMistake(keyId);
    if (mistaken === undefined) {
      this.#meter?.status(keyId);
      await this.#rotate(keyId).catch((error) => reasons.push(reasonOf(error)));
    } else {
      this.#meter?.invalidKeyId(mistaken.code);
      reasons.push(mistaken.text);
    }
    if (reasons.length > 0) throw new Error(reasons.join("; "));
  }
  /** Keeps the key that writes if its name is still that of the plugin's key, else makes another. */
  async #rotate(keyId: string): Promise<void> {
    // From before the call: it is the longest time.
    const until = this.#now() + kmsWriteMsMax;
    if (this.#writing?.object.keyId === keyId) {
      this.#writing = { ...this.#writing, until };
      return;
    }
    const seed = crypto.getRandomValues(new Uint8Array(seedBytes)), reply = await this.#plugin.encrypt(seed);
    const object = { keyId: reply.keyId, source: reply.ciphertext, annotations: reply.annotations, sourceType: sourceType.seed };
    checkObject({ ...object, data: any });
    if (reply.keyId !== keyId) throw new Error("the key of its status is not the one that it encrypts with");
    const cipher = dataCipher(sourceType.seed, seed);
    const isFirst = this.#writing === undefined;
    this.#writing = { cipher, object, rest: encodeObject({ ...object, data: new Uint8Array(0) }), until };
    this.#keep(cacheKeyOf(object), cipher);
    if (!isFirst) this.#changed();
  }
  #readAgain(): void {
    const now = this.#now();
    if (!this.#unread) {
      if (now - this.#readAgainAt > kmsReadAgainMsMax) this.#readAgainMs = kmsStatusEveryMs;
      return;
    }
    if (now < this.#readAgainAt) return;
    this.#unread = false;
    this.#failed.clear();
    this.#readAgainAt = now + this.#readAgainMs;
    this.#readAgainMs = Math.min(kmsReadAgainMsMax, 2 * this.#readAgainMs);
    this.#changed();
  }

  #seal(value: Uint8Array, key: string): Uint8Array {
    const writing = this.#writing, provider = `the KMS provider ${valueText(this.name)}`;
    if (writing === undefined) throw new StoreError("unavailable", `Cannot encrypt the value: ${provider} has given no key yet`);
    if (this.#now() > writing.until) {
      throw new StoreError("unavailable", `Cannot encrypt the value: ${provider} has not worked for ${kmsWriteMsMax / 60_000} minutes`);
    }
    this.#meter?.used("to_storage", writing.object.keyId);
    return withData(writing.cipher.seal(value, key), writing.rest);
  }
  #open(sealed: Uint8Array, key: string): OpenedValue | Promise<OpenedValue> {
    const object = decodeObject(sealed);
    checkObject(object);
    const cacheKey = cacheKeyOf(object), known = this.#keys.get(cacheKey);
    if (known !== undefined) {
      // The last used is the last to be dropped.
      this.#keys.delete(cacheKey);
      this.#keys.set(cacheKey, known);
      return this.#opened(known, object, key);
    }
    return this.#decrypt(cacheKey, object).then((cipher) => this.#opened(cipher, object, key));
  }
  #opened(cipher: Cipher, { data, keyId, sourceType: type }: EncryptedObject, key: string): OpenedValue {
    this.#meter?.used("from_storage", keyId);
    const writing = this.#writing?.object;
    return { value: cipher.open(data, key), isStale: keyId !== writing?.keyId || type !== writing.sourceType };
  }
  #decrypt(cacheKey: string, object: EncryptedObject): Promise<Cipher> {
    this.#meter?.missed();
    const before = this.#decrypting.get(cacheKey);
    if (before !== undefined) return before;
    const now = this.#now();
    if (now < this.#lostUntil || now < (this.#failed.get(cacheKey) ?? -Infinity)) {
      this.#unread = true;
      return Promise.reject(new KmsError("a call a moment ago failed", true));
    }
    const decrypting = this.#decryptNow(cacheKey, object).finally(() => this.#decrypting.delete(cacheKey));
    this.#decrypting.set(cacheKey, decrypting);
    return decrypting;
  }
  async #decryptNow(cacheKey: string, { source, keyId, annotations, sourceType: type }: EncryptedObject): Promise<Cipher> {
    try {
      const cipher = dataCipher(type, await this.#plugin.decrypt({ ciphertext: source, keyId, annotations }));
      this.#keep(cacheKey, cipher);
      return cipher;
    } catch (error) {
      const again = this.#now() + kmsFailedMs;
      this.#unread = true;
      if (error instanceof KmsError && error.isLost) this.#lostUntil = again;
      if (this.#failed.size >= kmsKeysMax) this.#failed.clear();
      this.#failed.set(cacheKey, again);
      throw error;
    }
  }
  #keep(cacheKey: string, cipher: Cipher): void {
    this.#keys.delete(cacheKey);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size >= kmsKeysMax && oldest !== undefined) this.#keys.delete(oldest);
    this.#keys.set(cacheKey, cipher);
    this.#meter?.cached(this.#keys.size);
  }
}

export function kmsProvider(needs: ProviderNeeds): KmsProvider {
  return new Provider(needs);
}

/** A hash of all that the plugin decrypts a source by. Lengths separate the parts. */
function cacheKeyOf({ source, keyId, annotations, sourceType: type }: Omit<EncryptedObject, "data">): string {
  const hash = createHash("sha256"), toBytes = new TextEncoder();
  const add = (bytes: Uint8Array) => hash.update(`${bytes.length}:`).update(bytes);
  hash.update(`${type}:`);
  add(source);
  add(toBytes.encode(keyId));
  for (const [name, value] of Array.from(annotations).toSorted(([one], [other]) => one < other ? -1 : 1)) {
    add(toBytes.encode(name));
    add(value);
  }
  return hash.digest("base64");
}
