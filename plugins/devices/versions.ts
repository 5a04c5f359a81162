/** The versions of the kinds. */
import type { ApiObject, GroupVersion } from "../../plugin.ts";
import type { Served } from "../../toolbox.ts";
import type { DeviceVersion } from "./parts-schema.ts";

/** When a version begins and ends. Upstream's warnings name no replacement. */
const lifetimes = {
  v1: { introduced: "1.34" },
  v1beta2: { introduced: "1.33", deprecated: "1.36", removed: "1.39" },
  v1beta1: { introduced: "1.32", deprecated: "1.35", removed: "1.38" },
} as const satisfies Readonly<Record<DeviceVersion, Partial<Served>>>;

/** Makes the served versions of a kind. The first one is stored. */
export function versions<T extends ApiObject>(
  kind: string,
  make: (version: DeviceVersion) => Omit<Served<T>, "introduced">,
): Readonly<Record<GroupVersion, Served<T>>> {
  const served: Record<GroupVersion, Served<T>> = {};
  for (const version of ["v1", "v1beta2", "v1beta1"] as const) {
    const replacement = version === "v1" ? {} : { replacement: { groupVersion: "resource.{domain}/v1", kind } as const };
    served[`resource.{domain}/${version}`] = { ...make(version), ...lifetimes[version], ...replacement };
  }
  return served;
}
