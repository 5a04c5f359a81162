/** The gRPC status codes that the store handles. */
export const grpcCode = Object.freeze({
  ok: 0,
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
});

/** A failed call. `unsent`: the server has certainly not acted on it. */
export class GrpcError extends Error {
  readonly code: number;
  readonly unsent: boolean;
  /** Whether the server sent the status. */
  readonly fromServer: boolean;
  /** Whether the connection could not be made. */
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

/** Returns the error of a call whose connection failed; `what` names the attempt. */
export function lostError(what: string, cause: unknown, unsent: boolean, connecting = false): GrpcError {
  return new GrpcError(grpcCode.unavailable, `${what}: ${cause instanceof Error ? cause.message : cause}`, { unsent, connecting, cause });
}
