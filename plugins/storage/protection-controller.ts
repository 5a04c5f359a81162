/**
 * Controllers for the protection finalizers. They remove the finalizer of an object that is being deleted and is not in use, and add
 * it to volumes and claims that lack it. A volume is in use while it is bound, an attributes class while a claim or volume refers to
 * it. A claim is in use by pods, which this server does not have.
 */
import { type Api, type ApiObject, type Controller, type GroupVersion, objectKey, StatusError } from "../../plugin.ts";
import { listed, type Names, worked, type WorkMeter } from "../../toolbox.ts";
import type { PersistentVolumeClaim } from "../shared/volumes/claim.ts";
import type { PersistentVolume } from "./persistent-volume-schema.ts";
import { protectionOf } from "./protection.ts";

interface Protected {
  readonly kind: string;
  readonly groupVersion: GroupVersion;
  readonly resource: string;
  /** Whether the controller adds a missing finalizer. */
  readonly restores: boolean;
  inUse(object: ApiObject, api: Api): Promise<boolean> | boolean;
}

/** Makes a controller with one watch. It reconciles changed objects one after the other. */
function protectionController(name: string, serviceAccount: string, what: Protected): Controller {
  return {
    name,
    serviceAccount,
    fieldManager: "kube-controller-manager",
    needs: [{ resource: what.resource, groupVersions: [what.groupVersion] }],
    async run({ api, names, work }, signal) {
      for await (const { type, object } of api.watch(what.groupVersion, what.resource, "", {}, signal)) {
        if (type !== "DELETED") await worked(work, objectKey(object), () => reconcile(api, names, what, object));
      }
    },
  };
}

export const claimProtection: Controller = protectionController("persistentvolumeclaim-protection", "pvc-protection-controller", {
  kind: "PersistentVolumeClaim",
  groupVersion: "v1",
  resource: "persistentvolumeclaims",
  restores: true,
  inUse: () => false,
});

export const volumeProtection: Controller = protectionController("persistentvolume-protection", "pv-protection-controller", {
  kind: "PersistentVolume",
  groupVersion: "v1",
  resource: "persistentvolumes",
  restores: true,
  // `as`: this is the type of the watched resource.
  inUse: (object) => (object as PersistentVolume).status.phase === "Bound",
});

/** Reconciles attributes classes. A class in use is reconciled again when a claim or volume changes. */
export const attributesClassProtection: Controller = {
  name: "volumeattributesclass-protection",
  serviceAccount: "volumeattributesclass-protection-controller",
  fieldManager: "kube-controller-manager",
  needs: [
    { resource: "volumeattributesclasses", groupVersions: ["storage.{domain}/v1"] },
    { resource: "persistentvolumes", groupVersions: ["v1"] },
    { resource: "persistentvolumeclaims", groupVersions: ["v1"] },
  ],
  async run({ api, names, work }, signal) {
    const failed = new AbortController();
    const until = AbortSignal.any([signal, failed.signal]);
    const waiting = new Map<string, ApiObject>();
    const watches = [
      watchClasses(api, names, waiting, until, work),
      watchUsers(api, names, waiting, "persistentvolumes", until),
      watchUsers(api, names, waiting, "persistentvolumeclaims", until),
    ];
    try {
      await Promise.all(watches);
    } finally {
      failed.abort();
      await Promise.allSettled(watches);
    }
  },
};

const attributesClass: Protected = {
  kind: "VolumeAttributesClass",
  groupVersion: "storage.{domain}/v1",
  resource: "volumeattributesclasses",
  restores: false,
  inUse: ({ metadata }, api) => isReferenced(api, metadata.name ?? ""),
};

async function watchClasses(
  api: Api,
  names: Names,
  waiting: Map<string, ApiObject>,
  signal: AbortSignal,
  work: WorkMeter,
): Promise<void> {
  for await (const { type, object } of api.watch(attributesClass.groupVersion, attributesClass.resource, "", {}, signal)) {
    const name = object.metadata.name ?? "";
    if (type === "DELETED" || !isTerminating(object)) {
      waiting.delete(name);
      continue;
    }
    // The name is added to `waiting` first, so that a reference which is removed during the check triggers another check.
    waiting.set(name, object);
    if (await worked(work, name, () => reconcile(api, names, attributesClass, object))) waiting.delete(name);
  }
}

async function watchUsers(api: Api, names: Names, waiting: Map<string, ApiObject>, resource: string, signal: AbortSignal): Promise<void> {
  for await (const _change of api.watch("v1", resource, "", {}, signal)) {
    for (const [name, object] of waiting) {
      // If a newer version of the object was added meanwhile, it keeps waiting.
      if (await reconcile(api, names, attributesClass, object) && waiting.get(name) === object) waiting.delete(name);
    }
  }
}

async function isReferenced(api: Api, name: string): Promise<boolean> {
  for await (const object of listed(api, "v1", "persistentvolumeclaims", "")) {
    const { spec, status } = object as PersistentVolumeClaim; // `as`: this is the type of the listed resource
    const references = [
      spec.volumeAttributesClassName,
      status?.currentVolumeAttributesClassName,
      status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
    ];
    if (references.includes(name)) return true;
  }
  for await (const object of listed(api, "v1", "persistentvolumes", "")) {
    if ((object as PersistentVolume).spec.volumeAttributesClassName === name) return true; // `as`: this is the type of the listed resource
  }
  return false;
}

function isTerminating({ metadata }: ApiObject): boolean {
  return (metadata.deletionTimestamp ?? null) !== null;
}

/** Adds or removes the finalizer of one object. Returns false if the object is being deleted and is still in use. */
async function reconcile(api: Api, names: Names, what: Protected, object: ApiObject): Promise<boolean> {
  const finalizer = protectionOf(what.kind, names);
  const { finalizers = [] } = object.metadata;
  const has = finalizers.includes(finalizer);
  if (isTerminating(object)) {
    if (!has) return true;
    if (await what.inUse(object, api)) return false;
    return await write(api, what, object, finalizers.filter((each) => each !== finalizer));
  }
  return has || !what.restores || await write(api, what, object, [...finalizers, finalizer]);
}

/** Writes the finalizers. A conflict is ignored, because the watch returns the newer version, which is then reconciled. */
async function write(api: Api, what: Protected, object: ApiObject, finalizers: readonly string[]): Promise<boolean> {
  const { finalizers: _old, ...metadata } = object.metadata;
  const { name = "", namespace = "" } = metadata;
  const next = { ...object, metadata: { ...metadata, ...(finalizers.length === 0 ? {} : { finalizers }) } };
  try {
    await api.update(what.groupVersion, what.resource, namespace, name, next);
  } catch (error) {
    if (!(error instanceof StatusError) || (error.reason !== "Conflict" && error.reason !== "NotFound")) throw error;
  }
  return true;
}
