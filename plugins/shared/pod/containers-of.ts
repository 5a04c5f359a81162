import type { Container, EphemeralContainer } from "./container.ts";
import type { PodSpec } from "./pod-spec.ts";

/** The containers of a pod with their paths, in the order in which upstream visits them. */
export function containersWithPaths(
  spec: PodSpec,
  path: string,
): readonly (readonly [container: Container | EphemeralContainer, path: string])[] {
  return (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((key) =>
    // `containers` is always written; an absent list is null.
    (spec[key] ?? []).map((container: Container | EphemeralContainer, i) => [container, `${path}.${key}[${i}]`] as const)
  );
}

export function everyContainer(spec: PodSpec): readonly (Container | EphemeralContainer)[] {
  return containersWithPaths(spec, "").map(([container]) => container);
}
