/** Sends requests over HTTP/1.1, with a connection for each sender, or over HTTP/2, with connections that senders share. */
import { readFileSync } from "node:fs";
import { type Answered, type OnBody, openConnection } from "./connection.ts";
import { openSession } from "./http2-session.ts";

export type Protocol = "h2" | "http1";

export interface SenderOptions {
  /** Default: HTTP/1.1. */
  readonly protocol?: Protocol;
  /** Connections that senders share, with HTTP/2. */
  readonly connections?: number;
  readonly port: number;
  /** Path of the PEM file. */
  readonly ca: string;
  readonly token: string;
  /** Ask for gzip, as Go's client does. Bodies are counted as they arrive. */
  readonly gzip?: boolean;
  /** HTTP/2 without TLS: of the generator in Go only. */
  readonly plain?: boolean;
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  /** ASCII; empty for none. */
  readonly body: string;
}

export interface Sender {
  /** One at a time. */
  send(request: SentRequest, onBody?: OnBody): Promise<Answered>;
  close(): void;
}

/** A function that opens a sender. */
export async function senders(options: SenderOptions): Promise<() => Promise<Sender>> {
  const ca = readFileSync(options.ca, "utf8"), { port } = options;
  if (options.protocol !== "h2") {
    const gzip = options.gzip === true ? "Accept-Encoding: gzip\r\n" : "";
    const heads = `Host: localhost\r\nAuthorization: Bearer ${options.token}\r\nAccept: application/json\r\n${gzip}`;
    return async () => {
      const connection = await openConnection({ port, ca });
      return {
        send({ method, path, type, body }, onBody) {
          const ofBody = body === "" ? "" : `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`;
          return connection.request(`${method} ${path} HTTP/1.1\r\n${heads}${ofBody}\r\n${body}`, onBody);
        },
        close: () => connection.close(),
      };
    };
  }
  const encoding: Readonly<Record<string, string>> = options.gzip === true ? { "accept-encoding": "gzip" } : {};
  const heads = { authorization: `Bearer ${options.token}`, accept: "application/json", ...encoding };
  const sessions = await Promise.all(Array.from({ length: options.connections ?? 1 }, () => openSession({ port, ca })));
  let opened = 0;
  return () => {
    const session = sessions[opened++ % sessions.length]!;
    return Promise.resolve({
      send({ method, path, type, body }, onBody) {
        const ofBody: Readonly<Record<string, string>> = body === "" ? {} : { "content-type": type };
        return session.request({ ":method": method, ":path": path, ...heads, ...ofBody }, body, onBody);
      },
      close: () => session.close(),
    });
  };
}
