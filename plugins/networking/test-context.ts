/** A hook context and texts of errors for the tests of the family. */
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { noMetric } from "../../core/test-context.ts";

export function hookContext(subresource = ""): HookContext {
  return {
    names: defaultNames,
    gates: () => false,
    now: "2024-01-02T03:04:05Z",
    subresource,
    requestVersion: "networking.k8s.io/v1",
    minCompatibility: "1.34",
    caller: { name: "alice", groups: [] },
    metric: noMetric,
  };
}

export function texts(errors: readonly FieldError[] | undefined): readonly string[] | undefined {
  return errors?.map(fieldErrorText);
}

export const metadata = { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "2024-01-02T03:04:05Z" };
