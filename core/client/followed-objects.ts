import type { ApiObject } from "../meta/object-meta.ts";

/**
 * The objects that a watch has delivered, by name: after a gap in history it lists again, and must report objects that were
 * deleted meanwhile. Stores names and UIDs only.
 */
export class FollowedObjects {
  #uids = new Map<string, string>();
  /** The objects of the list in progress; undefined between lists. */
  #present: Map<string, string> | undefined;

  changed(type: "ADDED" | "MODIFIED" | "DELETED", { metadata }: ApiObject): void {
    if (type === "DELETED") this.#uids.delete(keyOf(metadata));
    else this.#uids.set(keyOf(metadata), metadata.uid ?? "");
  }

  /** Starts a list, or restarts one. */
  beginList(): void {
    // Includes the objects of a list that did not end.
    for (const [key, uid] of this.#present ?? []) this.#uids.set(key, uid);
    this.#present = new Map();
  }
  /** Adds an object of the list. Returns the object that it replaces: one of that name with another UID. */
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

/** Neither part has a slash. */
function keyOf({ namespace = "", name = "" }: ApiObject["metadata"]): string {
  return `${namespace}/${name}`;
}
/** The metadata of an object, without the rest. */
function objectOf(key: string, uid: string): ApiObject {
  const slash = key.indexOf("/"), namespace = key.slice(0, slash);
  return { metadata: { name: key.slice(slash + 1), uid, ...(namespace === "" ? {} : { namespace }) } } as ApiObject;
}
