/** Which devices are in use. */
import { deviceId } from "./pools.ts";
import type { DeviceStores } from "../world/world.ts";
import type { ResourceClaim } from "./pod-claims.ts";

/** What is allocated for a claim. */
export type Allocation = NonNullable<ResourceClaim["status"]["allocation"]>;

/** The devices of all allocations, and of those that are being written. Access for administration does not use a device. */
export class DeviceBook {
  readonly #counts = new Map<string, number>();
  /** The allocations that are being written, by the uids of their claims. */
  readonly #pending = new Map<string, Allocation>();

  /** Follows the claims from now on. */
  constructor({ claims }: Pick<DeviceStores, "claims">) {
    for (const claim of claims.all()) this.#count(claim.status.allocation, 1);
    claims.listen((next, before) => {
      const uid = (next ?? before)!.metadata.uid ?? "";
      if (next === undefined || next.status.allocation !== undefined) this.release(uid);
      this.#count(before?.status.allocation, -1);
      this.#count(next?.status.allocation, 1);
    });
  }

  /** Whether a device is in use. */
  isUsed(id: string): boolean {
    return this.#counts.has(id);
  }

  /** Whether an allocation of the claim is being written. */
  isPending(uid: string): boolean {
    return this.#pending.has(uid);
  }

  /** Counts an allocation that is about to be written. */
  assume(uid: string, allocation: Allocation): void {
    this.release(uid);
    this.#pending.set(uid, allocation);
    this.#count(allocation, 1);
  }

  /** Counts an assumed allocation no more: it is stored, or was not written. No effect without one. */
  release(uid: string): void {
    this.#count(this.#pending.get(uid), -1);
    this.#pending.delete(uid);
  }

  #count(allocation: Allocation | undefined, by: 1 | -1): void {
    for (const { driver, pool, device, adminAccess } of allocation?.devices.results ?? []) {
      if (adminAccess === true) continue;
      const id = deviceId(driver, pool, device), next = (this.#counts.get(id) ?? 0) + by;
      if (next === 0) this.#counts.delete(id);
      else this.#counts.set(id, next);
    }
  }
}
