/** Checks of a server whose KMS plugin answers in hostile ways: gRPC over HTTP/2 on a unix socket, written by hand. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { frameMessage } from "../../protocols/grpc/messages.ts";
import { headerBlock } from "../../protocols/http2/client/hpack.ts";
import { flag, frameBytesMax, frameType } from "../../protocols/http2/frames.ts";
import { kmsAnswerBytesMax } from "../../server/encryption/kms/plugin.ts";
import type { HostilePeer } from "./hostile-peer.ts";
import type { HostileRequest } from "./hostile-request.ts";

/** What the plugin sends on the stream of a call, and after it again and again until the connection ends. */
interface Answer {
  readonly first: Buffer;
  readonly endless?: Buffer;
  readonly everyMs?: number;
}
/** `isStatus`: whether the call has an empty message, as that of Status. */
type Answers = (stream: number, isStatus: boolean) => Answer;

const file = "encryption.json", preface = 24, head = 9;

function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(head);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  return Buffer.concat([bytes, payload]);
}
const settings = (stream = 0) => frame(frameType.settings, 0, stream);
const begins = (stream: number, fields: readonly (readonly [string, string])[] = []) =>
  frame(frameType.headers, flag.endHeaders, stream, headerBlock([[":status", "200"], ["content-type", "application/grpc"], ...fields]));
const ends = (stream: number) => frame(frameType.headers, flag.endHeaders | flag.endStream, stream, headerBlock([["grpc-status", "0"]]));
const data = (stream: number, bytes: Buffer) => {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += frameBytesMax) {
    frames.push(frame(frameType.data, 0, stream, bytes.subarray(at, at + frameBytesMax)));
  }
  return Buffer.concat(frames);
};
const whole = (stream: number, message: Buffer): Answer => ({
  first: Buffer.concat([begins(stream), data(stream, frameMessage(message)), ends(stream)]),
});
/** Members of a message: a field's number and its text. */
function message(...members: readonly (readonly [field: number, text: string | Buffer])[]): Buffer {
  return Buffer.concat(members.flatMap(([field, text]) => {
    const bytes = typeof text === "string" ? Buffer.from(text) : text, length: number[] = [];
    for (let left = bytes.length; length.push(left > 127 ? left & 127 | 128 : left), left > 127; left >>>= 7);
    return [Buffer.of(field << 3 | 2, ...length), bytes];
  }));
}
const status = (keyId: string) => message([1, "v2"], [2, "ok"], [3, keyId]);
const times = (count: number, bytes: Buffer) => Buffer.concat(Array.from({ length: count }, () => bytes));

/** A plugin whose socket is in the folder of the server. */
async function openPlugin(folder: string, answers: Answers): Promise<HostilePeer> {
  const open = new Set<Socket>();
  let sent = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    const write = (bytes: Buffer) => {
      sent += bytes.length;
      return socket.write(bytes);
    };
    let rest = Buffer.alloc(0), skipped = preface;
    write(settings());
    socket.on("data", (piece: Buffer) => {
      rest = Buffer.concat([rest, piece]);
      if (skipped > 0 && rest.length >= skipped) [rest, skipped] = [rest.subarray(skipped), 0];
      while (skipped === 0 && rest.length >= head && rest.length >= head + rest.readUIntBE(0, 3)) {
        const length = rest.readUIntBE(0, 3), type = rest[3]!, flags = rest[4]!, stream = rest.readUInt32BE(5);
        rest = rest.subarray(head + length);
        if (type === frameType.settings && (flags & flag.ack) === 0) write(frame(frameType.settings, flag.ack, 0));
        if (type === frameType.data && (flags & flag.endStream) !== 0) play(socket, answers(stream, length <= 5), write);
      }
    });
  });
  server.listen(join(folder, "kms.sock"));
  await once(server, "listening");
  return {
    ...{ url: `unix://${folder}/kms.sock`, caBundle: "", sent: () => sent },
    async stop() {
      for (const socket of open) socket.destroy();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

function play(socket: Socket, { first, endless, everyMs }: Answer, write: (bytes: Buffer) => boolean): void {
  if (first.length > 0) write(first);
  if (endless === undefined) return;
  const more = () => {
    if (socket.destroyed) return;
    const next = () => everyMs === undefined ? setImmediate(more) : setTimeout(more, everyMs);
    if (write(endless)) next();
    else socket.once("drain", next);
  };
  more();
}

function checked(name: string, answers: Answers): HostileRequest {
  return {
    ...{ name: `KMS plugin, ${name}`, method: "GET", path: "/healthz/kms-providers", type: "application/json", body: () => "" },
    settleSeconds: 5,
    flags: [`--encryption-provider-config=FOLDER/${file}`],
    files: (_folder, peer) => ({ [file]: configuration(peer?.url ?? "") }),
    listen: (folder) => openPlugin(folder, answers),
  };
}
function configuration(endpoint: string): string {
  const providers = [{ kms: { apiVersion: "v2", name: "hostile", endpoint, timeout: "2s" } }, { identity: {} }];
  return JSON.stringify({
    ...{ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" },
    resources: [{ resources: ["secrets"], providers }],
  });
}
const flood = (name: string, endless: (stream: number) => Buffer, first = begins): HostileRequest =>
  checked(name, (stream) => ({ first: first(stream), endless: endless(stream) }));
/** The answer to Encrypt; that to Status is good. */
const encrypted = (name: string, answer: () => Buffer): HostileRequest =>
  checked(name, (stream, isStatus) => whole(stream, isStatus ? status("a") : answer()));
const nothing = () => Buffer.alloc(0);

export const kmsRequests: readonly HostileRequest[] = Object.freeze([
  checked("no answer", () => ({ first: Buffer.alloc(0) })),
  flood("an answer without end", (stream) => times(16, frame(frameType.data, 0, stream, Buffer.alloc(frameBytesMax)))),
  flood("an answer of single bytes", (stream) => times(4_000, frame(frameType.data, 0, stream, Buffer.alloc(1)))),
  flood("empty pieces without end", (stream) => times(4_000, frame(frameType.data, 0, stream))),
  checked(
    "a byte every 20 ms",
    (stream) => ({ first: begins(stream), endless: frame(frameType.data, 0, stream, Buffer.alloc(1)), everyMs: 20 }),
  ),
  flood("headers without end", (stream) => times(200, begins(stream, [["x-a", "b".repeat(100)]])), nothing),
  flood(
    "a block of headers without end",
    (stream) => times(4, frame(frameType.continuation, 0, stream, Buffer.alloc(frameBytesMax, 0x82))),
    (
      stream,
    ) => frame(frameType.headers, 0, stream, Buffer.of(0x88)),
  ),
  flood("settings without end", () => times(4_000, settings())),
  flood("pings without end", () => times(4_000, frame(frameType.ping, 0, 0, Buffer.alloc(8)))),
  flood("windows without end", () => times(4_000, frame(frameType.windowUpdate, 0, 0, Buffer.of(0, 0, 0, 1)))),
  flood("frames of unknown types", () => times(1_000, frame(0x77, 0, 0, Buffer.alloc(200)))),
  checked("bytes that are no frames", () => ({ first: randomBytes(65_536), endless: randomBytes(65_536) })),
  checked("a key with another name in each answer", (stream) => whole(stream, status(randomBytes(500).toString("hex")))),
  encrypted("another key than it said", () => message([1, "sealed"], [2, "b"])),
  encrypted(
    "30,000 annotations",
    () => Buffer.concat([message([1, "sealed"], [2, "a"]), times(kmsAnswerBytesMax / 2 - 100, message([3, ""]))]),
  ),
]);
