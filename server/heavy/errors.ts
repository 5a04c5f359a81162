/** Errors as plain data, so that they keep their classes between threads. */
import { type StatusDetails, StatusError, type StatusReason } from "../../core/status-error.ts";
import { StoreError, type StoreErrorCode } from "../../kernel/store/store.ts";

export type PlainError =
  | {
    readonly tag: "status";
    readonly reason: StatusReason;
    readonly message: string;
    readonly code: number;
    readonly details: StatusDetails | undefined;
    readonly continue: string | undefined;
  }
  | {
    readonly tag: "store";
    readonly code: StoreErrorCode;
    readonly message: string;
    readonly oldest: number | undefined;
    readonly current: number | undefined;
  }
  | { readonly tag: "abort"; readonly name: string; readonly message: string }
  | { readonly tag: "other"; readonly name: string; readonly message: string; readonly stack: string | undefined };

export function plainError(error: unknown): PlainError {
  if (error instanceof StatusError) {
    const { reason, message, code, details } = error;
    return { tag: "status", reason, message, code, details, continue: error.continue };
  }
  if (error instanceof StoreError) {
    const { code, message, oldest, current } = error;
    return { tag: "store", code, message, oldest, current };
  }
  if (error instanceof DOMException) return { tag: "abort", name: error.name, message: error.message };
  if (error instanceof Error) return { tag: "other", name: error.name, message: error.message, stack: error.stack };
  return { tag: "other", name: "Error", message: String(error), stack: undefined };
}

export function errorOf(plain: PlainError): Error {
  switch (plain.tag) {
    case "status": {
      const { reason, message, code, details } = plain;
      return new StatusError(reason, message, {
        code,
        ...(details === undefined ? {} : { details }),
        ...(plain.continue === undefined ? {} : { continue: plain.continue }),
      });
    }
    case "store": {
      const { code, message, oldest, current } = plain;
      return new StoreError(code, message, {
        ...(oldest === undefined ? {} : { oldest }),
        ...(current === undefined ? {} : { current }),
      });
    }
    case "abort":
      return new DOMException(plain.message, plain.name);
    case "other": {
      const error = new Error(plain.message);
      error.name = plain.name;
      if (plain.stack !== undefined) error.stack = plain.stack;
      return error;
    }
  }
}
