/** The roles of one subject in one place, and an index of their rules by resource. */
import type { AuthorizationAttributes } from "../../toolbox.ts";
import { sizeOf } from "./rules.ts";
import type { Binding, PolicyRule, RoleRef } from "./schema.ts";

/**
 * A role that bindings name, whether it exists or not. The bindings refer to this slot, so that a decision does not look up roles by name.
 */
export interface RoleSlot {
  readonly ref: RoleRef;
  /** The rules of the role; undefined while it does not exist. */
  rules: readonly PolicyRule[] | undefined;
  /** Number of bindings that name the role. The slot is removed when there are none left and the role does not exist. */
  uses: number;
}
/** A rule, and the bindings through which the subject has it. */
export interface Candidate {
  readonly rule: PolicyRule;
  readonly bindings: ReadonlySet<Binding>;
}
interface Index {
  /** Rules by resource, as rules name it: `pods`, `pods/log`, `*`, `*\/status`. */
  readonly byResource: ReadonlyMap<string, readonly Candidate[]>;
  readonly ofPaths: readonly Candidate[];
  readonly missing: readonly RoleSlot[];
}

/** Maximum number of rule values in the index of one subject. The rules of a subject with more are searched in sequence. */
const indexedMax = 20_000;
/** Maximum number of rule values in all indexes together. Above it all indexes are dropped, and built again when needed. */
const indexedTotalMax = 1_000_000;

/** The generation to which indexes belong. Each change of a role or binding ends it, and with it all of its indexes. */
export class IndexGeneration {
  #values = 0;
  number = 0;

  end(): void {
    this.number++;
    this.#values = 0;
  }
  add(values: number): void {
    this.#values += values;
    if (this.#values > indexedTotalMax) this.end();
  }
}

export class SubjectRoles {
  readonly slots = new Map<RoleSlot, Set<Binding>>();
  readonly #generation: IndexGeneration;
  #seen = -1;
  #built = -1;
  #index: Index | undefined;

  constructor(generation: IndexGeneration) {
    this.#generation = generation;
  }

  /** Yields the rules that may allow a request. Missing roles are added to `missing`. */
  *candidates(attributes: AuthorizationAttributes, missing: Set<RoleSlot>): Generator<Candidate> {
    const index = this.#currentIndex();
    if (index === undefined) return yield* this.#all(missing);
    for (const slot of index.missing) missing.add(slot);
    const { isResourceRequest, resource, subresource } = attributes;
    if (!isResourceRequest) return yield* index.ofPaths;
    yield* index.byResource.get(subresource === "" ? resource : `${resource}/${subresource}`) ?? none;
    yield* index.byResource.get("*") ?? none;
    if (subresource !== "") yield* index.byResource.get(`*/${subresource}`) ?? none;
  }

  *#all(missing: Set<RoleSlot>): Generator<Candidate> {
    for (const [slot, bindings] of this.slots) {
      if (slot.rules === undefined) missing.add(slot);
      else for (const rule of slot.rules) yield { rule, bindings };
    }
  }

  /**
   * Returns the index; undefined at the first use after a change. While roles change all the time, an index would cost more than it saves.
   */
  #currentIndex(): Index | undefined {
    const now = this.#generation.number;
    if (this.#built === now) return this.#index;
    if (this.#seen !== now) {
      this.#seen = now;
      this.#index = undefined;
      return undefined;
    }
    this.#built = now;
    return this.#index = this.#newIndex();
  }

  #newIndex(): Index | undefined {
    const byResource = new Map<string, Candidate[]>(), ofPaths: Candidate[] = [], missing: RoleSlot[] = [];
    let values = 0;
    for (const [slot, bindings] of this.slots) {
      if (slot.rules === undefined) missing.push(slot);
      for (const rule of slot.rules ?? []) {
        values += sizeOf(rule);
        if (values > indexedMax) return undefined;
        const candidate = { rule, bindings };
        if ((rule.nonResourceURLs ?? []).length > 0) ofPaths.push(candidate);
        for (const resource of rule.resources ?? []) {
          const known = byResource.get(resource);
          if (known === undefined) byResource.set(resource, [candidate]);
          else known.push(candidate);
        }
      }
    }
    this.#generation.add(values);
    return { byResource, ofPaths, missing };
  }
}
const none: readonly Candidate[] = Object.freeze([]);
