/** What is free on a node. */
import { objectKey } from "../../../plugin.ts";
import { hasEnded } from "../workloads/pod-state.ts";
import type { Node, Pod } from "../world/world.ts";
import { addAmounts, type Amounts, amountsOf, requestsOf } from "./amounts.ts";

/** The priority of a pod; 0 if it has none. */
export function priorityOf({ spec: { priority } }: { readonly spec: Pick<Pod["spec"], "priority"> }): number {
  return priority ?? 0;
}

/** A port of a node that a pod takes. */
export interface HostPort {
  readonly address: string;
  readonly protocol: string;
  readonly port: number;
}

/** The ports of the node that a pod takes. */
export function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  return spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, hostIP = "", protocol = "TCP" }) =>
      hostPort === 0 ? [] : [{ address: hostIP === "" ? "0.0.0.0" : hostIP, protocol, port: hostPort }]
    )
  );
}

const collide = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.address === b.address || a.address === "0.0.0.0" || b.address === "0.0.0.0");

/** A pod on a node with what it takes there. */
interface Guest {
  readonly pod: Pod;
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
}

/** The pods on a node, and what they leave free. */
export class NodeRoom {
  /** The node; undefined while only its pods are known. */
  node: Node | undefined;
  #allocatable: Amounts = new Map();
  readonly #used = new Map<string, number>();
  readonly #guests = new Map<string, Guest>();
  /** Guests with host ports. */
  readonly #withPorts = new Set<Guest>();
  /** What pods take that were here before: they come and go when it is tried who could leave. */
  readonly #former = new WeakMap<Pod, Guest>();
  /** The numbers of guests by priority. */
  readonly #priorities = new Map<number, number>();

  /** Sets the node, or its new state. */
  setNode(node: Node | undefined): void {
    this.node = node;
    this.#allocatable = amountsOf(node?.status.allocatable ?? node?.status.capacity);
  }

  /** The pods on the node. */
  *pods(): Iterable<Pod> {
    for (const { pod } of this.#guests.values()) yield pod;
  }

  /** The number of pods on the node. */
  get size(): number {
    return this.#guests.size;
  }

  /** Adds a pod, or its new state. A pod that has ended takes nothing. */
  add(pod: Pod): void {
    const key = objectKey(pod), known = this.#guests.get(key);
    if (known !== undefined && known.pod.metadata.uid === pod.metadata.uid && known.pod.spec === pod.spec && !hasEnded(pod.status)) {
      this.#guests.set(key, this.#moved(known, { ...known, pod }));
      return;
    }
    this.remove(key);
    if (hasEnded(pod.status)) return;
    const guest = this.#former.get(pod) ?? { pod, requests: requestsOf(pod), ports: hostPortsOf(pod) };
    this.#former.set(pod, guest);
    this.#guests.set(key, guest);
    if (guest.ports.length > 0) this.#withPorts.add(guest);
    addAmounts(this.#used, guest.requests);
    this.#countPriority(pod, 1);
  }

  /** Removes a pod by its key. */
  remove(key: string): void {
    const known = this.#guests.get(key);
    if (known === undefined) return;
    this.#guests.delete(key);
    this.#withPorts.delete(known);
    addAmounts(this.#used, known.requests, -1);
    this.#countPriority(known.pod, -1);
  }

  /** Whether a pod of a lower priority is on the node. */
  hasBelow(priority: number): boolean {
    for (const each of this.#priorities.keys()) if (each < priority) return true;
    return false;
  }

  /** Returns why the pod does not fit, in upstream's words; none if it does. */
  lacks(requests: Amounts, ports: readonly HostPort[]): readonly string[] {
    if (ports.length > 0 && this.#hasTaken(ports)) return ["node(s) didn't have free ports for the requested pod ports"];
    const reasons: string[] = [], podsMax = this.#allocatable.get("pods") ?? 0;
    if (this.#guests.size + 1 > podsMax) reasons.push("Too many pods");
    for (const [name, amount] of requests) {
      if (amount > 0 && amount > (this.#allocatable.get(name) ?? 0) - (this.#used.get(name) ?? 0)) reasons.push(`Insufficient ${name}`);
    }
    return reasons;
  }

  /** The parts of its cpu and memory, from 0 to 1, that are in use when a pod with these requests is on it, too. */
  usedWith(requests: Amounts): readonly [number, number] {
    const part = (name: string) => {
      const all = this.#allocatable.get(name) ?? 0;
      return all === 0 ? 1 : Math.min(1, ((this.#used.get(name) ?? 0) + (requests.get(name) ?? 0)) / all);
    };
    return [part("cpu"), part("memory")];
  }

  #hasTaken(ports: readonly HostPort[]): boolean {
    for (const guest of this.#withPorts) {
      if (guest.ports.some((taken) => ports.some((wanted) => collide(taken, wanted)))) return true;
    }
    return false;
  }

  #moved(known: Guest, next: Guest): Guest {
    if (this.#withPorts.delete(known)) this.#withPorts.add(next);
    return next;
  }

  #countPriority(pod: Pod, by: 1 | -1): void {
    const priority = priorityOf(pod), next = (this.#priorities.get(priority) ?? 0) + by;
    if (next === 0) this.#priorities.delete(priority);
    else this.#priorities.set(priority, next);
  }
}
