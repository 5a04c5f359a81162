/** Builders of PodTemplates for tests. */
import { defaulter } from "../../core/derive/apply-defaults.ts";
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { noMetric } from "../../core/test-context.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Typed } from "../../core/schema.ts";
import { podTemplates } from "./pod-template.ts";

export const at: HookContext = {
  names: defaultNames,
  gates: () => true,
  now: "2024-01-02T03:04:05Z",
  subresource: "",
  requestVersion: "v1",
  minCompatibility: "1.34",
  caller: { name: "alice", groups: [] },
  metric: noMetric,
};
export const schema = podTemplates.served["v1"]!.schema as Typed<ApiObject>;
const metadata = { name: "one", namespace: "demo", uid: "u", creationTimestamp: "2024-01-02T03:04:05Z" };
const container = { name: "c", image: "a" };
/** A PodTemplate with defaults applied. `any`: the spec is partial, as a client sends it. */
export const make = (spec: object, meta: object = {}): any =>
  defaulter(schema)({
    kind: "PodTemplate",
    apiVersion: "v1",
    metadata,
    template: { metadata: meta, spec: { containers: [{ resources: {}, ...container }], ...spec } },
  } as any, at.gates);
export const texts = (errors: readonly FieldError[] | undefined) =>
  errors?.map((error) => fieldErrorText(error).replace("template.spec.", ""));
/** The errors of a create with this spec. The prefix `template.spec.` is removed. */
export const errors = (spec: object) => texts(podTemplates.create?.(make(spec), at));
/** A spec with one container. */
export const one = (rest: object) => ({ containers: [{ resources: {}, ...container, ...rest }] });
/** The errors of an update, in the same form. */
export const errorsOf = (spec: object, stored: object, meta: object = {}, storedMeta: object = {}) =>
  texts(podTemplates.update?.(make(spec, meta), make(stored, storedMeta), at));
