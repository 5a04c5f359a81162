import { defineResource, type FieldError, type HookContext, type Resource, type Subresource } from "../../plugin.ts";
import { type Gates, metaRulesOf, validateObjectMetaUpdate } from "../../toolbox.ts";
import { columns } from "./columns.ts";
import { fromStored, toStored } from "./conversion.ts";
import { gates as gateNames } from "./gates.ts";
import { type SpecOptions, validateSpec, validateStatus, versionError } from "./rules.ts";
import { HorizontalPodAutoscaler, type HPAScalingRules } from "./schema.ts";
import { HorizontalPodAutoscalerV1 } from "./version-1.ts";

/** An update accepts references that the stored object has already. */
function optionsOf({ spec: next }: HorizontalPodAutoscaler, prior: HorizontalPodAutoscaler | undefined, context: HookContext): SpecOptions {
  const { scaleTargetRef: target } = next, old = prior?.spec.scaleTargetRef;
  const isSame = old !== undefined && old.kind === target.kind && (old.apiVersion ?? "") === (target.apiVersion ?? "");
  const hasWrong = (prior?.spec.metrics ?? []).some(({ type, object }) =>
    type === "Object" && object !== undefined && versionError(object.describedObject.apiVersion ?? "", "optional group") !== undefined
  );
  return {
    names: context.names,
    minReplicas: context.gates(gateNames.zero) || prior?.spec.minReplicas === 0 ? 0 : 1,
    // A ReplicationController is the only kind of the core group with replicas.
    target: isSame ? "any" : target.kind === "ReplicationController" ? "optional group" : "group",
    described: hasWrong ? "any" : "optional group",
  };
}

function hasTolerance({ spec: { behavior } }: HorizontalPodAutoscaler): boolean {
  return behavior?.scaleUp?.tolerance !== undefined || behavior?.scaleDown?.tolerance !== undefined;
}

/** Drops tolerances, unless the stored object has one. */
function withoutTolerance(
  next: HorizontalPodAutoscaler,
  prior: HorizontalPodAutoscaler | undefined,
  gates: Gates,
): HorizontalPodAutoscaler {
  const { behavior } = next.spec;
  if (behavior === undefined || gates(gateNames.tolerance) || !hasTolerance(next) || (prior !== undefined && hasTolerance(prior))) {
    return next;
  }
  const without = ({ tolerance: _dropped, ...rules }: HPAScalingRules): HPAScalingRules => rules;
  const { scaleUp, scaleDown } = behavior;
  return {
    ...next,
    spec: {
      ...next.spec,
      behavior: {
        ...(scaleUp === undefined ? {} : { scaleUp: without(scaleUp) }),
        ...(scaleDown === undefined ? {} : { scaleDown: without(scaleDown) }),
      },
    },
  };
}

function validateUpdate(next: HorizontalPodAutoscaler, prior: HorizontalPodAutoscaler, context: HookContext): readonly FieldError[] {
  return [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(autoscalers, context.names)),
    ...validateSpec(next.spec, optionsOf(next, prior, context)),
  ];
}

const status: Subresource<HorizontalPodAutoscaler> = {
  write: (next, prior) => ({ ...next, spec: prior.spec }),
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(autoscalers, names)),
    ...validateStatus(next.status),
  ],
  leaves: ["spec"],
};

export const autoscalers: Resource<HorizontalPodAutoscaler> = defineResource<HorizontalPodAutoscaler>({
  kind: "HorizontalPodAutoscaler",
  scope: "Namespaced",
  shortNames: ["hpa"],
  categories: ["all"],
  summary: "Changes the replicas of an object by metrics.",
  storedAs: "autoscaling/v2",
  storedUnder: "horizontalpodautoscalers",
  served: {
    "autoscaling/v2": {
      schema: HorizontalPodAutoscaler,
      introduced: "1.23",
      columns,
      subresources: { status },
    },
    "autoscaling/v1": {
      schema: HorizontalPodAutoscalerV1,
      introduced: "1.2",
      columns: columns.map(({ cell, ...column }) => ({ ...column, cell: (object: any) => cell(toStored(object)) })),
      subresources: { status },
      toStored,
      fromStored,
    },
  },
  strategy: { coreFinalizers: true },
  prepare: (next, prior, { gates }) => withoutTolerance(next, prior, gates),
  create: (next, context) => validateSpec(next.spec, optionsOf(next, undefined, context)),
  update: validateUpdate,
});
