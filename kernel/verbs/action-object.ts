/** The object of an action that writes it in steps of its own. */
import type { ActionObject } from "../../core/subresource.ts";
import { notFoundError } from "../../core/status-error.ts";
import { type RequestContext, resourceName } from "../request-context.ts";
import { checkedDeletion, deletionOf } from "../write/delete-options.ts";
import type { Start } from "../write/guaranteed-update.ts";
import { deleteItem } from "./delete.ts";
import { keyOfCall } from "./key-of-call.ts";
import { put } from "./update.ts";
import { guaranteedUpdate } from "../write/guaranteed-update.ts";

export function actionObject(call: RequestContext): ActionObject {
  const absent = () => notFoundError(resourceName(call), call.info.name);
  const start = async (): Promise<Start> => {
    const { item, renew } = await call.backend.reads.live(call.endpoint.stored, keyOfCall(call), call.deadline);
    if (item === undefined) throw absent();
    return { item, renew };
  };
  return {
    async read() {
      const { item, renew } = await start();
      const newest = renew === undefined ? item : await renew();
      if (newest === undefined) throw absent();
      return newest.object;
    },
    async change(change) {
      const done = await guaranteedUpdate(call, await start(), (current) => put(call, current, change(current.object), false));
      if (done === undefined) throw absent();
      return done.object;
    },
    async delete(options) {
      const asked = { ...checkedDeletion(call, deletionOf(options)), isApproved: true as const };
      if (await deleteItem(call, await start(), asked) === undefined) throw absent();
    },
  };
}
