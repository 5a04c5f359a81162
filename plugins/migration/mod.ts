import { definePlugin } from "../../plugin.ts";
import { migrationController } from "./controller.ts";
import { storageVersionMigrations } from "./storage-version-migration.ts";

export { storageVersionMigrations };

export const migrationPlugin = definePlugin({
  name: "migration",
  summary: "Migration of stored objects to the current storage version: StorageVersionMigration.",
  featureGates: {
    StorageVersionMigrator: [
      { since: "1.30", stage: "Alpha", default: false },
      { since: "1.35", stage: "Beta", default: false },
    ],
  },
  groupPriorities: { "storagemigration.{domain}": 15_800 },
  resources: [storageVersionMigrations],
  controllers: [migrationController],
});
