/** A queue that serves owners in rotation, however many items one of them has. */
export interface FairQueue<T> {
  /** False if the owner has `perOwnerMax` items already. */
  push(owner: string, item: T): boolean;
  next(): T | undefined;
  /** Removes a waiting item. */
  remove(owner: string, item: T): void;
}

export function fairQueue<T>(perOwnerMax: number): FairQueue<T> {
  // The order of the map is the order of the rotation.
  const owners = new Map<string, T[]>();
  return {
    push(owner, item) {
      const items = owners.get(owner);
      if (items === undefined) owners.set(owner, [item]);
      else if (items.length >= perOwnerMax) return false;
      else items.push(item);
      return true;
    },
    next() {
      for (const [owner, items] of owners) {
        owners.delete(owner);
        const item = items.shift();
        if (items.length > 0) owners.set(owner, items);
        return item;
      }
      return undefined;
    },
    remove(owner, item) {
      const items = owners.get(owner);
      const at = items?.indexOf(item) ?? -1;
      if (items === undefined || at < 0) return;
      items.splice(at, 1);
      if (items.length === 0) owners.delete(owner);
    },
  };
}
