/** Compiles literals of lists, maps and objects. A literal of constants is made once and costs nothing. */
import type { ListLiteral, MapLiteral, StructLiteral } from "../ast.ts";
import type { Environment } from "../declarations.ts";
import { messageOf } from "../messages.ts";
import { ArrayList, EntryMap } from "../value/collections.ts";
import { messageText } from "../value/text.ts";
import { spend } from "../value/work.ts";
import { CelError, OptionalValue, type Value } from "../values.ts";
import { requireKey, type Run } from "./frame.ts";
import { constant, type Planning, type Scope, type Step, Unplannable } from "./step.ts";

/** Cost units of a new list, map and object. */
const listCost = 10;
const mapCost = 30;
const objectCost = 40;

export function planList({ elements, optional }: ListLiteral, scope: Scope, planning: Planning): Step {
  const steps = elements.map((element) => planning.plan(element, scope));
  if (optional.length === 0 && steps.every(isConstant)) return constant(new ArrayList(steps.map(constantOf)));
  const runs = steps.map(({ run }) => run);
  const run = optional.length === 0 ? runList(runs) : runOptionalList(runs, new Set(optional));
  return { run: withCharge(run, listCost) };
}

export function isConstant({ constant }: Step): boolean {
  return constant !== undefined;
}
function constantOf({ constant }: Step): Value {
  return constant!;
}

/** Charges a literal the same whether it succeeds or fails. */
function withCharge(run: Run, units: number): Run {
  return (frame) => {
    const value = run(frame);
    frame.charge(units);
    return value;
  };
}

function runList(elements: readonly Run[]): Run {
  return (frame) => {
    const items: Value[] = [];
    for (const element of elements) {
      const value = element(frame);
      if (value instanceof CelError) return value;
      items.push(value);
    }
    return new ArrayList(items);
  };
}

function runOptionalList(elements: readonly Run[], optional: ReadonlySet<number>): Run {
  return (frame) => {
    const items: Value[] = [];
    for (const [index, element] of elements.entries()) {
      const value = element(frame);
      if (value instanceof CelError) return value;
      if (!optional.has(index)) items.push(value);
      else if (!(value instanceof OptionalValue)) {
        return new CelError(`cannot initialize optional list element from non-optional value ${messageText(value)}`);
      } else if (value.value !== undefined) items.push(value.value);
    }
    return new ArrayList(items);
  };
}

export function planMap({ entries }: MapLiteral, scope: Scope, planning: Planning): Step {
  const steps = entries.map(({ key, value, optional }) => ({
    key: planning.plan(key, scope),
    value: planning.plan(value, scope),
    optional,
  }));
  if (steps.every(({ key, value, optional }) => !optional && isConstant(key) && isConstant(value))) {
    const map = new EntryMap();
    for (const { key, value } of steps) map.set(constantOf(key), constantOf(value));
    return constant(map);
  }
  const runs = steps.map(({ key, value, optional }): Entry => ({ key: key.run, value: value.run, optional }));
  return { run: withCharge(runMap(runs), mapCost) };
}

type Entry = { readonly key: Run; readonly value: Run; readonly optional: boolean };

function runMap(entries: readonly Entry[]): Run {
  return (frame) => {
    const map = new EntryMap();
    for (const entry of entries) {
      const key = entry.key(frame);
      if (key instanceof CelError) return key;
      const value = entry.value(frame);
      if (value instanceof CelError) return value;
      requireKey(key);
      if (!entry.optional) map.set(key, value);
      else if (!(value instanceof OptionalValue)) return notOptional(messageText(key), value);
      else if (value.value === undefined) map.delete(key);
      else map.set(key, value.value);
    }
    return map;
  };
}

function notOptional(field: string, value: Value): CelError {
  return new CelError(`cannot initialize optional entry '${field}' from non-optional value ${messageText(value)}`);
}

type Construct = NonNullable<Environment["construct"]>;

export function planStruct({ type, entries }: StructLiteral, name: string, scope: Scope, planning: Planning): Step {
  const message = messageOf(type);
  const construct: Construct | undefined = message === undefined ? planning.environment.construct : (_, fields) => message.make(fields);
  if (construct === undefined) throw new Unplannable(`unknown type: ${type}`);
  const fields = entries.map(({ field, value, optional }) => ({ field, run: planning.plan(value, scope).run, optional }));
  const run: Run = (frame) => {
    const values = new Map<string, Value>();
    for (const { field, run, optional } of fields) {
      const value = run(frame);
      if (value instanceof CelError) return value;
      spend(1);
      if (!optional) values.set(field, value);
      else if (!(value instanceof OptionalValue)) return notOptional(field, value);
      else if (value.value === undefined) values.delete(field);
      else values.set(field, value.value);
    }
    return construct(name, values);
  };
  return { run: withCharge(run, objectCost) };
}
