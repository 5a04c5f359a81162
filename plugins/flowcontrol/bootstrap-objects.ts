/** The objects that the server makes. The mandatory ones are kept as they are; operators may change the suggested ones. */
import { type Names, spell } from "../../toolbox.ts";
import type { FlowSchemaSpec, NonResourcePolicyRule, ResourcePolicyRule, Subject } from "./flow-schema-schema.ts";
import type { PriorityLevelConfigurationSpec } from "./priority-level-schema.ts";

/** The annotation that says whether the server keeps the spec of a suggested object. */
export const autoUpdate = "apf.{platform}.io/autoupdate-spec";
export const exemptName = "exempt", catchAllName = "catch-all";

/** An object of the table: its name and spec. The server's mark is its only annotation. */
export interface Wanted<Spec> {
  readonly name: string;
  readonly isMandatory: boolean;
  readonly spec: Spec;
}
export type WantedLevel = Wanted<PriorityLevelConfigurationSpec>;
export type WantedSchema = Wanted<FlowSchemaSpec>;

function queued(name: string, nominalConcurrencyShares: number, lendablePercent: number, queues: number, handSize: number): WantedLevel {
  const limitResponse = { type: "Queue", queuing: { queues, handSize, queueLengthLimit: 50 } };
  return { name, isMandatory: false, spec: { type: "Limited", limited: { nominalConcurrencyShares, limitResponse, lendablePercent } } };
}

export const wantedLevels: readonly WantedLevel[] = Object.freeze<WantedLevel[]>([
  queued("system", 30, 33, 64, 6),
  queued("node-high", 40, 25, 64, 6),
  queued("leader-election", 10, 0, 16, 4),
  queued("workload-high", 40, 50, 128, 6),
  queued("workload-low", 100, 90, 128, 6),
  queued("global-default", 20, 50, 128, 6),
  {
    name: catchAllName,
    isMandatory: true,
    spec: { type: "Limited", limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" }, lendablePercent: 0 } },
  },
  { name: exemptName, isMandatory: true, spec: { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } } },
]);

const all = ["*"];
const everyResource: ResourcePolicyRule = { verbs: all, apiGroups: all, resources: all, clusterScope: true, namespaces: all };
const everyPath: NonResourcePolicyRule = { verbs: all, nonResourceURLs: all };
const everything = { resourceRules: [everyResource], nonResourceRules: [everyPath] };

const user = (name: string): Subject => ({ kind: "User", user: { name } });
const group = (name: string): Subject => ({ kind: "Group", group: { name } });
const everybody = [group("system:unauthenticated"), group("system:authenticated")];

/** The method that separates the requests of a schema into flows. Undefined if all of them are one flow. */
type Distinguisher = "ByUser" | "ByNamespace" | undefined;
function schema(
  [name, level, matchingPrecedence]: readonly [string, string, number],
  by: Distinguisher,
  subjects: readonly Subject[],
  rules: { readonly resourceRules?: readonly ResourcePolicyRule[]; readonly nonResourceRules?: readonly NonResourcePolicyRule[] } =
    everything,
): WantedSchema {
  return {
    name,
    isMandatory: name === exemptName || name === catchAllName,
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
      rules: [{ subjects, ...rules }],
    },
  };
}

const systemAccounts: Subject = { kind: "ServiceAccount", serviceAccount: { namespace: "kube-system", name: "*" } };
const nodes = group("system:nodes");

/** The schemas. The group of leases depends on the names. */
export function wantedSchemas(names: Names): readonly WantedSchema[] {
  const leases = { apiGroups: [spell(names, "coordination.{domain}")], resources: ["leases"], namespaces: all };
  return [
    schema(["probes", exemptName, 2], undefined, everybody, {
      nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
    }),
    schema(
      ["system-leader-election", "leader-election", 100],
      "ByUser",
      [user("system:kube-controller-manager"), user("system:kube-scheduler"), systemAccounts],
      { resourceRules: [{ verbs: ["get", "create", "update"], ...leases }] },
    ),
    schema(["system-node-high", "node-high", 400], "ByUser", [nodes], {
      resourceRules: [{ ...everyResource, apiGroups: [""], resources: ["nodes", "nodes/status"] }, { verbs: all, ...leases }],
    }),
    schema(["system-nodes", "system", 500], "ByUser", [nodes]),
    schema(["kube-controller-manager", "workload-high", 800], "ByNamespace", [user("system:kube-controller-manager")]),
    schema(["kube-scheduler", "workload-high", 800], "ByNamespace", [user("system:kube-scheduler")]),
    schema(["kube-system-service-accounts", "workload-high", 900], "ByNamespace", [systemAccounts]),
    schema(["service-accounts", "workload-low", 9000], "ByUser", [group("system:serviceaccounts")]),
    schema(["global-default", "global-default", 9900], "ByUser", everybody),
    ...mandatorySchemas,
  ];
}

export const mandatorySchemas: readonly WantedSchema[] = Object.freeze([
  schema([catchAllName, catchAllName, 10_000], "ByUser", everybody),
  schema([exemptName, exemptName, 1], undefined, [group("system:masters")]),
]);
