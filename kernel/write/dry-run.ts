/** Dry runs of kinds whose versions are converted by calls. */
import { convertedKinds } from "../conversion/converted-kinds.ts";
import { shownValues, storedValue } from "../conversion/stored-values.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * The value that a read would return if `value` were stored: converted to the version of the store and back, as in upstream's dry runs. So a
 * dry run fails where the write would. Values of other kinds are returned as they are.
 */
export function asStored({ catalog, endpoint, backend }: RequestContext, value: Uint8Array): Uint8Array | Promise<Uint8Array> {
  const { conversions } = backend;
  if (endpoint.resource.conversion === undefined || conversions === undefined) return value;
  const kind = convertedKinds(catalog).get(endpoint.stored.under);
  if (kind === undefined) return value;
  const means = { context: conversions, encoding: catalog.storedAs };
  return storedValue(kind, value, means).then(async (stored) => stored === value ? value : (await shownValues(kind, [stored], means))[0]!);
}
