/**
 * The rules of the API's conventions on versions, deprecation, migration and metrics that are not checks of a definition. Those are
 * `policyRules`.
 */
export const conventions = Object.freeze({
  "groups-and-versions": "The core group is at /api/v1, others are at /apis/{group}/{version}. Each group has its own versions.",
  "runtime-config":
    "--runtime-config takes <key>[=<value>] pairs, without a value true: a version is disabled or enabled, or one resource of it.",
  "try-a-removal": "--runtime-config=<group>/<version>=false shows how clients behave after the removal of a version.",
  "removed-apis":
    "Versions that Kubernetes removed are not served. A setting that names one is rejected with the release and the replacement.",
  "round-trip": "Objects are converted between versions without loss, also by a server of an earlier release.",
  "storage-migration": "Values of an older version are read, and stored in the current version by the next write.",
  "fields-after-rollback": "A stored field that an earlier release does not know as enabled is kept by its updates.",
  "expressions-after-rollback":
    "Stored expressions are evaluated after a rollback. New ones can only use what the oldest compatible release has.",
  "deprecated-behavior": "Deprecated behavior works for at least a year after its announcement.",
  "deprecated-and-stable": "A GA version and deprecated betas are served side by side, with one set of objects.",
  "emulated-release": "/version and metrics show the emulated and the oldest compatible release.",
  "migration-spec": "The spec of a StorageVersionMigration needs a resource, and does not change.",
  "migration-progress": "A migration continues from its token after an interruption.",
  "migration-conditions": "The conditions of a migration say that it runs, has succeeded or has failed.",
  "migration-resource-version": "status.resourceVersion of a migration is set once.",
  "metric-settings":
    "Metrics can be disabled, hidden ones shown for one release, and label values restricted. Metrics count each of these.",
  "gates-in-metrics": "A metric has the stage and the state of each gate.",
});
