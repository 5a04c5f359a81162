/** The objects of one resource in memory: what the watch has delivered, and what own writes have answered. */
import { type ApiObject, objectKey, StatusError, type TypedApi } from "../../../plugin.ts";
import { bound } from "../../../core/bound.ts";
import { Compactor } from "./compact.ts";
import type { ApiPatch, TypedPatch, TypedWriteOptions, WrittenObject } from "../../../toolbox.ts";

/** Removed objects of a kind that are remembered while answers to writes may still come. */
const rememberedMax = bound(1_000);

/** Is called after each change: with the object and its state before; `next` is undefined for a removal, `before` for a new object. */
export type Listener<T> = (next: T | undefined, before: T | undefined) => void;

/** The uid of the controller among the owners of an object; undefined if it has none. */
export function controllerOf({ metadata }: ApiObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}

/**
 * A copy of all objects of a resource, which knows its own writes at once: whoever creates a pod finds it here before the watch delivers
 * it, so a controller need not remember what it has created. Objects are shared and must not be changed.
 *
 * An older state never replaces a newer one: states are compared by their resource version, and the uids of what was removed are kept.
 */
export class Store<T extends ApiObject> {
  readonly #api: TypedApi<T>;
  readonly #compactor: Compactor;
  readonly #byKey = new Map<string, T>();
  readonly #byNamespace = new Map<string, Map<string, T>>();
  readonly #byController = new Map<string, Map<string, T>>();
  /** Uids that own writes have removed, until the watch delivers it. */
  readonly #removed = new Set<string>();
  /** The last uids whose removal the watch has delivered: the answer to a write before it may come later. */
  readonly #gone = new Set<string>();
  /** What own writes have created, by uid, until the watch delivers it. */
  readonly #unconfirmed = new Map<string, T>();
  readonly #listeners: Listener<T>[] = [];

  /** Takes the client of the resource, and what stores of a world share. The copy is empty until `run`. */
  constructor(api: TypedApi<T>, compactor: Compactor) {
    this.#api = api;
    this.#compactor = compactor;
  }

  /** Returns the object as last known. */
  get(namespace: string, name: string): T | undefined {
    return this.#byKey.get(objectKey({ metadata: { namespace, name } }));
  }

  /** Returns the object of a key by `objectKey`. */
  at(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  /** Returns all objects. */
  all(): Iterable<T> {
    return this.#byKey.values();
  }

  /** Returns the objects of a namespace. */
  in(namespace: string): Iterable<T> {
    return this.#byNamespace.get(namespace)?.values() ?? [];
  }

  /** Returns the objects that an owner with this uid controls. */
  controlledBy(uid: string): Iterable<T> {
    return this.#byController.get(uid)?.values() ?? [];
  }

  /** Returns the objects of a namespace that have no controller. */
  uncontrolled(namespace: string): Iterable<T> {
    return this.#byController.get(withoutController(namespace))?.values() ?? [];
  }

  /** The number of objects. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Calls `listener` after each change from now on. */
  listen(listener: Listener<T>): void {
    this.#listeners.push(listener);
  }

  /** Follows the resource until the signal aborts. `synced` is called when all objects are known. Rejects with the error of the watch. */
  async run(signal: AbortSignal, synced: () => void): Promise<void> {
    let rounds = 0;
    const present = () => {
      if (rounds++ > 0) void this.#confirm();
      synced();
    };
    for await (const { type, object } of this.#api.watch("", {}, signal, present)) {
      const uid = object.metadata.uid ?? "";
      this.#unconfirmed.delete(uid);
      if (type !== "DELETED") this.#learn(object);
      else {
        this.#forget(object);
        this.#removed.delete(uid);
        this.#remember(uid);
      }
    }
  }

  /** Creates an object and knows it. Rejects with the StatusError of the API. */
  async create(namespace: string, object: WrittenObject<T>): Promise<T> {
    const made = await this.#api.create(namespace, object);
    if (this.#learn(made)) this.#unconfirmed.set(made.metadata.uid ?? "", this.at(objectKey(made)) ?? made);
    return made;
  }

  /** Replaces an object, or a part of it, and knows the result. A stale `object` rejects with Conflict. */
  async update(object: T, options?: TypedWriteOptions): Promise<T> {
    const { namespace = "", name = "" } = object.metadata;
    return this.#known(await this.#settled(object, this.#api.update(namespace, name, object as WrittenObject<T>, options)));
  }

  /** Replaces the status of an object. */
  updateStatus(object: T): Promise<T> {
    return this.update(object, { subresource: "status" });
  }

  /** Patches an object, or a part of it, and knows the result. */
  async patch(object: T, patch: ApiPatch, options?: TypedWriteOptions): Promise<T> {
    const { namespace = "", name = "" } = object.metadata;
    return this.#known(await this.#settled(object, this.#api.patch(namespace, name, patch as TypedPatch<T>, options)));
  }

  /** Deletes an object if it still has the same uid. Resolves also if it is gone. `options` is a DeleteOptions. */
  async delete(object: T, options: object = {}): Promise<void> {
    const { namespace = "", name = "", uid } = object.metadata;
    try {
      const answer = await this.#api.delete(namespace, name, { preconditions: { uid }, ...options }) as ApiObject;
      if (answer.kind !== "Status" && answer.metadata.deletionTimestamp !== undefined && isWaiting(answer)) this.#learn(answer as T);
      else this.#drop(object);
    } catch (error) {
      // Another object of the name is there: this one is gone, too.
      if (!(error instanceof StatusError && (error.reason === "NotFound" || error.reason === "Conflict"))) throw error;
      this.#drop(object);
    }
  }

  #known(object: T): T {
    this.#learn(object);
    return object;
  }

  /** Removes the object from the copy if the write finds that it does not exist. */
  async #settled(object: T, write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      // A subresource that the kind does not have is not found either, and its error names no object.
      if (error instanceof StatusError && error.reason === "NotFound" && (error.details?.name ?? "") !== "") this.#drop(object);
      throw error;
    }
  }

  /** The watch lost changes: what it has not delivered is read again, because its removal may be among the lost. */
  async #confirm(): Promise<void> {
    this.#removed.clear();
    const asked = [...this.#unconfirmed.values()];
    this.#unconfirmed.clear();
    for (const object of asked) {
      const { namespace = "", name = "", uid } = object.metadata;
      const found = await this.#api.get(namespace, name).catch(() => undefined);
      if (found?.metadata.uid !== uid) this.#forget(object);
    }
  }

  #drop(object: T): void {
    const { uid = "" } = object.metadata;
    if (this.#byKey.get(objectKey(object))?.metadata.uid !== uid) return;
    this.#unconfirmed.delete(uid);
    this.#removed.add(uid);
    this.#forget(object);
  }

  /** Returns whether the object is new. */
  #learn(known: T): boolean {
    const key = objectKey(known), before = this.#byKey.get(key), { uid = "", namespace = "" } = known.metadata;
    if (this.#removed.has(uid) || this.#gone.has(uid)) return false;
    const isSame = before?.metadata.uid === uid;
    if (before !== undefined && isSame && versionOf(before) >= versionOf(known)) return false;
    const object = this.#compactor.of(known, this.#sibling(known) ?? (isSame ? before : undefined));
    if (before !== undefined && !isSame) this.#forget(before);
    this.#byKey.set(key, object);
    indexIn(this.#byNamespace, namespace).set(key, object);
    const owner = ownerKey(object), ownerBefore = before && isSame ? ownerKey(before) : owner;
    if (ownerBefore !== owner) removeFrom(this.#byController, ownerBefore, key);
    indexIn(this.#byController, owner).set(key, object);
    this.#tell(object, isSame ? before : undefined);
    return !isSame;
  }

  /** An object with the same controller, of which most is equal. */
  #sibling(object: T): T | undefined {
    const owner = controllerOf(object);
    return owner === undefined ? undefined : this.#byController.get(owner)?.values().next().value;
  }

  #forget({ metadata }: Pick<ApiObject, "metadata">): void {
    const key = objectKey({ metadata }), before = this.#byKey.get(key);
    if (before === undefined || before.metadata.uid !== metadata.uid) return;
    this.#byKey.delete(key);
    removeFrom(this.#byNamespace, before.metadata.namespace ?? "", key);
    removeFrom(this.#byController, ownerKey(before), key);
    this.#tell(undefined, before);
  }

  #remember(uid: string): void {
    this.#gone.add(uid);
    if (this.#gone.size <= rememberedMax) return;
    for (const oldest of this.#gone) {
      this.#gone.delete(oldest);
      return;
    }
  }

  #tell(next: T | undefined, before: T | undefined): void {
    for (const listener of this.#listeners) listener(next, before);
  }
}

/** The key of the objects without a controller in a namespace. No uid has a space. */
const withoutController = (namespace: string): string => `none ${namespace}`;

const ownerKey = (object: ApiObject): string => controllerOf(object) ?? withoutController(object.metadata.namespace ?? "");

const versionOf = ({ metadata }: ApiObject): number => Number(metadata.resourceVersion ?? 0);

/** Whether a deleted object stays: it has finalizers, or its time of grace is not over. */
const isWaiting = ({ metadata }: ApiObject): boolean =>
  (metadata.finalizers ?? []).length > 0 || Number(metadata.deletionGracePeriodSeconds ?? 0) > 0;

function indexIn<T>(index: Map<string, Map<string, T>>, name: string): Map<string, T> {
  let found = index.get(name);
  if (found === undefined) index.set(name, found = new Map());
  return found;
}

function removeFrom<T>(index: Map<string, Map<string, T>>, name: string, key: string): void {
  const found = index.get(name);
  found?.delete(key);
  if (found?.size === 0) index.delete(name);
}
