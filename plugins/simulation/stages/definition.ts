/** The schema of Stages (`kwok.x-k8s.io/v1alpha1`), as kwok 0.8 has it: its files are accepted unchanged. */
import type { StructuralSchema } from "../../../core/structural-schema.ts";

type Properties = Readonly<Record<string, StructuralSchema>>;

const text = (description: string): StructuralSchema => ({ type: "string", description });
const flag = (description: string): StructuralSchema => ({ type: "boolean", description });
const struct = (description: string, properties: Properties, required: readonly string[] = []): StructuralSchema => ({
  type: "object",
  description,
  properties,
  ...(required.length === 0 ? {} : { required }),
});
const listOf = (description: string, items: StructuralSchema): StructuralSchema => ({ type: "array", description, items });
const milliseconds = (description: string): StructuralSchema => ({ type: "integer", format: "int64", minimum: 0, description });

/** An expression whose first value is used. */
const expressionFrom = (description: string): StructuralSchema =>
  struct(description, {
    cel: struct("An expression in CEL over `self`.", { expression: text("The expression.") }),
    expressionFrom: text("An expression of jq. Deprecated: use jq."),
    jq: struct("An expression of jq.", { expression: text("The expression.") }),
  });

const requirement: Properties = {
  key: text("An expression of jq, whose values are compared."),
  operator: text("In, NotIn, Exists or DoesNotExist."),
  values: listOf("The values of In and NotIn.", { type: "string" }),
};
const impersonation = struct("The user as whom the write is done.", { username: text("The name of the user.") }, ["username"]);
const event = struct("An event about the object.", {
  message: text("A sentence for people."),
  reason: text("The reason, in upper camel case."),
  type: text("Normal or Warning."),
});
const finalizerList = (description: string) => listOf(description, struct("A finalizer.", { value: text("Its name.") }));
const finalizers = struct("A change of the finalizers.", {
  add: finalizerList("Finalizers to add."),
  empty: flag("Whether all finalizers are removed."),
  remove: finalizerList("Finalizers to remove."),
});
const patch = struct("A patch of the object.", {
  impersonation,
  root: text("The field that the template describes, such as `status`. Default: the whole object."),
  subresource: text("The subresource to write, such as `status`. Default: the object itself."),
  template: text("A template in the language of Go's text/template, whose output is YAML."),
  type: { type: "string", enum: ["json", "merge", "strategic"], description: "How the patch is merged. Default: by the kind." },
});
const deletion = flag("Whether the object is deleted.");

const next = struct("What the stage does. Deprecated: use steps.", {
  delete: deletion,
  event,
  finalizers,
  patches: listOf("Patches of the object, in order.", patch),
  statusPatchAs: impersonation,
  statusSubresource: { ...text("The subresource that statusTemplate writes."), default: "status" },
  statusTemplate: text("A template of the status. Deprecated: use patches."),
});

const step = struct("One step; it has one member.", {
  apply: struct("An object that is applied.", {
    impersonation,
    subresource: text("The subresource to write. The object must exist then."),
    template: text("A template of the whole object."),
    type: { type: "string", enum: ["apply", "merge", "strategic"], description: "How it is merged. Default: server-side apply." },
  }),
  delete: deletion,
  event,
  finalizers,
  patch,
});

const spec = struct("Which objects the stage is for, when, and what it does.", {
  delay: struct("How long the stage waits.", {
    durationFrom: expressionFrom("The duration, or the time at which it ends."),
    durationMilliseconds: milliseconds("The duration."),
    jitterDurationFrom: expressionFrom("The longest duration, or the latest time."),
    jitterDurationMilliseconds: milliseconds("The longest duration: a random one between both is taken."),
  }),
  immediateNextStage: flag("Whether the next stage is looked for in the result, before any watch delivers it."),
  next,
  resourceRef: struct("The kind of the objects.", {
    apiGroup: { ...text("The group version, such as `apps/v1`."), default: "v1" },
    kind: text("The kind, such as `Pod`."),
  }, ["kind"]),
  selector: struct("The objects that the stage is for: all requirements hold. Without a selector it is for none.", {
    matchAnnotations: { type: "object", description: "Annotations with their values.", additionalProperties: { type: "string" } },
    matchExpressions: listOf(
      "Requirements.",
      struct("A requirement in CEL or jq.", {
        cel: struct("An expression in CEL over `self`, which is true.", { expression: text("The expression.") }),
        jq: struct("Values of an expression of jq.", requirement),
        ...requirement,
      }),
    ),
    matchLabels: { type: "object", description: "Labels with their values.", additionalProperties: { type: "string" } },
  }),
  steps: listOf("What the stage does, in order.", step),
  weight: { type: "integer", minimum: 0, default: 0, description: "Of several stages that match, one is taken at random by weight." },
  weightFrom: expressionFrom("The weight."),
}, ["resourceRef"]);

const condition = struct("A condition.", {
  lastTransitionTime: { ...text("When the status of the condition changed."), format: "date-time" },
  message: { ...text("A sentence for people."), maxLength: 32_768 },
  reason: { ...text("The reason, in upper camel case."), minLength: 1, maxLength: 1_024 },
  status: text("True, False or Unknown."),
  type: { ...text("The type, in upper camel case."), maxLength: 316 },
}, ["lastTransitionTime", "message", "reason", "status", "type"]);

/** The definition of Stages, as that of a custom resource. */
export const stageDefinition = {
  group: "kwok.x-k8s.io",
  names: { kind: "Stage", plural: "stages" },
  scope: "Cluster",
  versions: [{
    name: "v1alpha1",
    served: true,
    storage: true,
    subresources: { status: {} },
    additionalPrinterColumns: [
      { name: "Kind", type: "string", description: "The kind of the objects.", jsonPath: ".spec.resourceRef.kind" },
      { name: "Weight", type: "integer", description: "The weight of the stage.", jsonPath: ".spec.weight" },
      { name: "Delay", type: "integer", description: "The delay, in milliseconds.", jsonPath: ".spec.delay.durationMilliseconds" },
      { name: "Age", type: "date", description: "The time since its creation.", jsonPath: ".metadata.creationTimestamp" },
    ],
    schema: {
      openAPIV3Schema: {
        ...struct("A stage of the life of an object: the simulation does it for each object that the selector selects.", {
          apiVersion: { type: "string" },
          kind: { type: "string" },
          metadata: { type: "object" },
          spec,
          status: struct("The state of the stage.", {
            conditions: {
              ...listOf("Conditions of the stage.", condition),
              "x-kubernetes-list-type": "map",
              "x-kubernetes-list-map-keys": ["type"],
            },
          }),
        }, ["spec"]),
      },
    },
  }],
} as const;
