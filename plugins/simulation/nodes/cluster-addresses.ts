/** Addresses of nodes and pods. */
import { bound } from "../../../core/bound.ts";
import { objectKey } from "../../../plugin.ts";
import type { Node, Pod, World } from "../world/world.ts";
import { AddressBlock, addressText } from "./address-block.ts";

/** The addresses of nodes. */
const nodeAddresses = "172.24.0.0/14";
/** The addresses of pods whose node has no block, or whose block is used up. */
const sharedAddresses = "100.64.0.0/10";
/** The first block of pods, 10.128.0.0, as a number. */
const firstBlock = 10 * 2 ** 24 + 128 * 2 ** 16;
/** Addresses of a block: a /18. */
const blockSize = 2 ** 14, blockBits = 18;
/** Nodes that get a block of pod addresses from 10.128.0.0/9. Further ones share a block. */
const nodeBlocksMax = bound(512);

/** What is given to nodes and pods. It follows the stores: what is gone gives its address back. */
export class ClusterAddresses {
  readonly #nodes = AddressBlock.of(nodeAddresses)!; // constants of a right form
  readonly #shared = AddressBlock.of(sharedAddresses)!;
  /** The blocks of pods by their text. */
  readonly #blocks = new Map<string, AddressBlock>();
  /** The block of each pod that has an address, by its uid. */
  readonly #given = new Map<string, AddressBlock>();
  /** Numbers of the blocks of nodes, by the key of the node. */
  readonly #numbers = new Map<string, number>();
  readonly #world: World;

  /** Follows the stores of the world from now on. */
  constructor(world: World) {
    this.#world = world;
    for (const node of world.nodes.all()) this.#keepNode(node);
    for (const pod of world.pods.all()) this.#keepPod(pod);
    world.nodes.listen((next, before) => {
      if (next === undefined) this.#dropNode(before!);
      else if (before === undefined) this.#keepNode(next);
    });
    world.pods.listen((next, before) => {
      if (next === undefined) this.#dropPod(before!);
      else if (before === undefined) this.#keepPod(next);
    });
  }

  /** Returns the address of a node. */
  ofNode({ metadata: { uid = "" } }: Node): string {
    return this.#nodes.take(uid) ?? "172.24.0.1"; // more nodes than a server can hold
  }

  /** Returns the address at which a node is reached: that of its status, or the one that it will get. */
  hostOf(node: Node): string {
    return internalAddress(node) ?? this.ofNode(node);
  }

  /** Returns the block of the pods of a node that has none yet; undefined if there is none left. */
  blockFor(node: Node): string | undefined {
    const key = objectKey(node), taken = new Set(this.#numbers.values());
    let number = this.#numbers.get(key) ?? 0;
    if (!this.#numbers.has(key)) { while (taken.has(number)) number++; }
    if (number >= nodeBlocksMax) return undefined;
    this.#numbers.set(key, number);
    return `${addressText(firstBlock + number * blockSize)}/${blockBits}`;
  }

  /** Returns the address of a pod on its node. */
  ofPod({ metadata: { uid = "" }, spec: { nodeName = "" } }: Pod): string {
    const own = this.#blockOf(this.#world.nodes.get("", nodeName)?.spec.podCIDR ?? "");
    for (const block of own === undefined ? [this.#shared] : [own, this.#shared]) {
      const address = block.take(uid);
      if (address === undefined) continue;
      this.#given.set(uid, block);
      return address;
    }
    return "100.64.0.1"; // more pods than a server can hold
  }

  #blockOf(cidr: string): AddressBlock | undefined {
    const known = this.#blocks.get(cidr);
    if (known !== undefined || cidr === "") return known;
    const made = AddressBlock.of(cidr);
    if (made !== undefined) this.#blocks.set(cidr, made);
    return made;
  }

  #keepNode(node: Node): void {
    this.#nodes.keep(node.metadata.uid ?? "", internalAddress(node) ?? "");
    const number = numberOfBlock(node.spec.podCIDR ?? "");
    if (number !== undefined) this.#numbers.set(objectKey(node), number);
  }

  #dropNode(node: Node): void {
    this.#nodes.release(node.metadata.uid ?? "");
    this.#numbers.delete(objectKey(node));
  }

  #keepPod(pod: Pod): void {
    const { uid = "" } = pod.metadata, { podIP = "" } = pod.status, { nodeName = "" } = pod.spec;
    if (podIP === "" || pod.spec.hostNetwork === true) return;
    const own = this.#blockOf(this.#world.nodes.get("", nodeName)?.spec.podCIDR ?? "");
    const block = own?.has(podIP) === true ? own : this.#shared;
    block.keep(uid, podIP);
    this.#given.set(uid, block);
  }

  #dropPod({ metadata: { uid = "" } }: Pod): void {
    this.#given.get(uid)?.release(uid);
    this.#given.delete(uid);
  }
}

const internalAddress = ({ status }: Node): string | undefined => status.addresses?.find(({ type }) => type === "InternalIP")?.address;

function numberOfBlock(cidr: string): number | undefined {
  const parts = cidr.split("/"), octets = (parts[0] ?? "").split(".").map(Number);
  if (parts[1] !== String(blockBits) || octets.length !== 4) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = octets, number = (((a * 256 + b) * 256 + c) * 256 + d - firstBlock) / blockSize;
  return Number.isInteger(number) && number >= 0 && number < nodeBlocksMax ? number : undefined;
}
