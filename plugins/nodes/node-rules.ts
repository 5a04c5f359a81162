/** The rules of nodes, with upstream's texts and order. */
import { append } from "../../core/append.ts";
import { duplicate, type FieldError, forbidden, type HookContext, invalid } from "../../plugin.ts";
import { goQuote, metaRulesOf, type Scoped, utf8Length, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { isStrict } from "../shared/gates.ts";
import { invalidCidr, readCidr } from "../shared/cidr.ts";
import { validateAmount } from "../shared/resource-names.ts";
import { validateConfigSource, validateConfigStatus } from "./config-source.ts";
import type { Node } from "./node-schema.ts";
import { validateNodeAnnotations, validateTaints } from "./taint-rules.ts";

/** Taints have this path in upstream's errors. */
const taintsPath = "metadata.taints";

/** The rules of a whole node, without those of its metadata. */
export function validateNode({ metadata, spec, status }: Node, context: HookContext): readonly FieldError[] {
  const capacity = status.nodeInfo?.swap?.capacity;
  return [
    ...validateNodeAnnotations(metadata.annotations, context.names),
    ...validateTaints(spec.taints ?? [], taintsPath),
    ...validateNodeResources(status, context),
    ...(capacity !== undefined && capacity <= 0
      ? [invalid("metadata.nodeSwapStatus.capacity", capacity, "must be greater than zero")]
      : []),
    ...validateFeatures(status.declaredFeatures ?? []),
    ...validateRanges(spec.podCIDRs ?? [], context),
  ];
}

function validateNodeResources({ capacity = {}, allocatable = {} }: Node["status"], { names }: HookContext): readonly FieldError[] {
  const of = (amounts: Readonly<Record<string, string>>, path: string) =>
    Object.entries(amounts).flatMap(([name, amount]) => validateAmount(name, amount, `${path}.${name}`, names));
  return [...of(capacity, "status.capacity"), ...of(allocatable, "status.allocatable")];
}

const featureNameMax = 253;

/** The problem of the name of a feature, which has segments in upper camel case. */
function wrongFeature(name: string): string | undefined {
  const wrong = `invalid feature name ${goQuote(name)}: must`;
  if (utf8Length(name) > featureNameMax) return `${wrong} be no more than ${featureNameMax} characters`;
  const [first = "", ...others] = name.split("/");
  if (/^[A-Z][a-zA-Z0-9]*$/.test(first) && others.every((each) => /^[a-zA-Z][a-zA-Z0-9]*$/.test(each))) return undefined;
  return `${wrong} start with an UpperCamelCase segment, with subsequent segments separated by '/' ` +
    "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
}

function validateFeatures(features: readonly string[]): readonly FieldError[] {
  return features.flatMap((feature, i) => {
    const at = `status.declaredFeatures[${i}]`, before = features[i - 1], wrong = wrongFeature(feature);
    return [
      ...(before === feature ? [duplicate(at, feature)] : []),
      ...(before !== undefined && before > feature ? [invalid(at, feature, "list must be sorted alphabetically")] : []),
      ...(wrong === undefined ? [] : [invalid(at, feature, wrong)]),
    ];
  });
}

/** Checks the address ranges of pods: valid ones, at most one for each IP family. */
function validateRanges(ranges: readonly string[], { gates }: HookContext): readonly FieldError[] {
  const path = "spec.podCIDRs", errors: FieldError[] = [];
  ranges.forEach((each, i) => append(errors, invalidCidr(each, isStrict(gates)).map((wrong) => invalid(`${path}[${i}]`, each, wrong))));
  if (ranges.length < 2) return errors;
  const read = ranges.map(readCidr), broken = read.indexOf(undefined);
  if (broken >= 0) {
    const why = `invalid CIDR[${broken}]: <nil> (invalid CIDR address: ${ranges[broken]})`;
    errors.push({ type: "Internal", path, detail: `invalid PodCIDRs. failed to check with dual stack with error:${why}` });
  }
  const families = new Set(read.map((each) => each?.network.bytes.length));
  if (broken >= 0 || families.size !== 2 || ranges.length > 2) {
    errors.push(invalid(path, ranges, "may specify no more than one CIDR for each IP family"));
  }
  return errors;
}

/** The rules of an update by either path. */
function validateChange(next: Node, prior: Node, resource: Scoped, context: HookContext): readonly FieldError[] {
  const { spec, status } = next, old = prior.spec;
  return [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(resource, context.names)),
    ...validateNodeAnnotations(next.metadata.annotations, context.names),
    ...validateNodeResources(status, context),
    ...validateFeatures(status.declaredFeatures ?? []),
    ...validateAddresses(status.addresses ?? []),
    ...validateKeptRanges(spec.podCIDRs ?? [], old.podCIDRs ?? []),
    ...((old.providerID ?? "") !== "" && old.providerID !== spec.providerID
      ? [forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid')]
      : []),
    ...(spec.configSource === undefined ? [] : validateConfigSource(spec.configSource, "spec.configSource", "spec")),
    ...(status.config === undefined ? [] : validateConfigStatus(status.config, "status.config")),
    ...validateTaints(spec.taints ?? [], taintsPath),
    ...((spec.externalID ?? "") === (old.externalID ?? "") ? [] : [forbidden("spec.externalID", "may not be updated")]),
  ];
}

function validateAddresses(addresses: NonNullable<Node["status"]["addresses"]>): readonly FieldError[] {
  const seen = new Set<string>();
  return addresses.flatMap(({ type, address }, i) => {
    const key = `${type}/${address}`, isAgain = seen.has(key);
    seen.add(key);
    return isAgain ? [duplicate(`status.addresses[${i}]`, { Type: type, Address: address })] : [];
  });
}

/** Address ranges are set once. */
function validateKeptRanges(ranges: readonly string[], old: readonly string[]): readonly FieldError[] {
  const changed = forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid');
  if (old.length === 0) return [];
  return old.length === ranges.length ? old.flatMap((each, i) => each === ranges[i] ? [] : [changed]) : [changed];
}

export function validateNodeUpdate(next: Node, prior: Node, resource: Scoped, context: HookContext): readonly FieldError[] {
  return [
    ...validateObjectMeta(next.metadata, metaRulesOf(resource, context.names)),
    ...validateNode(next, context),
    ...validateChange(next, prior, resource, context),
  ];
}

export const validateNodeStatusUpdate = validateChange;
