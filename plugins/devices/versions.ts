/** The versions of the kinds. */
import type { ApiObject, GroupVersion } from "../../plugin.ts";
import type { Served } from "../../toolbox.ts";
import type { DeviceVersion } from "./parts-schema.ts";

type Lifetime = Pick<Served, "introduced" | "deprecated" | "removed">;

/** When a version begins and ends. */
const lifetimes = {
  v1: { introduced: "1.34" },
  v1beta2: { introduced: "1.33", deprecated: "1.36", removed: "1.39" },
  v1beta1: { introduced: "1.32", deprecated: "1.35", removed: "1.38" },
} as const satisfies Readonly<Record<DeviceVersion, Lifetime>>;

/** What clients use instead of a version that ends, and a warning without it, as upstream's. */
function endOf(kind: string, version: string, { deprecated, removed }: Lifetime): Partial<Served> {
  if (deprecated === undefined) return {};
  const warning = `${version} ${kind} is deprecated in v${deprecated}+, unavailable in v${removed}+`;
  return { warning, replacement: { groupVersion: "resource.{domain}/v1", kind } };
}

/** Makes the served versions of a kind. The first one is stored. */
export function versions<T extends ApiObject>(
  kind: string,
  make: (version: DeviceVersion) => Omit<Served<T>, "introduced">,
): Readonly<Record<GroupVersion, Served<T>>> {
  const served: Record<GroupVersion, Served<T>> = {};
  for (const version of ["v1", "v1beta2", "v1beta1"] as const) {
    const groupVersion = `resource.{domain}/${version}` as const, life: Lifetime = lifetimes[version];
    served[groupVersion] = { ...make(version), ...life, ...endOf(kind, groupVersion, life) };
  }
  return served;
}
