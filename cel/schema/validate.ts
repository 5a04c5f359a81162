/** Evaluates the rules of a schema for an object, within a budget of cost units. */
import { duplicate, type FieldError, fieldErrorText, forbidden, invalid, omittedValue, required } from "../../core/field-error.ts";
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import type { ValidationRule } from "../../core/structural-schema.ts";
import type { Program, Variables } from "../compile.ts";
import { CelError, OptionalValue, type Value } from "../values.ts";
import { utf8Length } from "../../core/scalars/utf8.ts";
import { Correlated, isUnchanged, noRatchet, type Ratchet, ratchetOfItem, ratchetOfMember } from "./correlated.ts";
import { isDouble } from "./maps.ts";
import { KeyedList } from "./keyed-list.ts";
import { asResource } from "./resource-root.ts";
import { type CompiledRule, oldSelf, self } from "./rule.ts";
import type { RuleNode } from "./validator.ts";
import { runMeteredTogether } from "../value/work.ts";
import { schemaValue } from "./values.ts";
import { bound } from "../../core/bound.ts";
import { celObjectCostMax } from "../bounds.ts";
import { fieldErrorsLengthMax } from "../../core/bounds.ts";

/** Evaluations of rules for one object: a rule of constants costs no units. */
const celObjectEvaluationsMax = bound(2_000_000);
/** Bytes of a message that an expression makes. */
export const celMessageBytesMax = bound(5 * 1024);
/** Steps of all evaluations of rules for one object, and of finding the values that have not changed. */
export const celObjectStepsMax = bound(40_000_000);

export interface RuleOptions {
  /** Cost units for the object. Default: `celObjectCostMax`. */
  readonly budget?: number;
  /** Errors of values that have not changed become warnings. Default: whether there is an old value. */
  readonly ratchets?: boolean;
  /** Path of the value, such as `status`. Default: the root. */
  readonly path?: string;
}

export interface RuleResult {
  readonly errors: readonly FieldError[];
  /** Errors of values that have not changed. */
  readonly warnings: readonly string[];
  /** Units that were spent. */
  readonly cost: number;
  /** True if the budget or the bound of errors ended the validation before all rules were evaluated. */
  readonly isExhausted: boolean;
}

/** Validates a value of the schema whose rules these are. `old`: the value before an update. */
export function validateRules(node: RuleNode, value: Json, old: Json | undefined, options: RuleOptions = {}): RuleResult {
  const budget = options.budget ?? celObjectCostMax;
  const run = new RuleRun(budget);
  const ratchets = options.ratchets ?? old !== undefined;
  const ratchet = ratchets && old !== undefined ? { ...noRatchet, current: new Correlated(value, old, node.schema) } : noRatchet;
  const path: Path | undefined = options.path === undefined || options.path === "" ? undefined : { above: undefined, step: options.path };
  const finished = runMeteredTogether(celObjectStepsMax, () => {
    run.validate(node, { path, value, old: old ?? null, ratchet });
    return true;
  });
  if (finished !== true && !run.isExhausted) run.stop(invalid(pathText(path), node.schema.type ?? "", outOfBudget));
  return { errors: run.errors, warnings: run.warnings, cost: budget - run.left, isExhausted: run.isExhausted };
}

/** The path of a value. Its text is made for errors only. */
interface Path {
  readonly above: Path | undefined;
  /** A name, or an index or a key in brackets. */
  readonly step: string;
}

function pathText(path: Path | undefined): string {
  const steps: string[] = [];
  for (let at = path; at !== undefined; at = at.above) {
    steps.push(at.step.startsWith("[") || at.above === undefined ? at.step : `.${at.step}`);
  }
  return steps.length === 0 ? "<nil>" : steps.reverse().join("");
}

interface Place {
  readonly path: Path | undefined;
  readonly value: Json;
  /** The old value; null if there is none. */
  readonly old: Json;
  readonly ratchet: Ratchet;
  /** See `schemaValue`. */
  readonly isDouble?: boolean;
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

class RuleRun {
  readonly errors: FieldError[] = [];
  readonly warnings: string[] = [];
  left: number;
  isExhausted = false;
  #evaluations = 0;
  #length = 0;
  constructor(budget: number) {
    this.left = budget;
  }

  validate(node: RuleNode, place: Place): void {
    const { value, ratchet } = place;
    if (value === null) return;
    this.#evaluate(node, place);
    for (const each of node.allOf) {
      if (this.isExhausted) return;
      this.validate(each, { ...place, ratchet: { current: undefined, above: ratchet.above } });
    }
    if (this.isExhausted) return;
    if (Array.isArray(value)) this.#items(node, value, place);
    else if (isObject(value)) this.#members(node, value, place);
  }

  #items({ items, schema }: RuleNode, list: readonly Json[], { path, old, ratchet }: Place): void {
    if (items === undefined) return;
    const keyed = new KeyedList(schema, Array.isArray(old) ? old : undefined);
    for (const [index, value] of list.entries()) {
      if (this.isExhausted) return;
      this.validate(items, {
        path: { above: path, step: `[${index}]` },
        value,
        old: keyed.find(value) ?? null,
        ratchet: ratchetOfItem(ratchet, index),
        isDouble: isDouble(list, index),
      });
    }
  }

  #members({ others, properties, schema }: RuleNode, object: JsonObject, { path, old, ratchet }: Place): void {
    if (others === undefined && properties.size === 0) return;
    const mapType = schema["x-kubernetes-map-type"] ?? "granular", isCorrelated = mapType === "granular" || mapType === "atomic";
    const before = isCorrelated && isObject(old) ? old : undefined;
    const inside = (node: RuleNode, key: string, step: string): void => {
      const prior = before !== undefined && Object.hasOwn(before, key) ? before[key] : undefined;
      this.validate(node, {
        path: { above: path, step },
        value: object[key] ?? null,
        old: prior ?? null,
        ratchet: ratchetOfMember(ratchet, key),
        isDouble: isDouble(object, key),
      });
    };
    for (const key of Object.keys(object)) {
      if (this.isExhausted) return;
      if (others !== undefined) inside(others, key, `[${key}]`);
      const property = properties.get(key);
      if (property !== undefined && !this.isExhausted) inside(property, key, key);
    }
  }

  /** Reports an error and ends the evaluation of the remaining rules. */
  stop(error: FieldError): void {
    this.errors.push(error);
    this.isExhausted = true;
  }

  #evaluate(node: RuleNode, place: Place): void {
    const { rules } = node, type = node.schema.type ?? "";
    if (typeof rules === "string") {
      this.errors.push(invalid(pathText(place.path), type, `rule compiler initialization error: ${rules}`));
      return;
    }
    if (rules.length === 0) return;
    if (this.left <= 0) return this.stop(invalid(pathText(place.path), type, outOfBudget));
    const variables = variablesOf(node, place);
    for (const rule of rules) {
      if (this.isExhausted) return;
      if (rule.error !== undefined) this.errors.push(invalid(pathText(place.path), type, `rule compile error: ${rule.error}`));
      else if (rule.program !== undefined) this.#rule(rule, rule.program, { ...place, type, variables });
    }
  }

  #rule(compiled: CompiledRule, program: Program, place: RulePlace): void {
    const { rule } = compiled, isOptional = rule.optionalOldSelf === true;
    if (compiled.usesOldSelf && place.old === null && !isOptional) return;
    const variables = isOptional ? place.variables.optional : place.variables.plain;
    if (this.#evaluations++ === celObjectEvaluationsMax) return this.stop(invalid(pathText(place.path), place.type, outOfBudget));
    const { value, cost, stopped } = program.evaluate(variables);
    const error = (detail: string) => invalid(pathText(place.path), place.type, detail);
    if (cost > this.left) return this.stop(error(outOfBudget));
    this.left -= cost;
    if (value === true) return;
    if (!(value instanceof CelError)) return this.#failed(compiled, variables, place);
    const { message } = value, text = ruleText(rule);
    if (stopped !== undefined) {
      this.stop(error(`'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${text}`));
    } else if (message.startsWith("no such overload")) {
      const mistake = "call arguments did not match a supported operator, function or macro signature for rule";
      this.errors.push(error(`'${message}': ${mistake}: ${text}`));
    } else this.errors.push(error(`${message} evaluating rule: ${text}`));
    this.#count(this.errors.at(-1)!);
  }

  /** Ends the validation when there are as many errors as an answer can have. */
  #count({ path, detail }: FieldError): void {
    this.#length += path.length + detail.length;
    if (this.#length > fieldErrorsLengthMax) this.isExhausted = true;
  }

  /** Records that a rule is false: an error with its message, or a warning for a value that has not changed. */
  #failed(compiled: CompiledRule, variables: Variables, place: RulePlace): void {
    const { rule, usesOldSelf } = compiled;
    const path = pathText(compiled.fieldPath === "" ? place.path : { above: place.path, step: compiled.fieldPath });
    const add = (error: FieldError) => {
      if (!usesOldSelf && isUnchanged(place.ratchet)) this.warnings.push(fieldErrorText(error));
      else this.errors.push(error);
      this.#count(error);
    };
    const made = compiled.message === undefined ? undefined : this.#message(compiled.message, rule, variables);
    if (made?.tag === "stopped") {
      this.isExhausted = true;
      return add(invalid(path, place.type, made.detail));
    }
    const { type } = place, value = type === "object" || type === "array" ? omittedValue : place.value;
    add(errorOf(rule, path, value, made?.text ?? messageOf(rule)));
  }

  #message(program: Program, { messageExpression }: ValidationRule, variables: Variables): Message {
    const { value, cost, stopped } = program.evaluate(variables);
    if (cost > this.left) {
      return {
        tag: "stopped",
        detail: "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
      };
    }
    if (stopped !== undefined) {
      const detail = "no further validation rules will be run due to call cost exceeds limit for messageExpression";
      return { tag: "stopped", detail: `${detail}: ${goQuote(messageExpression ?? "")}` };
    }
    this.left -= cost;
    const text = typeof value === "string" ? value.trim() : "";
    // A message that cannot be used is replaced by the rule's own.
    const isUsable = text !== "" && utf8Length(text) <= celMessageBytesMax && !text.includes("\n");
    return { tag: "text", text: isUsable ? text : undefined };
  }
}

interface RulePlace extends Place {
  readonly type: string;
  readonly variables: NodeVariables;
}

type Message = { readonly tag: "text"; readonly text: string | undefined } | { readonly tag: "stopped"; readonly detail: string };

/** The variables of rules, and of rules whose old value is optional. */
interface NodeVariables {
  readonly plain: Variables;
  readonly optional: Variables;
}

const none = new OptionalValue(undefined);

function variablesOf({ schema, isResource }: RuleNode, { value, old, isDouble }: Place): NodeVariables {
  const typed = isResource ? asResource(schema) : schema;
  const now = schemaValue(value, typed, isDouble);
  const before: Value | undefined = old === null ? undefined : schemaValue(old, typed);
  const optional = before === undefined ? none : new OptionalValue(before);
  return {
    plain: (name) => name === self ? now : name === oldSelf ? before : undefined,
    optional: (name) => name === self ? now : name === oldSelf ? optional : undefined,
  };
}

function ruleText({ rule, message = "" }: ValidationRule): string {
  return (message === "" ? rule : message).trim();
}

function messageOf(rule: ValidationRule): string {
  return (rule.message ?? "") === "" ? `failed rule: ${ruleText(rule)}` : ruleText(rule);
}

function errorOf({ reason }: ValidationRule, path: string, value: unknown, detail: string): FieldError {
  switch (reason) {
    case "FieldValueForbidden":
      return forbidden(path, detail);
    case "FieldValueRequired":
      return required(path, detail);
    case "FieldValueDuplicate":
      return duplicate(path, value);
    default:
      return invalid(path, value, detail);
  }
}
