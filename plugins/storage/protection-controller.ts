/**
 * Takes the protection finalizers off what is being deleted and used by nothing, so that deletions end, and puts them
 * back on volumes and claims that have lost theirs. A volume is in use while it is bound; an attributes class while a
 * claim or volume names it; a claim is used by pods, of which this server has none.
 */
import { type Names } from "../../core/names.ts";
import { listed } from "../../core/listed.ts";
import type { Api, Controller, GroupVersion } from "../../core/plugin.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { worked, type WorkMeter } from "../../core/work.ts";
import { StatusError } from "../../core/status-error.ts";
import type { PersistentVolumeClaim } from "./claim-schema.ts";
import type { PersistentVolume } from "./persistent-volume-schema.ts";
import { protectionOf } from "./protection.ts";

interface Protected {
  readonly kind: string;
  readonly groupVersion: GroupVersion;
  readonly resource: string;
  /** Whether a lost finalizer is put back. */
  readonly restores: boolean;
  inUse(object: ApiObject, api: Api): Promise<boolean> | boolean;
}

/** A controller with one watch: what changes is looked at, one object after the other. */
function protects(name: string, what: Protected): Controller {
  return {
    name,
    needs: [{ resource: what.resource, groupVersions: [what.groupVersion] }],
    async run({ api, names, work }, signal) {
      for await (const { type, object } of api.watch(what.groupVersion, what.resource, "", {}, signal)) {
        if (type !== "DELETED") await worked(work, nameOf(object), () => settle(api, names, what, object));
      }
    },
  };
}

export const claimProtection: Controller = protects("persistentvolumeclaim-protection", {
  kind: "PersistentVolumeClaim",
  groupVersion: "v1",
  resource: "persistentvolumeclaims",
  restores: true,
  inUse: () => false,
});

export const volumeProtection: Controller = protects("persistentvolume-protection", {
  kind: "PersistentVolume",
  groupVersion: "v1",
  resource: "persistentvolumes",
  restores: true,
  // The watch gives volumes.
  inUse: (object) => (object as PersistentVolume).status.phase === "Bound",
});

/** Classes that are still named are looked at again as soon as a claim or volume changes. */
export const attributesClassProtection: Controller = {
  name: "volumeattributesclass-protection",
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
      onClasses(api, names, waiting, until, work),
      onUsers(api, names, waiting, "persistentvolumes", until),
      onUsers(api, names, waiting, "persistentvolumeclaims", until),
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
  inUse: ({ metadata }, api) => isNamed(api, metadata.name ?? ""),
};

async function onClasses(
  api: Api,
  names: Names,
  waiting: Map<string, ApiObject>,
  signal: AbortSignal,
  work: WorkMeter | undefined,
): Promise<void> {
  for await (const { type, object } of api.watch(attributesClass.groupVersion, attributesClass.resource, "", {}, signal)) {
    const name = object.metadata.name ?? "";
    if (type === "DELETED" || !isGoing(object)) {
      waiting.delete(name);
      continue;
    }
    // It waits from the beginning: what stops naming it while it is looked at would be missed else.
    waiting.set(name, object);
    if (await worked(work, name, () => settle(api, names, attributesClass, object))) waiting.delete(name);
  }
}

async function onUsers(api: Api, names: Names, waiting: Map<string, ApiObject>, resource: string, signal: AbortSignal): Promise<void> {
  for await (const _change of api.watch("v1", resource, "", {}, signal)) {
    for (const [name, object] of waiting) {
      // A newer state may have begun to wait meanwhile: that one goes on.
      if (await settle(api, names, attributesClass, object) && waiting.get(name) === object) waiting.delete(name);
    }
  }
}

async function isNamed(api: Api, name: string): Promise<boolean> {
  for await (const object of listed(api, "v1", "persistentvolumeclaims", "")) {
    const { spec, status } = object as PersistentVolumeClaim; // what is listed under this name
    const named = [
      spec.volumeAttributesClassName,
      status?.currentVolumeAttributesClassName,
      status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
    ];
    if (named.includes(name)) return true;
  }
  for await (const object of listed(api, "v1", "persistentvolumes", "")) {
    if ((object as PersistentVolume).spec.volumeAttributesClassName === name) return true; // likewise
  }
  return false;
}

/** As queues know an object. */
function nameOf({ metadata: { namespace = "", name = "" } }: ApiObject): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

function isGoing({ metadata }: ApiObject): boolean {
  return (metadata.deletionTimestamp ?? null) !== null;
}

/** Brings the finalizer of one object into order; true when there is nothing left to wait for. */
async function settle(api: Api, names: Names, what: Protected, object: ApiObject): Promise<boolean> {
  const finalizer = protectionOf(what.kind, names);
  const { finalizers = [] } = object.metadata;
  const has = finalizers.includes(finalizer);
  if (isGoing(object)) {
    if (!has) return true;
    if (await what.inUse(object, api)) return false;
    return await write(api, what, object, finalizers.filter((each) => each !== finalizer));
  }
  return has || !what.restores || await write(api, what, object, [...finalizers, finalizer]);
}

/** A newer state of the object comes by the watch and is looked at by itself. */
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
