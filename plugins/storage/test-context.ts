/** Hook contexts for the tests of the family. */
import { type FieldError, fieldErrorText } from "../../core/field-error.ts";
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { noMetric } from "../../core/test-context.ts";

/** Makes a hook context in which all gates but those in `gates` have their defaults. */
export function hookContext(
  { gates = {}, subresource = "" }: { readonly gates?: Readonly<Record<string, boolean>>; readonly subresource?: string } = {},
): HookContext {
  const defaults: Readonly<Record<string, boolean>> = {
    VolumeAttributesClass: true,
    CrossNamespaceVolumeDataSource: false,
    MutablePVNodeAffinity: false,
  };
  const isOn = (gate: string) => {
    const on = gates[gate] ?? defaults[gate];
    if (on === undefined) throw new Error(`feature gate "${gate}" is not declared`);
    return on;
  };
  return {
    names: defaultNames,
    gates: isOn,
    now: "2024-01-02T03:04:05Z",
    subresource,
    requestVersion: "v1",
    minCompatibility: "1.34",
    caller: { name: "alice", groups: [] },
    metric: noMetric,
  };
}

export function texts(errors: readonly FieldError[] | undefined): readonly string[] | undefined {
  return errors?.map(fieldErrorText);
}
