/** What differs between two contents of a store. */
import { KeyIndex } from "../../kernel/cache/index/key-index.ts";
import { compareKeys } from "../../kernel/store/bytes.ts";
import { sameBytes } from "../../kernel/store/same-bytes.ts";
import type { Version } from "./revision-log.ts";

/** A version of a key that has a value. */
export type Present = Version & { readonly value: Uint8Array };

/** A key whose value is not the same in both. Undefined: the key is absent. */
export interface Difference {
  readonly key: string;
  readonly before: Present | undefined;
  readonly after: Present | undefined;
}

/** Yields the keys that differ, in their order. What both share is skipped, so copies with few changes are compared fast. */
export function* differencesOf(before: KeyIndex<Version>, after: KeyIndex<Version>): Generator<Difference> {
  const one = new Cursor(before), other = new Cursor(after);
  for (;;) {
    one.skipShared(other);
    const a = one.version, b = other.version;
    if (a === undefined && b === undefined) return;
    const order = a === undefined ? 1 : b === undefined ? -1 : compareKeys(a.key, b.key);
    if (order <= 0) one.next();
    if (order >= 0) other.next();
    const was = order <= 0 ? present(a) : undefined, is = order >= 0 ? present(b) : undefined;
    if (!isSame(was, is)) yield { key: (was ?? is)!.key, before: was, after: is };
  }
}

function present(version: Version | undefined): Present | undefined {
  return version?.value === undefined ? undefined : version as Present; // it has a value
}

function isSame(a: Present | undefined, b: Present | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && a.expires === b.expires && (a.value === b.value || sameBytes(a.value, b.value));
}

/** A place between the versions of an index. */
class Cursor {
  readonly #chunks: KeyIndex<Version>["chunks"];
  #chunk = 0;
  #at = 0;

  constructor(index: KeyIndex<Version>) {
    this.#chunks = index.chunks;
  }

  get version(): Version | undefined {
    return this.#chunks[this.#chunk]?.[this.#at];
  }

  next(): void {
    this.#at++;
    if (this.#at < this.#chunks[this.#chunk]!.length) return;
    this.#chunk++;
    this.#at = 0;
  }

  /** Passes the chunks from here on that the other index has, too. */
  skipShared(other: Cursor): void {
    while (this.#at === 0 && other.#at === 0) {
      const chunk = this.#chunks[this.#chunk];
      if (chunk === undefined || chunk !== other.#chunks[other.#chunk]) return;
      this.#chunk++;
      other.#chunk++;
    }
  }
}
