import { definePlugin } from "../../plugin.ts";
import { storageVersions } from "./storage-version.ts";
import { storageVersionGate, storageVersionHook } from "./write-versions.ts";

export { storageVersions };

export const internalPlugin = definePlugin({
  name: "internal",
  summary: "Facts of the servers themselves: StorageVersion.",
  groupPriorities: { "internal.apiserver.{domain}": 16_000 },
  featureGates: { [storageVersionGate]: [{ since: "1.20", stage: "Alpha", default: false }] },
  gateDependencies: { [storageVersionGate]: ["APIServerIdentity"] },
  resources: [storageVersions],
  startHooks: [storageVersionHook],
});
