/** Follows objects for who decides from what it knows of them, such as an authorizer. */
import { type ApiObject, objectKey } from "../../plugin.ts";
import { type AuthorizerContext, pause, systemClock } from "../../toolbox.ts";
import { isServed } from "./is-served.ts";

/** What following needs. */
export type FollowingContext = Pick<AuthorizerContext, "api" | "names" | "signal" | "logError">;

/** Milliseconds between two attempts to follow the objects. */
const retryMs = 1_000;

/** A resource, and what is done with its objects. */
export interface FollowedResource {
  /** The group version, which may contain `{domain}`. */
  readonly groupVersion: string;
  readonly resource: string;
  /** Takes an object that is new or has changed. */
  readonly set: (object: any) => void; // An object of the resource.
  /** Takes an object that was deleted. */
  readonly remove: (object: ApiObject) => void;
}

/** Follows a resource until the signal aborts. Resolves when all existing objects are known, or if the resource is not served. */
export function followObjects(context: FollowingContext, followed: FollowedResource): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  void follow(context, followed, resolve);
  return promise;
}

/** Objects that are known stay known after a failure. */
async function follow(context: FollowingContext, followed: FollowedResource, synced: () => void): Promise<void> {
  const { api, signal, logError } = context, { groupVersion, resource, set, remove } = followed;
  /** The known objects. If one is missing in the initial state of the next watch, it was deleted. */
  let known = new Map<string, ApiObject>();
  for (let reported = ""; !signal.aborted;) {
    const before = known;
    known = new Map();
    const begun = () => {
      for (const [key, object] of before) if (!known.has(key)) remove(object);
      before.clear();
      synced();
    };
    try {
      for await (const { type, object } of api.watch(groupVersion, resource, "", {}, signal, "everything", begun)) {
        reported = "";
        if (type === "DELETED") {
          known.delete(objectKey(object));
          remove(object);
        } else {
          known.set(objectKey(object), object);
          set(object);
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      // A resource that is not served has no initial state.
      if (!isServed(context, followed)) synced();
      else if (String(error) !== reported) logError(`cannot follow ${resource}; it tries again`, error);
      reported = String(error);
      for (const [key, object] of before) if (!known.has(key)) known.set(key, object);
      await pause(retryMs, signal, systemClock);
    }
  }
}
