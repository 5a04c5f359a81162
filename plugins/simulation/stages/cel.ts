/**
 * Expressions of Stages in CEL. They read the object as `self` and may call `Now()`, `Rand()`, `SinceSecond(self)`, `UnixSecond(time)` and
 * `Quantity(text)`, as in kwok, also as methods.
 */
import { compile } from "../../../cel/compile.ts";
import type { FunctionDeclaration } from "../../../cel/declarations.ts";
import { environment, extend } from "../../../cel/environment.ts";
import { declare, fixed } from "../../../cel/functions/costs.ts";
import { quantityType } from "../../../cel/functions/quantity/quantity.ts";
import { member, overload } from "../../../cel/functions/standard/overload.ts";
import { formatIssues } from "../../../cel/issues.ts";
import { doubleType, dynType, stringType, timestampType, type Type } from "../../../cel/types.ts";
import { timestampOf } from "../../../cel/value/time.ts";
import { typeNameOf } from "../../../cel/value/type.ts";
import { CelError, Duration, MapValue, ObjectValue, Timestamp, Uint, type Value } from "../../../cel/values.ts";
import { bound } from "../../../core/bound.ts";
import { type Json, parseDuration, Unreadable } from "../../../toolbox.ts";
import { quantityOf, withQuantityOperators } from "./quantity-operators.ts";
import { valueOfObject } from "./typed-value.ts";

/** Cost units of one evaluation of an expression of a Stage. */
const stageCostMax = bound(100_000);

/** What expressions know beside the object. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 to 1. */
  random(): number;
}

/** An expression that is compiled. Throws an Error with what is wrong if the evaluation fails. */
export type StageExpression = (object: Json) => Value;

/** Compiles an expression. Throws an Error that says what is wrong. */
export function compileCel(text: string, surroundings: Surroundings): StageExpression {
  const own = { name: "stages", since: 0, functions: functionsOf(surroundings) };
  const compiled = compile(text, extend(base, { libraries: [own] }));
  if (compiled.tag !== "program") {
    throw new Error(`its CEL does not compile: ${compiled.tag === "failed" ? compiled.message : formatIssues(text, compiled.issues)}`);
  }
  return (object) => {
    const self = valueOfObject(object), { value } = compiled.program.evaluate((name) => name === "self" ? self : undefined, stageCostMax);
    if (value instanceof CelError) throw new Error(`its CEL fails: ${value.message}`);
    return value;
  };
}

/** The result as a truth value. Throws an Error if it is none. */
export function truthOf(value: Value): boolean {
  if (typeof value === "boolean") return value;
  throw new Error(`its CEL gives ${typeNameOf(value)}, not bool`);
}

/** The result as milliseconds: a duration, its text, or nanoseconds. Throws an Error if it is none. */
export function celMilliseconds(value: Value): number {
  if (typeof value === "string") {
    const nanos = parseDuration(value);
    if (nanos instanceof Unreadable) throw new Error(`its CEL gives no duration: ${nanos.error}`);
    return Number(nanos) / 1e6;
  }
  return numberOf(value) / 1e6;
}

/** The result as a whole number. Throws an Error if it is none. */
export function celInteger(value: Value): number {
  return Math.trunc(typeof value === "boolean" ? Number(value) : numberOf(value));
}

function numberOf(value: Value): number {
  const number = value instanceof Duration
    ? Number(value.nanoseconds)
    : value instanceof Uint
    ? Number(value.value)
    : typeof value === "bigint" || typeof value === "number"
    ? Number(value)
    : NaN;
  if (!Number.isFinite(number)) throw new Error(`its CEL gives ${typeNameOf(value)}, not a number`);
  return number;
}

const base = extend(withQuantityOperators(environment()), { variables: [{ name: "self", type: dynType }] });

function functionsOf({ now, random }: Surroundings): readonly FunctionDeclaration[] {
  const both = (name: string, type: Type, result: Type, call: (value: Value) => Value) =>
    declare(name, fixed(1), overload(`stage_${name}`, [type], result, call), member(`stage_member_${name}`, [type], result, call));
  return [
    declare("Now", fixed(1), overload("stage_Now", [], timestampType, () => timeOf(now()))),
    declare("Rand", fixed(1), overload("stage_Rand", [], doubleType, random)),
    both("UnixSecond", timestampType, doubleType, (time) => secondsOf(time as Timestamp)), // the signature demands this type
    both("SinceSecond", dynType, doubleType, (object) => {
      const created = createdAt(object);
      return created === undefined ? new CelError("the object has no time of creation") : now() / 1_000 - secondsOf(created);
    }),
    both("Quantity", stringType, quantityType, (text) => quantityOf(text as string)), // the signature demands this type
  ];
}

const timeOf = (ms: number): Timestamp => new Timestamp(BigInt(Math.floor(ms / 1_000)), Math.floor(ms % 1_000) * 1_000_000);
const secondsOf = ({ seconds, nanos }: Timestamp): number => Number(seconds) + nanos / 1e9;

function createdAt(object: Value): Timestamp | undefined {
  const created = memberOf(memberOf(object, "metadata"), "creationTimestamp");
  const time = typeof created === "string" ? timestampOf(created) : created;
  return time instanceof Timestamp ? time : undefined;
}

function memberOf(value: Value | undefined, name: string): Value | undefined {
  if (value instanceof ObjectValue) return value.get(name);
  return value instanceof MapValue ? value.find(name) : undefined;
}
