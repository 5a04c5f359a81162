import {
  ageColumn,
  type Column,
  defineResource,
  field,
  type FieldError,
  forbidden,
  type Infer,
  invalid,
  nameColumn,
  object,
  record,
  required,
  type Resource,
  string,
} from "../../plugin.ts";
import { metaRulesOf, qualifiedName, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { sameParameters, validateParameters } from "./parameters.ts";

const v1 = "storage.{domain}/v1", v1beta1 = "storage.{domain}/v1beta1";

/** Both versions have the same fields. */
function schemaOf(home: string) {
  return object("VolumeAttributesClass", {
    driverName: field(2, string, "The name of the CSI driver. Immutable.", { required: true }),
    parameters: field(3, record(string), "The attributes: at least one, at most 512 keys and 256 KiB. Immutable."),
  }, { package: home, doc: "Volume attributes that can change while a volume is in use, such as throughput." });
}
const VolumeAttributesClass = schemaOf("storage/v1"), BetaVolumeAttributesClass = schemaOf("storage/v1beta1");
export type VolumeAttributesClass = Infer<typeof VolumeAttributesClass>;

const columns: readonly Column<VolumeAttributesClass>[] = [
  nameColumn,
  {
    name: "DriverName",
    type: "string",
    description: "The driver that applies the attributes.",
    cell: ({ driverName }) => driverName,
  },
  ageColumn,
];

function validateClass({ driverName, parameters }: VolumeAttributesClass): readonly FieldError[] {
  return [
    ...(driverName === ""
      ? [required("driverName", "")]
      : qualifiedName(driverName.toLowerCase()).map((wrong) => invalid("driverName", driverName.toLowerCase(), wrong))),
    ...validateParameters(parameters, { atLeastOne: true }),
  ];
}

export const volumeAttributesClasses: Resource<VolumeAttributesClass> = defineResource({
  kind: "VolumeAttributesClass",
  scope: "Cluster",
  shortNames: ["vac"],
  summary: "Volume attributes that can change while a volume is in use, such as throughput.",
  storedAs: v1,
  storedUnder: "volumeattributesclasses",
  served: {
    [v1]: { schema: VolumeAttributesClass, introduced: "1.34", columns },
    [v1beta1]: {
      schema: BetaVolumeAttributesClass,
      introduced: "1.31",
      deprecated: "1.34",
      removed: "1.37",
      replacement: { groupVersion: v1, kind: "VolumeAttributesClass" },
      columns,
    },
  },
  strategy: { deleteAnswers: "object", coreFinalizers: true },
  create: validateClass,
  update(next, prior, context) {
    const rules = metaRulesOf(volumeAttributesClasses, context.names);
    return [
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...(next.driverName === prior.driverName ? [] : [forbidden("driverName", "updates to driverName are forbidden.")]),
      ...(sameParameters(next.parameters, prior.parameters) ? [] : [forbidden("parameters", "updates to parameters are forbidden.")]),
      ...validateObjectMeta(next.metadata, rules),
      ...validateClass(next),
    ];
  },
});
