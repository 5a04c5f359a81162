/**
 * Applies requests of the write-ahead log to the newest state of the database, as etcd does when it starts after a crash. Revisions must come out as etcd's,
 * because transactions compare them:
 *
 *     put            one revision; none if its lease, or the value that it keeps, does not exist
 *     delete         one revision, if there was a key
 *     transaction    all comparisons, then all operations of the chosen branch: one revision, if one of them changed a key
 *     lease revoke   deletes the keys of the lease: one revision, if there was one
 */
import { limits } from "../../../core/limits.ts";
import { compareKeys } from "../bytes.ts";
import { EtcdFileError } from "./random-access.ts";
import type { Compare, Deletion, Integer, KeyRange, Operation, Put, RaftRequest } from "./raft-request.ts";

/** What etcd keeps of a key. */
export interface KeyState {
  readonly created: Integer;
  readonly revision: number;
  readonly version: Integer;
  readonly lease: Integer;
  readonly value: Uint8Array;
}

/** The state that is changed. */
export interface Keys {
  get(key: string): KeyState | undefined;
  has(key: string): boolean;
  all(): Iterable<string>;
  set(key: string, state: KeyState): void;
  delete(key: string): void;
}

export class Replay {
  readonly #keys: Keys;
  readonly #leases: Map<Integer, Set<string>>;
  #ranges = 0;
  revision: number;

  /** `leases`: all leases, with their keys. */
  constructor(keys: Keys, leases: Map<Integer, Set<string>>, revision: number) {
    this.#keys = keys;
    this.#leases = leases;
    this.revision = revision;
  }

  /** Throws an `EtcdFileError` if it is too much work. */
  apply(request: RaftRequest): void {
    if (request.tag === "nothing") return;
    if (request.tag === "other") throw new EtcdFileError(`its log has a request of the kind ${request.field}, which is not applied here`);
    if (request.tag === "grant") {
      if (!this.#leases.has(request.lease)) this.#leases.set(request.lease, new Set());
    } else if (request.tag === "revoke") {
      this.#change([...this.#leases.get(request.lease) ?? []].map((key): Deletion => ({ tag: "delete", range: { key, to: undefined } })));
      this.#leases.delete(request.lease);
    } else this.#change(this.#chosen(request));
  }

  /** The operations that an operation comes to, by the comparisons of its transactions, before any change. */
  #chosen(operation: Operation): readonly (Put | Deletion)[] {
    if (operation.tag !== "txn") return [operation];
    const branch = operation.compares.every((each) => this.#holds(each)) ? operation.success : operation.failure;
    return branch.flatMap((each) => this.#chosen(each));
  }

  /** All of it or nothing, in one revision. */
  #change(operations: readonly (Put | Deletion)[]): void {
    if (!operations.every((each) => each.tag === "delete" || this.#isPossible(each))) return;
    const next = this.revision + 1;
    let changed = false;
    for (const each of operations) {
      if (each.tag === "put") {
        this.#put(each, next);
        changed = true;
      } else {
        for (const key of this.#keysIn(each.range)) {
          this.#detach(key);
          this.#keys.delete(key);
          changed = true;
        }
      }
    }
    if (changed) this.revision = next;
  }

  #isPossible({ key, lease, keepsValue, keepsLease }: Put): boolean {
    return (lease === 0 || this.#leases.has(lease)) && (!(keepsValue || keepsLease) || this.#keys.has(key));
  }

  #put({ key, value, lease, keepsValue, keepsLease }: Put, revision: number): void {
    const before = this.#keys.get(key), version = before?.version ?? 0;
    const next = {
      created: before?.created ?? revision,
      revision,
      version: typeof version === "bigint" ? version + 1n : version + 1,
      lease: keepsLease && before !== undefined ? before.lease : lease,
      value: keepsValue && before !== undefined ? before.value : value,
    };
    this.#detach(key);
    this.#keys.set(key, next);
    this.#leases.get(next.lease)?.add(key);
  }

  #detach(key: string): void {
    for (const lease of [this.#keys.get(key)?.lease ?? 0]) if (lease !== 0) this.#leases.get(lease)?.delete(key);
  }

  #keysIn({ key, to }: KeyRange): readonly string[] {
    if (to === undefined) return this.#keys.has(key) ? [key] : [];
    // Each goes over all keys.
    if (++this.#ranges > limits.walRangesMax) throw new EtcdFileError(`its log has more than ${limits.walRangesMax} ranges of keys`);
    return [...this.#keys.all()].filter((each) => compareKeys(each, key) >= 0 && (to === "" || compareKeys(each, to) < 0));
  }

  #holds(compare: Compare): boolean {
    const keys = this.#keysIn(compare.range);
    // A key that does not exist has zeros, and no value to compare.
    if (keys.length === 0) return compare.target !== "value" && isHeld(compare, 0);
    return keys.every((key) => {
      const state = this.#keys.get(key)!; // A key of the range.
      return isHeld(compare, compare.target === "value" ? compareValues(state.value, compare.value) : state[compare.target]);
    });
  }
}

/** `found`: the number of the key; for values the result of their comparison. */
function isHeld({ result, target, number }: Compare, found: Integer): boolean {
  const expected = target === "value" ? 0 : number, order = found === expected ? 0 : found < expected ? -1 : 1;
  return { equal: order === 0, different: order !== 0, less: order < 0, greater: order > 0 }[result];
}

function compareValues(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const difference = a[index]! - b[index]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
