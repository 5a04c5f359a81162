/** Allocations as claims have them in their status. */
import type { Allocation } from "./device-book.ts";
import type { ResourceClaim } from "./pod-claims.ts";
import type { PlacedDevice } from "./pools.ts";
import type { Option } from "./requests.ts";

/** A device that is chosen for a request. */
export interface Chosen {
  readonly option: Option;
  readonly device: PlacedDevice;
}

type Configuration = NonNullable<Allocation["devices"]["config"]>[number];
type NodeSelector = NonNullable<Allocation["nodeSelector"]>;
type Requirement = NonNullable<NodeSelector["nodeSelectorTerms"][number]["matchExpressions"]>[number];

/** Returns the allocation of the chosen devices, with the configurations of their classes and of the claim. */
export function allocationOf(claim: ResourceClaim, chosen: readonly Chosen[]): Allocation {
  const results = chosen.map(({ option: { name, isAdmin, asked }, device: { driver, pool, device } }) => ({
    request: name,
    driver,
    pool,
    device: device.name,
    ...(isAdmin ? { adminAccess: true } : {}),
    ...((asked.tolerations ?? []).length === 0 ? {} : { tolerations: asked.tolerations }),
  }));
  const config = [...ofClasses(chosen), ...ofClaim(claim, chosen)], nodeSelector = selectorOf(chosen);
  return {
    devices: { results, ...(config.length === 0 ? {} : { config }) },
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
  } as Allocation; // its types have all fields, also those that are absent
}

/** The configurations of each class once, with the names of all requests for it. */
function ofClasses(chosen: readonly Chosen[]): readonly Configuration[] {
  const byClass = new Map<Option["deviceClass"], Set<string>>();
  for (const { option: { deviceClass, name } } of chosen) byClass.set(deviceClass, (byClass.get(deviceClass) ?? new Set()).add(name));
  return [...byClass].flatMap(([{ spec: { config = [] } }, names]) =>
    config.map((each) => ({ ...each, source: "FromClass" as const, requests: [...names] }))
  );
}

/** The configurations of the claim that apply to a chosen alternative. */
function ofClaim({ spec }: ResourceClaim, chosen: readonly Chosen[]): readonly Configuration[] {
  const names = new Set(chosen.flatMap(({ option }) => option.names));
  return (spec.devices.config ?? []).filter(({ requests = [] }) => requests.length === 0 || requests.some((name) => names.has(name)))
    .map((each) => ({ ...each, source: "FromClaim" as const }));
}

/** The nodes on which all devices can be used; undefined for all nodes. */
function selectorOf(chosen: readonly Chosen[]): NodeSelector | undefined {
  const matchFields: Requirement[] = [], matchExpressions: Requirement[] = [];
  for (const { device: { place: { nodeName, nodeSelector } } } of chosen) {
    if ((nodeName ?? "") !== "") {
      const requirement = { key: "metadata.name", operator: "In" as const, values: [nodeName!] }; // it is not empty
      return { nodeSelectorTerms: [{ matchFields: [requirement] }] } as NodeSelector; // absent fields
    }
    const term = nodeSelector?.nodeSelectorTerms[0];
    for (const each of term?.matchFields ?? []) addOnce(matchFields, each);
    for (const each of term?.matchExpressions ?? []) addOnce(matchExpressions, each);
  }
  if (matchFields.length + matchExpressions.length === 0) return undefined;
  const term = { ...(matchFields.length === 0 ? {} : { matchFields }), ...(matchExpressions.length === 0 ? {} : { matchExpressions }) };
  return { nodeSelectorTerms: [term] } as NodeSelector; // absent fields
}

function addOnce(all: Requirement[], { key, operator, values = [] }: Requirement): void {
  const isSame = (other: Requirement) =>
    other.key === key && other.operator === operator && [...other.values ?? []].sort().join() === [...values].sort().join();
  if (!all.some(isSame)) all.push({ key, operator, values });
}
