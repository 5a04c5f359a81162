/** `Api.createEach` where a server has no shorter way for several objects. */
import type { Api } from "../api.ts";

/** Makes the method of an API with this `create`. */
export function createEachBy(create: () => Api["create"]): Api["createEach"] {
  return (version, resource, namespace, objects) =>
    Promise.allSettled(objects.map(async (object) => void await create()(version, resource, namespace, object)));
}
