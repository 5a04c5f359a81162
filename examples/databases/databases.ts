import {
  defineMetric,
  definePlugin,
  defineResource,
  field,
  int32,
  invalid,
  keptFields,
  object,
  scaleSubresource,
  string,
  structsOf,
} from "thole/plugin";
import type { Admission, Controller, HealthCheck, Infer, Subresource } from "thole/plugin";

export const home = "db.example.com/v1", beta = "db.example.com/v1beta1";
const struct = structsOf(home);

const Status = struct("DatabaseStatus", {
  replicas: field(1, int32, "Instances that run."),
  selector: field(2, string, "Label selector of the instances."),
}, { doc: "What is observed." });

const Spec = struct("DatabaseSpec", {
  engine: field(1, string, "Name of the engine.", { required: true }),
  replicas: field(2, int32, "Wanted number of instances.", { default: 1 }),
  restartedAt: field(3, string, "Time of the last restart."),
  tier: field(4, string, "Class of hardware.", { gate: "DatabaseTiers" }),
}, { doc: "What is wanted." });

const Database = object("Database", {
  spec: field(2, Spec, "What is wanted.", { required: true }),
  status: field(3, Status, "What is observed."),
}, { package: home, doc: "A database." });
export type Database = Infer<typeof Database>;

export const BetaDatabase = object("Database", {
  spec: field(
    2,
    structsOf(beta)("DatabaseSpec", {
      type: field(1, string, "Name of the engine.", { required: true }),
      size: field(2, int32, "Wanted number of instances.", { default: 1 }),
    }, { doc: "What is wanted." }),
    "What is wanted.",
    { required: true },
  ),
  status: field(3, Status, "What is observed."),
}, { package: beta, doc: "A database." });
export type BetaDatabase = Infer<typeof BetaDatabase>;

const kept = keptFields("db.example.com/v1-spec", Spec, ["restartedAt", "tier"]);

const toStored = ({ spec: { type, size }, metadata: shown, ...rest }: BetaDatabase): Database => {
  const { fields, metadata } = kept.take(shown);
  return { ...rest, metadata, spec: { engine: type, ...(size === undefined ? {} : { replicas: size }), ...fields } };
};
const fromStored = ({ spec: { engine, replicas, ...newer }, metadata, ...rest }: Database): BetaDatabase => ({
  ...rest,
  metadata: kept.show(metadata, newer),
  spec: { type: engine, ...(replicas === undefined ? {} : { size: replicas }) },
});

const scale = (servedReplicasPath: string): Subresource<Database> =>
  scaleSubresource({
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
    servedReplicasPath,
  });

const restart: Subresource<Database> = {
  create: { write: (_request, prior, { now }) => ({ ...prior, spec: { ...prior.spec, restartedAt: now } }) },
};

export const databases = defineResource({
  kind: "Database",
  scope: "Namespaced",
  summary: "A database.",
  storedAs: home,
  storedUnder: "db.example.com/databases",
  strategy: { generation: true },
  served: {
    [home]: {
      schema: Database,
      introduced: "1.0",
      selectableFields: { "spec.engine": ({ spec }) => spec.engine },
      subresources: { scale: scale(".spec.replicas"), restart },
    },
    [beta]: { schema: BetaDatabase, introduced: "1.33", toStored, fromStored, subresources: { scale: scale(".spec.size") } },
  },
  create: ({ spec }) => spec.engine === "" ? [invalid("spec.engine", spec.engine, "must be the name of an engine")] : [],
});

const Estimate = object("Estimate", {
  spec: field(2, struct("EstimateSpec", { replicas: field(1, int32, "Number of instances.") }, { doc: "The question." }), "The question."),
  status: field(3, struct("EstimateStatus", { memoryMiB: field(1, int32, "Memory in MiB.") }, { doc: "The answer." }), "The answer."),
}, { package: home, doc: "Estimates what a database needs." });
type Estimate = Infer<typeof Estimate>;

const estimates = defineResource({
  kind: "Estimate",
  scope: "Cluster",
  summary: "Estimates what a database needs.",
  storedAs: home,
  served: { [home]: { schema: Estimate, introduced: "1.0" } },
  handleCreate: (request) => ({ ...request, status: { memoryMiB: 512 * (request.spec?.replicas ?? 1) } }),
});

const quota: Admission<Database> = {
  name: "DatabaseQuota",
  resources: [databases],
  refuse: ({ spec }) => (spec.replicas ?? 1) > 5 ? "at most 5 instances are allowed" : undefined,
};

const drivers: HealthCheck = { name: "database-drivers", check: () => Promise.resolve() };

const scalings = defineMetric({
  name: "example_database_scalings_total",
  type: "counter",
  help: "Changes of the number of running instances, by engine.",
  labels: ["engine"],
  stability: "ALPHA",
});

/** Reports as many running instances as are wanted. */
const runner: Controller = {
  name: "database-runner",
  needs: [{ resource: "databases", groupVersions: [home] }],
  async run({ api, metric }, signal) {
    const client = api.of(databases);
    for await (const { type, object } of client.watch("", {}, signal)) {
      if (type === "DELETED" || object.spec.replicas === object.status?.replicas) continue;
      const { metadata: { name = "", namespace = "" }, spec: { engine, replicas = 1 } } = object;
      await client.patch(namespace, name, { merge: { status: { replicas } } }, { subresource: "status" });
      metric(scalings).with({ engine }).add();
    }
  },
};

export const databasesPlugin = definePlugin({
  name: "databases",
  summary: "Databases.",
  featureGates: { DatabaseTiers: [{ since: "1.0", stage: "Alpha", default: false }] },
  resources: [databases, estimates],
  admission: [quota],
  healthChecks: [drivers],
  controllers: [runner],
  metrics: [scalings],
});
