/** Which owner is to be looked at when a pod or another owned object changes. */
import { type ApiObject, objectKey } from "../../../plugin.ts";
import type { AddKey } from "../world/reconciler.ts";
import type { Store } from "../world/store.ts";

/**
 * Adds the key of the controller of each changed object, if it is of `kind`. With `orphansOf`, the owners whose selector may select an object without
 * a controller are looked at, too.
 */
export function followOwned<T extends ApiObject>(
  owned: Store<T>,
  kind: string,
  add: AddKey,
  orphansOf: (orphan: T) => Iterable<string> = () => [],
): void {
  const tell = (object: T | undefined) => {
    if (object === undefined) return;
    const { namespace = "", ownerReferences = [] } = object.metadata, controller = ownerReferences.find((each) => each.controller);
    if (controller === undefined) { for (const key of orphansOf(object)) add(key); }
    else if (controller.kind === kind) add(objectKey({ metadata: { namespace, name: controller.name } }));
  };
  owned.listen((next, before) => {
    tell(next);
    const isOther = before?.metadata.ownerReferences !== next?.metadata.ownerReferences;
    if (next === undefined || isOther) tell(before);
  });
}

/** Adds the key of each object that exists, and of each that is created, changed or removed. */
export function followAll<T extends ApiObject>(store: Store<T>, add: AddKey): void {
  for (const object of store.all()) add(objectKey(object));
  store.listen((next, before) => add(objectKey((next ?? before)!)));
}
