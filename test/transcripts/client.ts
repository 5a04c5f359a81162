/**
 * A small HTTP/1.1 client that sends requests unchanged: any method, paths as written, header names in their letter case and more than once.
 * Clients of the runtimes normalise these, so the request would differ from the recorded one.
 */
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Uint8Array | undefined;
  /** Reads this number of lines of the body; 0 reads all. */
  readonly lines?: number;
  /** Timeout of the whole response; with `lines`, of the head and then of the lines (the lines received by then are the response). */
  readonly timeoutMs: number;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case, every value. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Uint8Array;
}

export interface Client {
  /** Throws an Error when the connection fails or the time is over. */
  send(request: Request): Promise<Answer>;
  close(): void;
}

class TimeIsOver extends Error {}

/** Bytes of a socket, pulled. */
class Reader {
  readonly socket: Socket;
  #held: Buffer = Buffer.alloc(0);
  #ended = false;
  #received = 0;
  #problem: Error | undefined;
  #wake: () => void = () => {};

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.length;
      this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
      this.#wake();
    });
    socket.on("error", (problem) => this.#end(problem));
    socket.on("close", () => this.#end());
    socket.on("end", () => this.#end());
  }

  get usable(): boolean {
    return !this.#ended && this.#held.length === 0;
  }

  get received(): number {
    return this.#received;
  }

  #end(problem?: Error): void {
    this.#ended = true;
    this.#problem ??= problem;
    this.#wake();
  }

  /** Waits for more bytes; false at the end. */
  async #more(deadline: number): Promise<boolean> {
    if (this.#ended) return false;
    const had = this.#held.length;
    const timer = setTimeout(() => this.#wake(), Math.max(0, deadline - Date.now()));
    await new Promise<void>((resolve) => this.#wake = resolve);
    clearTimeout(timer);
    if (this.#held.length === had && !this.#ended && Date.now() >= deadline) throw new TimeIsOver("no answer in time");
    return true;
  }

  #take(count: number): Buffer {
    const taken = this.#held.subarray(0, count);
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /** Up to and including the line feed; the rest at the end of the stream. */
  async line(deadline: number): Promise<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(10);
      if (at >= 0) return this.#take(at + 1);
      if (!await this.#more(deadline)) return this.#take(this.#held.length);
    }
  }

  async exactly(count: number, deadline: number): Promise<Buffer> {
    while (this.#held.length < count) if (!await this.#more(deadline)) throw this.broken();
    return this.#take(count);
  }

  /** The available bytes, at least one; empty at the end. */
  async some(deadline: number): Promise<Buffer> {
    while (this.#held.length === 0) if (!await this.#more(deadline)) break;
    return this.#take(this.#held.length);
  }

  broken(): Error {
    return this.#problem ?? new Error("the connection was closed before the answer was complete");
  }
}

interface Head {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

async function readHead(reader: Reader, deadline: number): Promise<Head> {
  const first = (await reader.line(deadline)).toString("latin1").trimEnd();
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1];
  if (status === undefined) throw first === "" ? reader.broken() : new Error(`not an HTTP answer: ${first.slice(0, 80)}`);
  const headers = new Map<string, string[]>();
  for (;;) {
    const line = (await reader.line(deadline)).toString("latin1").replace(/\r?\n$/, "");
    if (line === "") break;
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    headers.set(name, [...headers.get(name) ?? [], line.slice(colon + 1).trim()]);
  }
  return status === "100" ? await readHead(reader, deadline) : { status: Number(status), headers };
}

/** The pieces of the body in order of receipt. Ends by itself if the response has a defined end. */
async function* readBody(reader: Reader, method: string, { status, headers }: Head, deadline: number): AsyncGenerator<Buffer> {
  if (method === "HEAD" || status === 204 || status === 304) return;
  if (headers.get("transfer-encoding")?.join().toLowerCase().includes("chunked")) {
    for (;;) {
      const size = parseInt((await reader.line(deadline)).toString("latin1"), 16);
      if (Number.isNaN(size)) throw reader.broken();
      if (size === 0) break;
      yield await reader.exactly(size, deadline);
      await reader.line(deadline);
    }
    while ((await reader.line(deadline)).toString("latin1").trim() !== "");
    return;
  }
  const length = headers.get("content-length")?.[0];
  if (length !== undefined) yield await reader.exactly(Number(length), deadline);
  else for (let piece = await reader.some(deadline); piece.length > 0; piece = await reader.some(deadline)) yield piece;
}

/** Non-blank lines with their line feeds, at most `count`, until the deadline. */
async function readLines(pieces: AsyncIterable<Buffer>, count: number): Promise<Buffer> {
  const lines: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of pieces) {
      rest = Buffer.concat([rest, piece]);
      for (let at = rest.indexOf(10); at >= 0 && lines.length < count; at = rest.indexOf(10)) {
        if (rest.subarray(0, at).toString("latin1").trim() !== "") lines.push(rest.subarray(0, at + 1));
        rest = rest.subarray(at + 1);
      }
      if (lines.length >= count) return Buffer.concat(lines);
    }
    lines.push(rest);
  } catch (problem) {
    if (!(problem instanceof TimeIsOver)) throw problem;
  }
  return Buffer.concat(lines);
}

function requestBytes({ method, path, headers, body }: Request, host: string): Buffer {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [`${method} ${path} HTTP/1.1`];
  if (!names.has("host")) lines.push(`Host: ${host}`);
  if (!names.has("accept-encoding")) lines.push("Accept-Encoding: identity");
  const bodyExpected = body !== undefined || ["POST", "PUT", "PATCH"].includes(method);
  if (bodyExpected && !names.has("content-length") && !names.has("transfer-encoding")) lines.push(`Content-Length: ${body?.length ?? 0}`);
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body ?? Buffer.alloc(0)]);
}

/** A client for one server. `ca`: PEM of the CA of its certificate; the name in the certificate is not checked. */
export function openClient(server: string, ca?: string): Client {
  const { protocol, hostname, port, host } = new URL(server);
  const idle: Reader[] = [];
  const all = new Set<Socket>();

  function dial(): Promise<Reader> {
    return new Promise((resolve, reject) => {
      const socket = protocol === "https:"
        ? connectTls({
          host: hostname,
          port: Number(port),
          servername: "localhost",
          ...(ca === undefined ? {} : { ca }),
          checkServerIdentity: () => undefined,
        })
        : connectPlain({ host: hostname, port: Number(port) });
      all.add(socket);
      socket.once("close", () => all.delete(socket));
      socket.once("error", reject);
      socket.once(protocol === "https:" ? "secureConnect" : "connect", () => resolve(new Reader(socket)));
    });
  }

  async function converse(reader: Reader, request: Request): Promise<Answer> {
    const deadline = Date.now() + request.timeoutMs;
    reader.socket.write(requestBytes(request, host));
    const head = await readHead(reader, deadline);
    if (request.lines) {
      const body = await readLines(readBody(reader, request.method, head, Date.now() + request.timeoutMs), request.lines);
      reader.socket.destroy();
      return { ...head, body };
    }
    const pieces: Buffer[] = [];
    for await (const piece of readBody(reader, request.method, head, deadline)) pieces.push(piece);
    const closing = head.headers.get("connection")?.join().toLowerCase().includes("close");
    if (!closing && reader.usable) idle.push(reader);
    else reader.socket.destroy();
    return { ...head, body: Buffer.concat(pieces) };
  }

  async function send(request: Request): Promise<Answer> {
    let kept = idle.pop();
    while (kept !== undefined && !kept.usable) kept = idle.pop();
    const reader = kept ?? await dial();
    const before = reader.received;
    try {
      return await converse(reader, request);
    } catch (problem) {
      reader.socket.destroy();
      // A server may close a kept connection just as the next request is sent.
      if (kept !== undefined && reader.received === before && !(problem instanceof TimeIsOver)) {
        return await converse(await dial(), request);
      }
      throw problem;
    }
  }

  return {
    send,
    close() {
      for (const socket of all) socket.destroy();
    },
  };
}
