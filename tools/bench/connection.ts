/** One HTTP/1.1 connection over TLS with minimal cost for the client: it parses status and length only. */
import { connect, type TLSSocket } from "node:tls";

export interface ConnectTo {
  readonly port: number;
  /** PEM of the authority. */
  readonly ca: string;
}

export interface Answered {
  readonly status: number;
  /** Bytes of the body, without the framing of chunks. */
  readonly bytes: number;
}

/** Called with every piece of a body. */
export type OnBody = (piece: Buffer) => void;

export interface Connection {
  /** Sends one request with these bytes, and resolves at the end of its response. One at a time. */
  request(wire: string | Uint8Array, onBody?: OnBody): Promise<Answered>;
  close(): void;
}

/** Opens a connection. Rejects if it fails. */
export async function openConnection({ port, ca }: ConnectTo): Promise<Connection> {
  const socket = await secured(port, ca);
  let waiting: {
    readonly onBody: OnBody | undefined;
    readonly resolve: (answered: Answered) => void;
    readonly reject: (error: Error) => void;
  } | undefined;
  let reader = answerReader();
  socket.on("data", (chunk: Buffer) => {
    const done = reader.read(chunk, waiting?.onBody);
    if (done === undefined) return;
    const { resolve } = waiting ?? { resolve: () => {} };
    waiting = undefined;
    // After a change of protocol nothing is an answer.
    reader = done.status === 101 ? { read: () => undefined } : answerReader();
    resolve(done);
  });
  let closed: Error | undefined;
  const broken = (error = new Error("The server closed the connection")) => {
    closed ??= error;
    const failed = waiting;
    waiting = undefined;
    failed?.reject(error);
  };
  socket.on("error", broken);
  socket.on("close", () => broken());
  return {
    request: (wire, onBody) =>
      new Promise((resolve, reject) => {
        // A server closes connections that are idle for long.
        if (closed !== undefined) return reject(closed);
        waiting = { onBody, resolve, reject };
        socket.write(wire);
      }),
    close: () => void socket.destroy(),
  };
}

function secured(port: number, ca: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca, ALPNProtocols: ["http/1.1"] }, () => {
      socket.off("error", reject);
      socket.setNoDelay(true);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

// head ──> fixed (content-length) ──> done
//     └──> size <──> data (chunked)
//            └──> end (the empty line behind the chunk of size 0) ──> done
type HookContext = { readonly tag: "head" } | { readonly tag: "size" } | { readonly tag: "end" } | Body;
type Body = { readonly tag: "fixed" | "data"; left: number };

interface AnswerReader {
  /** The complete response. */
  read(chunk: Buffer, onBody: OnBody | undefined): Answered | undefined;
}

function answerReader(): AnswerReader {
  let at: HookContext = { tag: "head" };
  let status = 0, bytes = 0;
  let line = "";
  return {
    read(chunk, onBody) {
      for (let from = 0; from < chunk.length;) {
        if (at.tag === "head") {
          line += chunk.toString("latin1", from);
          const end = line.indexOf("\r\n\r\n");
          if (end < 0) return undefined;
          // The line starts in an earlier chunk if the head did not fit into one.
          from = chunk.length - (line.length - end - 4);
          const head = line.slice(0, end).toLowerCase();
          line = "";
          status = Number(head.slice(9, 12));
          if (head.includes("\r\ntransfer-encoding: chunked")) at = { tag: "size" };
          else {
            const length = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
            if (length === 0) return { status, bytes };
            at = { tag: "fixed", left: length };
          }
        } else if (at.tag === "size" || at.tag === "end") {
          const end = chunk.indexOf(10, from);
          line += chunk.toString("latin1", from, end < 0 ? chunk.length : end + 1);
          if (end < 0) return undefined;
          from = end + 1;
          if (at.tag === "end") return { status, bytes };
          const size = parseInt(line, 16);
          line = "";
          at = size === 0 ? { tag: "end" } : { tag: "data", left: size + 2 };
        } else {
          const piece = chunk.subarray(from, from + at.left);
          from += piece.length;
          at.left -= piece.length;
          // The line end after a chunk is not part of it.
          const body = at.tag === "fixed" ? piece : piece.subarray(0, Math.max(0, Math.min(piece.length, piece.length + at.left - 2)));
          bytes += body.length;
          if (body.length > 0) onBody?.(body);
          if (at.left > 0) continue;
          if (at.tag === "fixed") return { status, bytes };
          at = { tag: "size" };
        }
      }
      return undefined;
    },
  };
}
