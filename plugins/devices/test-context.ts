/** A hook context for the tests of the family. */
import { fieldErrorText } from "../../core/field-error.ts";
import type { FieldError } from "../../core/field-error.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { defaultNames } from "../../core/names.ts";
import { noMetric } from "../../core/test-context.ts";

/** `on`: the gates that are on. */
export function hookContext(on: readonly string[] = []): HookContext {
  return {
    names: defaultNames,
    gates: (gate) => on.includes(gate),
    now: "2024-01-02T03:04:05Z",
    subresource: "",
    requestVersion: "resource.k8s.io/v1",
    minCompatibility: "1.34",
    metric: noMetric,
    caller: { name: "alice", groups: [] },
  };
}

export function texts(errors: readonly FieldError[] | undefined): readonly string[] | undefined {
  return errors?.map(fieldErrorText);
}

export const metadata = { name: "a", namespace: "n", uid: "u", resourceVersion: "1", creationTimestamp: "2024-01-02T03:04:05Z" };
