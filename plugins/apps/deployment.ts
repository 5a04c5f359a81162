import { ageColumn, type Column, defineResource, nameColumn, type Resource, type Subresource } from "../../plugin.ts";
import { metaRulesOf, sameValue, validateObjectMetaUpdate } from "../../toolbox.ts";
import { selectorText } from "../shared/selector-text.ts";
import { containerColumns, selectorColumn } from "../shared/workloads/columns.ts";
import { workloadScale } from "../shared/workloads/scale.ts";
import { preparedTemplate, validateSelectorKept, warnOfPodNames, warnOfTemplate } from "../shared/workloads/template-rules.ts";
import { validateDeploymentSpec, validateDeploymentStatus } from "./deployment-rules.ts";
import { Deployment } from "./deployment-schema.ts";
import { withRollback } from "./rollback.ts";
import { home } from "./schema.ts";

const columns: readonly Column<Deployment>[] = [
  nameColumn,
  {
    name: "Ready",
    type: "string",
    description: "How many of the wanted pods are ready.",
    cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
  },
  {
    name: "Up-to-date",
    type: "string",
    description: "How many pods are of the present template.",
    cell: ({ status }) => status.updatedReplicas ?? 0,
  },
  {
    name: "Available",
    type: "string",
    description: "How many pods are available.",
    cell: ({ status }) => status.availableReplicas ?? 0,
  },
  ageColumn,
  ...containerColumns<Deployment>(({ spec }) => spec.template.spec),
  selectorColumn<Deployment>(({ spec }) => selectorText(spec.selector) ?? "<invalid>"),
];

/** A change of the annotations counts as one of the spec, because a controller copies them to replica sets. */
function prepare(next: Deployment, prior: Deployment | undefined, gates: (gate: string) => boolean): Deployment {
  const template = preparedTemplate(next.spec.template, prior?.spec.template, gates);
  const prepared = template === next.spec.template ? next : { ...next, spec: { ...next.spec, template } };
  if (prior === undefined || sameValue(next.metadata.annotations ?? {}, prior.metadata.annotations ?? {})) return prepared;
  return { ...prepared, metadata: { ...next.metadata, generation: Number(prior.metadata.generation ?? 0) + 1 } };
}

const status: Subresource<Deployment> = {
  write: (next, prior) => ({ ...next, metadata: withLabelsOf(next.metadata, prior.metadata), spec: prior.spec }),
  leaves: ["spec", "metadata.labels"],
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(deployments, names)),
    ...validateDeploymentStatus(next.status, prior.status),
  ],
};

function withLabelsOf(next: Deployment["metadata"], { labels }: Deployment["metadata"]): Deployment["metadata"] {
  const { labels: _sent, ...rest } = next;
  return labels === undefined ? rest : { ...rest, labels };
}

export const deployments: Resource<Deployment> = defineResource({
  kind: "Deployment",
  scope: "Namespaced",
  shortNames: ["deploy"],
  categories: ["all"],
  summary: "A number of equal pods, and how they are replaced when their template changes.",
  storedAs: home,
  storedUnder: "deployments",
  served: {
    [home]: {
      schema: Deployment,
      introduced: "1.9",
      columns,
      applyDefaults: withRollback,
      subresources: { status, scale: workloadScale<Deployment>(({ spec }) => selectorText(spec.selector) ?? "") },
    },
  },
  strategy: { generation: true, coreFinalizers: true },
  prepare: (next, prior, { gates }) => prepare(next, prior, gates),
  create: (next, context) => validateDeploymentSpec(next, undefined, context),
  update: (next, prior, context) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(deployments, context.names)),
    ...validateDeploymentSpec(next, prior.spec.template, context),
    ...validateSelectorKept(next.spec.selector, prior.spec.selector),
  ],
  warn: (next, prior, context) => [
    ...(prior === undefined ? warnOfPodNames(next.metadata.name) : []),
    ...warnOfTemplate(next, prior, context),
  ],
});
