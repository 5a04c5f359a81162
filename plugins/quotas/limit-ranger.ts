/** Rejects claims that request less or more storage than the limit ranges of their namespace allow. */
import type { Admission, ApiObject } from "../../plugin.ts";
import { compareQuantities } from "../../toolbox.ts";
import type { PersistentVolumeClaimSpec } from "../shared/volumes/mod.ts";
import { amountIn, type Amounts } from "./amounts.ts";
import type { LimitRange } from "./limit-range-schema.ts";

export const limitRanger: Admission = {
  name: "LimitRanger",
  resources: "all",
  async refuse(next, prior, { resource: { group, plural }, subresource, server }) {
    if (group !== "" || plural !== "persistentvolumeclaims" || subresource !== "") return undefined;
    if ((prior?.metadata.deletionTimestamp ?? null) !== null) return undefined;
    return reasonOf(next, await server.recent("v1", "limitranges", next.metadata.namespace ?? ""));
  },
};

/** Returns the violations of the first limit range that the claim violates. */
function reasonOf(claim: ApiObject, ranges: readonly ApiObject[]): string | undefined {
  // `as`: these are the types of the resources.
  const { spec } = claim as ApiObject & { readonly spec: PersistentVolumeClaimSpec };
  for (const { spec: { limits = [] } } of ranges as readonly LimitRange[]) {
    const requests = spec.resources.requests ?? {};
    const errors = limits.filter(({ type }) => type === "PersistentVolumeClaim")
      .flatMap(({ min, max }) => [...violations("minimum", min, requests), ...violations("maximum", max, requests)]);
    const distinct = [...new Set(errors)];
    if (distinct.length > 0) return distinct.length === 1 ? distinct[0] : `[${distinct.join(", ")}]`;
  }
  return undefined;
}

function violations(bound: "minimum" | "maximum", bounds: Amounts | undefined, requests: Amounts): readonly string[] {
  return Object.entries(bounds ?? {}).sort(([a], [b]) => a < b ? -1 : 1).flatMap(([name, enforced]) => {
    const usage = `${bound} ${name} usage per PersistentVolumeClaim is ${enforced}`, request = amountIn(requests, name);
    if (request === undefined) return [`${usage}.  No request is specified`];
    const order = compareQuantities(request, enforced);
    return (bound === "minimum" ? order < 0 : order > 0) ? [`${usage}, but request is ${request}`] : [];
  });
}
