/** What the errors of etcd mean. */
import { grpcCode, GrpcError } from "../grpc/errors.ts";

// etcd distinguishes these errors by message only; the messages are constants of its API (rpctypes/error.go).
const sentences = Object.freeze({
  compacted: "required revision has been compacted",
  future: "required revision is a future revision",
  tooLarge: "request is too large",
  noLease: "requested lease not found",
  learner: "rpc not supported for learner",
  denied: "permission denied",
  noSpace: "database space exceeded",
  busy: "too many requests",
});

const said = (error: unknown, sentence: string): boolean => error instanceof GrpcError && error.message.includes(sentence);

/** gRPC rejects far larger messages before etcd does. */
export const isTooLarge = (error: unknown): boolean => said(error, sentences.tooLarge) || said(error, "message larger than max");
export const isCompacted = (error: unknown): boolean => said(error, sentences.compacted);
export const isFuture = (error: unknown): boolean => said(error, sentences.future);
export const isDenied = (error: unknown): boolean => said(error, sentences.denied);
export const isNoSpace = (error: unknown): boolean => said(error, sentences.noSpace);
export const isNoLease = (error: unknown): boolean => said(error, sentences.noLease);

/** Whether the server does not have the method. */
export const isUnknownMethod = (error: unknown): boolean => error instanceof GrpcError && error.code === grpcCode.unimplemented;

/** Whether a call failed before the server acted on it, so that any call may be sent again. */
export function isUnsent(error: unknown): boolean {
  return error instanceof GrpcError && (error.unsent || isOfLearner(error) || isBusy(error));
}

/** Whether another attempt, perhaps at another endpoint, may succeed. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof GrpcError && (error.code === grpcCode.unavailable || isOfLearner(error) || isBusy(error));
}

/** Whether the member refused a write because it has too many writes to apply; it answers reads, and writes a little later. */
export function isBusy(error: unknown): boolean {
  return said(error, sentences.busy);
}

/** Whether the member is a learner, which does not answer yet; other members do. */
export function isOfLearner(error: GrpcError): boolean {
  return said(error, sentences.learner);
}

export function isLate(error: unknown): boolean {
  return error instanceof GrpcError && error.code === grpcCode.deadlineExceeded;
}

/** Codes with which the outcome is unknown or another attempt may succeed. All others are etcd's own answers. */
const unclear: ReadonlySet<number> = new Set([
  grpcCode.cancelled,
  grpcCode.unknown,
  grpcCode.deadlineExceeded,
  grpcCode.internal,
  grpcCode.unavailable,
]);

/** Whether the error is etcd's own answer, which another attempt would get as well: out of space, missing rights, corruption. */
export function isRefusal(error: unknown): boolean {
  return error instanceof GrpcError && !unclear.has(error.code) && !isUnavailable(error);
}

/** Returns why an endpoint is unreachable; undefined if the error has another meaning. */
export function unreachableCause(error: unknown): string | undefined {
  if (!(error instanceof GrpcError) || isOfLearner(error) || isBusy(error)) return undefined;
  if (isLate(error) || (error.fromServer && isUnavailable(error))) return error.message;
  return error.connecting ? causeText(error.cause) : undefined;
}

/** Returns the innermost message of an error. If several addresses were tried, it is the message of the first. */
export function causeText(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return causeText(cause.errors[0]);
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return cause.message === "" ? code || cause.name : cause.message.includes(code) ? cause.message : `${cause.message} (${code})`;
}
