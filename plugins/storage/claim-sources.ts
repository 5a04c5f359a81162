/**
 * Prepares the data sources of claims. `dataSource` is for snapshots and claims, the newer `dataSourceRef` for any kind; the two are kept
 * equal.
 */
import type { HookContext } from "../../plugin.ts";
import { spell } from "../../toolbox.ts";
import type { PersistentVolumeClaimSpec } from "../shared/volumes/mod.ts";

/** Prepares the sources before validation: drops those that are not allowed, then copies each field to the other. */
export function withSources(
  next: PersistentVolumeClaimSpec,
  prior: PersistentVolumeClaimSpec | undefined,
  context: HookContext,
): PersistentVolumeClaimSpec {
  return mirrorSource(withoutOldSource(withoutForeignSource(next, prior, context), prior, context));
}

/** Drops a source in another namespace if its gate is disabled, unless `dataSourceRef` is stored. */
function withoutForeignSource(
  next: PersistentVolumeClaimSpec,
  prior: PersistentVolumeClaimSpec | undefined,
  context: HookContext,
): PersistentVolumeClaimSpec {
  if (
    (next.dataSourceRef?.namespace ?? "") === "" || context.gates("CrossNamespaceVolumeDataSource") || prior?.dataSourceRef !== undefined
  ) {
    return next;
  }
  const { dataSourceRef: _dropped, ...kept } = next;
  return kept;
}

/** Drops a `dataSource` that is neither claim nor snapshot, unless a source is stored. */
function withoutOldSource(
  next: PersistentVolumeClaimSpec,
  prior: PersistentVolumeClaimSpec | undefined,
  { names }: HookContext,
): PersistentVolumeClaimSpec {
  const { dataSource, dataSourceRef } = next;
  if (dataSource === undefined || dataSourceRef !== undefined) return next;
  if (prior?.dataSource !== undefined || prior?.dataSourceRef !== undefined) return next;
  const group = dataSource.apiGroup ?? "";
  const known = group === ""
    ? dataSource.kind === "PersistentVolumeClaim"
    : group === spell(names, "snapshot.storage.{domain}") && dataSource.kind === "VolumeSnapshot";
  if (known) return next;
  const { dataSource: _dropped, ...kept } = next;
  return kept;
}

/** Copies `dataSource` to `dataSourceRef` or back. A source in another namespace is in `dataSourceRef` only. */
export function mirrorSource(spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  const { dataSource, dataSourceRef } = spec;
  if ((dataSourceRef?.namespace ?? "") !== "" || (dataSource === undefined) === (dataSourceRef === undefined)) return spec;
  if (dataSourceRef === undefined) return { ...spec, dataSourceRef: dataSource! }; // `!`: exactly one of them is set
  const { namespace: _none, ...reference } = dataSourceRef;
  return { ...spec, dataSource: reference };
}
