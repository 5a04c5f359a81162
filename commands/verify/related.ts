/** What objects say of each other: uids, owners, namespaces and definitions, compared when all objects were read. */
import type { OwnerReference } from "../../core/meta/object-meta.ts";
import { Problems } from "./checks.ts";
import { bound } from "../../core/bound.ts";

/** Objects whose uids and owners are compared by `thole verify`. Of a store with more, the rest is checked one by one only. */
const relatedObjectsMax = bound(2_000_000);

/** The facts of one object. */
export interface Facts {
  readonly key: string;
  readonly namespace: string;
  readonly uid: string;
  readonly owners: readonly Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid">[];
}

/** Objects that refer to the same missing thing. */
interface Referring {
  count: number;
  readonly first: string;
  readonly what: string;
}

export class Related {
  readonly duplicates = new Problems();
  readonly missingOwners = new Problems();
  readonly missingNamespaces = new Problems();
  readonly undefinedResources = new Problems();
  /** The key of the object of each uid. */
  readonly #keys = new Map<string, string>();
  readonly #owners = new Map<string, Referring>();
  readonly #used = new Map<string, Referring>();
  readonly #namespaces = new Set<string>();
  readonly #undefined = new Map<string, Referring>();
  /** Whether there were more objects than are compared. */
  isPartial = false;

  add({ key, namespace, uid, owners }: Facts): void {
    if (namespace !== "") addReference(this.#used, namespace, key, namespace);
    if (uid === "") return;
    const other = this.#keys.get(uid);
    if (other !== undefined) this.duplicates.add(`the objects stored under "${other}" and "${key}" have the same uid ${uid}`);
    else if (this.#keys.size < relatedObjectsMax) this.#keys.set(uid, key);
    else this.isPartial = true;
    for (const owner of owners) {
      if (this.#keys.has(owner.uid)) continue;
      if (this.#owners.size >= relatedObjectsMax) this.isPartial = true;
      else addReference(this.#owners, owner.uid, key, `${owner.kind} "${owner.name}" (${owner.apiVersion}, uid ${owner.uid})`);
    }
  }

  addNamespace(name: string): void {
    this.#namespaces.add(name);
  }

  /** Counts a custom resource of a resource that no definition has, `widgets.example.com`. */
  addUndefined(resource: string, key: string): void {
    addReference(this.#undefined, resource, key, resource);
  }

  /** Once, after all objects: fills the problems. */
  compare(): void {
    for (const [uid, { count, first, what }] of this.#owners) {
      if (this.isPartial || this.#keys.has(uid)) continue;
      this.missingOwners.add(`${referenceText(count, first)} to the owner ${what}, which is not in the store`);
    }
    for (const [name, { count, first }] of this.#used) {
      if (this.#namespaces.has(name)) continue;
      this.missingNamespaces.add(
        `${count} ${count === 1 ? "object is" : "objects are"} in the namespace "${name}", which does not exist, such as "${first}"`,
      );
    }
    for (const [resource, { count, first }] of this.#undefined) {
      this.undefinedResources.add(
        count === 1
          ? `the object of ${resource} stored under "${first}" has no CustomResourceDefinition`
          : `${count} objects of ${resource} have no CustomResourceDefinition, such as that stored under "${first}"`,
        count,
      );
    }
  }
}

function addReference(to: Map<string, Referring>, name: string, key: string, what: string): void {
  const before = to.get(name);
  if (before === undefined) to.set(name, { count: 1, first: key, what });
  else before.count++;
}

function referenceText(count: number, first: string): string {
  return count === 1 ? `the object stored under "${first}" refers` : `${count} objects, such as that stored under "${first}", refer`;
}
