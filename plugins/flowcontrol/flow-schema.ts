import { ageColumn, type Column, defineResource, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { metaRulesOf, validateObjectMeta } from "../../toolbox.ts";
import { validateConditions, validateFlowSchema } from "./flow-schema-rules.ts";
import { FlowSchema } from "./flow-schema-schema.ts";
import { groupVersion, metaOfStatusWrite } from "./schema.ts";

export const dangling = "Dangling";

const columns: readonly Column<FlowSchema>[] = [
  nameColumn,
  {
    name: "PriorityLevel",
    type: "string",
    description: "The priority level of the requests.",
    cell: ({ spec }) => spec.priorityLevelConfiguration.name,
  },
  {
    name: "MatchingPrecedence",
    type: "string",
    description: "The place of the schema among those that match a request.",
    cell: ({ spec }) => spec.matchingPrecedence,
  },
  {
    name: "DistinguisherMethod",
    type: "string",
    description: "How requests are separated into flows.",
    cell: ({ spec }) => spec.distinguisherMethod?.type ?? "<none>",
  },
  ageColumn,
  {
    name: "MissingPL",
    type: "string",
    description: "Whether the priority level does not exist.",
    cell: ({ status: { conditions = [] } }) => conditions.find(({ type }) => type === dangling)?.status ?? "?",
  },
];

const status: Subresource<FlowSchema> = {
  write: (next, prior) => ({ ...prior, metadata: metaOfStatusWrite(next.metadata, prior.metadata), status: next.status }),
  update: ({ status }) => validateConditions(status.conditions),
  leaves: ["metadata", "spec"],
};

export const flowSchemas: Resource<FlowSchema> = defineResource({
  kind: "FlowSchema",
  scope: "Cluster",
  summary: "Selects requests, gives them a priority level, and divides them into flows.",
  storedAs: groupVersion,
  storedUnder: "flowschemas",
  served: { [groupVersion]: { schema: FlowSchema, introduced: "1.29", columns, subresources: { status } } },
  strategy: { generation: true, coreFinalizers: true },
  prepare: (next, prior) => ({ ...next, status: prior?.status ?? {} }),
  create: validateFlowSchema,
  update: (next, _prior, { names }) => [...validateObjectMeta(next.metadata, metaRulesOf(flowSchemas, names)), ...validateFlowSchema(next)],
});
