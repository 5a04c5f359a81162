/** Which objects belong to which node: through its pods, their claims and the volumes of these. */
import type { Names } from "../../../toolbox.ts";
import { type Pod, type Referenced, referenceKey, referencesOfPod, secretsOfVolume, type Volume } from "./references.ts";

interface PodEntry {
  readonly node: string;
  readonly references: ReadonlySet<string>;
}
interface VolumeEntry {
  /** The key of its claim. */
  readonly claim: string;
  readonly secrets: ReadonlySet<string>;
}
/** Kinds whose objects name their node. */
export type Placed = "volumeattachments" | "resourceslices" | "podcertificaterequests";

export class NodeGraph {
  readonly #names: Names;
  /** By namespace and name. */
  readonly #pods = new Map<string, PodEntry>();
  /** For each object that pods name, the number of its pods on each node. */
  readonly #users = new Map<string, Map<string, number>>();
  readonly #volumes = new Map<string, VolumeEntry>();
  /** For each secret of volumes, the names of these. */
  readonly #volumesOfSecret = new Map<string, Set<string>>();
  /** The nodes of objects, by kind, namespace and name. */
  readonly #placed = new Map<string, string>();

  constructor(names: Names) {
    this.#names = names;
  }

  setPod(pod: Pod): void {
    const { namespace = "", name = "" } = pod.metadata, node = pod.spec.nodeName ?? "";
    this.deletePod(namespace, name);
    if (node === "") return;
    const references = referencesOfPod(pod, this.#names);
    this.#pods.set(`${namespace}/${name}`, { node, references });
    for (const each of references) {
      const users = this.#users.get(each) ?? new Map<string, number>();
      this.#users.set(each, users.set(node, (users.get(node) ?? 0) + 1));
    }
  }

  deletePod(namespace: string, name: string): void {
    const key = `${namespace}/${name}`, entry = this.#pods.get(key);
    if (entry === undefined) return;
    this.#pods.delete(key);
    for (const each of entry.references) {
      const users = this.#users.get(each), count = users?.get(entry.node) ?? 0;
      if (count > 1) users?.set(entry.node, count - 1);
      else users?.delete(entry.node);
      if (users?.size === 0) this.#users.delete(each);
    }
  }

  setVolume(volume: Volume): void {
    const { name = "" } = volume.metadata, { claimRef } = volume.spec;
    this.deleteVolume(name);
    if (claimRef === undefined) return;
    const secrets = secretsOfVolume(volume);
    this.#volumes.set(name, { claim: referenceKey("persistentvolumeclaims", claimRef.namespace ?? "", claimRef.name ?? ""), secrets });
    for (const each of secrets) {
      const volumes = this.#volumesOfSecret.get(each) ?? new Set<string>();
      this.#volumesOfSecret.set(each, volumes.add(name));
    }
  }

  deleteVolume(name: string): void {
    const entry = this.#volumes.get(name);
    if (entry === undefined) return;
    this.#volumes.delete(name);
    for (const each of entry.secrets) {
      const volumes = this.#volumesOfSecret.get(each);
      volumes?.delete(name);
      if (volumes?.size === 0) this.#volumesOfSecret.delete(each);
    }
  }

  /** Records the node of an object; "" removes it. */
  place(kind: Placed, namespace: string, name: string, node: string): void {
    const key = `${kind}/${namespace}/${name}`;
    if (node === "") this.#placed.delete(key);
    else this.#placed.set(key, node);
  }

  /** Whether the pod is on the node. */
  hasPod(node: string, namespace: string, name: string): boolean {
    return this.#pods.get(`${namespace}/${name}`)?.node === node;
  }

  /** Whether the object names the node. */
  isPlacedOn(node: string, kind: Placed, namespace: string, name: string): boolean {
    return this.#placed.get(`${kind}/${namespace}/${name}`) === node;
  }

  /** Whether a pod on the node names the object, or a volume of such a pod names the secret. */
  isUsedOn(node: string, kind: Referenced, namespace: string, name: string): boolean {
    const key = referenceKey(kind, namespace, name);
    if (this.#users.get(key)?.has(node) === true) return true;
    return [...this.#volumesOfSecret.get(key) ?? []].some((volume) => this.hasVolume(node, volume));
  }

  /** Whether a pod on the node has the claim of the volume. */
  hasVolume(node: string, name: string): boolean {
    return this.#users.get(this.#volumes.get(name)?.claim ?? "")?.has(node) === true;
  }
}
