/** Makes the error response of a request that a webhook rejects. */

import { isObject, type JsonObject } from "../../../core/json.ts";
import { StatusError } from "../../../plugin.ts";
import { goQuote, type StatusReason } from "../../../toolbox.ts";
import type { SentStatus } from "./review.ts";

/**
 * Makes the error from the code and message of the webhook; the message begins with the webhook's name. A code that no HTTP response can
 * have becomes 500.
 */
export function rejection(webhook: string, sent: SentStatus | undefined): StatusError {
  const { code = 0, message = "", reason = "", details } = sent ?? {};
  const deniedBy = `admission webhook ${goQuote(webhook)} denied the request`, why = message === "" ? reason : message;
  // As in upstream, a rejection is never a success. HTTP/2 has no codes above 599.
  const shownCode = code < 400 ? 400 : code > 599 ? 500 : code;
  return new StatusError(
    // A webhook may send any text as reason; the code does not depend on it.
    (reason === "" ? "Unknown" : reason) as StatusReason,
    why === "" ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`,
    { code: shownCode, ...(details === undefined ? {} : { details: detailsOf(details) }) },
  );
}

/** Returns the known members of the details whose values have the right types. */
function detailsOf(sent: JsonObject): NonNullable<StatusError["details"]> {
  const texts = (from: JsonObject, ...keys: readonly string[]) =>
    Object.fromEntries(keys.flatMap((key) => typeof from[key] === "string" && from[key] !== "" ? [[key, from[key]]] : []));
  const { causes, retryAfterSeconds } = sent;
  return {
    ...texts(sent, "name", "group", "kind", "uid"),
    ...(Array.isArray(causes) ? { causes: causes.filter(isObject).map((each) => texts(each, "reason", "message", "field")) } : {}),
    ...(isSeconds(retryAfterSeconds) ? { retryAfterSeconds } : {}),
  };
}

/** Whether the value is a positive int32. */
function isSeconds(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 2 ** 31;
}
