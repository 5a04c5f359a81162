/** The parts of a CustomResourceDefinition of which a resource is made. The plugin of definitions has the schema of the whole. */

/** Names of a kind. */
export interface Names {
  /** The lower-case plural in paths. The name of the definition is `<plural>.<group>`. */
  readonly plural: string;
  /** The kind in upper camel case. */
  readonly kind: string;
  /** The lower-case singular. Default: the kind in lower case. */
  readonly singular?: string;
  /** The kind of lists. Default: `<kind>List`. */
  readonly listKind?: string;
  /** Short names that kubectl accepts, in lower case. */
  readonly shortNames?: readonly string[] | null;
  /** Groups of resources, such as `all`, that `kubectl get` accepts. */
  readonly categories?: readonly string[] | null;
}

/** A column of tables (`additionalPrinterColumns`). */
export interface PrinterColumn {
  /** The heading of the column. */
  readonly name: string;
  /** The OpenAPI type of the values: `integer`, `number`, `string`, `boolean` or `date`. */
  readonly type: string;
  /** The OpenAPI format of the type, such as `int32` or `name`. */
  readonly format?: string;
  /** The description that clients can show. */
  readonly description?: string;
  /** 0: the column is always shown; greater values: only with `-o wide`. Default: 0. */
  readonly priority?: number;
  /** A simple JSONPath in the object, such as `.spec.replicas`. */
  readonly jsonPath: string;
}

/** Paths of the subresource `scale`. */
export interface Scale {
  /** JSONPath of the wanted number below `.spec`, such as `.spec.replicas`. */
  readonly specReplicasPath: string;
  /** JSONPath of the actual number below `.status`. */
  readonly statusReplicasPath: string;
  /** JSONPath of the serialized label selector below `.spec` or `.status`, for autoscalers. Absent: the scale has no selector. */
  readonly labelSelectorPath?: string | null;
}
/** Subresources of a version. */
export interface Subresources {
  /** Serves the subresource `status`; its value is an empty object. */
  readonly status?: object | null;
  /** Serves the subresource `scale`. */
  readonly scale?: Scale | null;
}

/** A version with its schema. */
export interface Version {
  /** The name of the version, such as `v1alpha1`. */
  readonly name: string;
  /** False: the version has no endpoint; its stored objects can be read in other versions. */
  readonly served: boolean;
  /** True for the one version in which objects are stored. */
  readonly storage: boolean;
  /** Requests for this version get a Warning header. Default: false. */
  readonly deprecated?: boolean;
  /** The text of the Warning header of a deprecated version. Default: a text with the group version and kind. */
  readonly deprecationWarning?: string | null;
  /** The structural schema, in its member `openAPIV3Schema`. */
  readonly schema?: { readonly openAPIV3Schema?: object | null } | null;
  /** The subresources of this version. Absent: none. */
  readonly subresources?: Subresources | null;
  /** The columns of tables. Absent: name and age. */
  readonly additionalPrinterColumns?: readonly PrinterColumn[] | null;
  /** Fields that field selectors may use, beside name and namespace. */
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | null;
}

/** The `spec` of a definition. */
export interface Spec {
  /** The API group, such as `stable.example.com`. */
  readonly group: string;
  /** `Cluster` or `Namespaced`. */
  readonly scope: string;
  /** The wanted names of the kind. */
  readonly names: Names;
  /** The versions, in any order. Exactly one has `storage: true`. */
  readonly versions: readonly Version[];
}

/** What the server needs to serve the resource. */
export interface Description {
  /** Name of the definition, `<plural>.<group>`. */
  readonly name: string;
  readonly spec: Spec;
  /** The accepted names. */
  readonly names: Names;
  /** Whether the definition is being deleted: objects cannot be created. It may change; the served resource stays the same. */
  readonly state: { readonly terminating: boolean };
}
