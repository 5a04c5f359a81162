/** Objects, a hook context and texts of errors for the tests of the family. */
import { defaulter } from "../../core/derive/apply-defaults.ts";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { noMetric } from "../../core/test-context.ts";
import type { Resource } from "../../plugin.ts";

export function hookContext(gates = true, subresource = ""): HookContext {
  return {
    names: defaultNames,
    caller: { name: "alice", groups: [] },
    gates: () => gates,
    now: "2024-01-02T03:04:05Z",
    subresource,
    requestVersion: "apps/v1",
    minCompatibility: "1.34",
    metric: noMetric,
  };
}

export function texts(errors: readonly FieldError[] | undefined): readonly string[] | undefined {
  return errors?.map(fieldErrorText);
}

export const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i", resources: {} }] } };
const metadata = {
  name: "one",
  namespace: "demo",
  uid: "u",
  resourceVersion: "1",
  generation: 1,
  creationTimestamp: "2024-01-02T03:04:05Z",
};

/** A workload with defaults applied. `any`: the spec is partial, as a client sends it, or wrong. */
export function make(resource: Resource, spec: object = {}, more: object = {}): any {
  const { schema, applyDefaults = (object) => object } = resource.served["apps/v1"]!;
  const object = {
    kind: resource.kind,
    apiVersion: "apps/v1",
    metadata,
    spec: { selector: { matchLabels: { a: "b" } }, template, ...spec },
    ...more,
  };
  return applyDefaults(defaulter(schema)(object as any, () => true) as any, defaultNames);
}

/** The errors of the creation of a workload with this spec. */
export function created(resource: Resource, spec: object): readonly string[] | undefined {
  return texts(resource.create?.(make(resource, spec), hookContext()));
}

/** The errors of an update of a workload with the second spec to one with the first. */
export function updated(resource: Resource, spec: object, prior: object): readonly string[] | undefined {
  return texts(resource.update?.(make(resource, spec), make(resource, prior), hookContext()));
}

/** The errors of a write of the status. */
export function statusErrors(resource: Resource, status: object, prior: object = {}): readonly string[] | undefined {
  const { update } = resource.served["apps/v1"]!.subresources!["status"]!;
  return texts(update?.(make(resource, {}, { status }), make(resource, {}, { status: prior }), hookContext()));
}
