/** The gRPC status codes that mean something here. */
export const grpcCode = Object.freeze({
  ok: 0,
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  internal: 13,
  unavailable: 14,
});

/** A call that failed; `unsent` says that the server certainly did nothing. */
export class GrpcError extends Error {
  readonly code: number;
  readonly unsent: boolean;
  constructor(code: number, message: string, more: { unsent?: boolean; cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.name = "GrpcError";
    this.code = code;
    this.unsent = more.unsent ?? false;
  }
}

/** What a connection failed by, told with what it was wanted for. */
export function lost(what: string, cause: unknown, unsent: boolean): GrpcError {
  return new GrpcError(grpcCode.unavailable, `${what}: ${cause instanceof Error ? cause.message : cause}`, { unsent, cause });
}
