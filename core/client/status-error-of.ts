/** Makes the error that a Status describes. */
import { isObject, type Json } from "../json.ts";
import { type StatusDetails, StatusError, type StatusReason } from "../status-error.ts";

/** Makes the error of a Status with its reason, code and details. If the body is no Status, the code is `httpCode`. */
export function statusErrorOf(body: Json | undefined, httpCode = 500): StatusError {
  const { kind, reason, message, code, details, metadata } = body !== undefined && isObject(body) ? body : {};
  const token = isObject(metadata ?? null) ? (metadata as { readonly continue?: unknown }).continue : undefined;
  const text = typeof message === "string" && message !== "" ? message : `the server answers with status ${httpCode}`;
  const known = typeof reason === "string" && reason !== "" ? reason : kind === "Status" ? "Unknown" : reasonOfCode(httpCode);
  // `as`: servers may have reasons that are not in the table.
  return new StatusError(known as StatusReason, text, {
    code: typeof code === "number" ? code : httpCode,
    // `as`: only a faulty server sends members of other types.
    ...(isObject(details ?? null) ? { details: details as StatusDetails } : {}),
    ...(typeof token === "string" ? { continue: token } : {}),
  });
}

/** Returns the reason for a code. client-go uses the same ones if a response has no Status. */
function reasonOfCode(code: number): StatusReason {
  return reasons.get(code) ?? "Unknown";
}
const reasons: ReadonlyMap<number, StatusReason> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [405, "MethodNotAllowed"],
  [406, "NotAcceptable"],
  [409, "Conflict"],
  [410, "Gone"],
  [413, "RequestEntityTooLarge"],
  [415, "UnsupportedMediaType"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
  [500, "InternalError"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);
