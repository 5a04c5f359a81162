/**
 * Between v1alpha1 and the stored form. What v1alpha1 says and v1beta1 has no field for (the version of the resource,
 * the continue token) is stored in two annotations, which v1alpha1 does not show:
 *
 *     v1alpha1  spec.resource.version: v1       spec.continueToken: x
 *     stored    metadata.annotations: storagemigration.k8s.io/v1alpha1-version: v1, ...-continue-token: x
 *
 * A condition's lastUpdateTime is its lastTransitionTime.
 */
import type { ObjectMeta } from "../../core/meta/object-meta.ts";
import type { AlphaStorageVersionMigration, StorageVersionMigration } from "./schema.ts";

interface Kept {
  readonly version: string;
  readonly continueToken: string;
}

/** Keys of the two annotations; their domain is the group of the object. */
function keysOf(apiVersion: string): { readonly version: string; readonly continueToken: string } {
  const group = apiVersion.slice(0, apiVersion.indexOf("/"));
  return { version: `${group}/v1alpha1-version`, continueToken: `${group}/v1alpha1-continue-token` };
}

/** What a stored migration remembers of v1alpha1; empty texts where there is nothing. */
export function keptOf({ apiVersion, metadata: { annotations = {} } }: StorageVersionMigration): Kept {
  const keys = keysOf(apiVersion);
  const own = (key: string) => Object.hasOwn(annotations, key) ? annotations[key]! : "";
  return { version: own(keys.version), continueToken: own(keys.continueToken) };
}

/** The metadata with what v1alpha1 says in place of what it said before. */
function withKept(metadata: ObjectMeta, apiVersion: string, { version, continueToken }: Kept): ObjectMeta {
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

/** The migration with what `prior` remembers, unless it says something itself: for clients of v1beta1, who may leave it out. */
export function withKeptOf(next: StorageVersionMigration, prior: StorageVersionMigration): StorageVersionMigration {
  const now = keptOf(next), before = keptOf(prior);
  const kept = { version: now.version || before.version, continueToken: now.continueToken || before.continueToken };
  if (kept.version === now.version && kept.continueToken === now.continueToken) return next;
  return { ...next, metadata: withKept(next.metadata, next.apiVersion, kept) };
}

/** The migration with another continue token. */
export function withToken(migration: StorageVersionMigration, continueToken: string): StorageVersionMigration {
  const { metadata, apiVersion } = migration;
  return { ...migration, metadata: withKept(metadata, apiVersion, { ...keptOf(migration), continueToken }) };
}

/** The migration with this version, unless it has one. */
export function withVersion(migration: StorageVersionMigration, version: string): StorageVersionMigration {
  const { metadata, apiVersion } = migration, kept = keptOf(migration);
  return kept.version === "" ? { ...migration, metadata: withKept(metadata, apiVersion, { ...kept, version }) } : migration;
}

export function toStored(alpha: AlphaStorageVersionMigration): StorageVersionMigration {
  const { kind, apiVersion, metadata, spec, status } = alpha;
  const { group = "", version = "", resource = "" } = spec.resource;
  const { conditions, ...rest } = status;
  return {
    kind,
    apiVersion,
    metadata: withKept(metadata, apiVersion, { version, continueToken: spec.continueToken ?? "" }),
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
  const { version, continueToken } = keptOf(stored);
  const { conditions, ...rest } = status;
  return {
    kind,
    apiVersion,
    metadata: withKept(metadata, apiVersion, { version: "", continueToken: "" }),
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
