/** The result of a verb, which `answer.ts` encodes as a reply. */
import type { Status } from "../../core/status-error.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import type { Item } from "../objects/objects.ts";
import type { ListPage } from "../reads/reads.ts";

export type VerbResult =
  | {
    readonly tag: "object";
    readonly status: number;
    readonly item: Item;
    /** The endpoint of the item's kind, if it is a subresource's own kind. */
    readonly shown?: Endpoint;
  }
  | { readonly tag: "list"; readonly page: ListPage }
  | { readonly tag: "status"; readonly status: number; readonly body: Status }
  | Feed;

/** The events of a watch. */
export interface Feed {
  readonly tag: "feed";
  readonly contentType: string;
  readonly frames: AsyncIterable<Uint8Array>;
  readonly givenUp: AbortSignal;
}

export function objectResult(status: number, item: Item): VerbResult {
  return { tag: "object", status, item };
}
/** The result for an object of a subresource's own kind. */
export function shownResult(status: number, item: Item, shown: Endpoint): VerbResult {
  return { tag: "object", status, item, shown };
}
export function listResult(page: ListPage): VerbResult {
  return { tag: "list", page };
}
export function statusResult(status: number, body: Status): VerbResult {
  return { tag: "status", status, body };
}
