/**
 * Converts between v1alpha1 and the stored form, v1beta1. Two fields of v1alpha1 have no counterpart in v1beta1 and are stored in
 * annotations, which v1alpha1 does not show:
 *
 *     v1alpha1  spec.resource.version: v1       spec.continueToken: x
 *     stored    metadata.annotations: storagemigration.k8s.io/v1alpha1-version: v1, ...-continue-token: x
 *
 * A condition's lastUpdateTime is its lastTransitionTime.
 */
import type { ObjectMeta } from "../../plugin.ts";
import type { AlphaStorageVersionMigration, StorageVersionMigration } from "./schema.ts";

/** The fields of v1alpha1 that are stored as annotations. */
interface AlphaFields {
  readonly version: string;
  readonly continueToken: string;
}

/** The keys of the two annotations. Their prefix is the API group. */
function keysOf(apiVersion: string): { readonly version: string; readonly continueToken: string } {
  const group = apiVersion.slice(0, apiVersion.indexOf("/"));
  return { version: `${group}/v1alpha1-version`, continueToken: `${group}/v1alpha1-continue-token` };
}

/** Reads the v1alpha1 fields of a stored migration; absent ones are empty. */
export function alphaFieldsOf({ apiVersion, metadata: { annotations = {} } }: StorageVersionMigration): AlphaFields {
  const keys = keysOf(apiVersion);
  const own = (key: string) => Object.hasOwn(annotations, key) ? annotations[key]! : "";
  return { version: own(keys.version), continueToken: own(keys.continueToken) };
}

/** Replaces the annotations of the v1alpha1 fields. An empty field removes its annotation. */
function withAlphaFields(metadata: ObjectMeta, apiVersion: string, { version, continueToken }: AlphaFields): ObjectMeta {
  const keys = keysOf(apiVersion);
  const { annotations = {}, ...rest } = metadata;
  const { [keys.version]: _version, [keys.continueToken]: _token, ...others } = annotations;
  const all = {
    ...others,
    ...(version === "" ? {} : { [keys.version]: version }),
    ...(continueToken === "" ? {} : { [keys.continueToken]: continueToken }),
  };
  return Object.keys(all).length === 0 ? rest : { ...rest, annotations: all };
}

/** Adds the v1alpha1 fields of `prior` that `next` lacks, because clients of v1beta1 may drop the annotations. */
export function inheritAlphaFields(next: StorageVersionMigration, prior: StorageVersionMigration): StorageVersionMigration {
  const now = alphaFieldsOf(next), before = alphaFieldsOf(prior);
  const merged = { version: now.version || before.version, continueToken: now.continueToken || before.continueToken };
  if (merged.version === now.version && merged.continueToken === now.continueToken) return next;
  return { ...next, metadata: withAlphaFields(next.metadata, next.apiVersion, merged) };
}

/** Replaces the continue token. */
export function withToken(migration: StorageVersionMigration, continueToken: string): StorageVersionMigration {
  const { metadata, apiVersion } = migration;
  return { ...migration, metadata: withAlphaFields(metadata, apiVersion, { ...alphaFieldsOf(migration), continueToken }) };
}

/** Sets the version of the resource if the migration has none. */
export function withVersion(migration: StorageVersionMigration, version: string): StorageVersionMigration {
  const { metadata, apiVersion } = migration, fields = alphaFieldsOf(migration);
  return fields.version === "" ? { ...migration, metadata: withAlphaFields(metadata, apiVersion, { ...fields, version }) } : migration;
}

export function toStored(alpha: AlphaStorageVersionMigration): StorageVersionMigration {
  const { kind, apiVersion, metadata, spec, status } = alpha;
  const { group = "", version = "", resource = "" } = spec.resource;
  const { conditions, ...rest } = status;
  return {
    kind,
    apiVersion,
    metadata: withAlphaFields(metadata, apiVersion, { version, continueToken: spec.continueToken ?? "" }),
    spec: { resource: { group, resource } },
    status: {
      ...(conditions && {
        conditions: conditions.map(({ type, status, lastUpdateTime, reason = "", message = "" }) => ({
          type,
          status,
          lastTransitionTime: lastUpdateTime,
          reason,
          message,
        })),
      }),
      ...rest,
    },
  };
}

export function fromStored(stored: StorageVersionMigration): AlphaStorageVersionMigration {
  const { kind, apiVersion, metadata, spec: { resource: { group, resource } }, status } = stored;
  const { version, continueToken } = alphaFieldsOf(stored);
  const { conditions, ...rest } = status;
  return {
    kind,
    apiVersion,
    metadata: withAlphaFields(metadata, apiVersion, { version: "", continueToken: "" }),
    spec: {
      resource: { ...(group === "" ? {} : { group }), ...(version === "" ? {} : { version }), ...(resource === "" ? {} : { resource }) },
      ...(continueToken === "" ? {} : { continueToken }),
    },
    status: {
      ...(conditions && {
        conditions: conditions.map(({ type, status, lastTransitionTime, reason, message }) => ({
          type,
          status,
          lastUpdateTime: lastTransitionTime,
          ...(reason === "" ? {} : { reason }),
          ...(message === "" ? {} : { message }),
        })),
      }),
      ...rest,
    },
  };
}
