import {
  ageColumn,
  boolean,
  type Column,
  defineResource,
  field,
  type FieldError,
  forbidden,
  type Infer,
  int32,
  invalid,
  nameColumn,
  object,
  oneOf,
  type Resource,
  string,
} from "../../plugin.ts";
import { metaRulesOf, named, validateObjectMetaUpdate } from "../../toolbox.ts";
import { validateRequiredEnum } from "../shared/pod/rules.ts";
import { systemClassError, systemPrefix } from "./system-classes.ts";

const groupVersion = "scheduling.{domain}/v1";

const PriorityClass = object("PriorityClass", {
  value: field(2, int32, "The priority of the pods of the class. Immutable.", { written: "always" }),
  globalDefault: field(3, boolean, "Whether pods without a class get this one. At most one class may set it."),
  description: field(4, string, "What the class is for, for people."),
  preemptionPolicy: field(
    5,
    named("v1.PreemptionPolicy", oneOf("Never", "PreemptLowerPriority")),
    "Whether pods of the class may evict pods of lower priority: PreemptLowerPriority (the default) or Never. Immutable.",
    { pointer: true },
  ),
}, {
  package: "scheduling/v1",
  doc: "The name of a priority of pods and its value. A pod with a higher priority is scheduled first.",
  applyDefaults: (self: { readonly preemptionPolicy?: string }) =>
    self.preemptionPolicy === undefined ? { ...self, preemptionPolicy: "PreemptLowerPriority" } : self,
});
export type PriorityClass = Infer<typeof PriorityClass>;

const columns: readonly Column<PriorityClass>[] = [
  nameColumn,
  { name: "Value", type: "integer", description: "The priority of the pods of the class.", cell: ({ value }) => value },
  {
    name: "Global-Default",
    type: "boolean",
    description: "Whether pods without a class get this one.",
    cell: ({ globalDefault = false }) => globalDefault,
  },
  ageColumn,
  {
    name: "PreemptionPolicy",
    type: "string",
    description: "Whether pods of the class may evict pods of lower priority.",
    cell: ({ preemptionPolicy = "" }) => preemptionPolicy,
  },
];

/** The highest value of a class that is not one of the system's. */
const userValueMax = 1_000_000_000;

function validateClass({ metadata: { name = "" }, value, globalDefault, preemptionPolicy }: PriorityClass): readonly FieldError[] {
  const systemError = name.startsWith(systemPrefix) ? systemClassError(name, value, globalDefault) : undefined;
  return [
    ...(systemError === undefined ? [] : [
      forbidden(
        "metadata.name",
        `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${systemError}`,
      ),
    ]),
    ...(name.startsWith(systemPrefix) || value <= userValueMax
      ? []
      : [forbidden("value", `maximum allowed value of a user defined priority is ${userValueMax}`)]),
    ...(preemptionPolicy === undefined
      ? []
      : validateRequiredEnum(preemptionPolicy, ["PreemptLowerPriority", "Never"], "preemptionPolicy")),
  ];
}

export const priorityClasses: Resource<PriorityClass> = defineResource({
  kind: "PriorityClass",
  scope: "Cluster",
  shortNames: ["pc"],
  summary: "The name of a priority of pods and its value.",
  storedAs: groupVersion,
  storedUnder: "priorityclasses",
  served: { [groupVersion]: { schema: PriorityClass, introduced: "1.14", columns } },
  strategy: { coreFinalizers: true },
  prepare: (next, prior) => prior === undefined ? { ...next, metadata: { ...next.metadata, generation: 1 } } : next,
  create: validateClass,
  update: (next, prior, { names }) => [
    ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(priorityClasses, names)),
    ...(next.value === prior.value ? [] : [forbidden("value", "may not be changed in an update.")]),
    ...(next.preemptionPolicy === prior.preemptionPolicy ? [] : [invalid("preemptionPolicy", next.preemptionPolicy, "field is immutable")]),
  ],
});
