/** Validation of resource requests and limits, with upstream's order and texts. */
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from "../../../plugin.ts";
import { amountOf, append, compareQuantities, integerOf, type Names, notFound, parseQuantity, roundUp } from "../../../toolbox.ts";
import { Unreadable } from "../../../core/scalars/unreadable.ts";
import { canOvercommit, containerResourceName, isHugePages, type NameRule, resourceName, validateAmount } from "../resource-names.ts";
import type { ResourceRequirements } from "../volumes/mod.ts";
import type { ValidationContext } from "./validation-options.ts";
import { label } from "./rules.ts";

const ofPods = ["cpu", "memory"];

/** Validates the name of a pod-level resource. */
export const podResourceName: NameRule = (name, path, names) => {
  const errors = resourceName(name, path, names);
  if (errors.length > 0 || ofPods.includes(name) || isHugePages(name)) return errors;
  return [notSupported(path, name, ["cpu", "hugepages-", "memory"])];
};

/** Checks that a quantity of huge pages is a multiple of the page size, which is part of the resource name. */
function validatePages(name: string, amount: string, path: string): readonly FieldError[] {
  if (!isHugePages(name) || isDivisible(name, amount)) return [];
  return [invalid(path, amount, `${amount} is not positive integer multiple of ${name}`)];
}
function isDivisible(name: string, amount: string): boolean {
  const read = parseQuantity(name.slice("hugepages-".length));
  const page = read instanceof Unreadable ? undefined : integerOf(read);
  const whole = integerOf(roundUp(amountOf(amount), 0));
  return page !== undefined && page > 0n && whole !== undefined && whole % page === 0n;
}

/** Whether a quantity of huge pages is not a multiple of its page size. */
export function hasIndivisiblePages({ limits = {}, requests = {} }: Pick<ResourceRequirements, "limits" | "requests">): boolean {
  return [limits, requests].some((amounts) => Object.entries(amounts).some(([name, amount]) => validatePages(name, amount, "").length > 0));
}

/** Validates requests, limits and claims. `claims` are the names of the pod's resource claims. */
export function validateResources(
  resources: ResourceRequirements,
  claims: ReadonlySet<string>,
  { options, names: spelled }: ValidationContext,
  path: string,
  nameRule: NameRule = containerResourceName,
): readonly FieldError[] {
  const pages = (name: string, amount: string, at: string) => options.hugePages ? [] : validatePages(name, amount, at);
  const { limits = {}, requests = {} } = resources;
  const errors: FieldError[] = [];
  for (const [name, amount] of Object.entries(limits)) {
    const at = `${path}.limits[${name}]`;
    append(errors, nameRule(name, at, spelled), validateAmount(name, amount, at, spelled), pages(name, amount, at));
  }
  for (const [name, amount] of Object.entries(requests)) {
    const at = `${path}.requests[${name}]`;
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    append(errors, nameRule(name, at, spelled), validateAmount(name, amount, at, spelled));
    append(errors, validateRequest(name, amount, limit, path, spelled));
    append(errors, pages(name, amount, at));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.includes("cpu") && !names.includes("memory")) {
    errors.push(forbidden(path, "HugePages require cpu or memory"));
  }
  return [...errors, ...validateClaims(resources, claims, `${path}.claims`)];
}

function validateRequest(name: string, amount: string, limit: string | undefined, path: string, names: Names): readonly FieldError[] {
  if (limit === undefined) {
    return canOvercommit(name, names) ? [] : [required(`${path}.limits`, "Limit must be set for non overcommitable resources")];
  }
  const order = compareQuantities(amount, limit);
  if (order !== 0 && !canOvercommit(name, names)) {
    return [invalid(`${path}.requests`, amount, `must be equal to ${name} limit of ${limit}`)];
  }
  return order > 0 ? [invalid(`${path}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`)] : [];
}

function validateClaims({ claims = [] }: ResourceRequirements, known: ReadonlySet<string>, path: string): readonly FieldError[] {
  const seen: SeenClaims = { keys: new Set(), requests: new Map() };
  return claims.flatMap(({ name, request = "" }, i) => {
    const at = `${path}[${i}]`;
    if (name === "") return [required(at, "")];
    const errors = [...validateClaim(name, request, seen, at)];
    if (!known.has(name)) errors.push({ ...notFound(at, name), detail: claimsText(known) });
    return errors;
  });
}

/** The claims before the current one. */
interface SeenClaims {
  /** `name` for the whole claim, or `name/request`. */
  readonly keys: Set<string>;
  /** The number of different requests of a name. */
  readonly requests: Map<string, number>;
}

/** Checks that a claim is used as a whole or by its requests. A whole claim after requests gives one error for each request. */
function validateClaim(name: string, request: string, { keys, requests }: SeenClaims, path: string): readonly FieldError[] {
  if (keys.has(name)) return [duplicate(path, name)];
  const key = request === "" ? name : `${name}/${request}`;
  const errors = request === "" ? [] : label(request, `${path}.request`);
  const again = keys.has(key), before = requests.get(name) ?? 0;
  keys.add(key);
  if (again) return [...errors, duplicate(path, key)];
  if (request === "") return Array.from({ length: before }, () => duplicate(path, name));
  requests.set(name, before + 1);
  return errors;
}

const claimTexts = new WeakMap<ReadonlySet<string>, string>();

/** The error detail, cached for all containers of a pod because it lists all names. */
function claimsText(known: ReadonlySet<string>): string {
  const made = claimTexts.get(known);
  if (made !== undefined) return made;
  const which = known.size === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
  const text = `must be one of the names in pod.spec.resourceClaims${which}`;
  claimTexts.set(known, text);
  return text;
}
