/** The objects that the kubelet of a pod's node must be able to read. */
import type { ApiObject } from "../../../plugin.ts";
import { type Names, spell } from "../../../toolbox.ts";
import { everyContainer } from "../../shared/pod/containers-of.ts";
import type { PodSpec } from "../../shared/pod/pod-spec.ts";
import type { PersistentVolumeSpec } from "../../shared/volumes/mod.ts";

/** The kinds of objects that pods and volumes name. */
export type Referenced = "secrets" | "configmaps" | "persistentvolumeclaims" | "serviceaccounts" | "resourceclaims";

/** The key of an object: `secrets/default/a`. */
export function referenceKey(kind: Referenced, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

export interface Pod extends ApiObject {
  readonly spec: PodSpec;
  readonly status: {
    readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
    readonly extendedResourceClaimStatus?: { readonly resourceClaimName: string };
  };
}
export interface Volume extends ApiObject {
  readonly spec: PersistentVolumeSpec;
}

type Maybe = string | undefined;

function secretsOf({ spec }: Pod): readonly Maybe[] {
  return [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...everyContainer(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
      ...envFrom.map(({ secretRef }) => secretRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap((each) => [
      each.azureFile?.secretName,
      each.secret?.secretName,
      each.csi?.nodePublishSecretRef?.name,
      ...[each.cephfs, each.cinder, each.flexVolume, each.rbd, each.scaleIO, each.iscsi, each.storageos].map((source) =>
        source?.secretRef?.name
      ),
      ...(each.projected?.sources ?? []).map(({ secret }) => secret?.name),
    ]),
  ];
}

function configMapsOf({ spec }: Pod): readonly Maybe[] {
  return [
    ...everyContainer(spec).flatMap(({ env = [], envFrom = [] }) => [
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
      ...envFrom.map(({ configMapRef }) => configMapRef?.name),
    ]),
    ...(spec.volumes ?? []).flatMap((each) => [
      each.configMap?.name,
      ...(each.projected?.sources ?? []).map(({ configMap }) => configMap?.name),
    ]),
  ];
}

/** A volume that lives with the pod has a claim with the names of both. */
function volumeClaimsOf({ metadata, spec }: Pod): readonly Maybe[] {
  return (spec.volumes ?? []).map(({ name, persistentVolumeClaim, ephemeral }) =>
    persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`)
  );
}

/** The claims of devices: those that the pod names, and those that were made for it. */
function resourceClaimsOf({ spec, status }: Pod): readonly Maybe[] {
  const { resourceClaimStatuses = [], extendedResourceClaimStatus } = status;
  return [
    ...(spec.resourceClaims ?? []).map((each) =>
      each.resourceClaimName ?? resourceClaimStatuses.find(({ name }) => name === each.name)?.resourceClaimName
    ),
    extendedResourceClaimStatus?.resourceClaimName,
  ];
}

/** The keys of all objects that a pod names. A mirror pod gives its node no rights. */
export function referencesOfPod(pod: Pod, names: Names): ReadonlySet<string> {
  const { namespace = "", annotations = {} } = pod.metadata;
  if (Object.hasOwn(annotations, spell(names, "{platform}.io/config.mirror"))) return new Set();
  const of = (kind: Referenced, found: readonly Maybe[]) =>
    found.flatMap((name = "") => name === "" ? [] : [referenceKey(kind, namespace, name)]);
  return new Set([
    ...of("serviceaccounts", [pod.spec.serviceAccountName]),
    ...of("secrets", secretsOf(pod)),
    ...of("configmaps", configMapsOf(pod)),
    ...of("persistentvolumeclaims", volumeClaimsOf(pod)),
    ...of("resourceclaims", resourceClaimsOf(pod)),
  ]);
}

/** The keys of the secrets of a bound volume that kubelets use. Secrets of its controllers are not among them. */
export function secretsOfVolume({ spec }: Volume): ReadonlySet<string> {
  const home = spec.claimRef?.namespace ?? "";
  type Reference = { readonly name?: string; readonly namespace?: string } | undefined;
  const secret = (reference: Reference, fallback: string) =>
    (reference?.name ?? "") === "" ? [] : [referenceKey("secrets", reference?.namespace || fallback, reference!.name!)];
  const { azureFile, csi } = spec;
  return new Set([
    ...secret(azureFile === undefined ? undefined : { name: azureFile.secretName, namespace: azureFile.secretNamespace ?? "" }, home),
    ...[spec.cephfs, spec.flexVolume, spec.rbd, spec.scaleIO, spec.iscsi].flatMap((source) => secret(source?.secretRef, home)),
    ...[spec.cinder, spec.storageos].flatMap((source) => secret(source?.secretRef, "")),
    ...[csi?.nodePublishSecretRef, csi?.nodeStageSecretRef, csi?.nodeExpandSecretRef].flatMap((reference) => secret(reference, "")),
  ]);
}
