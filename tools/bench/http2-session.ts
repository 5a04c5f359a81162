/** One HTTP/2 connection of node:http2, for the generator of machines without Go. */
import { connect } from "node:http2";
import { once } from "node:events";
import type { Answered, ConnectTo, OnBody } from "./connection.ts";

export interface Session {
  /** Resolves at the end of the response, also after those of other requests that were sent later. */
  request(head: Readonly<Record<string, string>>, body: string, onBody?: OnBody): Promise<Answered>;
  close(): void;
}

/** The windows of Go's client: of a stream, and of the connection. */
const streamWindowBytes = 4 * 1024 * 1024, connectionWindowBytes = 1024 * 1024 * 1024;

/** Opens a connection. Rejects if it fails. */
export async function openSession({ port, ca }: ConnectTo): Promise<Session> {
  const session = connect(`https://localhost:${port}`, {
    ca,
    host: "127.0.0.1",
    servername: "localhost",
    settings: { enablePush: false, initialWindowSize: streamWindowBytes },
  });
  await once(session, "connect");
  session.setLocalWindowSize(connectionWindowBytes);
  // Requests under way reject by events of their own.
  session.on("error", () => {});
  return {
    request: (head, body, onBody) =>
      new Promise((resolve, reject) => {
        const stream = session.request(head, { endStream: body === "" });
        let status = 0, bytes = 0;
        stream.on("response", (headers) => status = Number(headers[":status"]));
        stream.on("data", (piece: Buffer) => {
          bytes += piece.length;
          onBody?.(piece);
        });
        stream.on("end", () => resolve({ status, bytes }));
        stream.on("error", reject);
        stream.on("close", () => reject(new Error("The server closed the stream")));
        if (body !== "") stream.end(body);
      }),
    close: () => session.destroy(),
  };
}
