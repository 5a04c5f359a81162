import { pathSegmentName } from "../../core/meta/names.ts";
import type { FieldRequirement } from "../../core/selectors/field.ts";
import { badRequestError, StatusError } from "../../core/status-error.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import type { RequestContext } from "../request-context.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import { keyOf } from "../objects/objects.ts";

/** The key of the object of the path. Throws 400 for an invalid name or none, which could produce the key of another object. */
export function keyOfCall({ backend, endpoint, info }: RequestContext): string {
  if (endpoint.namespaced && info.namespace === "") throw badRequestError("Namespace parameter required.");
  if (info.name === "") throw badRequestError("Name parameter required.");
  const wrong = pathSegmentName(info.name, false);
  if (wrong.length > 0) throw badRequestError(`Name parameter invalid: ${goQuote(info.name)}: ${wrong.join(";")}`);
  checkKey(endpoint, info.namespace, info.name);
  return keyOf(backend.prefix, endpoint.stored, info.namespace, info.name);
}

/**
 * Rejects the namespaces `.` and `..` before the store is read: upstream's store rejects a key with such a segment with 500 and no reason.
 * `name` is "" for a whole collection.
 */
export function checkKey({ stored }: Pick<Endpoint, "stored">, namespace: string, name: string): void {
  if (namespace !== "." && namespace !== "..") return;
  const key = `/${stored.under}/${namespace}${name === "" ? "" : `/${name}`}`;
  throw new StatusError("Unknown", `invalid key: ${goQuote(key)}`);
}

/** As `checkKey`, for a collection. If a field selector names one object, the key in the error ends with its name. */
export function checkCollectionKey(endpoint: Pick<Endpoint, "stored">, namespace: string, fields: readonly FieldRequirement[]): void {
  const named = fields.find(({ field, operator }) => field === "metadata.name" && operator === "=");
  checkKey(endpoint, namespace, named?.value ?? "");
}
