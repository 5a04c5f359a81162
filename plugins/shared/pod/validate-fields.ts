/** Validation of references to fields and resources of the pod itself, with upstream's order and texts. */
import { type FieldError, invalid, notSupported, required } from "../../../plugin.ts";
import { qualifiedName } from "../../../toolbox.ts";
import type { ObjectFieldSelector, ResourceFieldSelector } from "../volumes/mod.ts";

/** The pod fields that volumes support. */
export const volumeFields = Object.freeze([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
]);
/** The pod fields that environment variables support. */
export const variableFields = Object.freeze([
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);
const subscripted = ["metadata.annotations", "metadata.labels"];
const others = ["spec.restartPolicy", "spec.schedulerName", "status.phase"];
const known: ReadonlySet<string> = new Set([...volumeFields, ...variableFields, ...others]);

/** Checks a reference to a pod field: one of `supported`, or a label or annotation by key. */
export function validateFieldRef(ref: ObjectFieldSelector, supported: readonly string[], path: string): readonly FieldError[] {
  const { apiVersion = "", fieldPath } = ref;
  if (apiVersion === "") return [required(`${path}.apiVersion`, "")];
  if (fieldPath === "") return [required(`${path}.fieldPath`, "")];
  const cannot = (why: string) => [invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`)];
  if (apiVersion !== "v1") return cannot(`unsupported pod version: ${apiVersion}`);
  const subscript = splitSubscript(fieldPath);
  if (subscript !== undefined) {
    const { field, key } = subscript;
    if (!subscripted.includes(field)) return cannot(`field label does not support subscript: ${fieldPath}`);
    const checkedKey = field === "metadata.annotations" ? key.toLowerCase() : key;
    return qualifiedName(checkedKey).map((wrong) => invalid(path, checkedKey, wrong));
  }
  // `spec.host` is a legacy name of `spec.nodeName`.
  const field = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
  if (!known.has(field)) return cannot(`field label not supported: ${fieldPath}`);
  return supported.includes(field) ? [] : [{ ...notSupported(`${path}.fieldPath`, field, supported), quoted: "go" }];
}

/** Splits `metadata.labels['a']` into `metadata.labels` and `a`, at the first `['`. Undefined if there is no subscript. */
function splitSubscript(fieldPath: string): { readonly field: string; readonly key: string } | undefined {
  const start = fieldPath.indexOf("['");
  if (start < 1 || start + 2 > fieldPath.length - 2 || !fieldPath.endsWith("']")) return undefined;
  return { field: fieldPath.slice(0, start), key: fieldPath.slice(start + 2, -2) };
}

const amounts = ["cpu", "ephemeral-storage", "memory"];
const resourceFields = ["limits", "requests"].flatMap((kind) => amounts.map((amount) => `${kind}.${amount}`));
const bigUnits = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
const unitsOf: readonly (readonly [pattern: RegExp, units: readonly string[], detail: string])[] = [
  [/\.cpu$/, ["1m", "1"], "1m and 1 are supported with the cpu resource"],
  [/\.memory$/, bigUnits, `${bigUnits.join(", ")} are supported with the memory resource`],
  [/\.ephemeral-storage$/, bigUnits, `${bigUnits.join(", ")} are supported with the local ephemeral storage resource`],
  [/\.hugepages-/, bigUnits, `${bigUnits.join(", ")} are supported with the hugepages resource`],
];

/** Checks a reference to a container's resource. In volumes, the container's name is required. */
export function validateResourceFieldRef(ref: ResourceFieldSelector, path: string, inVolume: boolean): readonly FieldError[] {
  const { containerName = "", resource, divisor } = ref;
  const errors: FieldError[] = [];
  if (inVolume && containerName === "") errors.push(required(`${path}.containerName`, ""));
  else if (resource === "") errors.push(required(`${path}.resource`, ""));
  else if (!resourceFields.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    errors.push({ ...notSupported(`${path}.resource`, resource, resourceFields), quoted: "go" });
  }
  if (divisor === "0") return errors;
  const wrong = unitsOf.find(([pattern, units]) => pattern.test(resource) && !units.includes(divisor));
  return wrong === undefined ? errors : [...errors, invalid(`${path}.divisor`, resource, `only divisor's values ${wrong[2]}`)];
}
