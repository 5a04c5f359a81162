/** Expressions that select devices (`device.attributes["gpu.example.com"].model == "a"`): their environment and the bounds of their cost. */
import { minorOf, type Release } from "../../core/releases.ts";
import { bound } from "../../core/bound.ts";
import { analyse, compileChecked } from "../compile.ts";
import { estimateCost, type SizeSource } from "../cost/estimate.ts";
import type { Environment } from "../declarations.ts";
import { extend } from "../environment.ts";
import { bindingsLibrary } from "../functions/bindings.ts";
import { quantityType } from "../functions/quantity/quantity.ts";
import { formatIssues } from "../issues.ts";
import { fullTypeName } from "../policy/type-name.ts";
import { newExpressions, storedExpressions } from "../schema/environments.ts";
import { anyType, boolType, mapType, objectType, stringType, type Type, type TypeSource } from "../types.ts";
import { CelError } from "../values.ts";

/** Maximum cost, in units of CEL, of one selector of devices. */
export const selectorCostMax = bound(1_000_000);

/** How expressions of a place are compiled. */
export interface SelectorOptions {
  /** The oldest release whose servers must be able to compile new expressions; undefined for expressions that are stored. */
  readonly minCompatibility: Release | undefined;
  /** Whether devices have `allowMultipleAllocations` (the gate DRAConsumableCapacity). */
  readonly hasConsumableCapacity: boolean;
}

/** A mistake in an expression. */
export type SelectorMistake =
  | { readonly tag: "invalid" | "internal"; readonly detail: string }
  | { readonly tag: "expensive" };

/** Returns what is wrong with an expression; undefined if it is a correct selector whose worst case is within the bound. */
export function selectorMistake(text: string, options: SelectorOptions): SelectorMistake | undefined {
  const environment = environmentOf(options);
  const analysed = analyse(text, environment);
  if (!analysed.ok) return { tag: "invalid", detail: `compilation failed: ${formatIssues(text, analysed.issues)}` };
  const { outputType } = analysed.checked;
  if (outputType.tag !== "bool" && outputType.tag !== "any") {
    return { tag: "invalid", detail: `must evaluate to bool or the unknown type, not ${fullTypeName(outputType)}` };
  }
  const compiled = compileChecked(analysed.checked, environment);
  if (compiled.tag !== "program") {
    const why = compiled.tag === "failed" ? compiled.message : formatIssues(text, compiled.issues);
    return { tag: "internal", detail: `program instantiation failed: ${why}` };
  }
  return estimateCost(analysed.checked, environment, sizeOf).max > BigInt(selectorCostMax) ? { tag: "expensive" } : undefined;
}

const deviceName = "kubernetes.DRADevice";

/** Returns the type of `device`. */
function deviceTypes(hasConsumableCapacity: boolean): TypeSource {
  const fields = new Map<string, Type>([
    ["driver", stringType],
    ["attributes", mapType(stringType, mapType(stringType, anyType))],
    ["capacity", mapType(stringType, mapType(stringType, quantityType))],
    ...(hasConsumableCapacity ? [["allowMultipleAllocations", boolType] as const] : []),
  ]);
  return {
    hasType: (name) => name === deviceName,
    field(type, field) {
      const found = type === deviceName ? fields.get(field) : undefined;
      return found === undefined ? undefined : { type: found };
    },
    fieldNames: (type) => type === deviceName ? [...fields.keys()] : [],
  };
}

const made = new Map<string, Environment>();

/** Returns the environment of a place; there is one for each kind of place. */
export function environmentOf({ minCompatibility, hasConsumableCapacity }: SelectorOptions): Environment {
  const version = minCompatibility === undefined ? "all" : minorOf(minCompatibility), key = `${version} ${hasConsumableCapacity}`;
  const known = made.get(key) ?? extend(minCompatibility === undefined ? storedExpressions() : newExpressions(minCompatibility), {
    libraries: [bindingsLibrary],
    variables: [{ name: "device", type: objectType(deviceName) }],
    types: deviceTypes(hasConsumableCapacity),
    construct: (type) => new CelError(`unknown type '${type}'`),
  });
  made.set(key, known);
  return known;
}

/** The largest size of a value of a device, and those of its parts. */
interface Sized {
  readonly max: bigint;
  readonly keys?: Sized;
  readonly items?: Sized;
  readonly fields?: ReadonlyMap<string, Sized>;
  /** Whether a field of any name has the size of the items. */
  readonly isOpen?: true;
}

const text = (max: bigint): Sized => ({ max });
/** Maximum length of a domain and of an identifier, of an attribute's value, and the maximum number of attributes and capacities. */
const domain = text(63n), identifier = text(32n), attribute = text(64n), entriesMax = 32n;

const device: Sized = {
  max: 0n,
  fields: new Map([
    ["driver", text(63n)],
    ["allowMultipleAllocations", { max: 1n }],
    // The size of a domain's attributes is known by index only, as upstream: `attributes["a"].b`, not `attributes.a.b`.
    ["attributes", { max: entriesMax, keys: domain, items: { max: entriesMax, keys: identifier, items: attribute, isOpen: true } }],
    ["capacity", { max: entriesMax, keys: domain, items: { max: entriesMax, keys: identifier, items: { max: 0n } } }],
  ]),
};

const sizeOf: SizeSource = ([root, ...steps]) => {
  let at: Sized | undefined = root === "device" ? device : undefined;
  for (const step of steps) {
    if (at === undefined) return undefined;
    if (step === "@items" || step === "@values") at = at.items;
    else if (step === "@keys") at = at.keys;
    else at = at.fields?.get(step) ?? (at.isOpen ? at.items : undefined);
  }
  return at === undefined ? undefined : { min: 0n, max: at.max };
};
