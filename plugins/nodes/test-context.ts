/** A hook context for the tests of the family. */
import { defaultNames } from "../../core/names.ts";
import type { HookContext } from "../../core/hook-context.ts";
import { noMetric } from "../../core/test-context.ts";

/** Makes a hook context in which only the gates of `on` are on. */
export function hookContext(
  { subresource = "", on = [] }: { readonly subresource?: string; readonly on?: readonly string[] } = {},
): HookContext {
  return {
    names: defaultNames,
    gates: (gate) => on.includes(gate),
    now: "2024-01-02T03:04:05Z",
    subresource,
    requestVersion: "v1",
    minCompatibility: "1.34",
    caller: { name: "alice", groups: [] },
    metric: noMetric,
  };
}
