import {
  ageColumn,
  type ApiObject,
  boolean,
  type Column,
  defineResource,
  field,
  type FieldError,
  type Infer,
  invalid,
  list,
  nameColumn,
  notSupported,
  object,
  oneOf,
  record,
  required,
  type Resource,
  string,
} from "../../plugin.ts";
import {
  coveredByRule,
  defaultNames,
  metaRulesOf,
  named,
  type Names,
  qualifiedName,
  spell,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import { deprecatedNodeLabel } from "../shared/node-labels.ts";
import { TopologySelectorTerm, validateTopologies } from "../shared/volumes/mod.ts";
import { sameParameters, validateParameters } from "./parameters.ts";

const groupVersion = "storage.{domain}/v1";

const StorageClass = object("StorageClass", {
  provisioner: field(2, string, "The name of the provisioner of the class. Immutable.", { required: true, mustBeSet: true }),
  parameters: field(3, record(string), "Parameters for the provisioner, at most 512 keys and 256 KiB. Immutable.", {
    keepsEmpty: true,
  }),
  reclaimPolicy: field(
    4,
    named("v1.PersistentVolumeReclaimPolicy", oneOf("Delete", "Recycle", "Retain")),
    "The reclaim policy of provisioned volumes. Default Delete. Immutable.",
    {
      pointer: true,
    },
  ),
  mountOptions: field(5, list(string), "Mount options of provisioned volumes. They are not validated before the mount."),
  allowVolumeExpansion: field(6, boolean, "Whether bound claims of the class can be expanded.", { pointer: true }),
  volumeBindingMode: field(
    7,
    named("v1.VolumeBindingMode", oneOf("Immediate", "WaitForFirstConsumer")),
    "When claims are bound: Immediate (the default), or WaitForFirstConsumer (with the first pod that uses the claim). Immutable.",
    { pointer: true },
  ),
  allowedTopologies: field(8, list(TopologySelectorTerm), "The topologies in which volumes can be provisioned. Empty: no restriction."),
}, {
  package: "storage/v1",
  doc: "The parameters for provisioning volumes for claims of this class.",
  applyDefaults(self: { readonly reclaimPolicy?: string; readonly volumeBindingMode?: string }) {
    const { reclaimPolicy, volumeBindingMode } = self;
    if (reclaimPolicy !== undefined && volumeBindingMode !== undefined) return self;
    return { ...self, reclaimPolicy: reclaimPolicy ?? "Delete", volumeBindingMode: volumeBindingMode ?? "Immediate" };
  },
});
export type StorageClass = Infer<typeof StorageClass>;

/** Whether the annotations of this class make it a default class. */
export function isDefaultClass({ metadata: { annotations = {} } }: ApiObject, names: Names): boolean {
  return ["storageclass.{platform}.io/is-default-class", "storageclass.beta.{platform}.io/is-default-class"]
    .some((key) => Object.hasOwn(annotations, spell(names, key)) && annotations[spell(names, key)] === "true");
}

const columns: readonly Column<StorageClass>[] = [
  {
    ...nameColumn,
    // Cells get no `Names`, so the default annotation keys are used.
    cell: (storageClass) => `${storageClass.metadata.name ?? ""}${isDefaultClass(storageClass, defaultNames) ? " (default)" : ""}`,
  },
  {
    name: "Provisioner",
    type: "string",
    description: "The driver that creates the volumes of this class.",
    cell: ({ provisioner }) => provisioner,
  },
  {
    name: "ReclaimPolicy",
    type: "string",
    description: "What happens to a volume of this class after its claim is deleted.",
    cell: ({ reclaimPolicy = "Delete" }) => reclaimPolicy,
  },
  {
    name: "VolumeBindingMode",
    type: "string",
    description: "Whether a claim gets its volume at once or when a pod first uses it.",
    cell: ({ volumeBindingMode = "Immediate" }) => volumeBindingMode,
  },
  {
    name: "AllowVolumeExpansion",
    type: "string",
    description: "Whether claims of this class can ask for more space later.",
    cell: ({ allowVolumeExpansion = false }) => allowVolumeExpansion,
  },
  ageColumn,
];

const reclaimPolicies = ["Delete", "Retain"], bindingModes = ["Immediate", "WaitForFirstConsumer"];

function validateClass(storageClass: StorageClass): readonly FieldError[] {
  const { provisioner, parameters, allowedTopologies = [] } = storageClass;
  const reclaimPolicy: string = storageClass.reclaimPolicy ?? "";
  const bindingMode: string | undefined = storageClass.volumeBindingMode;
  const modeErrors = bindingMode === undefined
    ? [required("volumeBindingMode", "")]
    : bindingModes.includes(bindingMode)
    ? []
    : [notSupported("volumeBindingMode", bindingMode, bindingModes)];
  return [
    ...(provisioner === ""
      ? [coveredByRule(required("provisioner", ""))]
      : qualifiedName(provisioner.toLowerCase()).map((wrong) => invalid("provisioner", provisioner.toLowerCase(), wrong))),
    ...validateParameters(parameters, { atLeastOne: false }),
    ...(reclaimPolicy === "" || reclaimPolicies.includes(reclaimPolicy)
      ? []
      : [notSupported("reclaimPolicy", reclaimPolicy, reclaimPolicies)]),
    ...modeErrors,
    ...validateTopologies(allowedTopologies, "allowedTopologies"),
  ];
}

function validateUnchanged(next: StorageClass, prior: StorageClass): readonly FieldError[] {
  const keys = ["provisioner", "reclaimPolicy", "volumeBindingMode"] as const;
  return [
    ...(sameParameters(next.parameters, prior.parameters) ? [] : [invalid("parameters", next.parameters, "field is immutable")]),
    ...keys.filter((key) => next[key] !== prior[key]).map((key) => invalid(key, next[key], "field is immutable")),
  ];
}

export const storageClasses: Resource<StorageClass> = defineResource({
  kind: "StorageClass",
  scope: "Cluster",
  shortNames: ["sc"],
  summary: "The parameters for provisioning volumes for claims of this class.",
  storedAs: groupVersion,
  storedUnder: "storageclasses",
  served: { [groupVersion]: { schema: StorageClass, introduced: "1.6", columns } },
  strategy: { deleteAnswers: "object", coreFinalizers: true },
  rules: "compared",
  create: validateClass,
  update(next, prior, context) {
    const rules = metaRulesOf(storageClasses, context.names);
    return [
      ...validateObjectMeta(next.metadata, rules),
      ...validateClass(next),
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...validateUnchanged(next, prior),
    ];
  },
  warn: ({ allowedTopologies = [] }, _prior, context) =>
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
      matchLabelExpressions.flatMap(({ key }, j) => {
        const text = deprecatedNodeLabel(key, context.names);
        return text === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${text}`];
      })
    ),
});
