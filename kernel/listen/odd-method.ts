import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { limits } from "../../core/limits.ts";

/** Head of a request as written. */
export interface Head {
  readonly method: string;
  readonly target: string;
  readonly minor: 0 | 1;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
}

/**
 * Reads the head of an HTTP/1.1 request whose method node's parser does not know: methods are free words to clients and to
 * kube-apiserver, which answers `FOO` like any other method that a path does not have. Undefined when `packet` does not hold the
 * whole head or is not well-formed. What follows the head is never looked at, and the connection must be closed after the answer:
 * so two readings of where a request ends cannot come apart.
 */
export function readHead(packet: Uint8Array): Head | undefined {
  const text = Buffer.from(packet.buffer, packet.byteOffset, Math.min(packet.byteLength, limits.headerBytesMax)).toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const [, method, target, minor] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e\x80-\xff]+) HTTP\/1\.([01])$/.exec(first) ?? [];
  if (method === undefined || target === undefined) return undefined;
  const rawHeaders: string[] = [];
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    rawHeaders.push(name, value);
  }
  return { method, target, minor: minor === "0" ? 0 : 1, rawHeaders };
}

/** A request without a body and a response on `socket`, as node's parser would have made them; the connection ends with it. */
export function exchangeOn(socket: Socket, head: Head): [IncomingMessage, ServerResponse] {
  const request = new IncomingMessage(socket);
  request.method = head.method;
  request.url = head.target;
  request.httpVersionMajor = 1;
  request.httpVersionMinor = head.minor;
  request.httpVersion = `1.${head.minor}`;
  request.rawHeaders = [...head.rawHeaders];
  request.complete = true;
  request.push(null);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => socket.end());
  return [request, response];
}
