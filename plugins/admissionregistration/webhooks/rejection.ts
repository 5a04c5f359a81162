/** The error response of a request that a webhook rejects. */

import { isObject, type JsonObject } from "../../../core/json.ts";
import { StatusError } from "../../../plugin.ts";
import { goQuote, type StatusReason } from "../../../toolbox.ts";
import type { SentStatus } from "./review.ts";

/** Code and message of the webhook, with its name before the message. A code that no HTTP response can have becomes 500. */
export function rejection(webhook: string, sent: SentStatus | undefined): StatusError {
  const { code = 0, message = "", reason = "", details } = sent ?? {};
  const deniedBy = `admission webhook ${goQuote(webhook)} denied the request`, why = message === "" ? reason : message;
  // As upstream, a rejection is never a success. HTTP/2 has no codes above 599.
  const shownCode = code < 400 ? 400 : code > 599 ? 500 : code;
  return new StatusError(
    // Any text is a reason; the code is chosen apart from it.
    (reason === "" ? "Unknown" : reason) as StatusReason,
    why === "" ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`,
    { code: shownCode, ...(details === undefined ? {} : { details: detailsOf(details) }) },
  );
}

/** The known members with values of their types. */
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

/** A positive int32. */
function isSeconds(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 2 ** 31;
}
