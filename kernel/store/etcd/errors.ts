import { reasonOf } from "../../../core/reason-of.ts";
import { grpcCode, GrpcError } from "./grpc/errors.ts";
import { type Revision, StoreError } from "../store.ts";

// etcd tells its errors apart by sentence only; these are constants of its API (rpctypes/error.go).
const sentences = Object.freeze({
  compacted: "required revision has been compacted",
  future: "required revision is a future revision",
  tooLarge: "request is too large",
  noLease: "requested lease not found",
  learner: "rpc not supported for learner",
  denied: "permission denied",
  noSpace: "database space exceeded",
});

const said = (error: unknown, sentence: string): boolean => error instanceof GrpcError && error.message.includes(sentence);

export const isCompacted = (error: unknown): boolean => said(error, sentences.compacted);
export const isFuture = (error: unknown): boolean => said(error, sentences.future);
export const isDenied = (error: unknown): boolean => said(error, sentences.denied);
export const isNoSpace = (error: unknown): boolean => said(error, sentences.noSpace);
export const isNoLease = (error: unknown): boolean => said(error, sentences.noLease);

/** Whether a call failed before the server did anything, so that it may be tried again whatever it would have done. */
export function isUnsent(error: unknown): boolean {
  return error instanceof GrpcError && (error.unsent || isOfLearner(error));
}

/** Whether another try, maybe on another endpoint, may do better. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof GrpcError && (error.code === grpcCode.unavailable || isOfLearner(error));
}

/** A member that has just been added may take no part yet; the others answer. */
export function isOfLearner(error: GrpcError): boolean {
  return said(error, sentences.learner);
}

export function isLate(error: unknown): boolean {
  return error instanceof GrpcError && error.code === grpcCode.deadlineExceeded;
}

/** With these nobody knows whether anything was done, or another try may do better. Everything else is etcd's own answer. */
const unclear: ReadonlySet<number> = new Set([
  grpcCode.cancelled,
  grpcCode.unknown,
  grpcCode.deadlineExceeded,
  grpcCode.internal,
  grpcCode.unavailable,
]);

/** A failed call as the StoreError that it is. */
export function toStoreError(error: unknown, more: { oldest?: Revision; current?: Revision } = {}): StoreError {
  if (error instanceof StoreError) return error;
  const details = reasonOf(error);
  if (isCompacted(error)) return new StoreError("compacted", details, { ...more, cause: error });
  if (isFuture(error)) return new StoreError("future", details, { ...more, cause: error });
  // What is far too large fails in gRPC's own check before etcd looks at it.
  const tooLarge = said(error, sentences.tooLarge) || said(error, "message larger than max");
  if (tooLarge) return new StoreError("too-large", `etcdserver: ${sentences.tooLarge}`, { cause: error });
  // Full, out of rights, corrupt: in etcd's words.
  if (error instanceof GrpcError && !unclear.has(error.code) && !isUnavailable(error)) {
    return new StoreError("refused", details, { cause: error });
  }
  return new StoreError("unavailable", details, { cause: error });
}
