import { ageColumn, type Column, defineResource, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { metaRulesOf, validateObjectMeta } from "../../toolbox.ts";
import { validateConditions } from "./flow-schema-rules.ts";
import { validateLevel } from "./priority-level-rules.ts";
import { PriorityLevelConfiguration, type QueuingConfiguration } from "./priority-level-schema.ts";
import { groupVersion, metaOfStatusWrite } from "./schema.ts";

function queuingColumn(name: string, key: keyof QueuingConfiguration, description: string): Column<PriorityLevelConfiguration> {
  return { name, type: "string", description, cell: ({ spec }) => spec.limited?.limitResponse.queuing?.[key] ?? "<none>" };
}

const columns: readonly Column<PriorityLevelConfiguration>[] = [
  nameColumn,
  { name: "Type", type: "string", description: "Whether the level has a limit.", cell: ({ spec }) => spec.type },
  {
    name: "NominalConcurrencyShares",
    type: "string",
    description: "The level's share of the server's seats.",
    cell: ({ spec }) => spec.limited?.nominalConcurrencyShares ?? "<none>",
  },
  queuingColumn("Queues", "queues", "The number of queues."),
  queuingColumn("HandSize", "handSize", "The number of queues of which each flow uses the shortest."),
  queuingColumn("QueueLengthLimit", "queueLengthLimit", "The number of requests that may wait in one queue."),
  ageColumn,
];

const status: Subresource<PriorityLevelConfiguration> = {
  write: (next, prior) => ({ ...prior, metadata: metaOfStatusWrite(next.metadata, prior.metadata), status: next.status }),
  update: ({ status }) => validateConditions(status.conditions),
  leaves: ["metadata", "spec"],
};

export const priorityLevels: Resource<PriorityLevelConfiguration> = defineResource({
  kind: "PriorityLevelConfiguration",
  scope: "Cluster",
  summary: "A share of the server's seats, and queues for the requests that wait for one.",
  storedAs: groupVersion,
  storedUnder: "prioritylevelconfigurations",
  served: { [groupVersion]: { schema: PriorityLevelConfiguration, introduced: "1.29", columns, subresources: { status } } },
  strategy: { generation: true, coreFinalizers: true },
  prepare: (next, prior) => ({ ...next, status: prior?.status ?? {} }),
  create: validateLevel,
  update: (
    next,
    _prior,
    context,
  ) => [...validateObjectMeta(next.metadata, metaRulesOf(priorityLevels, context.names)), ...validateLevel(next, context)],
});
