/**
 * Defaults. A struct's own fields come first, then its `fill` and, where their gates are on, the defaults of features,
 * then what is inside, so that a struct that `fill` has made gets its defaults too. A value without changes is returned itself.
 */
import type { Gates } from "../plugin.ts";
import { fold, type Json, type Node, type RecordNode, resolve, type StructNode, structsIn, type Typed } from "../schema.ts";
import { setOwn } from "../tree/values.ts";
import { type Member, membersOf } from "./members.ts";
import { isZero, zeroOf } from "./zero.ts";

type Fill = (value: any, isOn: Gates) => any;

/** Gives an object with its defaults filled in; the object itself when nothing was to fill. */
export function defaulter<T>(node: Typed<T>): (value: T, isOn: Gates) => T {
  return fillNode(node);
}

/** The gates that decide which defaults are filled in. */
export function gatesOfFilling(node: Node): readonly string[] {
  return [...new Set(structsIn(node).flatMap(({ fillWhile, fields }) => [...Object.keys(fillWhile ?? {}), ...gatesOfFields(fields)]))];
}

function gatesOfFields(fields: StructNode["fields"]): readonly string[] {
  return Object.values(fields).flatMap(({ gate, unpublishedDefault }) =>
    gate === undefined || unpublishedDefault === undefined ? [] : [gate]
  );
}

const asItIs: Fill = (value) => value;

const fillNode: (node: Node) => Fill = fold<Fill>({
  scalar: () => asItIs,
  list: (node, go) => fillList(go(node.of)),
  record: fillRecord,
  struct: fillStruct,
}, (get) => (value, isOn) => get()(value, isOn));

function fillList(fill: Fill): Fill {
  if (fill === asItIs) return asItIs;
  return (items: readonly unknown[], isOn) => {
    const filled = items.map((item) => fill(item, isOn));
    return filled.some((item, i) => item !== items[i]) ? filled : items;
  };
}

function fillRecord(node: RecordNode, go: (node: Node) => Fill): Fill {
  const fill = go(node.of);
  if (fill === asItIs) return asItIs;
  return (entries: Readonly<Record<string, unknown>>, isOn) => {
    const filled: Record<string, unknown> = {};
    let changed = false;
    for (const [key, value] of Object.entries(entries)) {
      const next = fill(value, isOn);
      changed ||= next !== value;
      setOwn(filled, key, next);
    }
    return changed ? filled : entries;
  };
}

function fillStruct(node: StructNode, go: (node: Node) => Fill): Fill {
  const members = membersOf(node);
  const defaulted = members.flatMap(defaultOf);
  const own = [...inlined(node), node].flatMap(({ fill, fillWhile }) => [...fill === undefined ? [] : [fill], ...whileOn(fillWhile)]);
  const inner = members.map((member) => ({
    key: member.key,
    always: member.always && !member.pointer,
    node: member.node,
    fill: go(member.node),
  }))
    .filter(({ fill }) => fill !== asItIs);
  if (defaulted.length === 0 && own.length === 0 && inner.length === 0) return asItIs;

  return (object: Readonly<Record<string, unknown>>, isOn) => {
    let filled = object;
    for (const { key, value, gate, lacks } of defaulted) {
      if (lacks(filled[key]) && (gate === undefined || isOn(gate))) filled = { ...filled, [key]: value };
    }
    for (const fill of own) filled = fill(filled, isOn);
    for (const { key, always, node, fill } of inner) {
      const value = filled[key] ?? (always ? zeroOf(node) : undefined);
      if (value === undefined) continue;
      const next = fill(value, isOn);
      if (next !== value) filled = { ...filled, [key]: next };
    }
    return filled === object ? object : inOrder(members, filled);
  };
}

function whileOn(fills: StructNode["fillWhile"] = {}): readonly Fill[] {
  return Object.entries(fills).map(([gate, fill]): Fill => (value, isOn) => isOn(gate) ? fill(value) : value);
}

/** The structs whose keys stand in this one; their `fill` sees the object that the keys are in. */
function inlined(node: StructNode): StructNode[] {
  return Object.values(node.fields).flatMap((field) => {
    const inner = resolve(field.node);
    return field.inline && inner.tag === "struct" ? [...inlined(inner), inner] : [];
  });
}

interface Default {
  readonly key: string;
  readonly value: Json;
  /** It is filled in while this gate is on only. */
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
    // Where zero and absence are one, zero is filled too.
    lacks: (present) => present === undefined || present === null || (!pointer && zero(present)),
  }];
}

/** The same entries with keys in schema order; keys that the schema does not know stay at the end. */
function inOrder(members: readonly Member[], object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const ordered: Record<string, unknown> = {};
  for (const { key } of members) if (object[key] !== undefined) ordered[key] = object[key];
  for (const key of Object.keys(object)) if (!Object.hasOwn(ordered, key) && object[key] !== undefined) setOwn(ordered, key, object[key]);
  return ordered;
}
