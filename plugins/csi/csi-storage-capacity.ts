import {
  defineResource,
  field,
  type FieldError,
  type Infer,
  invalid,
  LabelSelector,
  object,
  quantity,
  type Resource,
  string,
} from "../../plugin.ts";
import {
  dns1123Subdomain,
  hasInvalidLabelValue,
  metaRulesOf,
  sameValue,
  validateLabelSelector,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import { deprecatedNodeLabel } from "../shared/node-labels.ts";

const CSIStorageCapacity = object("CSIStorageCapacity", {
  nodeTopology: field(2, LabelSelector, "Selects the nodes that can access the storage. Absent: no node. Immutable.", { pointer: true }),
  storageClassName: field(3, string, "The name of the StorageClass that the capacity applies to; it need not exist. Immutable.", {
    required: true,
  }),
  capacity: field(4, quantity, "The available capacity that the driver last reported. Absent: unknown.", { pointer: true }),
  maximumVolumeSize: field(5, quantity, "The size of the largest volume that can be created. Absent: unknown.", { pointer: true }),
}, {
  package: "storage/v1",
  doc:
    "The capacity of a StorageClass that is available to a set of nodes. Drivers publish it. The scheduler uses it for drivers with storageCapacity.",
});
type CSIStorageCapacity = Infer<typeof CSIStorageCapacity>;

function validateFields(next: CSIStorageCapacity, storedValues: boolean): readonly FieldError[] {
  const { nodeTopology, storageClassName, capacity } = next;
  return [
    ...validateLabelSelector(nodeTopology, "nodeTopology", { storedValues }),
    ...dns1123Subdomain(storageClassName).map((wrong) => invalid("storageClassName", storageClassName, wrong)),
    // Quantities are canonical, so only a negative one starts with a minus.
    ...(capacity?.startsWith("-") ? [invalid("capacity", capacity, "must be greater than or equal to 0")] : []),
  ];
}

function validateImmutable(next: CSIStorageCapacity, prior: CSIStorageCapacity): readonly FieldError[] {
  return [
    ...(sameSelector(next.nodeTopology, prior.nodeTopology) ? [] : [invalid("nodeTopology", next.nodeTopology, "field is immutable")]),
    ...(next.storageClassName === prior.storageClassName ? [] : [invalid("storageClassName", next.storageClassName, "field is immutable")]),
  ];
}
/** Compares selectors. Inside of a selector, empty and absent maps and lists are equal; an empty selector differs from an absent one. */
function sameSelector(a: LabelSelector | undefined, b: LabelSelector | undefined): boolean {
  const normal = (selector: LabelSelector | undefined) =>
    selector && {
      matchLabels: selector.matchLabels ?? {},
      matchExpressions: (selector.matchExpressions ?? []).map((each) => ({ ...each, values: each.values ?? [] })),
    };
  return sameValue(normal(a), normal(b));
}

export const csiStorageCapacities: Resource<CSIStorageCapacity> = defineResource({
  kind: "CSIStorageCapacity",
  scope: "Namespaced",
  summary: "The capacity of a StorageClass that is available to a set of nodes.",
  storedAs: "storage.{domain}/v1",
  storedUnder: "csistoragecapacities",
  served: {
    "storage.{domain}/v1": { schema: CSIStorageCapacity, introduced: "1.24" },
    "storage.{domain}/v1beta1": {
      schema: CSIStorageCapacity,
      introduced: "1.21",
      deprecated: "1.24",
      removed: "1.27",
      replacement: { groupVersion: "storage.{domain}/v1", kind: "CSIStorageCapacity" },
    },
  },
  strategy: { unconditionalUpdate: false, coreFinalizers: true },
  create: (next) => validateFields(next, false),
  update: (next, prior, context) => {
    const rules = metaRulesOf(csiStorageCapacities, context.names);
    return [
      ...validateObjectMeta(next.metadata, rules),
      ...validateFields(next, hasInvalidLabelValue(prior.nodeTopology)),
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...validateImmutable(next, prior),
    ];
  },
  warn({ nodeTopology: { matchLabels = {}, matchExpressions = [] } = {} }, _prior, { names }) {
    // Upstream's warning repeats the key for expressions only.
    return [
      ...matchExpressions.flatMap(({ key }, i) => {
        const text = deprecatedNodeLabel(key, names);
        return text === undefined ? [] : [`nodeTopology.matchExpressions[${i}].key: ${key} is ${text}`];
      }),
      ...Object.keys(matchLabels).flatMap((key) => {
        const text = deprecatedNodeLabel(key, names);
        return text === undefined ? [] : [`nodeTopology.matchLabels.${key}: ${text}`];
      }),
    ];
  },
});
