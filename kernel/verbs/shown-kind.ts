/**
 * The kind in which a request reads and writes an object: the resource's own, or that of a subresource's view. It gives views the same
 * bodies, patches and applies as other kinds.
 */
import { conversionOf } from "../objects/served.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { invalidError } from "../../core/status-error.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import { Item } from "../objects/objects.ts";
import { hookContext, type RequestContext } from "../request-context.ts";
import { objectResult, shownResult, type VerbResult } from "../respond/result.ts";
import { recordOwnersNow, withEntries } from "../write/field-managers.ts";
import { viewObject } from "../write/view-object.ts";
import { objectEntries, viewEntries } from "../write/view-owners.ts";

/** One attempt of a write to the current object. */
export interface Attempt {
  /** In the request's version. */
  readonly object: ApiObject;
  /** The required current revision, or 0 for any. */
  readonly expected: number;
  /** Whether the field managers of the object are already recorded. */
  readonly hasOwners?: true;
}

/** Conversion between stored objects and the kind of the request. */
export interface ShownKind {
  /** The request with the endpoint of that kind. */
  readonly call: RequestContext;
  /** The current object, to which a write applies. */
  readonly live: (current: Item) => Item;
  /** The write that stores `object`, which is of that kind. `hasOwners`: its field managers are already recorded. */
  readonly attempt: (current: Item, object: ApiObject, expected: number, hasOwners?: true) => Attempt;
  readonly answer: (item: Item) => VerbResult;
}

/** The kind of the path of a request. */
export function shownKind(call: RequestContext): ShownKind {
  const view = call.subresource?.view;
  return view === undefined ? ownKind(call) : viewKind(call, view);
}

/** The kind of the resource itself. Its functions are shared, because every request for one object creates a `ShownKind`. */
function ownKind(call: RequestContext): ShownKind {
  return { call, live: asIs, attempt: ownAttempt, answer: ownAnswer };
}
const asIs = (current: Item): Item => current;
const ownAttempt: ShownKind["attempt"] = (_current, object, expected, hasOwners) =>
  hasOwners ? { object, expected, hasOwners } : { object, expected };
const ownAnswer = (item: Item): VerbResult => objectResult(200, item);

function viewKind(call: RequestContext, view: Endpoint): ShownKind {
  const { read, readForWrite = read, validate, write } = call.subresource!.definition.view!; // compiled from it
  const shown: RequestContext = { ...call, endpoint: view };
  const itemOf = (item: Item, use: "answer" | "draft") => {
    const { resourceVersion, managedFields } = item.object.metadata;
    const object = viewObject(view, item.object, (use === "answer" ? read : readForWrite)(item.object, hookContext(call)));
    const whole = use === "answer" ? object : withEntries(object, viewEntries(call, view, managedFields));
    return Item.unsaved(view.stored, "", whole, resourceVersion);
  };
  return {
    call: shown,
    live: (current) => itemOf(current, "draft"),
    attempt(current, sent, expected, hasOwners) {
      const object = hasOwners ? sent : recordOwnersNow(shown, sent, itemOf(current, "draft").object);
      const errors = validate?.(object, current.object, hookContext(call)) ?? [];
      if (errors.length > 0) throw invalidError({ group: view.group, name: view.kind }, call.info.name, errors);
      const next = write(object, current.object, hookContext(call));
      const entries = objectEntries(call, view, current.object.metadata.managedFields, object.metadata.managedFields);
      return { object: withEntries(conversionOf(call.endpoint, next), entries), expected, hasOwners: true };
    },
    answer: (item) => shownResult(200, itemOf(item, "answer"), view),
  };
}
