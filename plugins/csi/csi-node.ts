import {
  ageColumn,
  type Column,
  defineResource,
  duplicate,
  field,
  type FieldError,
  type Infer,
  int32,
  invalid,
  list,
  mapBy,
  nameColumn,
  object,
  required,
  type Resource,
  string,
  structsOf,
} from "../../plugin.ts";
import { type Gates, metaRulesOf, qualifiedName, sameValue, utf8Length, validateObjectMeta } from "../../toolbox.ts";
import { validateCsiDriverName } from "../shared/csi-driver-name.ts";
import { nodeCountGate } from "./gates.ts";

const home = "storage/v1";
const struct = structsOf(home);

const VolumeNodeResources = struct("VolumeNodeResources", {
  count: field(1, int32, "Maximum number of the driver's volumes that are in use on the node. Absent: no limit.", { pointer: true }),
}, { doc: "The resources of a node for the volumes of a driver." });

const CSINodeDriver = struct("CSINodeDriver", {
  name: field(1, string, "The name of the driver, as returned by the driver.", { required: true }),
  nodeID: field(2, string, "The driver's ID of the node. Immutable while the driver is listed.", { required: true }),
  topologyKeys: field(
    3,
    list(string),
    "Keys of the node labels that describe where the driver's volumes are accessible. Immutable while the driver is listed.",
    {
      written: "always",
    },
  ),
  allocatable: field(4, VolumeNodeResources, "The resources of the node for the driver's volumes.", { pointer: true }),
}, { doc: "A driver that runs on a node." });
type CSINodeDriver = Infer<typeof CSINodeDriver>;

const CSINodeSpec = struct("CSINodeSpec", {
  drivers: field(1, mapBy(["name"], CSINodeDriver), "The drivers that run on the node.", {
    required: true,
    patch: { strategy: ["merge"], mergeKey: "name" },
  }),
}, { doc: "The drivers that run on a node." });

const CSINode = object("CSINode", {
  spec: field(2, CSINodeSpec, "The drivers that run on the node.", { required: true }),
}, {
  package: home,
  doc: "The CSI drivers that run on the node of the same name. The kubelet updates it when a driver is registered or removed.",
});
type CSINode = Infer<typeof CSINode>;

const columns: readonly Column<CSINode>[] = [
  nameColumn,
  {
    name: "Drivers",
    type: "integer",
    description: "The number of CSI drivers that run on the node.",
    cell: ({ spec }) => driversOf({ spec }).length,
  },
  ageColumn,
];

const nodeIdBytesMax = 256;

function driversOf({ spec }: Pick<CSINode, "spec">): readonly CSINodeDriver[] {
  // `drivers` is always written; an absent list is null.
  return spec.drivers ?? [];
}

function validateDrivers(node: CSINode): readonly FieldError[] {
  const names = new Set<string>();
  return driversOf(node).flatMap((driver, i) => {
    const path = `spec.drivers[${i}]`;
    const { name } = driver;
    const errors = [...validateCsiDriverName(name, `${path}.name`), ...validateNodeId(driver.nodeID, `${path}.nodeID`)];
    const count = driver.allocatable?.count;
    if (count !== undefined && count < 0) {
      errors.push(invalid(`${path}.allocatable.count`, count, "must be greater than or equal to 0"));
    }
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    return [...errors, ...validateTopologyKeys(driver.topologyKeys ?? [], path)];
  });
}
function validateNodeId(id: string, path: string): readonly FieldError[] {
  if (id === "") return [required(path, "")];
  return utf8Length(id) > nodeIdBytesMax ? [invalid(path, id, `must be ${nodeIdBytesMax} characters or less`)] : [];
}
/** Checks topology keys. The errors have the path of the driver, as upstream. */
function validateTopologyKeys(keys: readonly string[], path: string): readonly FieldError[] {
  const seen = new Set<string>();
  return keys.flatMap((key) => {
    const errors: FieldError[] = [];
    if (key === "") errors.push(required(path, ""));
    if (seen.has(key)) errors.push(duplicate(path, key));
    seen.add(key);
    return [...errors, ...qualifiedName(key).map((wrong) => invalid(path, key, wrong))];
  });
}

/** Checks that drivers in both lists are unchanged. With the gate, their `allocatable` may change. */
function validateUnchanged(next: CSINode, prior: CSINode, gates: Gates): readonly FieldError[] {
  const comparable = ({ allocatable, topologyKeys, ...driver }: CSINodeDriver) => ({
    ...driver,
    topologyKeys: topologyKeys ?? [],
    ...(gates(nodeCountGate) ? {} : { allocatable: allocatable ?? null }),
  });
  const now = Map.groupBy(driversOf(next), ({ name }) => name);
  return driversOf(prior).flatMap((driver) =>
    (now.get(driver.name) ?? []).filter((each) => !sameValue(comparable(each), comparable(driver))).map((each) =>
      invalid("spec.drivers", each, "field is immutable")
    )
  );
}

export const csiNodes: Resource<CSINode> = defineResource({
  kind: "CSINode",
  scope: "Cluster",
  summary: "The CSI drivers that run on a node.",
  storedAs: "storage.{domain}/v1",
  storedUnder: "csinodes",
  served: { "storage.{domain}/v1": { schema: CSINode, introduced: "1.17", columns } },
  strategy: { unconditionalUpdate: false, deleteAnswers: "object", coreFinalizers: true },
  create: validateDrivers,
  update: (next, prior, context) => [
    ...validateObjectMeta(next.metadata, metaRulesOf(csiNodes, context.names)),
    ...validateDrivers(next),
    ...validateUnchanged(next, prior, context.gates),
  ],
});
