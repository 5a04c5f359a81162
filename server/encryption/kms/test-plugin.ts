/** A KMS plugin for tests: gRPC on a unix socket, with keys by name. Each test can replace its answers (`Behaviour`). */
import { Buffer } from "node:buffer";
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { newReader, newWriter } from "../../../core/codec/protobufjs.ts";

/** What the plugin does with a call: undefined answers it as a good plugin. */
export type Behaviour = (method: string, stream: ServerHttp2Stream) => Fields | "handled" | undefined;
/** An answer by field: bytes, or text. */
export type Fields = readonly (readonly [field: number, content: Uint8Array | string])[];

export interface TestPlugin {
  readonly endpoint: string;
  /** The methods that were called, without their service. */
  readonly calls: string[];
  /** The plaintexts that it has seen or given. */
  readonly secrets: Uint8Array[];
  keyId: string;
  annotations: Fields;
  behave: Behaviour;
  close(): Promise<void>;
}

export async function testKmsPlugin(socket: string): Promise<TestPlugin> {
  const server = createServer(), sessions = new Set<ServerHttp2Session>();
  const plugin: TestPlugin = {
    endpoint: `unix://${socket}`,
    calls: [],
    secrets: [],
    keyId: "key-1",
    annotations: [[1, "version.example.com"], [2, "7"]],
    behave: () => undefined,
    async close() {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, "close");
    },
  };
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => {});
    session.on("close", () => sessions.delete(session));
  });
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    const chunks: Buffer[] = [], method = String(headers[":path"]).split("/").at(-1)!;
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      plugin.calls.push(method);
      const told = plugin.behave(method, stream);
      if (told === "handled") return;
      const fields = told ?? goodAnswer(plugin, method, Buffer.concat(chunks).subarray(5));
      if (fields === undefined) end(stream, "3", Buffer.alloc(0));
      else end(stream, "0", framed(message(fields)));
    });
  });
  server.listen(socket);
  await once(server, "listening");
  return plugin;
}

/** Ends a call with this status. */
export function end(stream: ServerHttp2Stream, status: string, data: Uint8Array, text = ""): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": status, ...(text === "" ? {} : { "grpc-message": text }) }));
  stream.end(data);
}

export function framed(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

export function message(fields: Fields): Uint8Array {
  const writer = newWriter();
  for (const [field, content] of fields) {
    writer.uint32(field << 3 | 2).bytes(typeof content === "string" ? new TextEncoder().encode(content) : content);
  }
  return writer.finish();
}

function goodAnswer(plugin: TestPlugin, method: string, request: Uint8Array): Fields | undefined {
  if (method === "Status") return [[1, "v2"], [2, "ok"], [3, plugin.keyId]];
  const fields = membersOf(request);
  if (method === "Encrypt") {
    const seed = fields.get(1)!, nonce = randomBytes(12), cipher = createCipheriv("aes-256-gcm", keyOf(plugin.keyId), nonce);
    plugin.secrets.push(seed);
    const sealed = Buffer.concat([nonce, cipher.update(seed), cipher.final(), cipher.getAuthTag()]);
    return [[1, sealed], [2, plugin.keyId], ...(plugin.annotations.length === 0 ? [] : [[3, message(plugin.annotations)] as const])];
  }
  const sealed = fields.get(1)!,
    decipher = createDecipheriv("aes-256-gcm", keyOf(new TextDecoder().decode(fields.get(3)!)), sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  try {
    const plain = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
    plugin.secrets.push(plain);
    return [[1, plain]];
  } catch {
    return undefined;
  }
}

/** The key of a name: the plugin can forget nothing. */
const keyOf = (name: string): Buffer => createHash("sha256").update(`kms ${name}`).digest();

function membersOf(bytes: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const reader = newReader(bytes), found = new Map<number, Uint8Array>();
  while (reader.pos < reader.len) found.set(reader.uint32() >>> 3, reader.bytes().slice());
  return found;
}
