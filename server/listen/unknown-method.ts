import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { consistsOf, targetCharacters, tokenCharacters, valueCharacters } from "./characters.ts";
import { headerBytesMax } from "../../kernel/access/authentication/token-chain.ts";

/** Head of a request, unchanged. */
export interface Head {
  readonly method: string;
  readonly target: string;
  readonly minor: 0 | 1;
  /** Names and values alternate. */
  readonly rawHeaders: readonly string[];
}

/**
 * Reads the head of an HTTP/1.1 request whose method node's parser does not know. Methods are arbitrary tokens to clients and to
 * kube-apiserver, which answers `FOO` like any other method that a path does not support. Returns undefined if `packet` does not hold
 * the whole head or is malformed. Bytes after the head are ignored and the connection must be closed after the answer, so the end of the
 * request cannot be read in two ways.
 */
export function readHead(packet: Uint8Array): Head | undefined {
  const text = Buffer.from(packet.buffer, packet.byteOffset, Math.min(packet.byteLength, headerBytesMax)).toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const [method = "", target = "", version, ...more] = first.split(" ");
  if (version !== "HTTP/1.0" && version !== "HTTP/1.1" || more.length > 0) return undefined;
  if (!isToken(method) || target === "" || !consistsOf(target, targetCharacters)) return undefined;
  const rawHeaders: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)), value = withoutBlanks(line.slice(colon + 1));
    if (!isToken(name) || !consistsOf(value, valueCharacters)) return undefined;
    rawHeaders.push(name, value);
  }
  return { method, target, minor: version === "HTTP/1.0" ? 0 : 1, rawHeaders };
}

function isToken(text: string): boolean {
  return text !== "" && consistsOf(text, tokenCharacters);
}

/** Removes spaces and tabs at both ends. A scan, because a pattern with two quantified runs of blanks backtracks. */
function withoutBlanks(text: string): string {
  let from = 0, to = text.length;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** A request without a body and a response on `socket`, as node's parser would create them. `done` must end the connection. */
export function exchangeOn(socket: Socket, head: Head, done: () => void): [IncomingMessage, ServerResponse] {
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
  response.once("finish", done);
  return [request, response];
}
