/** The calls to a KMS plugin: gRPC over its unix socket, each within the provider's timeout and with an answer of bounded size. */
import { bound } from "../../../core/bound.ts";
import { elapsedClock, pause } from "../../../core/async.ts";
import { grpcCode, GrpcError } from "../../../protocols/grpc/errors.ts";
import { type Channel, type Method, openChannel } from "../../../protocols/grpc/grpc.ts";
import { decryptMethod, type DecryptRequest, encryptMethod, type EncryptReply, statusMethod, type StatusReply } from "./messages.ts";

/** Bytes of one answer of a KMS plugin. */
export const kmsAnswerBytesMax = bound(128 * 1024);
/** Milliseconds between attempts to connect to a KMS plugin, within the time of a call. */
const kmsConnectEveryMs = bound(100);
/** Milliseconds between keepalive pings to a KMS plugin while a call is in progress. */
const kmsKeepaliveMs = bound(10_000);

export interface KmsPlugin {
  status(): Promise<StatusReply>;
  encrypt(plaintext: Uint8Array): Promise<EncryptReply>;
  decrypt(request: Omit<DecryptRequest, "uid">): Promise<Uint8Array>;
  /** Ends the connection, and every call that waits. */
  close(): void;
}

/** A call that failed. Its message has nothing that the plugin has sent: it knows the keys. */
export class KmsError extends Error {
  /** Whether the plugin was not reached, or did not answer in time or with a message. */
  readonly isLost: boolean;
  constructor(message: string, isLost: boolean) {
    super(message);
    this.name = "KmsError";
    this.isLost = isLost;
  }
}

/** Upstream's names of gRPC's codes. */
const codeNames = [
  "OK",
  "Canceled",
  "Unknown",
  "InvalidArgument",
  "DeadlineExceeded",
  "NotFound",
  "AlreadyExists",
  "PermissionDenied",
  "ResourceExhausted",
  "FailedPrecondition",
  "Aborted",
  "OutOfRange",
  "Unimplemented",
  "Internal",
  "Unavailable",
  "DataLoss",
  "Unauthenticated",
];

export interface KmsAccess {
  /** `unix:///run/kms.sock`. */
  readonly endpoint: string;
  readonly timeoutMs: number;
  /** Called after each call with the path of its method and the name of gRPC's code. */
  readonly called?: (method: string, code: string, seconds: number) => void;
}

export function kmsPlugin({ endpoint, timeoutMs, called }: KmsAccess): KmsPlugin {
  const ending = new AbortController();
  const channel = openChannel(endpoint, { keepaliveMs: kmsKeepaliveMs, connectMs: timeoutMs, answerBytesMax: kmsAnswerBytesMax });
  async function call<Request, Reply>(method: Method<Request, Reply>, request: Request): Promise<Reply> {
    const begun = elapsedClock.now(), done = (code: string) => called?.(method.path, code, (elapsedClock.now() - begun) / 1000);
    try {
      const reply = await attempts(channel, method, request, begun + timeoutMs, ending.signal);
      done("OK");
      return reply;
    } catch (error) {
      const known = error instanceof GrpcError ? error : undefined;
      // A plugin that closes is one that does not answer.
      const code = known === undefined ? "unknown-non-grpc" : codeNames[known.code] ?? `Code(${known.code})`;
      done(code);
      const failed = `the call of ${method.path} failed: `;
      if (known?.fromServer) throw new KmsError(`${failed}the plugin answered ${code}`, lostCodes.includes(known.code));
      throw new KmsError(
        failed + (known === undefined ? "its answer is not a message of this method" : `${code}, within ${timeoutMs} ms`),
        true,
      );
    }
  }
  return {
    status: () => call(statusMethod, undefined),
    encrypt: (plaintext) => call(encryptMethod, { plaintext, uid: crypto.randomUUID() }),
    decrypt: (request) => call(decryptMethod, { ...request, uid: crypto.randomUUID() }),
    close() {
      ending.abort();
      channel.close();
    },
  };
}

const lostCodes: readonly number[] = [grpcCode.cancelled, grpcCode.deadlineExceeded, grpcCode.resourceExhausted, grpcCode.unavailable];

/** As upstream, a call waits for a plugin that cannot be connected to yet. */
async function attempts<Request, Reply>(
  channel: Channel,
  method: Method<Request, Reply>,
  request: Request,
  until: number,
  signal: AbortSignal,
): Promise<Reply> {
  for (;;) {
    const left = Math.max(1, until - elapsedClock.now());
    try {
      return await channel.call(method, request, left, signal);
    } catch (error) {
      const again = until - elapsedClock.now() - kmsConnectEveryMs;
      if (!(error instanceof GrpcError && error.connecting) || again <= 0 || signal.aborted) throw error;
      await pause(kmsConnectEveryMs, signal);
    }
  }
}
