/** A remote server on loopback that a measured server calls, whose answers are hostile: a webhook, or a registered server. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { issue } from "../../server/listen/testing/clients.ts";

/** What the peer sends, as bytes of HTTP/1.1. */
export interface PeerAnswer {
  readonly first: string | Buffer;
  /** Sent again and again until the connection is closed. Without it the peer closes the connection. */
  readonly endless?: string | Buffer;
  /** How often it is sent at most; then the peer closes the connection. Default: without end. */
  readonly times?: number;
  /** Milliseconds between two of them. Default: as fast as the server reads. */
  readonly everyMs?: number;
}
/** The answer to a request: to a review, or to a request for a path. */
export type Answers = (review: ReceivedReview, path: string) => PeerAnswer;
export interface ReceivedReview {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion?: string; readonly objects?: readonly object[] };
}

export interface HostilePeer {
  readonly url: string;
  /** PEM of its authority in base64. */
  readonly caBundle: string;
  /** Bytes that it has sent. */
  sent(): number;
  stop(): Promise<void>;
}

export async function openPeer(answers: Answers): Promise<HostilePeer> {
  const ca = issue({ usage: "ca", commonName: "authority" });
  const open = new Set<TLSSocket>();
  let sent = 0;
  const server = createServer(issue({ usage: "server", names: ["localhost", "127.0.0.1", "hostile.default.svc"] }, ca), (socket) => {
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    const received: Buffer[] = [];
    const receive = (piece: Buffer) => {
      received.push(piece);
      const request = requestIn(Buffer.concat(received));
      if (request === undefined) return;
      socket.off("data", receive).resume();
      play(socket, answers(request.review, request.path), (bytes) => sent += bytes);
    };
    socket.on("data", receive);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP socket
  return {
    url: `https://127.0.0.1:${port}/`,
    caBundle: Buffer.from(ca.cert).toString("base64"),
    sent: () => sent,
    async stop() {
      for (const socket of open) socket.destroy();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

const noReview: ReceivedReview = { apiVersion: "", request: { uid: "" } };

/** A request that has arrived whole: its path, and its review if it has one. */
function requestIn(bytes: Buffer): { readonly path: string; readonly review: ReceivedReview } | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end + 2), length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  const path = head.split(" ", 2)[1] ?? "", body = bytes.subarray(end + 4);
  if (body.length < length) return undefined;
  return { path, review: length === 0 ? noReview : JSON.parse(body.toString()) as ReceivedReview }; // sent by our own server
}

function play(socket: TLSSocket, { first, endless, everyMs, times = Infinity }: PeerAnswer, count: (bytes: number) => void): void {
  const write = (text: string | Buffer) => {
    count(text.length);
    return socket.write(text);
  };
  if (first.length > 0) write(first); // on Deno the write of an empty text does not end
  if (endless === undefined) return void socket.end();
  let left = times;
  const more = () => {
    if (socket.destroyed) return;
    if (left-- <= 0) return void socket.end();
    const next = () => everyMs === undefined ? setImmediate(more) : setTimeout(more, everyMs);
    if (write(endless)) next();
    else socket.once("drain", next);
  };
  more();
}

/** A whole answer with a document. */
export function document(body: object, type = "application/json"): PeerAnswer {
  const bytes = Buffer.from(JSON.stringify(body));
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\nConnection: close\r\n\r\n`;
  return { first: Buffer.concat([Buffer.from(head), bytes]) };
}
/** Answers that never are one. */
export const endless: Readonly<Record<"informational" | "body" | "chunks" | "drip", PeerAnswer>> = Object.freeze({
  informational: { first: "", endless: "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=x\r\n\r\n".repeat(500) },
  body: { first: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", endless: "[".repeat(65_536) },
  chunks: {
    first: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    endless: "3\r\n[[[\r\n".repeat(8_000),
  },
  drip: { first: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", endless: " ", everyMs: 20 },
});
