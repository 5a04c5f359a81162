/** The admission steps of the storage family. Their names are those of upstream's admission plugins. */
import type { Admission, ApiObject } from "../../plugin.ts";
import { compareQuantities, type Names, spell } from "../../toolbox.ts";
import type { PersistentVolumeClaim } from "../shared/volumes/claim.ts";
import { classAnnotation } from "./columns.ts";
import { persistentVolumeClaims } from "./persistent-volume-claim.ts";
import { persistentVolumes } from "./persistent-volume.ts";
import { protectionOf } from "./protection.ts";
import { isDefaultClass, type StorageClass } from "./storage-class.ts";
import { volumeAttributesClasses } from "./volume-attributes-class.ts";

const storageV1 = "storage.{domain}/v1";

/** Returns the storage class of a claim, from the deprecated annotation or from the field. */
function classOf({ metadata: { annotations = {} }, spec }: PersistentVolumeClaim, names: Names): string | undefined {
  const key = spell(names, classAnnotation);
  return Object.hasOwn(annotations, key) ? annotations[key] : spec.storageClassName;
}

/**
 * Sets the default class on a new claim that has no class. If there are several defaults, the newest wins; among equally new ones, the
 * first by name.
 */
const defaultStorageClass: Admission<PersistentVolumeClaim> = {
  name: "DefaultStorageClass",
  resources: [persistentVolumeClaims],
  async mutate(next, prior, context) {
    if (prior !== undefined || classOf(next, context.names) !== undefined) return next;
    const classes = (await context.read.list(storageV1, "storageclasses", "")).filter((each) => isDefaultClass(each, context.names));
    const [newest] = classes.toSorted(newestFirst);
    return newest === undefined ? next : { ...next, spec: { ...next.spec, storageClassName: newest.metadata.name! } }; // `!`: stored objects have names
  },
};

function newestFirst(a: ApiObject, b: ApiObject): number {
  const [x, y] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (x !== y) return x < y ? 1 : -1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}

/** Rejects a larger request of a bound claim unless its class allows expansion. */
const claimResize: Admission<PersistentVolumeClaim> = {
  name: "PersistentVolumeClaimResize",
  resources: [persistentVolumeClaims],
  async refuse(next, prior, context) {
    if (prior === undefined || context.subresource !== "") return undefined;
    const { requests: now } = next.spec.resources, { requests: before } = prior.spec.resources;
    if (compareQuantities(now?.["storage"] ?? "0", before?.["storage"] ?? "0") <= 0 || prior.status.phase !== "Bound") return undefined;
    // If this update sets the class, the class did not provision the volume.
    const name = classOf(next, context.names) === classOf(prior, context.names) ? classOf(next, context.names) ?? "" : "";
    // `as`: this is the type of the resource `storageclasses`.
    const found = name === "" ? undefined : await context.read.get(storageV1, "storageclasses", "", name) as StorageClass | undefined;
    if (found?.allowVolumeExpansion === true) return undefined;
    return "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
  },
};

/** Adds a protection finalizer to new objects. A controller removes it when the object is deleted and no longer in use. */
const inUseProtection: Admission = {
  name: "StorageObjectInUseProtection",
  resources: [persistentVolumes, persistentVolumeClaims, volumeAttributesClasses],
  mutate(next, prior, context) {
    if (prior !== undefined || (next.kind === "VolumeAttributesClass" && !context.gates("VolumeAttributesClass"))) return next;
    const finalizer = protectionOf(next.kind, context.names);
    const { finalizers = [] } = next.metadata;
    return finalizers.includes(finalizer) ? next : { ...next, metadata: { ...next.metadata, finalizers: [...finalizers, finalizer] } };
  },
};

export const storageAdmission: readonly Admission[] = Object.freeze([defaultStorageClass, inUseProtection, claimResize]);
