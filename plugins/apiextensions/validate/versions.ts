/**
 * A definition in the form that upstream validates: fields that all versions share are outside of them, with paths such as
 * `spec.validation`. The versions have only the fields that differ.
 */
import { sameValue } from "../../../toolbox.ts";
import type { PrinterColumn, SelectableField, Spec, Subresources, Validation, Version } from "../schema.ts";

export interface Shared {
  readonly subresources: Subresources | undefined;
  readonly validation: Validation | undefined;
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly SelectableField[];
}
/** The fields of one version that differ from those of others. Absent ones are shared. */
export type Own = Shared & { readonly version: Version };

export interface Parted {
  /** The name of the first version; "" without versions. */
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
  // Unlike upstream, which refuses them: fields that are validated against the schemas of the versions belong to the versions, if these differ.
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

/** The schema of a version, shared or its own. */
export function schemaOf(parts: Parted, name: string): Validation | undefined {
  if (parts.versions.every(({ validation }) => validation === undefined)) return parts.shared.validation;
  return parts.versions.find(({ version }) => version.name === name)?.validation;
}
