/** Gates that several families declare. */
import type { Plugin } from "../../plugin.ts";

/** Extended resources that are backed by claims (KEP-5004): fields of pods and of device classes. */
export const extendedResourceGate: NonNullable<Plugin["featureGates"]> = Object.freeze({
  DRAExtendedResource: [{ since: "1.34", stage: "Alpha", default: false }],
});
