/** Warnings about pod templates, with upstream's order and texts (pkg/api/pod/warnings.go). */
import { trimEndOf } from "../../../core/trim-end.ts";
import { deprecatedNodeLabel } from "../node-labels.ts";
import { goQuote, type LocalObjectReference, type Names, spell } from "../../../toolbox.ts";
import type { KeyToPath, Volume, VolumeProjection, VolumeSource } from "../volumes/mod.ts";
import { warnOfNodeSelector, warnOfPreference } from "../volumes/validate-node-selector.ts";
import { warnOfAddress } from "../address-text.ts";
import type { NodeAffinity, PodAffinity, TopologySpreadConstraint } from "./affinity.ts";
import { comparedForWarningsMax, warnOfContainers } from "./container-warnings.ts";
import { fractionOf } from "./fraction.ts";
import type { PodTemplateSpec } from "./pod-spec.ts";

/** Sources with removed drivers: the field, its spelling in upstream's warning, and the warning. */
const removedSources: readonly (readonly [source: keyof VolumeSource, spelling: string, warning: string])[] = [
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

/** Annotations that were replaced by fields. */
const replacedAnnotations: readonly (readonly [key: string, why: string])[] = [
  ["scheduler.alpha.{platform}.io/critical-pod", 'non-functional in v1.16+; use the "priorityClassName" field instead'],
  ["security.alpha.{platform}.io/sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
  ["security.alpha.{platform}.io/unsafe-sysctls", 'non-functional in v1.11+; use the "sysctls" field instead'],
];

/** The warnings of a template at `path`, or of a pod with the path "". */
export function warnOfPodTemplate(template: PodTemplateSpec, path: string, names: Names): readonly string[] {
  const { metadata: { annotations = {} }, spec } = template;
  const { volumes = [], nodeSelector = {}, overhead = {} } = spec;
  const prefix = path === "" ? "" : `${path}.`, at = `${prefix}spec`, annotationsPath = `${prefix}metadata.annotations`;
  const seccomp = spell(names, "seccomp.security.alpha.{platform}.io/pod");
  return [
    ...Object.keys(nodeSelector).flatMap((key) => {
      const text = deprecatedNodeLabel(key, names);
      return text === undefined ? [] : [`${at}.nodeSelector[${key}]: ${text}`];
    }),
    ...warnOfNodeAffinity(spec.affinity?.nodeAffinity, `${at}.affinity.nodeAffinity`, names),
    ...warnOfSpread(spec.topologySpreadConstraints ?? [], `${at}.topologySpreadConstraints`, names),
    ...replacedAnnotations.map(([key, why]) => [spell(names, key), why] as const).filter(([key]) => Object.hasOwn(annotations, key))
      .map(([key, why]) => `${annotationsPath}[${key}]: ${why}`),
    ...volumes.flatMap((volume, i) => warnOfVolume(volume, `${at}.volumes[${i}]`)),
    ...volumes.flatMap(overlapsOf),
    ...repetitionsOf(spec.hostAliases ?? [], ({ ip }) => ip).map(([i, ip]) => `${at}.hostAliases[${i}].ip: duplicate ip ${goQuote(ip)}`),
    ...warnOfPullSecrets(spec.imagePullSecrets ?? [], `${at}.imagePullSecrets`),
    ...["memory", "ephemeral-storage"].flatMap((name) => fractionOf(overhead, name, `${at}.overhead`)),
    ...(spec.securityContext?.seccompProfile === undefined && Object.hasOwn(annotations, seccomp)
      ? [`${annotationsPath}[${seccomp}]: non-functional in v1.27+; use the "seccompProfile" field instead`]
      : []),
    ...warnOfContainers(template, prefix, names),
    ...(Number(spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...warnOfPodAffinity(spec.affinity?.podAffinity, `${at}.affinity.podAffinity`),
    ...warnOfPodAffinity(spec.affinity?.podAntiAffinity, `${at}.affinity.podAntiAffinity`),
    ...(spec.dnsConfig?.nameservers ?? []).flatMap((each, i) => warnOfAddress(each, `${at}.dnsConfig.nameservers[${i}]`)),
    ...(spec.hostAliases ?? []).flatMap(({ ip }, i) => warnOfAddress(ip, `${at}.hostAliases[${i}].ip`)),
  ];
}

function warnOfNodeAffinity(affinity: NodeAffinity | undefined, path: string, names: Names): readonly string[] {
  const needed = affinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return [
    ...(needed === undefined ? [] : warnOfNodeSelector(needed, `${path}.requiredDuringSchedulingIgnoredDuringExecution`, names)),
    ...preferred.flatMap(({ preference }, i) =>
      warnOfPreference(preference, `${path}.preferredDuringSchedulingIgnoredDuringExecution[${i}].preference`, names)
    ),
  ];
}

const noSelector = "a null labelSelector results in matching no pod";

function warnOfSpread(constraints: readonly TopologySpreadConstraint[], path: string, names: Names): readonly string[] {
  return constraints.flatMap(({ topologyKey, labelSelector }, i) => {
    const text = deprecatedNodeLabel(topologyKey, names);
    return [
      ...(text === undefined ? [] : [`${path}[${i}].topologyKey: ${topologyKey} is ${text}`]),
      ...(labelSelector === undefined ? [`${path}[${i}].labelSelector: ${noSelector}`] : []),
    ];
  });
}

function warnOfPodAffinity(affinity: PodAffinity | undefined, path: string): readonly string[] {
  const { requiredDuringSchedulingIgnoredDuringExecution: needed = [], preferredDuringSchedulingIgnoredDuringExecution: preferred = [] } =
    affinity ?? {};
  const without = <T extends { readonly labelSelector?: unknown }>(terms: readonly T[], pathOf: (i: number) => string) =>
    terms.flatMap(({ labelSelector }, i) => labelSelector === undefined ? [`${pathOf(i)}.labelSelector: ${noSelector}`] : []);
  return [
    ...without(needed, (i) => `${path}.requiredDuringSchedulingIgnoredDuringExecution[${i}]`),
    ...without(
      preferred.map(({ podAffinityTerm }) => podAffinityTerm),
      (i) => `${path}.preferredDuringSchedulingIgnoredDuringExecution[${i}].podAffinityTerm`,
    ),
  ];
}

function warnOfVolume(volume: Volume, path: string): readonly string[] {
  const { requests = {}, limits = {} } = volume.ephemeral?.volumeClaimTemplate?.spec.resources ?? {};
  const resourcesPath = `${path}.ephemeral.volumeClaimTemplate.spec.resources`;
  return [
    ...removedSources.filter(([source]) => volume[source] !== undefined).map(([, spelling, warning]) => `${path}.${spelling}: ${warning}`),
    ...fractionOf(requests, "storage", `${resourcesPath}.requests`),
    ...fractionOf(limits, "storage", `${resourcesPath}.limits`),
  ];
}

function warnOfPullSecrets(secrets: readonly LocalObjectReference[], path: string): readonly string[] {
  const nameOf = ({ name = "" }: LocalObjectReference) => name;
  return [
    ...repetitionsOf(secrets, nameOf).map(([i, name]) => `${path}[${i}].name: duplicate name ${goQuote(name)}`),
    ...secrets.flatMap((each, i) => nameOf(each) === "" ? [`${path}[${i}].name: invalid empty name ""`] : []),
  ];
}

/** The items whose key occurred before, as pairs of index and key. */
function repetitionsOf<T>(items: readonly T[], keyOf: (item: T) => string): readonly (readonly [number, string])[] {
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const key = keyOf(item), again = seen.has(key);
    seen.add(key);
    return again ? [[i, key] as const] : [];
  });
}

/** A file of a volume. `from` is its source in a volume with several sources, else empty. */
interface Target {
  readonly path: string;
  readonly from: string;
}

function overlapsOf(volume: Volume): readonly string[] {
  const { name, configMap, secret, downwardAPI, projected } = volume;
  if (configMap !== undefined) return overlaps(`volume "${name}" (ConfigMap "${configMap.name ?? ""}")`, targets(configMap.items));
  if (secret !== undefined) return overlaps(`volume "${name}" (Secret "${secret.secretName ?? ""}")`, targets(secret.items));
  if (downwardAPI !== undefined) return overlaps(`volume "${name}" (DownwardAPI)`, targets(downwardAPI.items));
  const { sources = [] } = projected ?? {};
  return [
    ...sources.filter((source) => Object.keys(source).length === 0).map(() => `volume "${name}" (Projected) has no sources provided`),
    ...overlaps(`volume "${name}" (Projected)`, sources.flatMap(targetsOf)),
  ];
}

function targets(items: readonly Pick<KeyToPath, "path">[] | undefined, from = ""): readonly Target[] {
  return (items ?? []).map(({ path }) => ({ path: trimEndOf(path, "/"), from }));
}
function targetsOf(source: VolumeProjection): readonly Target[] {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  const { credentialBundlePath = "", keyPath = "", certificateChainPath = "" } = podCertificate ?? {};
  const bundle = clusterTrustBundle?.name ?? clusterTrustBundle?.signerName ?? "";
  const certificate = {
    "PodCertificate chain": certificateChainPath,
    "PodCertificate key": keyPath,
    "PodCertificate credential bundle": credentialBundlePath,
  };
  return [
    ...targets(configMap?.items, `ConfigMap "${configMap?.name ?? ""}"`),
    ...targets(secret?.items, `Secret "${secret?.name ?? ""}"`),
    ...targets(downwardAPI?.items, "DownwardAPI"),
    ...targets(serviceAccountToken && [serviceAccountToken], "ServiceAccountToken"),
    ...targets(clusterTrustBundle && [clusterTrustBundle], `ClusterTrustBundle "${bundle}"`),
    ...Object.entries(certificate).filter(([, path]) => path !== "").flatMap(([from, path]) => targets([{ path }], from)),
  ];
}

/** Warns about equal paths, and about paths that contain each other. Each path is compared with all paths before it. */
function overlaps(volume: string, targets: readonly Target[]): readonly string[] {
  const all = targets.slice(0, comparedForWarningsMax);
  return all.flatMap((target, i) => {
    const hits = all.slice(0, i).filter(({ path }) =>
      path !== "" && target.path !== "" && (`${path}/`.startsWith(`${target.path}/`) || `${target.path}/`.startsWith(`${path}/`))
    );
    return hits.map((hit) => `${volume}: overlapping paths: ${targetText(target)} with ${targetText(hit)}`);
  });
}
function targetText({ path, from }: Target): string {
  return from === "" ? goQuote(path) : `${goQuote(path)} (${from})`;
}
