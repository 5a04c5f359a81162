/** What a template is let pass with, but not in silence. */
import type { Names } from "../../../core/names.ts";
import type { KeyToPath, Volume, VolumeProjection, VolumeSource } from "../../../core/volumes/mod.ts";
import { warnOfNodeSelector } from "../../../core/volumes/validate-node-selector.ts";
import { deprecatedNodeLabel } from "../../../core/meta/node-labels.ts";
import type { PodTemplateSpec } from "./pod-spec.ts";

const retired: readonly (readonly [source: keyof VolumeSource, told: string, since: string])[] = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
];

export function warnOfPodTemplate({ spec }: PodTemplateSpec, path: string, names: Names): readonly string[] {
  const { volumes = [], nodeSelector = {}, affinity } = spec;
  const at = `${path}.spec`;
  const needed = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return [
    ...Object.keys(nodeSelector).flatMap((key) => {
      const text = deprecatedNodeLabel(key, names);
      return text === undefined ? [] : [`${at}.nodeSelector[${key}]: ${text}`];
    }),
    ...(needed === undefined
      ? []
      : warnOfNodeSelector(needed, `${at}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`, names)),
    ...volumes.flatMap((volume, i) =>
      retired.filter(([source]) => volume[source] !== undefined).map(([, told, since]) => `${at}.volumes[${i}].${told}: ${since}`)
    ),
    ...volumes.flatMap(overlapsOf),
    ...(Number(spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
  ];
}

/** A file of a volume, and from where it comes where a volume has several sources. */
interface Target {
  readonly path: string;
  readonly from: string;
}

function overlapsOf(volume: Volume): readonly string[] {
  const { name, configMap, secret, downwardAPI, projected } = volume;
  if (configMap !== undefined) return overlaps(`volume "${name}" (ConfigMap "${configMap.name ?? ""}")`, targets(configMap.items));
  if (secret !== undefined) return overlaps(`volume "${name}" (Secret "${secret.secretName ?? ""}")`, targets(secret.items));
  if (downwardAPI !== undefined) return overlaps(`volume "${name}" (DownwardAPI)`, targets(downwardAPI.items));
  if (projected === undefined) return [];
  return overlaps(`volume "${name}" (Projected)`, (projected.sources ?? []).flatMap(targetsOf));
}

function targets(items: readonly Pick<KeyToPath, "path">[] | undefined, from = ""): readonly Target[] {
  return (items ?? []).map(({ path }) => ({ path, from }));
}
function targetsOf(source: VolumeProjection): readonly Target[] {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const { credentialBundlePath = "", keyPath = "", certificateChainPath = "" } = podCertificate ?? {};
  return [
    ...targets(secret?.items, ` (Secret "${secret?.name ?? ""}")`),
    ...targets(configMap?.items, ` (ConfigMap "${configMap?.name ?? ""}")`),
    ...targets(downwardAPI?.items, " (DownwardAPI)"),
    ...targets(serviceAccountToken && [serviceAccountToken], " (ServiceAccountToken)"),
    ...targets(clusterTrustBundle && [clusterTrustBundle], " (ClusterTrustBundle)"),
    ...targets(
      [credentialBundlePath, keyPath, certificateChainPath].filter((path) => path !== "").map((path) => ({ path })),
      " (PodCertificate)",
    ),
  ];
}

/** Files that are another's file, or lie below it as if it were a directory; each with the first before it that it hits. */
function overlaps(volume: string, all: readonly Target[]): readonly string[] {
  const clean = (path: string) => path.replace(/\/+$/, "");
  return all.flatMap((target, i) => {
    const own = clean(target.path);
    const hit = all.slice(0, i).find((other) => {
      const path = clean(other.path);
      return own === path || own.startsWith(`${path}/`) || path.startsWith(`${own}/`);
    });
    return hit === undefined ? [] : [`${volume}: overlapping paths: "${target.path}"${target.from} with "${hit.path}"${hit.from}`];
  });
}
