/** One entry per verb. The type requires an entry for each new verb. */
import type { VerbResult } from "../respond/result.ts";
import type { RequestContext } from "../request-context.ts";
import type { Verb } from "../../core/versions.ts";
import { act, actOnNamed } from "./act.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { removeCollection } from "./deletecollection.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { patch } from "./patch.ts";
import { update } from "./update.ts";
import { watch } from "./watch.ts";

export const verbs: Readonly<Record<Verb, (call: RequestContext) => Promise<VerbResult>>> = Object.freeze({
  create(call) {
    if (call.subresource !== undefined) return act(call, call.subresource);
    return call.endpoint.resource.actsOn === undefined ? create(call) : actOnNamed(call, call.endpoint.resource.actsOn);
  },
  delete: remove,
  deletecollection: removeCollection,
  get,
  list,
  patch,
  update,
  watch,
});
