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
  /** Whether the server said so itself. */
  readonly fromServer: boolean;
  /** Whether no connection could be made. */
  readonly connecting: boolean;
  constructor(
    code: number,
    message: string,
    more: { unsent?: boolean; fromServer?: boolean; connecting?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "GrpcError";
    this.code = code;
    this.unsent = more.unsent ?? false;
    this.fromServer = more.fromServer ?? false;
    this.connecting = more.connecting ?? false;
  }
}

/** What a connection failed by, told with what it was wanted for. */
export function lost(what: string, cause: unknown, unsent: boolean, connecting = false): GrpcError {
  return new GrpcError(grpcCode.unavailable, `${what}: ${cause instanceof Error ? cause.message : cause}`, { unsent, connecting, cause });
}
