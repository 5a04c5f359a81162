/** The versions in which this server stores its resources, as kube-apiserver writes them at its start (KEP-2339). */
import { type ApiObject, type ControllerContext, type StartHook, StatusError } from "../../plugin.ts";
import { pause, type StoredResource, timestampOf } from "../../toolbox.ts";
import { isServed } from "../shared/is-served.ts";
import { identityOf } from "../shared/server-identity.ts";
import { commonVersion } from "./rules.ts";
import type { ServerStorageVersion, StorageVersion, StorageVersionCondition, StorageVersionStatus } from "./schema.ts";

export const storageVersionGate = "StorageVersionAPI";

const groupVersion = "internal.apiserver.{domain}/v1alpha1", plural = "storageversions";
/** Milliseconds between two rounds, which write what others have changed or removed (kube-apiserver's value). */
const everyMs = 600_000;
/** Attempts to write an object while other servers write it. */
const triesMax = 3;

/** Writes the versions of all resources of plugins. */
export async function writeVersions(world: ControllerContext, now: string): Promise<void> {
  const server = await identityOf(world.machine.name);
  for (const resource of world.types.stored()) await writeVersion(world, resource, server, now);
}

async function writeVersion({ api }: ControllerContext, resource: StoredResource, server: string, now: string): Promise<void> {
  const { group, encodingVersion, decodableVersions, servedVersions } = resource, name = `${group || "core"}.${resource.plural}`;
  const own: ServerStorageVersion = { apiServerID: server, encodingVersion, decodableVersions, servedVersions };
  for (let tries = 1; tries <= triesMax; tries++) {
    try {
      const found = await foundOr(
        api.get(groupVersion, plural, "", name),
        () => api.create(groupVersion, plural, "", { metadata: { name } }),
      );
      const status = statusWith((found as StorageVersion).status, own, now); // the type of the resource
      await api.update(groupVersion, plural, "", name, { ...found, status }, { subresource: "status" });
      return;
    } catch (error) {
      const isEarlier = error instanceof StatusError && (error.reason === "AlreadyExists" || error.reason === "Conflict");
      if (!isEarlier || tries === triesMax) throw error;
    }
  }
}

async function foundOr(reading: Promise<ApiObject>, make: () => Promise<ApiObject>): Promise<ApiObject> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof StatusError && error.reason === "NotFound") return await make();
    throw error;
  }
}

/** The status with the versions of a server, and what follows from those of all servers. */
export function statusWith(status: StorageVersionStatus, own: ServerStorageVersion, now: string): StorageVersionStatus {
  const before = status.storageVersions ?? [], at = before.findIndex(({ apiServerID }) => apiServerID === own.apiServerID);
  const storageVersions = at < 0 ? [...before, own] : before.with(at, own), common = commonVersion(storageVersions);
  const set = common === undefined ? "unset" : "set";
  const isMoved = common !== undefined && status.commonEncodingVersion !== undefined && common !== status.commonEncodingVersion;
  const condition: StorageVersionCondition = {
    type: "AllEncodingVersionsEqual",
    status: common === undefined ? "False" : "True",
    lastTransitionTime: now,
    reason: common === undefined ? "CommonEncodingVersionUnset" : "CommonEncodingVersionSet",
    message: `Common encoding version ${set}`,
  };
  const conditions = status.conditions ?? [], old = conditions.find(({ type }) => type === condition.type);
  const kept = old !== undefined && old.status === condition.status && !isMoved
    ? { ...condition, lastTransitionTime: old.lastTransitionTime }
    : condition;
  return {
    storageVersions,
    ...(common === undefined ? {} : { commonEncodingVersion: common }),
    conditions: old === undefined ? [...conditions, kept] : conditions.map((each) => each === old ? kept : each),
  };
}

async function writeNow(world: ControllerContext): Promise<void> {
  if (world.gates(storageVersionGate) && isServed(world, { groupVersion, resource: plural }, "create")) {
    await writeVersions(world, timestampOf(world.clock.now()));
  }
}

export const storageVersionHook: StartHook = Object.freeze<StartHook>({
  name: "built-in-resources-storage-version-updater",
  fieldManager: "kube-apiserver",
  holdsWrites: { gate: storageVersionGate, own: "storageversions.internal.apiserver.{domain}" },
  run: writeNow,
  async follow(world, signal) {
    for (await pause(everyMs, signal, world.clock); !signal.aborted; await pause(everyMs, signal, world.clock)) {
      await writeNow(world).catch((error) => {
        if (!signal.aborted) world.logError("the storage versions of this server cannot be written", error);
      });
    }
  },
});
