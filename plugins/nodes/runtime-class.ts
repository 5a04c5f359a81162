import {
  ageColumn,
  type Column,
  defineResource,
  duplicate,
  field,
  type FieldError,
  type HookContext,
  type Infer,
  invalid,
  list,
  nameColumn,
  object,
  quantity,
  record,
  required,
  type Resource,
  string,
  structsOf,
} from "../../plugin.ts";
import { atomicRecord, metaRulesOf, validateLabels, validateObjectMeta, validateObjectMetaUpdate, valueText } from "../../toolbox.ts";
import { deprecatedNodeLabel } from "../shared/node-labels.ts";
import { Toleration } from "../shared/pod/affinity.ts";
import { label } from "../shared/pod/rules.ts";
import { validateResources } from "../shared/pod/validate-resources.ts";
import { validateTolerations } from "../shared/pod/validate-scheduling.ts";
import { optionsForCreate } from "../shared/pod/validation-options.ts";

const home = "node/v1";
const groupVersion = "node.{domain}/v1";
const struct = structsOf(home);

const Overhead = struct("Overhead", {
  podFixed: field(1, record(quantity), "The resources that each pod of the class needs in addition to its containers."),
}, { doc: "What running a pod costs in addition to its containers." });

const Scheduling = struct("Scheduling", {
  nodeSelector: field(1, atomicRecord(string), "The labels of the nodes that support the class. Pods of the class get them."),
  tolerations: field(2, list(Toleration), "The tolerations that pods of the class get."),
}, { doc: "The nodes that support a class." });

const RuntimeClass = object("RuntimeClass", {
  handler: field(2, string, "The name of the configuration of the container runtime, as the nodes know it. Immutable.", { required: true }),
  overhead: field(3, Overhead, "What running a pod of the class costs in addition to its containers.", { pointer: true }),
  scheduling: field(4, Scheduling, "The nodes that support the class. Absent: all nodes.", { pointer: true }),
}, { package: home, doc: "A class of container runtimes, which pods name. The kubelet of the node runs the containers with its handler." });
export type RuntimeClass = Infer<typeof RuntimeClass>;

const columns: readonly Column<RuntimeClass>[] = [
  nameColumn,
  {
    name: "Handler",
    type: "string",
    description: "The name of the configuration of the container runtime.",
    cell: ({ handler }) => handler,
  },
  ageColumn,
];

function validateClass({ handler, overhead, scheduling }: RuntimeClass, { names, gates }: HookContext): readonly FieldError[] {
  const context = { names, options: optionsForCreate(gates) };
  return [
    ...(handler === "" ? [required("handler", "")] : label(handler, "handler")),
    ...(overhead === undefined ? [] : validateResources({ limits: overhead.podFixed ?? {} }, new Set(), context, "overhead")),
    ...(scheduling === undefined ? [] : [
      ...validateLabels(scheduling.nodeSelector, "scheduling.nodeSelector"),
      ...validateTolerations(scheduling.tolerations ?? [], "scheduling.tolerations"),
      ...repeated(scheduling.tolerations ?? [], "scheduling.tolerations"),
    ]),
  ];
}

/** Tolerations that differ from an earlier one by their seconds only. */
function repeated(tolerations: readonly Toleration[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return tolerations.flatMap((each, i) => {
    const { key = "", operator = "", value = "", effect = "" } = each, id = valueText([key, operator, value, effect]);
    if (seen.has(id)) {
      // The value has the names and the order of upstream's internal type.
      const shown = { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: each.tolerationSeconds ?? null };
      return [duplicate(`${path}[${i}]`, shown)];
    }
    seen.add(id);
    return [];
  });
}

export const runtimeClasses: Resource<RuntimeClass> = defineResource({
  kind: "RuntimeClass",
  scope: "Cluster",
  summary: "A class of container runtimes, which pods name.",
  storedAs: groupVersion,
  storedUnder: "runtimeclasses",
  served: { [groupVersion]: { schema: RuntimeClass, introduced: "1.20", columns } },
  strategy: { unconditionalUpdate: false, createOnUpdate: true },
  create: validateClass,
  update(next, prior, context) {
    const rules = metaRulesOf(runtimeClasses, context.names);
    return [
      ...validateObjectMeta(next.metadata, rules),
      ...validateClass(next, context),
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...(next.handler === prior.handler ? [] : [invalid("handler", next.handler, "field is immutable")]),
    ];
  },
  warn: ({ scheduling: { nodeSelector = {} } = {} }, _prior, { names }) =>
    Object.keys(nodeSelector).flatMap((key) => {
      const why = deprecatedNodeLabel(key, names);
      return why === undefined ? [] : [`scheduling.nodeSelector: ${why}`];
    }),
});
