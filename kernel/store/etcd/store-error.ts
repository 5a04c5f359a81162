import { reasonOf } from "../../../core/reason-of.ts";
import { isCompacted, isFuture, isRefusal, isTooLarge } from "../../../protocols/etcd/errors.ts";
import { type Revision, StoreError } from "../store.ts";

/** Converts the error of a call to a StoreError. */
export function toStoreError(error: unknown, more: { oldest?: Revision; current?: Revision } = {}): StoreError {
  if (error instanceof StoreError) return error;
  const details = reasonOf(error);
  if (isCompacted(error)) return new StoreError("compacted", details, { ...more, cause: error });
  if (isFuture(error)) return new StoreError("future", details, { ...more, cause: error });
  if (isTooLarge(error)) return new StoreError("too-large", "etcdserver: request is too large", { cause: error });
  // These errors keep etcd's own message.
  if (isRefusal(error)) return new StoreError("refused", details, { cause: error });
  return new StoreError("unavailable", `etcd is unavailable: ${details}`, { cause: error });
}
