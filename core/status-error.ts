import { type FieldError, fieldErrorBody, fieldErrorReason, fieldErrorText } from "./field-error.ts";
import { goQuote } from "./tree/go-quote.ts";
import { fieldErrorsLengthMax } from "./bounds.ts";

/** HTTP codes by reason. A Status with `Unknown` has no reason in its JSON. */
export const statusCodes = {
  Unknown: 500,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  Invalid: 422,
  ServerTimeout: 500,
  StorageReadError: 500,
  Timeout: 504,
  TooManyRequests: 429,
  BadRequest: 400,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  ServiceUnavailable: 503,
  InsufficientStorage: 507,
} as const;

/** Reason of a Status. Each reason has an HTTP code. */
export type StatusReason = keyof typeof statusCodes;

/** One of the causes in the details of a Status, such as a field with a wrong value. */
export interface StatusCause {
  /** The type of the cause for programs, such as `FieldValueInvalid`. */
  readonly reason?: string;
  /** What caused the error, for people. */
  readonly message?: string;
  /** The path of the field, such as `spec.replicas`. Absent if no field caused the error. */
  readonly field?: string;
}
/** Details of a Status: its object, causes, and seconds before a retry. */
export interface StatusDetails {
  /** The name of the object. */
  readonly name?: string;
  /** The group of the resource or kind. Absent for the core group. */
  readonly group?: string;
  /** The plural of the resource, or the kind for Invalid. */
  readonly kind?: string;
  /** The UID of the object, if the error depends on it. */
  readonly uid?: string;
  /** Several causes of one error, such as all invalid fields. */
  readonly causes?: readonly StatusCause[];
  /** Seconds after which the client should try again. The header Retry-After has them, too. */
  readonly retryAfterSeconds?: number;
}
/** The Status object. Its keys are in upstream's order. */
export interface Status {
  /** Always "Status". */
  readonly kind: "Status";
  /** The version of `kind`, always "v1". */
  readonly apiVersion: "v1";
  /** The metadata of a list. An expired token to continue a list is answered with a new one. */
  readonly metadata: {
    /** The token to continue a list with, without the guarantee that its pages fit together. */
    readonly continue?: string;
  };
  /** Whether the request did what it asked for. */
  readonly status: "Success" | "Failure";
  /** What went wrong, for people. */
  readonly message?: string;
  /** What went wrong, for programs: a `StatusReason` or, from other servers, any word. */
  readonly reason?: string;
  /** The object and the causes. */
  readonly details?: StatusDetails;
  /** The HTTP code. */
  readonly code?: number;
}

/** An error response. Thrown by any step of a request and converted to a response in one place. */
export class StatusError extends Error {
  /** The reason for programs; clients decide by it. */
  readonly reason: StatusReason;
  /** The HTTP code. Default: that of the reason in `statusCodes`. */
  readonly code: number;
  /** The object and causes, if the error has any. */
  readonly details: StatusDetails | undefined;
  /** The token with which an expired list can be continued. */
  readonly continue: string | undefined;
  /** `message` is shown to the client and has no final full stop. `more.cause` is logged only. */
  constructor(
    reason: StatusReason,
    message: string,
    more: { details?: StatusDetails; code?: number; continue?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "StatusError";
    this.reason = reason;
    this.code = more.code ?? statusCodes[reason];
    this.details = more.details;
    this.continue = more.continue;
  }
}

/** Makes the body of an error response. Invalid UTF-8 bytes (see `strayByte`) become U+FFFD. */
export function statusOf(error: StatusError): Status {
  const { details } = error;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: error.continue === undefined ? {} : { continue: error.continue },
    status: "Failure",
    message: error.message.toWellFormed(),
    ...(error.reason === "Unknown" ? {} : { reason: error.reason }),
    ...(details === undefined ? {} : { details: details.name === undefined ? details : { ...details, name: details.name.toWellFormed() } }),
    code: error.code,
  };
}

/** A group with a resource or kind, for error messages. */
export interface GroupName {
  /** The API group; "" for the core group. */
  readonly group: string;
  /** The plural of the resource or the kind, depending on the reason. */
  readonly name: string;
}
/** Returns a resource with its group, as in `configmaps` and `storageclasses.storage.k8s.io`. */
export function groupText(of: GroupName): string {
  return of.group === "" ? of.name : `${of.name}.${of.group}`;
}
function detailsOf(of: GroupName, name: string): StatusDetails {
  return {
    ...(name === "" ? {} : { name }),
    ...(of.group === "" ? {} : { group: of.group }),
    ...(of.name === "" ? {} : { kind: of.name }),
  };
}

/** Returns the error NotFound (404) for an object that does not exist. */
export function notFoundError(resource: GroupName, name: string): StatusError {
  return new StatusError("NotFound", `${groupText(resource)} ${goQuote(name)} not found`, { details: detailsOf(resource, name) });
}
/** Returns a 404 for an unknown path below an API prefix. */
export function noRouteError(): StatusError {
  return new StatusError("NotFound", "the server could not find the requested resource", { details: {} });
}
/** Returns a 503 for an unknown path of a server that does not serve all of its resources yet. */
export function incompleteError(): StatusError {
  const message = "the request has been made before all known HTTP paths have been installed, please try again";
  return new StatusError("ServiceUnavailable", message, { details: { retryAfterSeconds: 5 } });
}
/** Returns a 405 for a method that a path does not have. `why` is appended to upstream's message. */
export function methodNotAllowedError(why?: string): StatusError {
  const message = "the server does not allow this method on the requested resource";
  return new StatusError("MethodNotAllowed", why === undefined ? message : `${message}: ${why}`, { details: {} });
}
/** Returns a 405 for a verb that a custom resource or its subresource does not have. */
export function notSupportedError(resource: GroupName, verb: string): StatusError {
  return new StatusError("MethodNotAllowed", `${verb} is not supported on resources of kind ${goQuote(groupText(resource))}`, {
    details: { ...(resource.group === "" ? {} : { group: resource.group }), kind: resource.name },
  });
}
export function alreadyExistsError(resource: GroupName, name: string): StatusError {
  return new StatusError("AlreadyExists", `${groupText(resource)} ${goQuote(name)} already exists`, { details: detailsOf(resource, name) });
}
/** Returns the error Conflict (409) for an object. `why` follows its name in the message. Clients read the object and try again. */
export function conflictError(resource: GroupName, name: string, why: string): StatusError {
  return new StatusError("Conflict", `Operation cannot be fulfilled on ${groupText(resource)} ${goQuote(name)}: ${why}`, {
    details: detailsOf(resource, name),
  });
}
/** Returns the error Forbidden (403), by a rule and not for lack of rights. `why` ends the message. `name` may be "". */
export function forbiddenError(resource: GroupName, name: string, why: string, causes?: readonly StatusCause[]): StatusError {
  const who = name === "" ? groupText(resource) : `${groupText(resource)} ${goQuote(name)}`;
  return new StatusError("Forbidden", `${who} is forbidden: ${why}`, {
    details: { ...detailsOf(resource, name), ...(causes === undefined ? {} : { causes }) },
  });
}
/**
 * Returns the error Invalid (422) for an object. The message has each error once, the causes include duplicates. Errors beyond the bound are
 * only counted. The name in `kind` is that of a kind, not of a resource.
 */
export function invalidError(kind: GroupName, name: string, errors: readonly FieldError[]): StatusError {
  const said = withinBound(errors.values().map(fieldErrorText));
  const shown = errors.slice(0, said.length);
  const texts = [...new Set(said), ...(shown.length < errors.length ? [`and ${errors.length - shown.length} more`] : [])];
  const list = texts.length === 0 ? "" : texts.length === 1 ? `: ${texts[0]}` : `: [${texts.join(", ")}]`;
  const causes = shown.map((error) => ({ reason: fieldErrorReason(error), message: fieldErrorBody(error), field: error.path }));
  return new StatusError("Invalid", `${groupText(kind)} ${goQuote(name)} is invalid${list}`, {
    details: { ...detailsOf(kind, name), ...(causes.length === 0 ? {} : { causes }) },
  });
}

/** Returns the first text, and further ones up to the bound. Texts can repeat a large value. */
function withinBound(texts: Iterable<string>): readonly string[] {
  const fit: string[] = [];
  let length = 0;
  for (const text of texts) {
    length += text.length;
    if (fit.length > 0 && length > fieldErrorsLengthMax) break;
    fit.push(text);
  }
  return fit;
}
/** Returns the error BadRequest (400), to be thrown by a hook for a request that makes no sense. */
export function badRequestError(message: string): StatusError {
  return new StatusError("BadRequest", message);
}
/** Returns the error RequestEntityTooLarge (413) for a request whose body, or whose result, exceeds a bound. */
export function tooLargeError(message: string): StatusError {
  return new StatusError("RequestEntityTooLarge", `Request entity too large: ${message}`);
}
/** Returns the error InternalError (500) for a failure behind the API. `what` is shown to the client, and `cause` is logged. */
export function internalError(what: string, cause?: unknown): StatusError {
  return new StatusError("InternalError", `Internal error occurred: ${what}`, { details: { causes: [{ message: what }] }, cause });
}
