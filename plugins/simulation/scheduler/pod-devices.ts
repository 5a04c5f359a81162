/** The devices of a pod, as far as they decide on its node (upstream: pkg/scheduler/framework/plugins/dynamicresources). */
import { allocate, type Supply } from "../devices/allocate.ts";
import type { Allocation, DeviceBook } from "../devices/device-book.ts";
import { claimsOfPod, isReservedFor, protection, reservationFor, type ResourceClaim } from "../devices/pod-claims.ts";
import { poolsOf } from "../devices/pools.ts";
import { Failure } from "../devices/requests.ts";
import type { Selection } from "../devices/selection.ts";
import { meetsTerm } from "../placement/node-affinity.ts";
import type { DeviceStores, Node, Pod, World } from "../world/world.ts";
import type { NodeCheck } from "./pod-affinity.ts";

/** What the scheduler keeps about devices. */
export interface DeviceState {
  readonly book: DeviceBook;
  readonly selection: Selection;
}

/** What the claims of a pod mean for its node. */
export interface PodDevices {
  /** Whether claims are missing that will come: the pod waits without a word. */
  readonly waits: boolean;
  /** Why the pod cannot be placed whatever the node. */
  readonly problem?: string;
  readonly check?: NodeCheck;
  /** What was found on a node that keeps the pod from all nodes. */
  failure(): string | undefined;
  /** Counts the devices on a node as used. Returns what writes this into the claims. */
  take(node: Node): () => Promise<void>;
  /** Gives up an allocation that no node of the pod can use. Resolves with whether there was one. */
  deallocate(): Promise<boolean>;
}

const none: PodDevices = {
  waits: false,
  failure: () => undefined,
  take: () => () => Promise.resolve(),
  deallocate: () => Promise.resolve(false),
};

const lacksDevices = { reason: "cannot allocate all claims", isResolvable: true } as const;
const isElsewhere = { reason: "resourceclaim not available on the node", isResolvable: true } as const;

/** Returns what the claims of a pod mean for its node. */
export function devicesOf({ devices }: World, pod: Pod, state: DeviceState | undefined): PodDevices {
  if (devices === undefined || state === undefined || (pod.spec.resourceClaims ?? []).length === 0) return none;
  const found = claimsOfPod(devices, pod);
  if (!("claims" in found)) return { ...none, waits: true };
  const open = found.claims.filter(({ status }) => status.allocation === undefined);
  const pending = open.find(({ metadata }) => state.book.isPending(metadata.uid ?? ""));
  if (pending !== undefined) return { ...none, waits: true };
  const problem = open.map((claim) => missingClass(devices, claim)).find((each) => each !== undefined);
  if (problem !== undefined) return { ...none, problem };
  return new DevicesOfPod(devices, pod, found.claims, state);
}

function missingClass({ classes }: DeviceStores, { spec }: ResourceClaim): string | undefined {
  for (const { name, exactly, firstAvailable = [] } of spec.devices.requests) {
    const asked = exactly === undefined || exactly === null ? firstAvailable : [exactly];
    for (const each of asked) {
      if (classes.get("", each.deviceClassName) !== undefined) continue;
      const whole = "name" in each ? `${name}/${each.name}` : name;
      return `request ${whole}: device class ${each.deviceClassName} does not exist`;
    }
  }
  return undefined;
}

class DevicesOfPod implements PodDevices {
  readonly waits = false;
  readonly check: NodeCheck;
  readonly #devices: DeviceStores;
  readonly #pod: Pod;
  readonly #claims: readonly ResourceClaim[];
  readonly #state: DeviceState;
  /** What is found on each node, by its name. */
  readonly #found = new Map<string, readonly Allocation[] | undefined>();
  /** Claims whose allocation a node cannot use. */
  readonly #elsewhere = new Set<ResourceClaim>();
  #failure: string | undefined;

  constructor(devices: DeviceStores, pod: Pod, claims: readonly ResourceClaim[], state: DeviceState) {
    this.#devices = devices;
    this.#pod = pod;
    this.#claims = claims;
    this.#state = state;
    const supply: Supply = {
      pools: poolsOf(devices.slices.all()),
      classOf: (name) => devices.classes.get("", name),
      trials: { count: 0 },
      ...state,
    };
    this.check = { problem: (node) => this.#problemOn(node, supply) };
  }

  get #open(): readonly ResourceClaim[] {
    return this.#claims.filter(({ status }) => status.allocation === undefined);
  }

  #problemOn(node: Node, supply: Supply) {
    const elsewhere = this.#claims.filter(({ status: { allocation } }) => {
      const terms = allocation?.nodeSelector?.nodeSelectorTerms;
      return terms !== undefined && !terms.some((term) => meetsTerm(term, node));
    });
    for (const claim of elsewhere) this.#elsewhere.add(claim);
    if (elsewhere.length > 0) return isElsewhere;
    const name = node.metadata.name ?? "";
    if (!this.#found.has(name)) this.#found.set(name, this.#search(node, supply));
    return this.#found.get(name) === undefined ? lacksDevices : undefined;
  }

  #search(node: Node, supply: Supply): readonly Allocation[] | undefined {
    if (this.#failure !== undefined) return undefined;
    try {
      return allocate(node, this.#open, supply);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#failure = `running "DynamicResources" filter plugin: ${error.message}`;
      return undefined;
    }
  }

  failure(): string | undefined {
    return this.#failure;
  }

  take(node: Node): () => Promise<void> {
    const { book } = this.#state, found = this.#found.get(node.metadata.name ?? "") ?? [];
    const allocations = new Map(this.#open.map((claim, index) => [claim, found[index]!])); // one for each claim
    for (const [{ metadata }, allocation] of allocations) book.assume(metadata.uid ?? "", allocation);
    return async () => {
      try {
        for (const claim of this.#claims) await this.#reserve(claim, allocations.get(claim));
      } finally {
        for (const { metadata } of allocations.keys()) book.release(metadata.uid ?? "");
      }
    };
  }

  async #reserve(claim: ResourceClaim, allocation: Allocation | undefined): Promise<void> {
    const { claims } = this.#devices, { finalizers = [] } = claim.metadata;
    const isProtected = allocation === undefined || finalizers.includes(protection);
    const next = isProtected
      ? claim
      : await claims.update({ ...claim, metadata: { ...claim.metadata, finalizers: [...finalizers, protection] } });
    if (allocation === undefined && isReservedFor(next, this.#pod)) return;
    const reservedFor = [...next.status.reservedFor ?? [], reservationFor(this.#pod)] as typeof next.status.reservedFor; // absent fields
    const status = { ...next.status, ...(allocation === undefined ? {} : { allocation }), reservedFor };
    await claims.updateStatus({ ...next, status } as ResourceClaim); // absent fields
  }

  async deallocate(): Promise<boolean> {
    for (const claim of this.#elsewhere) {
      const { reservedFor = [] } = claim.status;
      if (reservedFor.some(({ uid }) => uid !== this.#pod.metadata.uid)) continue;
      await this.#devices.claims.updateStatus({ ...claim, status: {} });
      return true;
    }
    return false;
  }
}
