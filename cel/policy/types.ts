/** Types of the variables of admission policies: the request, the namespace and the variables of the policy. */
import {
  boolType,
  dynType,
  type FieldType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
  type Type,
  type TypeSource,
} from "../types.ts";

const texts = listType(stringType), labels = mapType(stringType, stringType);

/** Returns fields of type string. */
function textFields(...names: readonly string[]): readonly (readonly [string, Type])[] {
  return names.map((name) => [name, stringType]);
}

const kind = objectType("kubernetes.GroupVersionKind");
const resource = objectType("kubernetes.GroupVersionResource");
const userInfo = objectType("kubernetes.UserInfo");
const namespaceSpec = objectType("kubernetes.NamespaceSpec");
const namespaceStatus = objectType("kubernetes.NamespaceStatus");
const namespaceCondition = objectType("kubernetes.NamespaceCondition");
const namespaceMetadata = objectType("kubernetes.NamespaceMetadata");

/** The type of `request`. */
export const requestType = objectType("kubernetes.AdmissionRequest");
/** The type of `namespaceObject`. */
export const namespaceType = objectType("kubernetes.Namespace");
/** The type of `variables`. */
export const variablesType = objectType("kubernetes.variables");

const types: ReadonlyMap<string, ReadonlyMap<string, Type>> = new Map([
  [kind.name, new Map(textFields("group", "version", "kind"))],
  [resource.name, new Map(textFields("group", "version", "resource"))],
  [userInfo.name, new Map<string, Type>([...textFields("username", "uid"), ["groups", texts], ["extra", mapType(stringType, texts)]])],
  [
    requestType.name,
    new Map<string, Type>([
      ["kind", kind],
      ["resource", resource],
      ["requestKind", kind],
      ["requestResource", resource],
      ...textFields("subResource", "requestSubResource", "name", "namespace", "operation"),
      ["userInfo", userInfo],
      ["dryRun", boolType],
      ["options", dynType],
    ]),
  ],
  [namespaceSpec.name, new Map<string, Type>([["finalizers", texts]])],
  [
    namespaceCondition.name,
    new Map<string, Type>([...textFields("status", "type", "message", "reason"), ["lastTransitionTime", timestampType]]),
  ],
  [namespaceStatus.name, new Map<string, Type>([["conditions", listType(namespaceCondition)], ["phase", stringType]])],
  [
    namespaceMetadata.name,
    new Map<string, Type>([
      ...textFields("name", "generateName", "namespace", "UID", "resourceVersion"),
      ["labels", labels],
      ["annotations", labels],
      ["creationTimestamp", timestampType],
      ["deletionTimestamp", timestampType],
      ["deletionGracePeriodSeconds", intType],
      ["generation", intType],
      ["finalizers", texts],
    ]),
  ],
  [
    namespaceType.name,
    new Map<string, Type>([["metadata", namespaceMetadata], ["spec", namespaceSpec], ["status", namespaceStatus]]),
  ],
]);

/** The types of a policy. `inner`: further types, such as those of mutations. */
export class PolicyTypes implements TypeSource {
  readonly #variables = new Map<string, Type>();
  readonly #inner: TypeSource | undefined;
  constructor(inner?: TypeSource) {
    this.#inner = inner;
  }

  /** Declares a variable of the policy. A variable that does not compile is dynamic. */
  declare(name: string, type: Type | undefined): void {
    this.#variables.set(name, type === undefined ? dynType : declaredType(type));
  }

  hasType(name: string): boolean {
    return types.has(name) || name === variablesType.name || this.#inner?.hasType(name) === true;
  }
  field(type: string, field: string): FieldType | undefined {
    const known = type === variablesType.name ? this.#variables.get(field) : types.get(type)?.get(field);
    return known === undefined ? this.#inner?.field(type, field) : { type: known };
  }
  fieldNames(type: string): readonly string[] {
    return this.#inner?.fieldNames(type) ?? [];
  }
}

/** Returns the type of a variable as other expressions see it: only scalars, lists and maps are known. */
function declaredType(type: Type): Type {
  switch (type.tag) {
    case "list":
      return listType(declaredType(type.of));
    case "map":
      return mapType(declaredType(type.key), declaredType(type.value));
    case "null":
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "string":
    case "bytes":
    case "timestamp":
    case "duration":
      return type;
    default:
      return dynType;
  }
}
