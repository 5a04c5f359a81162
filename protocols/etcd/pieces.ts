/** The answer of a server in pieces, each within a time. */
import { grpcCode, GrpcError } from "../grpc/errors.ts";
import type { MessageStream } from "../grpc/grpc.ts";

export interface PieceNeeds {
  /** Milliseconds in which the next piece must arrive while the reader waits. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called once, at the end of the answer for any reason. */
  readonly close: () => void;
}

/**
 * Resolves with the pieces when the first has arrived, or when the answer has ended without one. Rejects with a GrpcError, or with the signal's reason. The
 * caller must read the pieces, to the end or until it calls `return`.
 */
export async function begun<Reply>(
  stream: Pick<MessageStream<never, Reply>, "cancel" | typeof Symbol.asyncIterator>,
  { timeoutMs, signal, close }: PieceNeeds,
): Promise<AsyncIterable<readonly Reply[]>> {
  const source = stream[Symbol.asyncIterator]();
  let failure: { readonly reason: unknown } | undefined;
  const fail = (reason: unknown): void => {
    failure ??= { reason };
    stream.cancel(); // ends the iteration
  };
  const next = async (): Promise<IteratorResult<readonly Reply[]>> => {
    const timer = setTimeout(() => fail(new GrpcError(grpcCode.deadlineExceeded, `No answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      const piece = await source.next();
      if (failure !== undefined) throw failure.reason;
      return piece;
    } finally {
      clearTimeout(timer);
    }
  };
  const abort = (): void => fail(signal.reason);
  const over = (): void => {
    signal.removeEventListener("abort", abort);
    stream.cancel();
    close();
  };
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  async function* rest(first: IteratorResult<readonly Reply[]>): AsyncGenerator<readonly Reply[], void> {
    try {
      for (let piece = first; piece.done !== true; piece = await next()) yield piece.value;
    } finally {
      over();
    }
  }
  try {
    return rest(await next());
  } catch (error) {
    over();
    throw error;
  }
}
