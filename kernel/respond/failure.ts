/** Maps errors of requests to Status errors for the client. */
import { type StatusDetails, StatusError } from "../../core/status-error.ts";
import { expiredError, tooLargeRevision } from "../reads/reads.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { StoreError } from "../store/store.ts";

/** Status errors are unchanged and store errors become upstream's. Any other error is a bug: it is reported in full, and the client gets a
 *  reference ID. */
export function toStatusError(error: unknown, info: RequestInfo, report: (error: unknown, reference: string) => void): StatusError {
  if (error instanceof StatusError) {
    if (error.reason === "InternalError" && error.cause !== undefined) report(error, crypto.randomUUID());
    return error;
  }
  if (error instanceof StoreError) return ofStore(error, info);
  if (error instanceof DOMException && error.name === "TimeoutError") {
    return new StatusError("Timeout", "Timeout: request did not complete within requested timeout - context deadline exceeded", {
      details: {},
    });
  }
  if (error instanceof DOMException && error.name === "AbortError") {
    return new StatusError("Timeout", "Timeout: request did not complete within requested timeout - context canceled", { details: {} });
  }
  const reference = crypto.randomUUID();
  report(error, reference);
  return new StatusError("InternalError", `Internal error occurred: the server met an unexpected condition (reference ${reference})`, {
    details: { causes: [{ message: `reference ${reference}` }] },
  });
}

/** A response that says that the time was over, with the present trouble of the store: upstream's sentence names no cause. */
export function withStoreTrouble(failure: StatusError, trouble: string | undefined): StatusError {
  if (failure.reason !== "Timeout" || trouble === undefined) return failure;
  const { message, details, cause } = failure;
  const causes = [...details?.causes ?? [], { reason: "StoreUnavailable", message: trouble }];
  return new StatusError("Timeout", `${message}; ${trouble}`, { details: { ...details, causes }, cause });
}

/** Whether an error is unexpected, that is, a mistake in the program. */
export function isBug(error: unknown): boolean {
  const isEnd = error instanceof DOMException && (error.name === "TimeoutError" || error.name === "AbortError");
  return !(error instanceof StatusError || error instanceof StoreError || isEnd);
}

function ofStore(error: StoreError, info: RequestInfo): StatusError {
  switch (error.code) {
    case "compacted":
    case "set-back":
      return expiredError("The resourceVersion for the provided list is too old.");
    case "future":
      return tooLargeRevision(Number(info.query.first("resourceVersion")), error.current ?? 0);
    case "too-large":
    case "refused":
      return new StatusError("Unknown", error.message);
    case "full":
      // RFC 4918, 11.5. Clients that know the code retry later; kubectl prints the message.
      return new StatusError(
        "InsufficientStorage",
        `The ${info.verb} operation against ${resourceOf(info)} could not be completed: the server's disk is full. ` +
          "Nothing was changed. Deletions still work while the reserve lasts. Try again when space is free.",
        { details: detailsOf(info) },
      );
    case "closed":
      return new StatusError("ServiceUnavailable", "the server is shutting down", { details: { retryAfterSeconds: 1 } });
    case "unavailable":
      // The sentence is upstream's. What follows names the store and its trouble, which upstream's errors of a read also do.
      return new StatusError(
        "ServerTimeout",
        `The ${info.verb} operation against ${resourceOf(info)} could not be completed at this time, please try again. ${error.message}`,
        { details: { ...detailsOf(info), causes: [{ reason: "StoreUnavailable", message: error.message }] }, cause: error },
      );
  }
}

function resourceOf({ group, resource }: RequestInfo): string {
  return group === "" ? resource : `${resource}.${group}`;
}
/** Details with the seconds after which the client may retry. */
function detailsOf({ verb, group, resource }: RequestInfo): StatusDetails {
  return { name: verb, ...(group === "" ? {} : { group }), kind: resource, retryAfterSeconds: 2 };
}
