/** Validates persistent volumes and warns of them, with upstream's order and texts (pkg/apis/core/validation). */
import { type FieldError, forbidden, type HookContext, invalid } from "../../plugin.ts";
import { append, metaRulesOf, type Names, sameValue, spell, validateObjectMeta, validateObjectMetaUpdate } from "../../toolbox.ts";
import { topologySuccessor } from "../shared/node-labels.ts";
import {
  hasInvalidNodeLabelValue,
  persistentSources,
  type PersistentVolumeSpec,
  validatePersistentVolumeSpec,
  warnOfNodeSelector,
} from "../shared/volumes/mod.ts";
import { classAnnotation } from "./columns.ts";
import { attributesClassGate, attributesClassInUse } from "./gates.ts";
import type { PersistentVolume } from "./persistent-volume-schema.ts";

const kind = { scope: "Cluster", strategy: { coreFinalizers: true } } as const;
const mountAnnotation = "volume.beta.{platform}.io/mount-options";

/** Sources that support mount options in the deprecated annotation. */
const mountable = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const;

function validateSpec(
  { metadata, spec }: PersistentVolume,
  prior: PersistentVolume | undefined,
  context: HookContext,
): readonly FieldError[] {
  const attributesClass = attributesClassInUse(prior?.spec.volumeAttributesClassName, context.gates);
  const needed = prior?.spec.nodeAffinity?.required;
  const storedValues = needed !== undefined && hasInvalidNodeLabelValue(needed);
  return validatePersistentVolumeSpec(spec, "spec", { name: metadata.name ?? "", names: context.names, attributesClass, storedValues });
}

function validateMountOptions({ metadata: { annotations = {} }, spec }: PersistentVolume, context: HookContext): readonly FieldError[] {
  const key = spell(context.names, mountAnnotation);
  if (!Object.hasOwn(annotations, key) || mountable.some((source) => spec[source] !== undefined)) return [];
  return [forbidden(`metadata.annotations.${key}`, "may not specify mount options for this volume type")];
}

export function validateVolumeCreate(next: PersistentVolume, context: HookContext): readonly FieldError[] {
  return [...validateSpec(next, undefined, context), ...validateMountOptions(next, context)];
}

/** Validates an update. Errors of metadata and spec are repeated, as upstream, which validates them twice. */
export function validateVolumeUpdate(next: PersistentVolume, prior: PersistentVolume, context: HookContext): readonly FieldError[] {
  const rules = metaRulesOf(kind, context.names);
  const own = [...validateObjectMeta(next.metadata, rules), ...validateSpec(next, prior, context)];
  return [
    ...own,
    ...validateMountOptions(next, context),
    ...own,
    ...validateUnchanged(next.spec, prior.spec, context),
  ];
}

function validateUnchanged(next: PersistentVolumeSpec, prior: PersistentVolumeSpec, context: HookContext): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (!sameValue(sourceOf(withoutNewExpandSecret(next, prior)), sourceOf(prior))) {
    errors.push(forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"));
  }
  // The paths lack "spec.", as upstream.
  if (next.volumeMode !== prior.volumeMode) errors.push(invalid("volumeMode", next.volumeMode, "field is immutable"));
  if (!context.gates("MutablePVNodeAffinity")) append(errors, validateNodeAffinity(next, prior, context.names));
  const { volumeAttributesClassName: now } = next, { volumeAttributesClassName: before } = prior;
  if (now === before) return errors;
  const path = "spec.volumeAttributesClassName";
  if (!context.gates(attributesClassGate)) {
    errors.push(forbidden(path, "update is forbidden when the VolumeAttributesClass feature gate is disabled"));
  }
  if (attributesClassInUse(before, context.gates) && now === undefined) {
    errors.push(forbidden(path, "update from non-nil value to nil is forbidden"));
  }
  return errors;
}

function sourceOf(spec: PersistentVolumeSpec): unknown {
  return Object.fromEntries(persistentSources.flatMap((key) => spec[key] === undefined ? [] : [[key, spec[key]]]));
}

/** Removes an added `controllerExpandSecretRef` before comparison: a CSI volume without one may get it later. */
function withoutNewExpandSecret(next: PersistentVolumeSpec, prior: PersistentVolumeSpec): PersistentVolumeSpec {
  if (next.csi?.controllerExpandSecretRef === undefined || prior.csi === undefined || prior.csi.controllerExpandSecretRef !== undefined) {
    return next;
  }
  const { controllerExpandSecretRef: _added, ...csi } = next.csi;
  return { ...next, csi };
}

/** Checks that a set node affinity is unchanged, except for deprecated labels that are replaced by their successors. */
function validateNodeAffinity(next: PersistentVolumeSpec, prior: PersistentVolumeSpec, names: Names): readonly FieldError[] {
  const { nodeAffinity } = prior;
  if (nodeAffinity === undefined || sameValue(next.nodeAffinity, nodeAffinity)) return [];
  const renamed = renameTo(nodeAffinity, next.nodeAffinity, names);
  if (renamed !== undefined && sameValue(next.nodeAffinity, renamed)) return [];
  return [invalid("nodeAffinity", next.nodeAffinity, "field is immutable, except for updating from beta label to GA")];
}

type Affinity = NonNullable<PersistentVolumeSpec["nodeAffinity"]>;

/**
 * Renames deprecated keys of the prior affinity whose successor is at the same position in the next one. As upstream, a key without
 * successor has the empty key as its successor; the validation of keys rejects that anyway.
 */
function renameTo(prior: Affinity, next: Affinity | undefined, names: Names): Affinity | undefined {
  const { required } = prior;
  if (required === undefined) return undefined;
  return {
    required: {
      nodeSelectorTerms: required.nodeSelectorTerms.map((term, i) => {
        const other = next?.required?.nodeSelectorTerms[i];
        const renameIn = (list: "matchExpressions" | "matchFields") =>
          term[list] === undefined ? {} : {
            [list]: term[list].map((each, j) => {
              const successor = topologySuccessor(each.key, names) ?? "";
              return other?.[list]?.[j]?.key === successor ? { ...each, key: successor } : each;
            }),
          };
        return { ...term, ...renameIn("matchExpressions"), ...renameIn("matchFields") };
      }),
    },
  };
}

export function validateVolumeStatus(next: PersistentVolume, prior: PersistentVolume, context: HookContext): readonly FieldError[] {
  return validateObjectMetaUpdate(next.metadata, prior.metadata, "metadata", metaRulesOf(kind, context.names));
}

/** The sources whose drivers were removed. Each has the field, its spelling in upstream's warning, and the warning. */
const removedSources = [
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const;

export function warnOfVolume({ metadata: { annotations = {} }, spec }: PersistentVolume, { names }: HookContext): readonly string[] {
  const warnings: string[] = [];
  const annotated: Readonly<Record<string, string>> = {
    [spell(names, classAnnotation)]: 'deprecated since v1.8; use "storageClassName" attribute instead',
    [spell(names, mountAnnotation)]: 'deprecated since v1.31; use "mountOptions" attribute instead',
  };
  for (const [key, text] of Object.entries(annotated)) {
    if (Object.hasOwn(annotations, key)) warnings.push(`metadata.annotations[${key}]: ${text}`);
  }
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    warnings.push(
      "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
    );
  }
  if (spec.nodeAffinity?.required !== undefined) {
    append(warnings, warnOfNodeSelector(spec.nodeAffinity.required, "spec.nodeAffinity.required", names));
  }
  for (const [key, written, text] of removedSources) if (spec[key] !== undefined) warnings.push(`spec.${written}: ${text}`);
  return warnings;
}
