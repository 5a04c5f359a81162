/** The open watches, so that those of a removed resource can be ended. */
import { noRouteError, type StatusError } from "../../../core/status-error.ts";
import type { Catalog, Endpoint } from "../../catalog/catalog.ts";

export interface OpenWatch {
  readonly endpoint: Endpoint;
  /** Ends the watch. `because` is sent as its last event, if given. */
  end(because?: StatusError): void;
}

export interface OpenWatches {
  /** Registers a watch until the returned function is called. A watch of a resource that is not served ends at once. */
  add(watch: OpenWatch): () => void;
  /** Ends all watches with this as their last event. */
  failAll(because: StatusError): void;
  /** Replaces the catalog, and ends the watches of resources that it does not serve. */
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
 * Ends a watch if its resource was removed or redefined. A removed resource ends it with the error that a new request gets; a removed
 * custom resource without an event, as upstream. A redefined resource ends it without an event: its client can continue from its last
 * revision.
 */
function endUnlessServed(watch: OpenWatch, served: Catalog): void {
  const { endpoint } = watch;
  const now = served.endpoint(endpoint.group, endpoint.version, endpoint.plural);
  if (now !== endpoint) watch.end(now === undefined && endpoint.resource.custom !== true ? noRouteError() : undefined);
}
