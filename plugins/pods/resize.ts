/** The subresource `resize`: changes of the CPU and memory of containers, while the pod runs (KEP-1287). */
import { type FieldError, forbidden, type HookContext, invalid, type Subresource } from "../../plugin.ts";
import { append, metaOfStatus, type Quantity, sameValue, spell } from "../../toolbox.ts";
import type { Container } from "../shared/pod/container.ts";
import type { PodSpec } from "../shared/pod/pod-spec.ts";
import { podAnnotations } from "../shared/pod/validate-pod-annotations.ts";
import type { ResourceRequirements } from "../shared/volumes/mod.ts";
import { type Pod, withoutEmpty } from "./pod-schema.ts";
import { qualityOfService } from "./quality-of-service.ts";

type Validate = (next: Pod, prior: Pod, context: HookContext) => readonly FieldError[];
type Amounts = Readonly<Record<string, Quantity>>;

const resizable: readonly string[] = ["cpu", "memory"];
/** Upstream's text of a path without a name. */
const root = "[]";
const gate = "InPlacePodLevelResourcesVerticalScaling";

/** `validateWhole`: the rules of every pod. `counted` sets the next generation of a changed spec. */
export function resizeOf(
  validateWhole: Validate,
  counted: (next: Pod, prior: Pod) => Pod,
): Subresource<Pod> {
  return {
    hasTable: false,
    write: (next, prior, context) => counted(resized(next, prior, context), prior),
    // Who writes a field here owns it, although it stays as it was, as in upstream.
    leaves: [],
    update: (next, prior, context) => validateResize(next, prior, context, validateWhole),
  };
}

/** The stored pod with the resources of the new one. Other containers than the stored ones are kept for validation, which rejects them. */
function resized(next: Pod, prior: Pod, { gates }: HookContext): Pod {
  const containers = withResources(next.spec.containers, prior.spec.containers);
  const initContainers = withResources(next.spec.initContainers, prior.spec.initContainers);
  if (containers === undefined || initContainers === undefined) return next;
  const { containers: _containers, initContainers: _init, resources: old, ...rest } = prior.spec;
  const resources = gates(gate) ? next.spec.resources : old;
  return {
    ...prior,
    metadata: metaOfStatus(next.metadata, prior.metadata),
    spec: {
      ...rest,
      containers,
      ...(initContainers.length === 0 ? {} : { initContainers }),
      ...(resources === undefined ? {} : { resources }),
    },
  };
}

/** The stored containers with new resources and policies. Undefined if one was added or removed; the new ones if one has another name. */
function withResources(next: readonly Container[] = [], prior: readonly Container[] = []): readonly Container[] | undefined {
  if (next.length !== prior.length) return undefined;
  if (next.some(({ name }, i) => name !== prior[i]!.name)) return next;
  return prior.map((container, i) => {
    const { resizePolicy: _policy, ...rest } = container, { resources, resizePolicy } = next[i]!;
    return { ...rest, resources, ...(resizePolicy === undefined ? {} : { resizePolicy }) };
  });
}

function validateResize(sent: Pod, prior: Pod, context: HookContext, validateWhole: Validate): readonly FieldError[] {
  const { names, gates } = context;
  if (Object.hasOwn(prior.metadata.annotations ?? {}, spell(names, podAnnotations.mirror))) {
    return [forbidden(root, "static pods cannot be resized")];
  }
  if (prior.spec.os?.name === "windows") return [forbidden(root, "windows pods cannot be resized")];
  const errors = [...validateWhole(sent, prior, context)], next = withoutEmpty(sent);
  const quality = prior.status.qosClass || qualityOfService(prior.spec, gates);
  if (qualityOfService(next.spec, gates) !== quality) {
    errors.push(invalid("spec", next.status.qosClass ?? "", "Pod QOS Class may not change as a result of resizing"));
  }
  const running = (prior.status.containerStatuses ?? []).find(({ state }) => state?.running !== undefined);
  if (running !== undefined && running.resources === undefined) {
    errors.push(forbidden("spec", "Pod running on node without support for resize"));
  }
  if (hasAmounts(prior.spec) || hasAmounts(next.spec)) {
    if (!gates(gate)) {
      const why = `resize of pods with pod-level resources is forbidden when ${gate}Enabled feature gate is disabled`;
      return [...errors, forbidden(root, why)];
    }
    append(errors, validateWholeResources(next.spec.resources, prior.spec.resources));
  }
  const order = [
    ...validateOrder(next.spec.containers, prior.spec.containers, "containers"),
    ...validateOrder(next.spec.initContainers, prior.spec.initContainers, "initContainers"),
  ];
  append(errors, order.length > 0 ? order : validateContainers(next.spec, prior.spec));
  if (errors.length > 0) return errors;
  return sameValue(withOldResources(next.spec, prior.spec), withOldResources(prior.spec, prior.spec))
    ? []
    : [forbidden("spec", "only cpu and memory resources are mutable")];
}

function hasAmounts({ resources: { requests = {}, limits = {} } = {} }: PodSpec): boolean {
  return Object.keys(requests).length + Object.keys(limits).length > 0;
}

/** Checks resources of the whole pod (KEP-2837). */
function validateWholeResources(next: ResourceRequirements | undefined, prior: ResourceRequirements | undefined): readonly FieldError[] {
  const path = "spec.resources";
  if (prior !== undefined && next === undefined) return [forbidden(path, "pod-level resources cannot be removed")];
  const kept = withOldAmounts(next, prior);
  return [
    ...(isAnyRemoved(next?.requests, prior?.requests)
      ? [forbidden(`${path}.requests`, "pod-level resource requests cannot be removed")]
      : []),
    ...(isAnyRemoved(next?.limits, prior?.limits) ? [forbidden(`${path}.limits`, "pod-level resource limits cannot be removed")] : []),
    ...(sameValue(kept, withOldAmounts(prior, prior)) ? [] : [forbidden("spec", "only cpu and memory resources are mutable at pod-level")]),
  ];
}

function validateOrder(next: readonly Container[] = [], prior: readonly Container[] = [], key: string): readonly FieldError[] {
  if (next.length !== prior.length) return [forbidden(`spec.${key}`, `${key} may not be added or removed on resize`)];
  return prior.flatMap(({ name }, i) =>
    next[i]!.name === name ? [] : [forbidden(`spec.${key}[${i}].name`, `${key} may not be renamed or reordered on resize`)]
  );
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";

function validateContainers(next: PodSpec, prior: PodSpec): readonly FieldError[] {
  const pairsOf = (key: "containers" | "initContainers") =>
    (prior[key] ?? []).map((old, i) => ({ old, container: next[key]![i]!, path: `spec.${key}[${i}]` })); // as many as before
  const init = pairsOf("initContainers"), containers = pairsOf("containers");
  const removed = [...init.filter(({ old }) => isSidecar(old)), ...containers].flatMap(({ old, container, path }) => [
    ...(isAnyRemoved(container.resources.requests, old.resources.requests)
      ? [forbidden(`${path}.resources.requests`, "resource requests cannot be removed")]
      : []),
    ...(isAnyRemoved(container.resources.limits, old.resources.limits)
      ? [forbidden(`${path}.resources.limits`, "resource limits cannot be removed")]
      : []),
  ]);
  const hasOtherChange = (container: Container, old: Container) => !sameValue(withOldContainer(container, old), withoutEmptyResources(old));
  return [
    ...removed,
    ...containers.flatMap(({ container, old }) =>
      hasOtherChange(container, old) ? [forbidden("spec", "only cpu and memory resources are mutable")] : []
    ),
    ...init.flatMap(({ container, old, path }) => {
      if (isSidecar(container)) {
        return hasOtherChange(container, old)
          ? [forbidden(path, "only cpu and memory resources for init or sidecar containers are mutable")]
          : [];
      }
      return sameValue(withoutEmptyResources(container), withoutEmptyResources(old))
        ? []
        : [forbidden("spec", "resources for non-sidecar init containers are immutable")];
    }),
  ];
}

function isAnyRemoved(next: Amounts = {}, prior: Amounts = {}): boolean {
  return Object.keys(prior).some((name) => !Object.hasOwn(next, name));
}

/** The amounts with the CPU and memory of the old ones; undefined if there are none. */
function oldAmounts(next: Amounts = {}, prior: Amounts = {}): Amounts | undefined {
  const others = Object.entries(next).filter(([name]) => !resizable.includes(name));
  const amounts = Object.fromEntries([...others, ...Object.entries(prior).filter(([name]) => resizable.includes(name))]);
  return Object.keys(amounts).length === 0 ? undefined : amounts;
}

function withOldAmounts(next: ResourceRequirements | undefined, prior: ResourceRequirements | undefined): ResourceRequirements | undefined {
  const limits = oldAmounts(next?.limits, prior?.limits), requests = oldAmounts(next?.requests, prior?.requests), claims = next?.claims;
  const kept = {
    ...(limits === undefined ? {} : { limits }),
    ...(requests === undefined ? {} : { requests }),
    ...(claims === undefined ? {} : { claims }),
  };
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/** The container with the CPU and memory of the old one. As upstream, its claims are left out: a container that has some cannot be resized. */
function withOldContainer(container: Container, old: Container): Container {
  const { claims: _claims, ...resources } = withOldAmounts(container.resources, old.resources) ?? {};
  return { ...container, resources };
}
function withoutEmptyResources(container: Container): Container {
  return { ...container, resources: withOldAmounts(container.resources, container.resources) ?? {} };
}

function withOldResources(spec: PodSpec, prior: PodSpec): PodSpec {
  const { resources, ...rest } = spec, kept = withOldAmounts(resources, prior.resources);
  const of = (containers: readonly Container[] = [], old: readonly Container[] = []) =>
    containers.map((container, i) => withOldContainer(container, old[i]!)); // as many as before
  return {
    ...rest,
    containers: of(spec.containers, prior.containers),
    initContainers: of(spec.initContainers, prior.initContainers),
    ...(kept === undefined ? {} : { resources: kept }),
  };
}
