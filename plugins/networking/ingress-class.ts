import {
  ageColumn,
  type ApiObject,
  type Column,
  defineResource,
  field,
  type FieldError,
  forbidden,
  type Infer,
  invalid,
  nameColumn,
  notSupported,
  object,
  required,
  type Resource,
  string,
  structsOf,
  tooLong,
} from "../../plugin.ts";
import {
  defaultNames,
  dns1123Label,
  dns1123Subdomain,
  metaRulesOf,
  type Names,
  pathSegmentName,
  spell,
  utf8Length,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../toolbox.ts";
import { bound } from "../../core/bound.ts";
import { validateDomainPath } from "../../core/meta/domain-path.ts";

/** Bytes of the name of a controller of ingresses. */
export const controllerBytesMax = bound(250);

const home = "networking/v1";
const groupVersion = "networking.{domain}/v1";
const struct = structsOf(home);

const ParametersReference = struct("IngressClassParametersReference", {
  apiGroup: field(1, string, "The API group of the kind. Absent: the core group.", { pointer: true }),
  kind: field(2, string, "The kind of the object.", { required: true }),
  name: field(3, string, "The name of the object.", { required: true }),
  scope: field(4, string, "Where the object is: Cluster (the default) or Namespace.", { pointer: true, written: "always" }),
  namespace: field(5, string, "The namespace of the object. Set exactly if the scope is Namespace.", { pointer: true }),
}, {
  doc: "A reference to an object with the parameters of a class.",
  applyDefaults: (self: { readonly scope?: string | null }) => (self.scope ?? null) === null ? { ...self, scope: "Cluster" } : self,
});

const IngressClassSpec = struct("IngressClassSpec", {
  controller: field(1, string, "The controller of the class, as a path with a domain: example.com/controller. Immutable."),
  parameters: field(2, ParametersReference, "An object with further parameters for the controller.", { pointer: true }),
}, { doc: "The specification of a class of ingresses." });

const IngressClass = object("IngressClass", {
  spec: field(2, IngressClassSpec, "The specification of the class.", { written: "always" }),
}, { package: home, doc: "A class of ingresses: it names the controller that acts on them. An annotation makes it the default class." });
export type IngressClass = Infer<typeof IngressClass>;

/** Whether this is a default class, according to its annotation. */
export function isDefaultClass({ metadata: { annotations = {} } }: ApiObject, names: Names): boolean {
  const key = spell(names, "ingressclass.{platform}.io/is-default-class");
  return Object.hasOwn(annotations, key) && annotations[key] === "true";
}

function parametersText({ spec: { parameters } }: IngressClass): string {
  if (parameters === undefined) return "<none>";
  const { apiGroup, kind, name } = parameters;
  return `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${name}`;
}

const columns: readonly Column<IngressClass>[] = [
  {
    ...nameColumn,
    // Cells get no `Names`, so the default annotation key is used.
    cell: (ingressClass) => `${ingressClass.metadata.name ?? ""}${isDefaultClass(ingressClass, defaultNames) ? " (default)" : ""}`,
  },
  {
    name: "Controller",
    type: "string",
    description: "The controller that acts on ingresses of the class.",
    cell: ({ spec: { controller = "" } }) => controller,
  },
  { name: "Parameters", type: "string", description: "The object with parameters for the controller.", cell: parametersText },
  ageColumn,
];

const scopes = ["Cluster", "Namespace"];

function validateSpec({ spec: { controller = "", parameters } }: IngressClass): readonly FieldError[] {
  return [
    ...(utf8Length(controller) > controllerBytesMax ? [tooLong("spec.controller", controllerBytesMax)] : []),
    ...validateDomainPath(controller, "spec.controller"),
    ...(parameters === undefined ? [] : validateParameters(parameters, "spec.parameters")),
  ];
}

function validateParameters(parameters: Infer<typeof ParametersReference>, path: string): readonly FieldError[] {
  const { apiGroup, kind, name, scope, namespace } = parameters;
  const errors: FieldError[] = [
    ...(apiGroup === undefined ? [] : dns1123Subdomain(apiGroup).map((wrong) => invalid(`${path}.apiGroup`, apiGroup, wrong))),
    ...validateSegment(kind, `${path}.kind`),
    ...validateSegment(name, `${path}.name`),
  ];
  if (scope === undefined || scope === null) return [...errors, required(`${path}.scope`, "")];
  if (!scopes.includes(scope)) return [...errors, notSupported(`${path}.scope`, scope, scopes)];
  const isOfCluster = scope === "Cluster";
  if (namespace === undefined) {
    return isOfCluster ? errors : [...errors, required(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'")];
  }
  return [
    ...errors,
    ...(isOfCluster
      ? [forbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'")]
      : dns1123Label(namespace).map((wrong) => invalid(`${path}.namespace`, namespace, wrong))),
  ];
}

/** Checks a required text that must be usable as one segment of a path. */
export function validateSegment(text: string, path: string): readonly FieldError[] {
  return text === "" ? [required(path, "")] : pathSegmentName(text, false).map((wrong) => invalid(path, text, wrong));
}

export const ingressClasses: Resource<IngressClass> = defineResource({
  kind: "IngressClass",
  scope: "Cluster",
  summary: "A class of ingresses: it names the controller that acts on them.",
  storedAs: groupVersion,
  storedUnder: "ingressclasses",
  served: { [groupVersion]: { schema: IngressClass, introduced: "1.19", columns } },
  strategy: { generation: true, coreFinalizers: true },
  create: validateSpec,
  update(next, prior, { names }) {
    const rules = metaRulesOf(ingressClasses, names);
    const { controller = "" } = next.spec;
    return [
      ...validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", rules),
      ...(controller === (prior.spec.controller ?? "") ? [] : [invalid("spec.controller", controller, "field is immutable")]),
      ...validateObjectMeta(next.metadata, rules),
      ...validateSpec(next),
    ];
  },
});
