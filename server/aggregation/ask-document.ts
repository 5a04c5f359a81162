/** Asks the server of a group version for a document about itself. */
import type { Clock } from "../../core/async.ts";
import type { Peers } from "../../core/connect.ts";
import type { Delegate, RegisteredVersion } from "../../core/delegate.ts";
import type { UserInfo } from "../../core/user-info.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of one document of another server. A larger one is not used. */
export const remoteDocumentBytesMax = bound(16_777_216);

/** The parts of the server that requests need. */
export interface AskNeeds {
  readonly delegate: Pick<Delegate, "forward">;
  readonly peers: Peers;
  /** Ends requests. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

export interface DocumentRequest {
  readonly path: string;
  readonly accept: string;
  /** The ETag of the document that is known; "" if none is. */
  readonly etag: string;
  readonly user: UserInfo;
  /** Milliseconds until the whole document must be there. */
  readonly milliseconds: number;
}

export interface RemoteDocument {
  readonly status: number;
  readonly type: string;
  readonly etag: string;
  readonly text: string;
}

/** Resolves with the document. Rejects if there is none in time, or if it is too large. */
export async function askDocument(
  { delegate, peers, signal, clock }: AskNeeds,
  version: RegisteredVersion,
  { path, accept, etag, user, milliseconds }: DocumentRequest,
): Promise<RemoteDocument> {
  const over = new AbortController();
  const cancel = clock.after(milliseconds, () => over.abort(new Error(`no answer within ${milliseconds} ms`)));
  try {
    const { status, headers = {}, body } = await delegate.forward(version, {
      ...{ user, method: "GET", url: path, path, remote: "", peers, mayUpgrade: false, body: undefined },
      headers: { accept, ...(etag === "" ? {} : { "if-none-match": etag }) },
      signal: AbortSignal.any([signal, over.signal]),
    });
    const header = (name: string) => [headers[name] ?? ""].flat()[0] ?? "";
    return { status, type: header("content-type"), etag: header("etag"), text: await textOf(body) };
  } finally {
    cancel();
  }
}

async function textOf(body: string | Uint8Array | AsyncIterable<Uint8Array>): Promise<string> {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  const decoder = new TextDecoder();
  let text = "", bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > remoteDocumentBytesMax) throw new Error(`the document has more than ${remoteDocumentBytesMax} bytes`);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}
