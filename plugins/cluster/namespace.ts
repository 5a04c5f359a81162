import {
  ageColumn,
  type Column,
  defineResource,
  field,
  type FieldError,
  type HookContext,
  type Infer,
  invalid,
  list,
  mapBy,
  nameColumn,
  object,
  oneOf,
  type Plugin,
  type Resource,
  string,
  structsOf,
  type Subresource,
  time,
} from "../../plugin.ts";
import {
  labelName,
  metaRulesOf,
  named,
  type Names,
  spell,
  type Strategy,
  validateFinalizerShape,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateStandardFinalizer,
} from "../../toolbox.ts";

const struct = structsOf("core/v1");

const NamespaceSpec = struct("NamespaceSpec", {
  finalizers: field(
    1,
    list(named("v1.FinalizerName", string)),
    "Finalizers that must be removed before the namespace is deleted. Written through the subresource finalize only.",
  ),
}, { doc: "The specification of a namespace." });

export const NamespaceCondition = struct("NamespaceCondition", {
  type: field(1, named("v1.NamespaceConditionType", string), "The type of the condition.", { required: true }),
  status: field(2, named("v1.ConditionStatus", string), "True, False or Unknown.", { required: true }),
  lastTransitionTime: field(4, time, "The time of the last change of the status.", { written: "always" }),
  reason: field(5, string, "The reason of the last transition, in CamelCase."),
  message: field(6, string, "Details for people."),
}, { doc: "A condition of a terminating namespace." });
export type NamespaceCondition = Infer<typeof NamespaceCondition>;

const NamespaceStatus = struct("NamespaceStatus", {
  phase: field(
    1,
    named("v1.NamespacePhase", oneOf("Active", "Terminating")),
    "Active, or Terminating once the namespace is being deleted.",
  ),
  conditions: field(2, mapBy(["type"], NamespaceCondition), "The progress of the deletion.", {
    patch: { strategy: ["merge"], mergeKey: "type" },
  }),
}, {
  doc: "The status of a namespace.",
  applyDefaults: (self: { readonly phase?: string }) => (self.phase ?? "") === "" ? { ...self, phase: "Active" } : self,
});

const Namespace = object("Namespace", {
  spec: field(2, NamespaceSpec, "The finalizers of the namespace.", { written: "always" }),
  status: field(3, NamespaceStatus, "The status of the namespace. Set by the server.", { written: "always" }),
}, { package: "core/v1", doc: "A scope for names. Deleting a namespace deletes the objects in it." });
export type Namespace = Infer<typeof Namespace>;

const strategy: Strategy = { nameRule: labelName, deleteAnswers: "object", without: ["deletecollection"], coreFinalizers: true };

const columns: readonly Column<Namespace>[] = [
  nameColumn,
  {
    name: "Status",
    type: "string",
    description: "The phase of the namespace: Active or Terminating.",
    cell: ({ status }) => status.phase ?? "",
  },
  ageColumn,
];

/** Sets the label `<platform>.io/metadata.name` to the name, whatever the client sent. */
function withNameLabel(namespace: Namespace, names: Names): Namespace {
  const { metadata } = namespace;
  const label = spell(names, "{platform}.io/metadata.name");
  if ((metadata.name ?? "") === "" || (Object.hasOwn(metadata.labels ?? {}, label) && metadata.labels?.[label] === metadata.name)) {
    return namespace;
  }
  return { ...namespace, metadata: { ...metadata, labels: { ...metadata.labels, [label]: metadata.name! } } };
}

/** Returns the finalizer of the namespace controller. It keeps a namespace until its content is deleted. */
export function contentFinalizer(names: Names): string {
  return names.platform;
}

function prepare(next: Namespace, prior: Namespace | undefined, context: HookContext): Namespace {
  const labelled = withNameLabel(next, context.names);
  if (prior !== undefined) return { ...labelled, spec: prior.spec, status: prior.status };
  const finalizers = next.spec.finalizers ?? [], own = contentFinalizer(context.names);
  return { ...labelled, spec: { finalizers: finalizers.includes(own) ? finalizers : [...finalizers, own] }, status: { phase: "Active" } };
}

function validateFinalizer(finalizer: string, path: string, context: HookContext): readonly FieldError[] {
  return [...validateFinalizerShape(finalizer, path), ...validateStandardFinalizer(finalizer, path, context.names)];
}
function validateSpec(next: Namespace, context: HookContext): readonly FieldError[] {
  return (next.spec.finalizers ?? []).flatMap((each) => validateFinalizer(each, "spec.finalizers", context));
}
function validateMetaUpdate(next: Namespace, prior: Namespace, context: HookContext): readonly FieldError[] {
  return validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(namespaces, context.names));
}

const status: Subresource<Namespace> = {
  write: (next, prior, context) => ({ ...withNameLabel(next, context.names), spec: prior.spec }),
  update(next, prior, context) {
    const pending = (next.metadata.deletionTimestamp ?? null) !== null;
    const phase = pending ? "Terminating" : "Active";
    // The path has upstream's capital letter.
    const wrong = invalid(
      "status.Phase",
      next.status.phase ?? "",
      `may only be '${phase}' if \`deletionTimestamp\` is ${pending ? "not " : ""}empty`,
    );
    return [...validateMetaUpdate(next, prior, context), ...(next.status.phase === phase ? [] : [wrong])];
  },
};

const finalize: Subresource<Namespace> = {
  hasTable: false,
  verbs: ["update"],
  write: (next, prior, context) => ({ ...withNameLabel(next, context.names), status: prior.status }),
  update: (next, prior, context) => [
    ...validateMetaUpdate(next, prior, context),
    ...(next.spec.finalizers ?? []).flatMap((each, i) => validateFinalizer(each, `spec.finalizers[${i}]`, context)),
  ],
};

const undeletable: readonly string[] = ["default", "kube-system", "kube-public"];

export const namespaces: Resource<Namespace> = defineResource({
  kind: "Namespace",
  scope: "Cluster",
  shortNames: ["ns"],
  summary: "A scope for names. Deleting a namespace deletes the objects in it.",
  storedAs: "v1",
  storedUnder: "namespaces",
  served: {
    v1: {
      schema: Namespace,
      introduced: "1.0",
      columns,
      selectableFields: { "status.phase": ({ status }: Namespace) => status.phase ?? "" },
      subresources: { status, finalize },
      applyDefaults: withNameLabel,
    },
  },
  strategy,
  prepare,
  create: validateSpec,
  update: (next, prior, context) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(namespaces, context.names)),
    ...validateSpec(next, context),
    ...validateMetaUpdate(next, prior, context),
  ],
  deletion: {
    begin(namespace) {
      // A namespace has no grace period: its deletion ends when it is empty.
      const { deletionGracePeriodSeconds: _none, ...metadata } = namespace.metadata;
      return { ...namespace, metadata, status: { ...namespace.status, phase: "Terminating" } };
    },
    holds: (namespace) => (namespace.spec.finalizers ?? []).length > 0,
    refuse: (name) => undeletable.includes(name) ? "this namespace may not be deleted" : undefined,
  },
});

/** The namespaces that the server creates at start-up. */
export const bootstrapNamespaces: NonNullable<Plugin["bootstrapObjects"]> = [...undeletable, "kube-node-lease"].map((name) => ({
  groupVersion: "v1",
  resource: "namespaces",
  object: { metadata: { name } },
}));
