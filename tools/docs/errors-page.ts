/** Generates docs/errors.md from the reasons of responses and of field errors. */
import { fieldErrorTexts, type FieldErrorType } from "../../core/field-error.ts";
import { statusCodes, type StatusReason } from "../../core/status-error.ts";

/** When the server gives a reason, and what a client does. */
const meanings: Readonly<Record<StatusReason, string>> = {
  Unknown: "A webhook, an authorizer or the store failed in a way that has no reason of its own. The message has the cause.",
  Unauthorized: "The credentials are invalid, or the path needs some. Log in again.",
  Forbidden:
    "The user lacks the right, an admission step, a policy or a quota rejects the write, or the namespace terminates. The message names user, verb and resource, or the step.",
  NotFound: "The object, its namespace, the resource or the path does not exist.",
  AlreadyExists: "An object with this name exists; its deletion may not be complete. With `generateName` the client may try again.",
  Conflict:
    "The object has changed since its `resourceVersion` was read: read it and try again. Also: field managers conflict (server-side apply), a precondition does not hold.",
  Gone: "The version of a watch is too old, or its kind is no longer served. List and watch again.",
  Expired:
    "A continue token or a `resourceVersion` is older than the history that is kept. List again; the token of the response continues inconsistently.",
  Invalid: "The object breaks a rule. `details.causes` lists every field.",
  ServerTimeout: "The server could not do the operation in time. Try again after `details.retryAfterSeconds`.",
  StorageReadError: "Stored bytes cannot be read. The message names the object; an operator repairs it.",
  Timeout: "The request ran into its deadline, or a requested version was not reached. A write may have been stored.",
  TooManyRequests: "Too many requests are running, or the watch cache is still loading its objects. Try again after `Retry-After` seconds.",
  BadRequest:
    "The body or a parameter cannot be read, or contradicts the URL. Unknown fields under `fieldValidation=Strict` are among them.",
  MethodNotAllowed: "The resource does not have this verb. `Allow` and the message name the reason.",
  NotAcceptable: "None of the media types in `Accept` can be produced.",
  RequestEntityTooLarge: "The body, or the object that would be stored, is above the limit that the message names.",
  UnsupportedMediaType: "The `Content-Type` of the body is not supported here. The message lists those that are.",
  InternalError: "A bug, or a failure of a component such as a webhook. The log has the request's audit ID.",
  ServiceUnavailable: "The server starts, stops, or has no connection to its store. Try again after `Retry-After` seconds.",
  InsufficientStorage: "The store is full. Reads and deletions still work.",
};

const fieldMeanings: Readonly<Record<FieldErrorType, string>> = {
  NotFound: "a reference to something that does not exist",
  Required: "the field has no value",
  Duplicate: "a value that may occur once occurs again",
  Invalid: "the value breaks a rule",
  TypeInvalid: "the value has another type than its schema",
  NotSupported: "the value is not one of an enumeration; the detail lists them",
  Forbidden: "the field may not be set, or may not change",
  TooLong: "a text has too many bytes",
  TooMany: "a list or map has too many elements",
  Internal: "the rule could not be evaluated",
};

/** The text of the page. */
export function errorsPage(): string {
  const reasons = Object.entries(statusCodes) as [StatusReason, number][]; // keys of the table
  const types = Object.entries(fieldErrorTexts) as [FieldErrorType, { readonly reason: string; readonly text: string }][]; // same
  return `# Errors

Every error is a \`Status\` object with \`reason\`, \`code\` and \`message\`, in the words of kube-apiserver. Programs decide by \`reason\`, never by the message.
\`npm run docs\` generates the tables of this page from the code.

## Reasons

| reason | code | meaning |
|---|---|---|
${
    reasons.toSorted(([, one], [, other]) => one - other).map(([reason, code]) =>
      `| ${reason === "Unknown" ? "none" : `\`${reason}\``} | ${code} | ${meanings[reason]} |`
    ).join("\n")
  }

## Field errors

The entries of \`details.causes\` in a response with the reason \`Invalid\`. Each has the path of the field, such as \`spec.drivers[0].name\`, and a message that
begins with the text of its type.

| reason | text | meaning |
|---|---|---|
${types.map(([type, { reason, text }]) => `| \`${reason}\` | ${text} | ${fieldMeanings[type]} |`).join("\n")}

A body that cannot be decoded is a \`BadRequest\` with the position or the field in its message. With \`fieldValidation=Warn\`, the default of clients, unknown and
duplicate fields are Warning headers instead.
`;
}
