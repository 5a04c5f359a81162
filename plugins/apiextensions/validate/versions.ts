/**
 * Brings a definition into the form that upstream validates. Fields that all versions share are outside of the versions, with paths such as
 * `spec.validation`; each version has only the fields in which it differs.
 */
import { sameValue } from "../../../toolbox.ts";
import type { PrinterColumn, SelectableField, Spec, Subresources, Validation, Version } from "../schema.ts";

export interface Shared {
  readonly subresources: Subresources | undefined;
  readonly validation: Validation | undefined;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly SelectableField[];
}
/** The fields of one version that differ from those of other versions. A field that is absent is shared. */
export type Own = Shared & { readonly version: Version };

export interface Parted {
  /** The name of the first version; "" if there are no versions. */
  readonly version: string;
  readonly shared: Shared;
  readonly versions: readonly Own[];
}

const nothing: Shared = { subresources: undefined, validation: undefined, columns: [], selectableFields: [] };

/** Splits the versions of a definition. */
export function splitVersions({ versions }: Spec): Parted {
  const first = versions[0];
  if (first === undefined) return { version: "", shared: nothing, versions: [] };
  const isShared = <K extends keyof Version>(key: K) => versions.every((each) => each === first || sameValue(each[key], first[key]));
  const subresources = isShared("subresources"), schema = isShared("schema");
  // Unlike upstream, which rejects such fields: if the schemas of the versions differ, fields that are validated against a schema belong to
  // their version.
  const columns = isShared("additionalPrinterColumns"), fields = schema && isShared("selectableFields");
  return {
    version: first.name,
    shared: {
      subresources: subresources ? first.subresources : undefined,
      validation: schema ? first.schema : undefined,
      columns: columns ? first.additionalPrinterColumns ?? [] : [],
      selectableFields: fields ? first.selectableFields ?? [] : [],
    },
    versions: versions.map((version) => ({
      version,
      subresources: subresources ? undefined : version.subresources,
      validation: schema ? undefined : version.schema,
      columns: columns ? [] : version.additionalPrinterColumns ?? [],
      selectableFields: fields ? [] : version.selectableFields ?? [],
    })),
  };
}

/** Returns the schema of a version, its own or the shared one. */
export function schemaOf(parts: Parted, name: string): Validation | undefined {
  if (parts.versions.every(({ validation }) => validation === undefined)) return parts.shared.validation;
  return parts.versions.find(({ version }) => version.name === name)?.validation;
}
