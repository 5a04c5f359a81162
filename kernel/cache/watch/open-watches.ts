/** Watches that are open, so that they can be told when what they show is served no more. */
import { noRouteError, type StatusError } from "../../../core/status-error.ts";
import type { Catalog, Endpoint } from "../../catalog/catalog.ts";

export interface OpenWatch {
  readonly endpoint: Endpoint;
  /** Ends it; `because` is its last event where it is given. */
  end(because?: StatusError): void;
}

export interface OpenWatches {
  /** Takes a watch in until the returned function is called. One of what is not served any more is ended at once. */
  add(watch: OpenWatch): () => void;
  /** Ends all of them with this as their last event. */
  failAll(because: StatusError): void;
  /** From now on this is what is served. */
  adopt(catalog: Catalog): void;
}

export function openWatches(catalog: Catalog): OpenWatches {
  const open = new Set<OpenWatch>();
  let served = catalog;
  return {
    add(watch) {
      open.add(watch);
      endUnlessServed(watch, served);
      return () => void open.delete(watch);
    },
    failAll(because) {
      for (const watch of [...open]) watch.end(because);
    },
    adopt(next) {
      served = next;
      for (const watch of [...open]) endUnlessServed(watch, served);
    },
  };
}

/**
 * With the answer that a new request would get; without a word where the resource is another now, because whoever watched can
 * go on from where they were.
 */
function endUnlessServed(watch: OpenWatch, served: Catalog): void {
  const { endpoint } = watch;
  const now = served.endpoint(endpoint.group, endpoint.version, endpoint.plural);
  if (now !== endpoint) watch.end(now === undefined ? noRouteError() : undefined);
}
