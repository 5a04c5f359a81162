/** The feature gate of stop signals. */
import type { Gates } from "../../../toolbox.ts";
import type { PodSpec } from "./pod-spec.ts";
import type { Lifecycle } from "./probe.ts";

interface WithLifecycle {
  readonly lifecycle?: Lifecycle;
}
const lists = ["initContainers", "containers", "ephemeralContainers"] as const;

/**
 * Drops the stop signals, unless the gate is enabled or a container of the stored pod has one. A lifecycle without other fields is
 * dropped too; dropping the field only would leave it empty.
 */
export function withoutStopSignals(next: PodSpec, prior: PodSpec | undefined, isOn: Gates): PodSpec {
  const has = (spec: PodSpec) => lists.some((key) => (spec[key] ?? []).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined));
  if (!has(next) || isOn("ContainerStopSignals") || (prior !== undefined && has(prior))) return next;
  const without = <C extends WithLifecycle>(containers: readonly C[] | undefined) => containers?.map(withoutSignal);
  const changed = lists.filter((key) => next[key] !== undefined).map((key) => [key, without<WithLifecycle>(next[key])]);
  return { ...next, ...Object.fromEntries(changed) };
}

function withoutSignal<C extends WithLifecycle>(container: C): C {
  if (container.lifecycle?.stopSignal === undefined) return container;
  const { lifecycle: { stopSignal: _dropped, ...left }, ...rest } = container;
  return (Object.keys(left).length === 0 ? rest : { ...container, lifecycle: left }) as C; // `as`: its lifecycle is optional
}
