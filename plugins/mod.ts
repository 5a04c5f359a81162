/** Every plugin family, in the order in which they are offered. Naming one here is all it takes. */
import type { Plugin } from "../core/plugin.ts";
import { authenticationPlugin } from "./authentication/mod.ts";
import { clusterPlugin } from "./cluster/mod.ts";
import { configmapsPlugin } from "./configmaps/mod.ts";
import { csiPlugin } from "./csi/mod.ts";
import { migrationPlugin } from "./migration/mod.ts";
import { storagePlugin } from "./storage/mod.ts";

export const plugins: readonly Plugin[] = Object.freeze([
  clusterPlugin,
  configmapsPlugin,
  storagePlugin,
  csiPlugin,
  migrationPlugin,
  authenticationPlugin,
]);
