import type { ApiObject } from "../meta/object-meta.ts";

/**
 * The objects that a watch has delivered, by name. After a gap in its history the watch lists again, and must report objects that were
 * deleted meanwhile. Only names and UIDs are stored.
 */
export class FollowedObjects {
  #uids = new Map<string, string>();
  /** The objects of the list that is being read; undefined between lists. */
  #present: Map<string, string> | undefined;

  changed(type: "ADDED" | "MODIFIED" | "DELETED", { metadata }: ApiObject): void {
    if (type === "DELETED") this.#uids.delete(keyOf(metadata));
    else this.#uids.set(keyOf(metadata), metadata.uid ?? "");
  }

  /** Begins a list, or begins it again. */
  beginList(): void {
    // The objects of a list that did not end are kept, too.
    for (const [key, uid] of this.#present ?? []) this.#uids.set(key, uid);
    this.#present = new Map();
  }
  /** Adds an object of the list. If it replaces an object with the same name and another UID, returns that object. */
  listed({ metadata }: ApiObject): ApiObject | undefined {
    const key = keyOf(metadata), uid = metadata.uid ?? "", before = this.#uids.get(key);
    this.#present?.set(key, uid);
    return before === undefined || before === uid ? undefined : objectOf(key, before);
  }
  /** Ends the list. Returns the objects that no longer exist. */
  endList(): readonly ApiObject[] {
    const present = this.#present ?? new Map<string, string>();
    const gone = [...this.#uids].filter(([key]) => !present.has(key)).map(([key, uid]) => objectOf(key, uid));
    this.#uids = present;
    this.#present = undefined;
    return gone;
  }
}

/** Makes the key of an object. A slash separates its parts, because neither of them contains one. */
function keyOf({ namespace = "", name = "" }: ApiObject["metadata"]): string {
  return `${namespace}/${name}`;
}
/** Makes an object that has only its metadata. */
function objectOf(key: string, uid: string): ApiObject {
  const slash = key.indexOf("/"), namespace = key.slice(0, slash);
  return { metadata: { name: key.slice(slash + 1), uid, ...(namespace === "" ? {} : { namespace }) } } as ApiObject;
}
