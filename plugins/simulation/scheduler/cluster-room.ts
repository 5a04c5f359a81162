/** What is free on all nodes, as the scheduler knows it: with the pods that it has just bound. */
import { objectKey } from "../../../plugin.ts";
import type { Node, Pod, World } from "../world/world.ts";
import { hasEnded } from "../workloads/pod-state.ts";
import { NodeRoom } from "./node-room.ts";
import { antiAffinityOf } from "./pod-affinity.ts";

/** The rooms of all nodes by name. */
export class ClusterRoom {
  readonly #rooms = new Map<string, NodeRoom>();
  /** The placed pods with required anti-affinity, and the names of their nodes. */
  readonly #guarded = new Map<string, readonly [Pod, string]>();

  /** The pods that wait for room on a node where others were preempted for them, and the names of these nodes. */
  readonly #nominated = new Map<string, readonly [Pod, string]>();

  /** Follows the stores of the world from now on. */
  constructor(world: World) {
    for (const node of world.nodes.all()) this.#roomOf(node.metadata.name ?? "").setNode(node);
    for (const pod of world.pods.all()) {
      this.place(pod, pod.spec.nodeName ?? "");
      this.#learnNomination(pod);
    }
    world.nodes.listen((next, before) => {
      const name = (next ?? before)!.metadata.name ?? "";
      this.#roomOf(name).setNode(next);
      this.#forgetIfEmpty(name);
    });
    world.pods.listen((next, before) => {
      const from = before?.spec?.nodeName ?? "", to = next?.spec.nodeName ?? "";
      if (before !== undefined && from !== "" && (next === undefined || from !== to)) this.remove(before, from);
      if (next !== undefined) {
        this.place(next, to);
        this.#learnNomination(next);
      } else this.#nominated.delete(objectKey(before!));
    });
  }

  /** The room of a node; undefined if the node does not exist. */
  room(name: string): NodeRoom | undefined {
    const room = this.#rooms.get(name);
    return room?.node === undefined ? undefined : room;
  }

  /** Keeps the room on a node for a pod, against pods of lower priorities, until its status says otherwise. */
  nominate(pod: Pod, node: string): void {
    this.#nominated.set(objectKey(pod), [pod, node]);
  }

  /** The pods that wait for room on a node. */
  nominatedOn(node: string): readonly Pod[] {
    if (this.#nominated.size === 0) return [];
    return [...this.#nominated.values()].filter(([, name]) => name === node).map(([pod]) => pod);
  }

  /** The rooms of the nodes that exist. */
  rooms(): readonly NodeRoom[] {
    return [...this.#rooms.values()].filter(({ node }) => node !== undefined);
  }

  /** The placed pods with required anti-affinity, with their nodes. */
  *guarded(): Iterable<readonly [Pod, Node]> {
    for (const [pod, name] of this.#guarded.values()) {
      const node = this.#rooms.get(name)?.node;
      if (node !== undefined) yield [pod, node];
    }
  }

  /** Counts a pod on a node: because it is bound to it, or is about to be. No effect for "". */
  place(pod: Pod, node: string): void {
    if (node === "") return;
    this.#roomOf(node).add(pod);
    if (antiAffinityOf(pod).length > 0) this.#guarded.set(objectKey(pod), [pod, node]);
  }

  /** Counts a pod no more. */
  remove(pod: Pod, node: string): void {
    this.#rooms.get(node)?.remove(objectKey(pod));
    this.#guarded.delete(objectKey(pod));
    this.#forgetIfEmpty(node);
  }

  #learnNomination(pod: Pod): void {
    const { nominatedNodeName = "" } = pod.status, isWaiting = (pod.spec.nodeName ?? "") === "" && !hasEnded(pod.status);
    if (nominatedNodeName === "" || !isWaiting || pod.metadata.deletionTimestamp !== undefined) this.#nominated.delete(objectKey(pod));
    else this.#nominated.set(objectKey(pod), [pod, nominatedNodeName]);
  }

  #roomOf(name: string): NodeRoom {
    let room = this.#rooms.get(name);
    if (room === undefined) this.#rooms.set(name, room = new NodeRoom());
    return room;
  }

  #forgetIfEmpty(name: string): void {
    const room = this.#rooms.get(name);
    if (room !== undefined && room.node === undefined && room.size === 0) this.#rooms.delete(name);
  }
}
