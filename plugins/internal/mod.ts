import { definePlugin } from "../../plugin.ts";
import { storageVersions } from "./storage-version.ts";

export { storageVersions };

export const internalPlugin = definePlugin({
  name: "internal",
  summary: "Facts of the servers themselves: StorageVersion.",
  groupPriorities: { "internal.apiserver.{domain}": 16_000 },
  resources: [storageVersions],
});
