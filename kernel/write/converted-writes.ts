/** Writes of kinds whose versions are converted by calls. */
import { abortable } from "../../core/async.ts";
import { convertedKinds } from "../conversion/converted-kinds.ts";
import { servedValues, storedValue } from "../conversion/stored-values.ts";
import type { RequestContext } from "../request-context.ts";
import type { Change } from "../store/store.ts";

/**
 * Returns the value that a read would return if `value` were stored. As in upstream's dry runs, it is converted to the version of the store
 * and back, so that a dry run fails where the write would. For other kinds `value` is returned as it is.
 */
export function valueOnRead({ catalog, endpoint, backend, deadline }: RequestContext, value: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const { conversions } = backend;
  if (endpoint.resource.conversion === undefined || conversions === undefined) return value;
  const kind = convertedKinds(catalog).get(endpoint.stored.under);
  if (kind === undefined) return value;
  const means = { context: conversions, encoding: catalog.storedAs };
  const read = storedValue(kind, value, means).then(async (stored) =>
    stored === value ? value : (await servedValues(kind, [stored], means))[0]!
  );
  return abortable(read, deadline.signal);
}

/** The part of a change that ends its conversion at the deadline of the request. Other kinds need no signal. */
export function untilDeadline({ endpoint, deadline }: RequestContext): Pick<Change, "signal"> {
  return endpoint.resource.conversion === undefined ? {} : { signal: deadline.signal };
}
