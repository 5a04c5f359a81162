/** The parts of a CustomResourceDefinition of which a resource is made. The plugin of definitions has the schema of the whole. */

/** Names of a kind. */
export interface Names {
  readonly plural: string;
  readonly kind: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[] | null;
  readonly categories?: readonly string[] | null;
}

/** A column of tables (`additionalPrinterColumns`). */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** Paths of the subresource `scale`. */
export interface Scale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | null;
}
/** Subresources of a version. */
export interface Subresources {
  readonly status?: object | null;
  readonly scale?: Scale | null;
}

/** A version with its schema. */
export interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string | null;
  readonly schema?: { readonly openAPIV3Schema?: object | null } | null;
  readonly subresources?: Subresources | null;
  readonly additionalPrinterColumns?: readonly PrinterColumn[] | null;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | null;
}

/** The `spec` of a definition. */
export interface Spec {
  readonly group: string;
  readonly scope: string;
  readonly names: Names;
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
