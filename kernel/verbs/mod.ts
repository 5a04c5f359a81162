/** One entry per verb. The type requires an entry for each new verb. */
import type { VerbResult } from "../respond/result.ts";
import type { RequestContext } from "../request-context.ts";
import type { Verb } from "../../core/versions.ts";
import { act } from "./act.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { removeCollection } from "./deletecollection.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { patch } from "./patch.ts";
import { update } from "./update.ts";
import { watch } from "./watch.ts";

export const verbs: Readonly<Record<Verb, (call: RequestContext) => Promise<VerbResult>>> = Object.freeze({
  create: (call) => call.subresource === undefined ? create(call) : act(call, call.subresource),
  delete: remove,
  deletecollection: removeCollection,
  get,
  list,
  patch,
  update,
  watch,
});
