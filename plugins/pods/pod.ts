import { defineResource, type FieldError, forbidden, type HookContext, type Resource, type Subresource } from "../../plugin.ts";
import {
  dns1123Label,
  type Gates,
  goQuote,
  metaOfStatus,
  metaRulesOf,
  sameValue,
  spell,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import { optionsForUpdate } from "../shared/pod/stored-options.ts";
import { withoutStopSignals } from "../shared/pod/stop-signals.ts";
import { validatePodParts } from "../shared/pod/validate-pod.ts";
import { podAnnotations, validateProfilesMatch } from "../shared/pod/validate-pod-annotations.ts";
import { optionsForCreate, type ValidationOptions } from "../shared/pod/validation-options.ts";
import { warnOfPodTemplate } from "../shared/pod/warnings.ts";
import { warnOfAddress } from "../shared/address-text.ts";
import { withProfiles } from "./app-armor.ts";
import { binding } from "./binding.ts";
import { columns, rowConditions } from "./columns.ts";
import { withCondition } from "./conditions.ts";
import { log } from "./connections/log.ts";
import { podProxy } from "./connections/proxy.ts";
import { attach, exec, portForward } from "./connections/streams.ts";
import { eviction } from "./eviction.ts";
import { applyLabelKeys } from "./label-keys.ts";
import { Pod, withoutEmpty } from "./pod-schema.ts";
import { qualityOfService } from "./quality-of-service.ts";
import { resizeOf } from "./resize.ts";
import type { PodStatus } from "./status-schema.ts";
import { validateStatus } from "./validate-status.ts";
import { validateAnnotationsKept, validateSpecUpdate } from "./validate-update.ts";

/** A new pod is pending. Its quality of service, and selectors that follow from its labels, are those of its creation. */
function prepareNew(next: Pod, { gates, names, now }: HookContext, warnings: { add(text: string): void } | undefined): Pod {
  const spec = applyLabelKeys(withoutStopSignals(next.spec, undefined, gates), next.metadata.labels ?? {}, gates);
  // As upstream, a quality of service that the client sends is kept.
  const status: PodStatus = { phase: "Pending", qosClass: next.status.qosClass || qualityOfService(spec, gates) };
  const isGated = (spec.schedulingGates ?? []).length > 0;
  const gated = {
    type: "PodScheduled",
    status: "False",
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
  return withProfiles({ ...next, spec, status: isGated ? withCondition(status, gated, now) : status }, names, warnings);
}

function optionsFor(gates: Gates, names: HookContext["names"], prior: Pod | undefined): ValidationOptions {
  return { ...(prior === undefined ? optionsForCreate(gates) : optionsForUpdate(prior, names, gates)), isPod: true };
}

function validateCreate(next: Pod, { names, gates }: HookContext): readonly FieldError[] {
  const { spec } = next;
  return [
    ...validatePodParts(next, names, optionsFor(gates, names, undefined)),
    ...((spec.ephemeralContainers ?? []).length > 0 ? [forbidden("spec.ephemeralContainers", "cannot be set on create")] : []),
    ...((spec.nodeName ?? "") !== "" && (spec.schedulingGates ?? []).length > 0
      ? [forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")]
      : []),
    ...validateProfilesMatch(next, names, "spec"),
  ];
}

/** The rules that every write of an existing pod keeps, also a resize. */
function validateParts(next: Pod, prior: Pod, { names, gates }: HookContext): readonly FieldError[] {
  const rules = metaRulesOf(pods, names);
  return [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
    ...validateObjectMeta(next.metadata, rules),
    ...validatePodParts(next, names, optionsFor(gates, names, prior)),
  ];
}

/** The rules of every write of an existing pod but a resize, before those of its part. */
function validateWhole(next: Pod, prior: Pod, context: HookContext): readonly FieldError[] {
  const { names } = context;
  return [
    ...validateParts(next, prior, context),
    ...validateAnnotationsKept(next.metadata.annotations, prior.metadata.annotations, names),
  ];
}

const status: Subresource<Pod> = {
  write: (next, prior) => {
    const { deletionTimestamp: _time, ownerReferences: _owners, ...metadata } = next.metadata;
    const { ownerReferences } = prior.metadata;
    return {
      ...prior,
      // Kubelets of old releases corrupt the owners.
      metadata: { ...metadata, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
      status: keptGenerations({ ...next.status, qosClass: next.status.qosClass ?? prior.status.qosClass! }, prior.status),
    };
  },
  leaves: ["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
  update: (next, prior, { names, gates }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(pods, names)),
    ...validateAnnotationsKept(next.metadata.annotations, prior.metadata.annotations, names),
    ...validateStatus(next, prior, gates),
  ],
};

/** Generations that a client leaves out are those of the stored status: conditions of a type in their order. */
function keptGenerations(next: PodStatus, prior: PodStatus): PodStatus {
  const rest = [...prior.conditions ?? []];
  const conditions = next.conditions?.map((condition) => {
    const at = rest.findIndex(({ type }) => type === condition.type), [old] = at < 0 ? [] : rest.splice(at, 1);
    const { observedGeneration = 0 } = condition;
    return Number(observedGeneration) !== 0 || old?.observedGeneration === undefined
      ? condition
      : { ...condition, observedGeneration: old.observedGeneration };
  });
  const { observedGeneration = 0 } = next;
  return {
    ...next,
    ...(conditions === undefined ? {} : { conditions }),
    ...(Number(observedGeneration) === 0 && prior.observedGeneration !== undefined ? { observedGeneration: prior.observedGeneration } : {}),
  };
}

/** Adds ephemeral containers to a pod, and changes nothing else. */
const ephemeralContainers: Subresource<Pod> = {
  hasTable: false,
  write: (next, prior) => {
    const { ephemeralContainers: _old, ...spec } = prior.spec, { ephemeralContainers } = next.spec;
    return counted({
      ...prior,
      metadata: metaOfStatus(next.metadata, prior.metadata),
      spec: ephemeralContainers === undefined ? spec : { ...spec, ephemeralContainers },
    }, prior);
  },
  leaves: [],
  update: (next, prior, context) => {
    const mirror = spell(context.names, podAnnotations.mirror);
    if (Object.hasOwn(prior.metadata.annotations ?? {}, mirror)) {
      return [forbidden("[]", "static pods do not support ephemeral containers")];
    }
    const path = "spec.ephemeralContainers",
      containers = new Map((withoutEmpty(next).spec.ephemeralContainers ?? []).map((each) => [each.name, each]));
    return [
      ...validateWhole(next, prior, context),
      ...(prior.spec.ephemeralContainers ?? []).flatMap((old) => {
        const found = containers.get(old.name), what = `existing ephemeral containers ${goQuote(old.name)} may not be`;
        if (found === undefined) return [forbidden(path, `${what} removed\n`)];
        return sameValue(found, old) ? [] : [forbidden(path, `${what} changed`)];
      }),
    ];
  },
};

/** The pod with the next generation, if its spec has changed. */
function counted(next: Pod, prior: Pod): Pod {
  if (sameValue(withoutEmpty(next).spec, prior.spec)) return next;
  return { ...next, metadata: { ...next.metadata, generation: Number(prior.metadata.generation ?? 0) + 1 } };
}

const resize = resizeOf(validateParts, counted);

/** Seconds for the containers of a deleted pod to end. A pod that is on no node, or that has ended, needs none. */
function graceSeconds({ spec, status: { phase } }: Pod, asked: number | undefined): number {
  if ((spec.nodeName ?? "") === "" || phase === "Failed" || phase === "Succeeded") return 0;
  const seconds = asked ?? Number(spec.terminationGracePeriodSeconds ?? 0);
  return seconds < 0 ? 1 : seconds;
}

export const pods: Resource<Pod> = defineResource({
  kind: "Pod",
  scope: "Namespaced",
  shortNames: ["po"],
  categories: ["all"],
  summary: "Containers that run together on a node.",
  storedAs: "v1",
  storedUnder: "pods",
  served: {
    v1: {
      schema: Pod,
      introduced: "1.0",
      columns,
      rowConditions,
      selectableFields: {
        "spec.nodeName": ({ spec }) => spec.nodeName ?? "",
        "spec.host": ({ spec }) => spec.nodeName ?? "",
        "spec.restartPolicy": ({ spec }) => spec.restartPolicy ?? "",
        "spec.schedulerName": ({ spec }) => spec.schedulerName ?? "",
        "spec.serviceAccountName": ({ spec }) => spec.serviceAccountName ?? "",
        "spec.hostNetwork": ({ spec }) => String(spec.hostNetwork ?? false),
        "status.phase": ({ status }) => status.phase ?? "",
        "status.podIP": ({ status }) => status.podIPs?.[0]?.ip ?? "",
        // As upstream, which accepts this label and has no value for it.
        "status.podIPs": () => "",
        "status.nominatedNodeName": ({ status }) => status.nominatedNodeName ?? "",
      },
      subresources: {
        status,
        ephemeralcontainers: ephemeralContainers,
        binding: { create: binding },
        eviction: { create: eviction },
        resize,
        log: { connect: log },
        exec: { connect: exec },
        attach: { connect: attach },
        portforward: { connect: portForward },
        proxy: { connect: podProxy },
      },
    },
  },
  strategy: { deleteAnswers: "object", coreFinalizers: true, generation: true, graceSeconds, preparesStatus: true },
  prepare(next, prior, context, warnings) {
    if (prior === undefined) return prepareNew(next, context, warnings);
    const spec = withoutStopSignals(next.spec, prior.spec, context.gates);
    return spec === next.spec ? next : { ...next, spec };
  },
  create: validateCreate,
  update: (next, prior, context) => [...validateWhole(next, prior, context), ...validateSpecUpdate(withoutEmpty(next).spec, prior.spec)],
  warn(next, prior, { names, subresource }) {
    if (prior === undefined) {
      const wrong = dns1123Label(next.metadata.name ?? ""),
        text = "this is used in the Pod's hostname, which can result in surprising behavior";
      return [
        ...(wrong.length === 0 ? [] : [`metadata.name: ${text}; a DNS label is recommended: [${wrong.join(" ")}]`]),
        ...warnOfPodTemplate(next, "", names),
      ];
    }
    if (subresource !== "status") return [];
    const { podIPs = [], hostIPs = [] } = next.status;
    return [
      ...podIPs.flatMap(({ ip }, i) => warnOfAddress(ip, `status.podIPs[${i}].ip`)),
      ...hostIPs.flatMap(({ ip }, i) => warnOfAddress(ip, `status.hostIPs[${i}].ip`)),
    ];
  },
});
