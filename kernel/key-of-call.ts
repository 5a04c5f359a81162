import { pathSegmentName } from "../core/meta/names.ts";
import { badRequestError } from "../core/status-error.ts";
import { goQuote } from "../core/tree/go-quote.ts";
import type { Call } from "./call.ts";
import { keyOf } from "./objects.ts";

/** The key of the object that the path names; 400 where no object can have the name, as it would lead elsewhere. */
export function keyOfCall({ backend, endpoint, info }: Call): string {
  const wrong = pathSegmentName(info.name, false);
  if (wrong.length > 0) throw badRequestError(`Name parameter invalid: ${goQuote(info.name)}: ${wrong.join(";")}`);
  return keyOf(backend.prefix, endpoint.stored, info.namespace, info.name);
}
