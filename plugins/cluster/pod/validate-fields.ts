/** Rules of references to what a pod itself is, in upstream's order and words. */
import { type FieldError, invalid, notSupported, required } from "../../../core/field-error.ts";
import { qualifiedName } from "../../../core/meta/names.ts";
import type { ObjectFieldSelector, ResourceFieldSelector } from "../../shared/volumes/mod.ts";

/** What volumes can show of a pod. */
export const volumeFields = Object.freeze([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
]);
/** What variables can show of a pod. */
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

/** A field of the pod, one of `supported` or a label or annotation by its key. */
export function validateFieldRef(ref: ObjectFieldSelector, supported: readonly string[], path: string): readonly FieldError[] {
  const { apiVersion = "", fieldPath } = ref;
  if (apiVersion === "") return [required(`${path}.apiVersion`, "")];
  if (fieldPath === "") return [required(`${path}.fieldPath`, "")];
  const cannot = (why: string) => [invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`)];
  if (apiVersion !== "v1") return cannot(`unsupported pod version: ${apiVersion}`);
  const keyed = splitSubscript(fieldPath);
  if (keyed !== undefined) {
    const { field, key } = keyed;
    if (!subscripted.includes(field)) return cannot(`field label does not support subscript: ${fieldPath}`);
    const looked = field === "metadata.annotations" ? key.toLowerCase() : key;
    return qualifiedName(looked).map((wrong) => invalid(path, looked, wrong));
  }
  // An old name that clients may still send.
  const field = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
  if (!known.has(field)) return cannot(`field label not supported: ${fieldPath}`);
  return supported.includes(field) ? [] : [{ ...notSupported(`${path}.fieldPath`, field, supported), quoted: "go" }];
}

/** `metadata.labels` and `a` of `metadata.labels['a']`: up to the first `['`, and from there to the `']` at the end. */
function splitSubscript(fieldPath: string): { readonly field: string; readonly key: string } | undefined {
  const start = fieldPath.indexOf("['");
  if (start < 1 || start + 2 > fieldPath.length - 2 || !fieldPath.endsWith("']")) return undefined;
  return { field: fieldPath.slice(0, start), key: fieldPath.slice(start + 2, -2) };
}

const amounts = ["cpu", "ephemeral-storage", "memory"];
const resourceFields = ["limits", "requests"].flatMap((kind) => amounts.map((amount) => `${kind}.${amount}`));
const bigUnits = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
const unitsOf: readonly (readonly [ends: RegExp, units: readonly string[], told: string])[] = [
  [/\.cpu$/, ["1m", "1"], "1m and 1 are supported with the cpu resource"],
  [/\.memory$/, bigUnits, `${bigUnits.join(", ")} are supported with the memory resource`],
  [/\.ephemeral-storage$/, bigUnits, `${bigUnits.join(", ")} are supported with the local ephemeral storage resource`],
  [/\.hugepages-/, bigUnits, `${bigUnits.join(", ")} are supported with the hugepages resource`],
];

/** An amount of a container. In volumes the container has to be named. */
export function validateResourceFieldRef(ref: ResourceFieldSelector, path: string, inVolume: boolean): readonly FieldError[] {
  const { containerName = "", resource, divisor } = ref;
  const errors: FieldError[] = [];
  if (inVolume && containerName === "") errors.push(required(`${path}.containerName`, ""));
  else if (resource === "") errors.push(required(`${path}.resource`, ""));
  else if (!resourceFields.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource)) {
    errors.push({ ...notSupported(`${path}.resource`, resource, resourceFields), quoted: "go" });
  }
  if (divisor === "0") return errors;
  const wrong = unitsOf.find(([ends, units]) => ends.test(resource) && !units.includes(divisor));
  return wrong === undefined ? errors : [...errors, invalid(`${path}.divisor`, resource, `only divisor's values ${wrong[2]}`)];
}
