/**
 * Applies the defaults of a schema, in this order: the defaults of a struct's fields, its `applyDefaults`, its `gatedDefaults` while their
 * gates are on, then the defaults of nested values, so that a struct that `applyDefaults` creates gets its defaults too.
 */
import type { Gates } from "../controller.ts";
import { fold, type Json, type Node, type RecordNode, resolve, type StructNode, structsIn, type Typed } from "../schema.ts";
import { setOwn } from "../tree/values.ts";
import { type Member, membersOf } from "./members.ts";
import { isZero, zeroOf } from "./zero.ts";

type ApplyDefaults = (value: any, isOn: Gates) => any;

/** Makes a function that returns an object with its defaults applied, or the same object if nothing changes. */
export function defaulter<T>(node: Typed<T>): (value: T, isOn: Gates) => T {
  return defaultsOf(node);
}

/** Returns the gates on which the defaults of a schema depend. */
export function gatesOfDefaults(node: Node): readonly string[] {
  return [
    ...new Set(structsIn(node).flatMap(({ gatedDefaults, fields }) => [...Object.keys(gatedDefaults ?? {}), ...gatesOfFields(fields)])),
  ];
}

function gatesOfFields(fields: StructNode["fields"]): readonly string[] {
  return Object.values(fields).flatMap(({ gate, unpublishedDefault }) =>
    gate === undefined || unpublishedDefault === undefined ? [] : [gate]
  );
}

const unchanged: ApplyDefaults = (value) => value;

const defaultsOf: (node: Node) => ApplyDefaults = fold<ApplyDefaults>({
  scalar: () => unchanged,
  list: (node, go) => listDefaults(go(node.of)),
  record: recordDefaults,
  struct: structDefaults,
}, (get) => (value, isOn) => get()(value, isOn));

function listDefaults(apply: ApplyDefaults): ApplyDefaults {
  if (apply === unchanged) return unchanged;
  return (items: readonly unknown[], isOn) => {
    const result = items.map((item) => apply(item, isOn));
    return result.some((item, i) => item !== items[i]) ? result : items;
  };
}

function recordDefaults(node: RecordNode, go: (node: Node) => ApplyDefaults): ApplyDefaults {
  const apply = go(node.of);
  if (apply === unchanged) return unchanged;
  return (entries: Readonly<Record<string, unknown>>, isOn) => {
    const result: Record<string, unknown> = {};
    let changed = false;
    for (const [key, value] of Object.entries(entries)) {
      const next = apply(value, isOn);
      changed ||= next !== value;
      setOwn(result, key, next);
    }
    return changed ? result : entries;
  };
}

function structDefaults(node: StructNode, go: (node: Node) => ApplyDefaults): ApplyDefaults {
  const members = membersOf(node);
  const defaulted = members.flatMap(defaultOf);
  const own = [...inlinedStructs(node), node].flatMap(({ applyDefaults, gatedDefaults }) => [
    ...applyDefaults === undefined ? [] : [applyDefaults],
    ...gatedDefaultsOf(gatedDefaults),
  ]);
  const inner = members.map((member) => ({
    key: member.key,
    always: member.always && !member.pointer,
    node: member.node,
    apply: go(member.node),
  }))
    .filter(({ apply }) => apply !== unchanged);
  if (defaulted.length === 0 && own.length === 0 && inner.length === 0) return unchanged;

  return (object: Readonly<Record<string, unknown>>, isOn) => {
    let copy: Record<string, unknown> | undefined;
    for (const { key, value, gate, lacks } of defaulted) {
      if (lacks(object[key]) && (gate === undefined || isOn(gate))) (copy ??= { ...object })[key] = value;
    }
    let result = copy ?? object;
    for (const apply of own) result = apply(result, isOn);
    if (result !== copy) copy = undefined;
    // A member that gets another value keeps its place.
    let isOutOfOrder = result !== object;
    for (const { key, always, node, apply } of inner) {
      const found = result[key], value = found ?? (always ? zeroOf(node) : undefined);
      if (value === undefined) continue;
      const next = apply(value, isOn);
      if (next === value) continue;
      if (copy === undefined) result = copy = { ...result };
      copy[key] = next;
      isOutOfOrder ||= found === undefined;
    }
    return isOutOfOrder ? inOrder(members, result) : result;
  };
}

function gatedDefaultsOf(defaults: StructNode["gatedDefaults"] = {}): readonly ApplyDefaults[] {
  return Object.entries(defaults).map(([gate, apply]): ApplyDefaults => (value, isOn) => isOn(gate) ? apply(value) : value);
}

/** Returns the inlined structs of a struct. Their `applyDefaults` gets the object that contains the inlined keys. */
function inlinedStructs(node: StructNode): StructNode[] {
  return Object.values(node.fields).flatMap((field) => {
    const inner = resolve(field.node);
    return field.inline && inner.tag === "struct" ? [...inlinedStructs(inner), inner] : [];
  });
}

interface Default {
  readonly key: string;
  readonly value: Json;
  /** The default applies only while this gate is on. */
  readonly gate: string | undefined;
  readonly lacks: (value: unknown) => boolean;
}
function defaultOf({ key, node, pointer, field }: Member): readonly Default[] {
  const value = field.default ?? field.unpublishedDefault;
  if (value === undefined) return [];
  const zero = isZero(node);
  return [{
    key,
    value,
    gate: field.default === undefined ? field.gate : undefined,
    // Without a pointer, zero is the same as absent.
    lacks: (present) => present === undefined || present === null || (!pointer && zero(present)),
  }];
}

/** Returns the same entries with keys in schema order, unknown keys last. */
function inOrder(members: readonly Member[], object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const ordered: Record<string, unknown> = {};
  for (const { key } of members) if (object[key] !== undefined) ordered[key] = object[key];
  for (const key of Object.keys(object)) if (!Object.hasOwn(ordered, key) && object[key] !== undefined) setOwn(ordered, key, object[key]);
  return ordered;
}
