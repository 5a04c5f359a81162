import {
  ageColumn,
  type Column,
  defineResource,
  duplicate,
  type FieldError,
  invalid,
  nameColumn,
  required,
  type Resource,
} from "../../plugin.ts";
import { metaRulesOf, pathSegmentName, sameValue, tooMany, validateObjectMetaUpdate } from "../../toolbox.ts";
import { label, subdomain, validateByRule } from "../shared/pod/rules.ts";
import { type PodGroup, type PodGroupPolicy, type TypedLocalObjectReference, Workload, type WorkloadSpec } from "./workload-schema.ts";

const groupVersion = "scheduling.{domain}/v1alpha1";

/** Pod groups of a Workload, as upstream. */
export const podGroupsMax = 8;

const columns: readonly Column<Workload>[] = [nameColumn, ageColumn];

/** Checks a word of a reference that may be an element of a path. */
function validateSegment(text: string, path: string): readonly FieldError[] {
  return text === "" ? [required(path, "")] : validateByRule((each) => pathSegmentName(each, false), text, path);
}

function validateController({ apiGroup = "", kind, name }: TypedLocalObjectReference, path: string): readonly FieldError[] {
  return [
    ...(apiGroup === "" ? [] : subdomain(apiGroup, `${path}.apiGroup`)),
    ...validateSegment(kind, `${path}.kind`),
    ...validateSegment(name, `${path}.name`),
  ];
}

function validatePolicy({ basic, gang }: PodGroupPolicy, path: string): readonly FieldError[] {
  const needed = "exactly one of `basic`, `gang` is required";
  if (basic !== undefined && gang !== undefined) return [invalid(path, "{`basic`, `gang`}", `${needed}, but multiple fields are set`)];
  if (basic === undefined && gang === undefined) return [required(path, needed)];
  return gang === undefined || gang.minCount > 0 ? [] : [invalid(`${path}.gang.minCount`, gang.minCount, "must be greater than zero")];
}

function validateGroups(groups: readonly PodGroup[], path: string): readonly FieldError[] {
  if (groups.length === 0) return [required(path, "must have at least one item")];
  if (groups.length > podGroupsMax) return [tooMany(path, groups.length, podGroupsMax)];
  const seen = new Set<string>();
  return groups.flatMap(({ name, policy }, i) => {
    const at = `${path}[${i}]`, again = seen.has(name) ? [duplicate(`${at}.name`, name)] : [];
    seen.add(name);
    return [...label(name, `${at}.name`), ...again, ...validatePolicy(policy, `${at}.policy`)];
  });
}

function validateSpec({ controllerRef, podGroups }: WorkloadSpec): readonly FieldError[] {
  return [
    ...(controllerRef === undefined ? [] : validateController(controllerRef, "spec.controllerRef")),
    // An absent list is null.
    ...validateGroups(podGroups ?? [], "spec.podGroups"),
  ];
}

/** A reference as upstream's texts show it: with the names of its program, and zero values. */
const shownController = ({ apiGroup = "", kind, name }: TypedLocalObjectReference): object => ({
  APIGroup: apiGroup,
  Kind: kind,
  Name: name,
});
/** The same of a group. */
function shownGroup({ name, policy: { basic, gang } }: PodGroup): object {
  return { Name: name, Policy: { Basic: basic ?? null, Gang: gang === undefined ? null : { MinCount: gang.minCount } } };
}

/** Checks what may not change. As upstream, the paths lack `spec`. */
function validateKept(next: WorkloadSpec, prior: WorkloadSpec): readonly FieldError[] {
  const kept = (path: string, [value, before]: readonly (object | null)[]) =>
    sameValue(value, before) ? [] : [invalid(path, value, "field is immutable")];
  return [
    ...(prior.controllerRef === undefined
      ? []
      : kept("controllerRef", [next, prior].map(({ controllerRef: ref }) => ref === undefined ? null : shownController(ref)))),
    ...kept("podGroups", [next, prior].map(({ podGroups }) => (podGroups ?? []).length === 0 ? null : podGroups.map(shownGroup))),
  ];
}

export const workloads: Resource<Workload> = defineResource({
  kind: "Workload",
  scope: "Namespaced",
  summary: "Groups of pods whose scheduling has conditions.",
  storedAs: groupVersion,
  storedUnder: "workloads",
  served: { [groupVersion]: { schema: Workload, introduced: "1.35", gate: "GenericWorkload", columns } },
  strategy: { coreFinalizers: true },
  create: ({ spec }) => validateSpec(spec),
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(workloads, names)),
    ...validateSpec(next.spec),
    ...validateKept(next.spec, prior.spec),
  ],
});
