/** Deployments, daemon sets, stateful sets and replica sets, from `extensions` and the beta versions of `apps` to `apps/v1`. */
import { isObject } from "../../../core/json.ts";
import type { Fields } from "../fields.ts";
import type { Rule, Step } from "./rule.ts";

/** Stands for "no limit", the default of `extensions/v1beta1`. */
const int32Max = 2_147_483_647;

/** The versions that filled an absent selector, and absent labels, with the labels of the template. `apps/v1beta2` does not. */
const fillsSelector = ({ from }: Step) => from !== "apps/v1beta2";

/** Writes the selector, which `apps/v1` requires and does not fill. */
function withSelector(object: Fields, step: Step): Fields | undefined {
  const spec = object.fields("spec");
  if (spec === undefined) return undefined;
  const labels = spec.fields("template")?.fields("metadata")?.valueOf("labels");
  const hasLabels = isObject(labels) && Object.keys(labels).length > 0;
  const selector = spec.fields("selector");
  if (selector === undefined) {
    if (fillsSelector(step) && hasLabels) {
      spec.set("selector", { matchLabels: labels }, { before: "template" });
      spec.note("selector", `written from the labels of the template, as ${step.from} filled it`);
    } else spec.choice("selector", "required: the labels of the pods that belong to this object");
  } else if (selector.names().every((name) => isEmpty(selector, name))) {
    spec.choice("selector", "an empty selector is not allowed: name the labels of the pods that belong to this object");
  }
  if (fillsSelector(step) && hasLabels) {
    const metadata = object.fieldsOrNew("metadata");
    if (!metadata.has("labels")) {
      metadata.set("labels", labels);
      metadata.note("labels", `written from the labels of the template, as ${step.from} filled them`);
    }
  }
  return spec;
}

/** Whether a member of a selector is null, or an empty mapping or list. */
function isEmpty(selector: Fields, name: string): boolean {
  const value = selector.has(name) ? selector.valueOf(name) : null;
  return value === null || typeof value === "object" && Object.keys(value).length === 0;
}

/** Writes the default of the old version, where the new one has another. */
function keepDefault(fields: Fields, name: string, value: string | number, { from }: Step): void {
  if (fields.has(name)) return;
  fields.set(name, value);
  fields.note(name, `${value} written, the default of ${from}`);
}

export const deployment: Rule = (object, step) => {
  const spec = withSelector(object, step);
  if (spec === undefined) return;
  spec.removeNulls("rollbackTo");
  if (spec.has("rollbackTo")) {
    spec.choice("rollbackTo", "removed: apps/v1 rolls back by `kubectl rollout undo --to-revision=N`; remove the field when that is done");
    spec.remove("rollbackTo");
  }
  if (step.from === "apps/v1beta1") keepDefault(spec, "revisionHistoryLimit", 2, step);
  if (step.from !== "extensions/v1beta1") return;
  const strategy = spec.fieldsOrNew("strategy", { before: "template" });
  if ((strategy.text("type") ?? "RollingUpdate") === "RollingUpdate") {
    const rolling = strategy.fieldsOrNew("rollingUpdate");
    for (const name of ["maxSurge", "maxUnavailable"]) keepDefault(rolling, name, 1, step);
  }
  for (const name of ["progressDeadlineSeconds", "revisionHistoryLimit"]) keepDefault(spec, name, int32Max, step);
};

export const daemonSet: Rule = (object, step) => {
  const spec = withSelector(object, step);
  if (spec === undefined) return;
  spec.removeNulls("templateGeneration");
  if (spec.has("templateGeneration")) {
    spec.note("templateGeneration", "removed: the server counts revisions of the template itself");
    spec.remove("templateGeneration");
  }
  if (step.from === "extensions/v1beta1") keepOnDelete(spec, step);
};

export const statefulSet: Rule = (object, step) => {
  const spec = withSelector(object, step);
  if (spec !== undefined && step.from === "apps/v1beta1") keepOnDelete(spec, step);
};

export const replicaSet: Rule = (object, step) => {
  withSelector(object, step);
};

function keepOnDelete(spec: Fields, step: Step): void {
  keepDefault(spec.fieldsOrNew("updateStrategy", { before: "template" }), "type", "OnDelete", step);
}
