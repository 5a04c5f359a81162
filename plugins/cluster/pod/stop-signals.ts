/** Dropping the signals that end containers, with what they leave empty. */
import type { Gates } from "../../../core/plugin.ts";
import type { PodSpec } from "./pod-spec.ts";
import type { Lifecycle } from "./probe.ts";

interface Ended {
  readonly lifecycle?: Lifecycle;
}
const lists = ["initContainers", "containers", "ephemeralContainers"] as const;

/**
 * The pod without the signals, unless the gate is on or any container of the stored pod has one. A lifecycle that had nothing else
 * goes with it (the gate of the field alone would leave it empty).
 */
export function withoutStopSignals(next: PodSpec, prior: PodSpec | undefined, isOn: Gates): PodSpec {
  const has = (spec: PodSpec) => lists.some((key) => (spec[key] ?? []).some(({ lifecycle }) => lifecycle?.stopSignal !== undefined));
  if (!has(next) || isOn("ContainerStopSignals") || (prior !== undefined && has(prior))) return next;
  const without = <C extends Ended>(containers: readonly C[] | undefined) => containers?.map(withoutSignal);
  const changed = lists.filter((key) => next[key] !== undefined).map((key) => [key, without<Ended>(next[key])]);
  return { ...next, ...Object.fromEntries(changed) };
}

function withoutSignal<C extends Ended>(container: C): C {
  if (container.lifecycle?.stopSignal === undefined) return container;
  const { lifecycle: { stopSignal: _dropped, ...left }, ...rest } = container;
  return (Object.keys(left).length === 0 ? rest : { ...container, lifecycle: left }) as C; // its lifecycle is optional
}
