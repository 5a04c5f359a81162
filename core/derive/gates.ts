/** Drops fields of disabled features: fields with a `gate`, unless the stored object has them. */
import type { Gates } from "../controller.ts";
import { fold, type Node, type Typed } from "../schema.ts";
import { membersOf } from "./members.ts";
import { isZero } from "./zero.ts";

/** `priors`: the stored values at the same path. Empty at creation, several below lists. */
type Drop = (next: any, priors: readonly any[], isOn: Gates) => any;

const keep: Drop = (next) => next;

/**
 * Returns the object without the fields of disabled features. A field of the stored object is kept with its new value; inside lists and
 * maps it is kept if any stored element has it. Returns `next` itself if nothing is dropped.
 */
export function dropDisabled<T>(node: Typed<T>): (next: T, prior: T | undefined, isOn: Gates) => T {
  const drop = dropNode(node);
  return (next, prior, isOn) => drop(next, prior === undefined ? [] : [prior], isOn);
}

const dropNode: (node: Node) => Drop = fold<Drop>({
  scalar: () => keep,
  list: ({ of }, go) => {
    const drop = go(of);
    if (drop === keep) return keep;
    return (items: readonly unknown[], priors: readonly (readonly unknown[])[], isOn) => {
      const stored = priors.flat();
      const kept = items.map((item) => drop(item, stored, isOn));
      return kept.every((item, i) => item === items[i]) ? items : kept;
    };
  },
  record: ({ of }, go) => {
    const drop = go(of);
    if (drop === keep) return keep;
    return (entries: Readonly<Record<string, unknown>>, priors: readonly object[], isOn) => {
      const stored = priors.flatMap((prior) => Object.values(prior));
      const kept = Object.entries(entries).map(([key, value]) => [key, drop(value, stored, isOn)] as const);
      return kept.every(([key, value]) => value === entries[key]) ? entries : Object.fromEntries(kept);
    };
  },
  struct: (node, go) => {
    const members = membersOf(node).map(({ key, field, node: inner, pointer }) => ({
      key,
      gate: field.gate,
      drop: go(inner),
      isUnset: pointer ? (value: unknown) => value === undefined || value === null : unsetOf(inner),
    })).filter(({ gate, drop }) => gate !== undefined || drop !== keep);
    if (members.length === 0) return keep;
    return (object: Readonly<Record<string, unknown>>, priors: readonly Readonly<Record<string, unknown>>[], isOn) => {
      let changed: Map<string, unknown> | undefined;
      for (const { key, gate, drop, isUnset } of members) {
        const value = object[key];
        if (value === undefined || value === null) continue;
        const stored = priors.map((prior) => prior[key]).filter((each) => !isUnset(each));
        const kept = gate !== undefined && stored.length === 0 && !isOn(gate) ? undefined : drop(value, stored, isOn);
        if (kept !== value) (changed ??= new Map()).set(key, kept);
      }
      if (changed === undefined) return object;
      return Object.fromEntries(
        Object.entries(object).map(([key, value]) => [key, changed.has(key) ? changed.get(key) : value])
          .filter(([, value]) => value !== undefined),
      );
    };
  },
}, (get) => (next, priors, isOn) => get()(next, priors, isOn));

function unsetOf(node: Node): (value: unknown) => boolean {
  const zero = isZero(node);
  return (value) => value === undefined || value === null || zero(value);
}
