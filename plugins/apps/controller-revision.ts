import {
  ageColumn,
  type Column,
  defineResource,
  field,
  type FieldError,
  type Infer,
  int64,
  invalid,
  nameColumn,
  object,
  required,
  type Resource,
} from "../../plugin.ts";
import { metaRulesOf, raw, sameValue, splitGroupVersion, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { notNegative } from "../shared/pod/rules.ts";
import { home } from "./schema.ts";

const ControllerRevision = object("ControllerRevision", {
  data: field(2, raw, "The state of the owner's template at this revision. It cannot change."),
  revision: field(3, int64, "The number of the revision.", { required: true }),
}, {
  package: home,
  doc: "An earlier state of an object, such as the template of a stateful set, to which its controller can go back.",
});
type ControllerRevision = Infer<typeof ControllerRevision>;

/** The owner that controls a revision, as `kind.group/name`. */
function controllerOf({ metadata: { ownerReferences = [] } }: ControllerRevision): string {
  const owner = ownerReferences.find(({ controller }) => controller === true);
  if (owner === undefined) return "<none>";
  const { group } = splitGroupVersion(owner.apiVersion), kind = owner.kind.toLowerCase();
  return `${group === "" ? kind : `${kind}.${group}`}/${owner.name}`;
}

const columns: readonly Column<ControllerRevision>[] = [
  nameColumn,
  { name: "Controller", type: "string", description: "The object that the revision is of.", cell: controllerOf },
  { name: "Revision", type: "string", description: "The number of the revision.", cell: ({ revision }) => Number(revision) },
  ageColumn,
];

function validateData(data: unknown): readonly FieldError[] {
  if (data === undefined || data === null) return [required("data", "data is mandatory")];
  return typeof data === "object" && !Array.isArray(data) ? [] : [required("data", "data must be a valid JSON object")];
}

export const controllerRevisions: Resource<ControllerRevision> = defineResource({
  kind: "ControllerRevision",
  scope: "Namespaced",
  summary: "An earlier state of an object, to which its controller can go back.",
  storedAs: home,
  storedUnder: "controllerrevisions",
  served: { [home]: { schema: ControllerRevision, introduced: "1.9", columns } },
  strategy: { coreFinalizers: true },
  create: ({ revision, data }) => [...notNegative(revision, "revision"), ...validateData(data)],
  update(next, prior, { names }) {
    const rules = metaRulesOf(controllerRevisions, names);
    return [
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...validateObjectMeta(next.metadata, rules),
      ...notNegative(next.revision, "revision"),
      ...(sameValue(next.data, prior.data) ? [] : [invalid("data", next.data, "field is immutable")]),
    ];
  },
});
