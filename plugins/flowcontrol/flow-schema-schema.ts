/** The schema of FlowSchema. */
import { boolean, field, type Infer, int32, list, mapBy, object, setOf, string, structsOf } from "../../plugin.ts";
import { named } from "../../toolbox.ts";
import { conditionOf, home } from "./schema.ts";

const struct = structsOf(home);

const UserSubject = struct("UserSubject", {
  name: field(1, string, "The name of the user. `*` stands for every user.", { required: true }),
}, { doc: "A user." });
const GroupSubject = struct("GroupSubject", {
  name: field(1, string, "The name of the group. `*` stands for every group.", { required: true }),
}, { doc: "A group of users." });
const ServiceAccountSubject = struct("ServiceAccountSubject", {
  namespace: field(1, string, "The namespace of the account.", { required: true }),
  name: field(2, string, "The name of the account. `*` stands for every account of the namespace.", { required: true }),
}, { doc: "A service account." });

const Subject = struct("Subject", {
  kind: field(1, named("v1.SubjectKind", string), "The kind of the subject: User, Group or ServiceAccount.", { required: true }),
  user: field(2, UserSubject, "The user, if `kind` is User.", { pointer: true }),
  group: field(3, GroupSubject, "The group, if `kind` is Group.", { pointer: true }),
  serviceAccount: field(4, ServiceAccountSubject, "The service account, if `kind` is ServiceAccount.", { pointer: true }),
}, {
  doc: "The user that sends a request, one of its groups, or a service account.",
  union: { discriminator: "kind", members: { group: "Group", serviceAccount: "ServiceAccount", user: "User" } },
});
export type Subject = Infer<typeof Subject>;

const verbs = field(1, setOf(string), "The verbs of the requests. `*` stands for all, and is then the only one.", { required: true });

const ResourcePolicyRule = struct("ResourcePolicyRule", {
  verbs,
  apiGroups: field(2, setOf(string), "The API groups of the requests. `*` stands for all, and is then the only one.", { required: true }),
  resources: field(
    3,
    setOf(string),
    "The resources of the requests, such as `services` or `nodes/status`. `*` stands for all, and is then the only one.",
    { required: true },
  ),
  clusterScope: field(4, boolean, "Whether requests without a namespace match, for resources of the cluster and for all namespaces."),
  namespaces: field(5, setOf(string), "The namespaces of the requests. `*` stands for all, and is then the only one.", {
    written: "always",
  }),
}, { doc: "Selects requests for resources by verb, API group, resource and namespace. Each of them has to match." });
export type ResourcePolicyRule = Infer<typeof ResourcePolicyRule>;

const NonResourcePolicyRule = struct("NonResourcePolicyRule", {
  verbs,
  nonResourceURLs: field(
    6,
    setOf(string),
    "The paths of the requests. `/healthz` also stands for the paths below it, `/healthz/*` for these alone, `*` for all paths.",
    { required: true },
  ),
}, { doc: "Selects requests for paths that are no resources, by verb and path." });
export type NonResourcePolicyRule = Infer<typeof NonResourcePolicyRule>;

const PolicyRulesWithSubjects = struct("PolicyRulesWithSubjects", {
  subjects: field(1, list(Subject), "Who sends the requests. One of them has to match.", { required: true }),
  resourceRules: field(2, list(ResourcePolicyRule), "Rules about requests for resources."),
  nonResourceRules: field(3, list(NonResourcePolicyRule), "Rules about requests for other paths."),
}, { doc: "Selects the requests of some subjects. One of the rules has to match." });
export type PolicyRulesWithSubjects = Infer<typeof PolicyRulesWithSubjects>;

const PriorityLevelConfigurationReference = struct("PriorityLevelConfigurationReference", {
  name: field(1, string, "The name of the priority level.", { required: true }),
}, { doc: "Names a priority level." });

const FlowDistinguisherMethod = struct("FlowDistinguisherMethod", {
  type: field(1, named("v1.FlowDistinguisherMethodType", string), "The method: ByUser or ByNamespace.", { required: true }),
}, { doc: "How the requests of a schema are divided into flows." });

const FlowSchemaSpec = struct("FlowSchemaSpec", {
  priorityLevelConfiguration: field(1, PriorityLevelConfigurationReference, "The priority level of the requests.", { required: true }),
  matchingPrecedence: field(
    2,
    int32,
    "The place of the schema among those that match a request: that with the lowest number is chosen. From 1 to 10000. Default 1000.",
    { written: "always", unpublishedDefault: 1000, zeroIsAbsent: true },
  ),
  distinguisherMethod: field(
    3,
    FlowDistinguisherMethod,
    "How the requests of the schema are separated into flows. Default: they are one flow.",
    {
      pointer: true,
    },
  ),
  rules: field(4, list(PolicyRulesWithSubjects), "The rules. A request matches the schema if it matches one of them."),
}, { doc: "Which requests belong to the schema, and their priority level." });
export type FlowSchemaSpec = Infer<typeof FlowSchemaSpec>;

const FlowSchemaCondition = conditionOf("FlowSchema");

const FlowSchemaStatus = struct("FlowSchemaStatus", {
  conditions: field(1, mapBy(["type"], FlowSchemaCondition), "The condition Dangling, and those of clients.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
}, { doc: "The state of a schema." });

export const FlowSchema = object("FlowSchema", {
  spec: field(2, FlowSchemaSpec, "Which requests belong to the schema, and their priority level.", { written: "always" }),
  status: field(3, FlowSchemaStatus, "The state of the schema.", { written: "always" }),
}, { package: home, doc: "Selects requests, gives them a priority level, and divides them into flows that are treated fairly." });
export type FlowSchema = Infer<typeof FlowSchema>;
