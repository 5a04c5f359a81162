import { defineResource } from "../../core/define/define.ts";
import { type FieldError, invalid, notSupported, required } from "../../core/field-error.ts";
import { qualifiedName } from "../../core/meta/names.ts";
import { deprecatedNodeLabel } from "../shared/node-labels.ts";
import { object } from "../../core/meta/object.ts";
import { metaRulesOf, validateObjectMeta, validateObjectMetaUpdate } from "../../core/meta/validate-object-meta.ts";
import { defaultNames, type Names, spell } from "../../core/names.ts";
import type { Resource } from "../../core/plugin.ts";
import { ageColumn, type Column, nameColumn } from "../../core/meta/columns.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { boolean, field, type Infer, list, named, oneOf, record, string } from "../../core/schema.ts";
import { TopologySelectorTerm, validateTopologies } from "../shared/volumes/mod.ts";
import { sameParameters, validateParameters } from "./parameters.ts";

const groupVersion = "storage.{domain}/v1";

const StorageClass = object("StorageClass", {
  provisioner: field(2, string, "Who provisions volumes of the class; cannot change.", { required: true }),
  parameters: field(3, record(string), "Parameters for the provisioner, at most 512 keys and 256 KiB; cannot change.", {
    keepsEmpty: true,
  }),
  reclaimPolicy: field(
    4,
    named("v1.PersistentVolumeReclaimPolicy", oneOf("Delete", "Recycle", "Retain")),
    "What becomes of provisioned volumes; Delete unless said otherwise; cannot change.",
    {
      pointer: true,
    },
  ),
  mountOptions: field(5, list(string), "Mount options of provisioned volumes, checked by nobody before a volume is mounted."),
  allowVolumeExpansion: field(6, boolean, "Whether claims of the class may ask for more once they are bound.", { pointer: true }),
  volumeBindingMode: field(
    7,
    named("v1.VolumeBindingMode", oneOf("Immediate", "WaitForFirstConsumer")),
    "When the binder acts on a claim: at once, unless said otherwise, or with the first pod that uses it; cannot change.",
    { pointer: true },
  ),
  allowedTopologies: field(8, list(TopologySelectorTerm), "Places in which volumes may be provisioned; everywhere when empty."),
}, {
  package: "storage/v1",
  doc: "How volumes are provisioned for the claims that name the class.",
  fill(self: { readonly reclaimPolicy?: string; readonly volumeBindingMode?: string }) {
    const { reclaimPolicy, volumeBindingMode } = self;
    if (reclaimPolicy !== undefined && volumeBindingMode !== undefined) return self;
    return { ...self, reclaimPolicy: reclaimPolicy ?? "Delete", volumeBindingMode: volumeBindingMode ?? "Immediate" };
  },
});
export type StorageClass = Infer<typeof StorageClass>;

/** Whether claims without a class get this one. */
export function isDefaultClass({ metadata: { annotations = {} } }: ApiObject, names: Names): boolean {
  return ["storageclass.{platform}.io/is-default-class", "storageclass.beta.{platform}.io/is-default-class"]
    .some((key) => Object.hasOwn(annotations, spell(names, key)) && annotations[spell(names, key)] === "true");
}

const columns: readonly Column<StorageClass>[] = [
  {
    ...nameColumn,
    // A cell knows no names: the mark is for the annotations that clients of the platform know.
    cell: (storageClass) => `${storageClass.metadata.name ?? ""}${isDefaultClass(storageClass, defaultNames) ? " (default)" : ""}`,
  },
  {
    name: "Provisioner",
    type: "string",
    description: "provisioner indicates the type of the provisioner.",
    cell: ({ provisioner }) => provisioner,
  },
  {
    name: "ReclaimPolicy",
    type: "string",
    description:
      "reclaimPolicy controls the reclaimPolicy for dynamically provisioned PersistentVolumes of this storage class. Defaults to Delete.",
    cell: ({ reclaimPolicy = "Delete" }) => reclaimPolicy,
  },
  {
    name: "VolumeBindingMode",
    type: "string",
    description:
      "volumeBindingMode indicates how PersistentVolumeClaims should be provisioned and bound.  When unset, VolumeBindingImmediate is used. " +
      "This field is only honored by servers that enable the VolumeScheduling feature.",
    cell: ({ volumeBindingMode = "Immediate" }) => volumeBindingMode,
  },
  {
    name: "AllowVolumeExpansion",
    type: "string",
    description: "allowVolumeExpansion shows whether the storage class allow volume expand.",
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
      ? [required("provisioner", "")]
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

export const storageClasses: Resource<StorageClass> = defineResource<StorageClass>({
  kind: "StorageClass",
  scope: "Cluster",
  shortNames: ["sc"],
  summary: "How volumes are provisioned for the claims that name the class.",
  storedAs: groupVersion,
  storedUnder: "storageclasses",
  served: { [groupVersion]: { schema: StorageClass, introduced: "1.6", columns } },
  strategy: { deleteAnswers: "object", coreFinalizers: true },
  create: validateClass,
  update(next, prior, at) {
    const rules = metaRulesOf(storageClasses, at.names);
    return [
      ...validateObjectMeta(next.metadata, rules),
      ...validateClass(next),
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...validateUnchanged(next, prior),
    ];
  },
  warn: ({ allowedTopologies = [] }, _prior, at) =>
    allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
      matchLabelExpressions.flatMap(({ key }, j) => {
        const text = deprecatedNodeLabel(key, at.names);
        return text === undefined ? [] : [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${text}`];
      })
    ),
});
