/** Names of compute resources and of counted objects, in requests, limits, quotas and limit ranges, with upstream's texts. */
import { type FieldError, invalid } from "../../plugin.ts";
import { amountOf, compareQuantities, isWhole, type Names, qualifiedName, spell } from "../../toolbox.ts";

const ofContainers = ["cpu", "memory", "ephemeral-storage"];
/** Resources that are counted in whole numbers. */
const countable = [
  "pods",
  "services",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const standardOfQuotas: ReadonlySet<string> = new Set([
  ...ofContainers,
  "requests.cpu",
  "requests.memory",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  ...countable,
]);

export function isHugePages(name: string): boolean {
  return name.startsWith("hugepages-");
}
/** Whether a quota can limit the resource, among those without a domain. */
export function isStandardOfQuotas(name: string): boolean {
  return standardOfQuotas.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-");
}
/** Whether the name is a resource of the platform: it has no domain, or the platform's. */
function isNative(name: string, names: Names): boolean {
  return !name.includes("/") || name.includes(spell(names, "{platform}.io/"));
}
/** Whether the name is an extended resource: it has a domain that is not the platform's, and a quota can name it. */
export function isExtendedResource(name: string, names: Names): boolean {
  return !isNative(name, names) && !name.startsWith("requests.") && qualifiedName(`requests.${name}`).length === 0;
}
/** Whether the resource can be overcommitted. */
export function canOvercommit(name: string, names: Names): boolean {
  return isNative(name, names) && !isHugePages(name);
}

/** Validates the name of a resource. */
export type NameRule = (name: string, path: string, names: Names) => readonly FieldError[];

export const resourceName: NameRule = (name, path) => {
  const errors: FieldError[] = qualifiedName(name).map((wrong) => invalid(path, name, wrong));
  if (errors.length > 0 || name.includes("/") || name === "storage" || isStandardOfQuotas(name)) return errors;
  return [invalid(path, name, "must be a standard resource type or fully qualified")];
};

/** Validates the name of a container resource. */
export const containerResourceName: NameRule = (name, path, names) => {
  const errors: FieldError[] = [...resourceName(name, path, names)];
  if (!name.includes("/")) {
    if (!ofContainers.includes(name) && !isHugePages(name)) errors.push(invalid(path, name, "must be a standard resource for containers"));
  } else if (!isNative(name, names) && !isExtendedResource(name, names)) {
    errors.push(invalid(path, name, "doesn't follow extended resource name standard"));
  }
  return errors;
};

/** Rejects negative amounts, and fractions of resources that are counted. */
export function validateAmount(name: string, amount: string, path: string, names: Names): readonly FieldError[] {
  const errors: FieldError[] = compareQuantities(amount, "0") < 0 ? [invalid(path, amount, "must be greater than or equal to 0")] : [];
  const whole = isExtendedResource(name, names) || countable.includes(name);
  if (whole && !isWhole(amountOf(amount))) errors.push(invalid(path, amount, "must be an integer"));
  return errors;
}
