// A protobuf-only client, with its own implementation of the wire format, independent of our codec.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Reader, Writer } from "protobufjs/minimal.js";
import { startTestServer } from "../harness.ts";
import { httpsClient } from "../https.ts";

const type = "application/vnd.kubernetes.protobuf";
const path = "/api/v1/namespaces/default/configmaps";
const magic = [0x6b, 0x38, 0x73, 0x00];

/** A message's fields by number, each with all its values: bytes for length-delimited fields, numbers for the rest. */
type Message = ReadonlyMap<number, readonly (Uint8Array | number)[]>;

function readMessage(bytes: Uint8Array): Message {
  const fields = new Map<number, (Uint8Array | number)[]>();
  for (const from = Reader.create(bytes); from.pos < from.len;) {
    const tag = from.uint32();
    const values = fields.get(tag >>> 3) ?? [];
    fields.set(tag >>> 3, [...values, (tag & 7) === 2 ? from.bytes() : Number(from.int64())]);
  }
  return fields;
}
const bytesOf = (message: Message, number: number): Uint8Array => {
  const value = message.get(number)?.[0];
  assert.ok(value instanceof Uint8Array, `field ${number} has bytes`);
  return value;
};
const inner = (message: Message, number: number): Message => readMessage(bytesOf(message, number));
const text = (message: Message, number: number): string => new TextDecoder().decode(bytesOf(message, number));

/** The content of an envelope, and its kind. */
function open(bytes: Uint8Array): { readonly kind: string; readonly apiVersion: string; readonly message: Message } {
  assert.deepEqual([...bytes.subarray(0, 4)], magic);
  const unknown = readMessage(bytes.subarray(4));
  const typeMeta = inner(unknown, 1);
  return { apiVersion: text(typeMeta, 1), kind: text(typeMeta, 2), message: inner(unknown, 2) };
}

function configMap(name: string, data: Readonly<Record<string, string>>, resourceVersion = ""): Uint8Array {
  const message = new Writer();
  message.uint32(10).fork().uint32(10).string(name).uint32(50).string(resourceVersion).ldelim();
  for (const [key, value] of Object.entries(data)) message.uint32(18).fork().uint32(10).string(key).uint32(18).string(value).ldelim();
  return enveloped(message.finish());
}
function enveloped(message: Uint8Array): Uint8Array {
  const envelope = new Writer();
  envelope.uint32(10).fork().uint32(10).string("v1").uint32(18).string("ConfigMap").ldelim();
  envelope.uint32(18).bytes(message);
  return Uint8Array.of(...magic, ...envelope.finish());
}

function contents(message: Message): { readonly name: string; readonly version: string; readonly data: Readonly<Record<string, string>> } {
  const metadata = inner(message, 1);
  const data = (message.get(2) ?? []).map((entry) => readMessage(entry as Uint8Array)); // Maps are lists of entries.
  return {
    name: text(metadata, 1),
    version: text(metadata, 6),
    data: Object.fromEntries(data.map((entry) => [text(entry, 1), text(entry, 2)])),
  };
}

/** The events of a watch, each after four bytes of length. */
async function* events(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly type: string; readonly object: ReturnType<typeof open> }> {
  let rest = new Uint8Array();
  for await (const chunk of chunks) {
    rest = Uint8Array.of(...rest, ...chunk);
    while (rest.length >= 4) {
      const length = new DataView(rest.buffer, rest.byteOffset).getUint32(0);
      if (rest.length < 4 + length) break;
      const event = readMessage(rest.subarray(4, 4 + length));
      yield { type: text(event, 1), object: open(bytesOf(inner(event, 2), 1)) };
      rest = rest.slice(4 + length);
    }
  }
}

test("a protobuf-only client creates, gets, lists, watches, replaces, deletes and decodes errors", async () => {
  const server = await startTestServer();
  const client = httpsClient({ ...server, token: server.tokens.admin });
  const ask = async (method: string, where: string, body?: Uint8Array) => {
    const answer = await client.ask(where, {
      method,
      body,
      headers: { accept: type, ...(body === undefined ? {} : { "content-type": type }) },
    });
    assert.equal(answer.headers["content-type"], type);
    return { status: answer.status, ...open(answer.bytes) };
  };
  try {
    const watch = await client.stream(`${path}?watch=1&resourceVersion=0&allowWatchBookmarks=1`, {
      headers: { accept: `${type};stream=watch` },
    });
    assert.equal(watch.headers["content-type"], `${type};stream=watch`);
    const seen = events(watch.chunks);

    const made = await ask("POST", path, configMap("a", { k: "v", "k.2": "\u{1f600}" }));
    assert.deepEqual([made.status, made.kind, made.apiVersion], [201, "ConfigMap", "v1"]);
    const first = contents(made.message);
    assert.deepEqual(first.data, { k: "v", "k.2": "\u{1f600}" });
    assert.deepEqual(contents((await ask("GET", `${path}/a`)).message), first);

    const put = contents((await ask("PUT", `${path}/a`, configMap("a", { k: "w" }, first.version))).message);
    assert.deepEqual(put.data, { k: "w" });
    const list = await ask("GET", path);
    assert.equal(list.kind, "ConfigMapList");
    const listed = text(inner(list.message, 1), 2);
    assert.ok(BigInt(listed) >= BigInt(put.version), `the list has the write; controllers may have written since: ${listed}`);
    assert.deepEqual((list.message.get(2) ?? []).map((item) => contents(readMessage(item as Uint8Array)).name), ["a"]);

    const stale = await ask("PUT", `${path}/a`, configMap("a", {}, first.version));
    assert.deepEqual([stale.status, stale.kind, text(stale.message, 2), text(stale.message, 4)], [409, "Status", "Failure", "Conflict"]);
    assert.deepEqual(stale.message.get(6), [409]);
    const invalid = await ask("POST", path, configMap("Bad_Name", {}));
    assert.equal(text(invalid.message, 4), "Invalid");
    const cause = readMessage((inner(invalid.message, 5).get(4) ?? [])[0] as Uint8Array); // Bytes, like a message.
    assert.deepEqual([text(cause, 1), text(cause, 3)], ["FieldValueInvalid", "metadata.name"]);
    const broken = await ask("POST", path, Uint8Array.of(...magic, 0x0a, 0xff));
    assert.deepEqual([broken.status, text(broken.message, 4)], [400, "BadRequest"]);
    assert.equal(
      text(broken.message, 3),
      "the object provided is unrecognized (must be of type ConfigMap): unexpected EOF (6b3873000aff)",
    );
    const odd = await ask("POST", path, enveloped(new Writer().uint32(16).uint32(1).finish()));
    assert.deepEqual([odd.status, text(odd.message, 4)], [400, "BadRequest"]);
    assert.equal(
      text(odd.message, 3),
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: proto: wrong wireType = 0 for field Data',
    );

    assert.equal((await ask("DELETE", `${path}/a`)).status, 200);
    assert.equal(text((await ask("GET", `${path}/a`)).message, 4), "NotFound");
    const told: string[] = [];
    for await (const { type: what, object } of seen) {
      if (what === "BOOKMARK") continue;
      told.push(`${what} ${contents(object.message).data["k"]}`);
      if (told.length === 3) break;
    }
    assert.deepEqual(told, ["ADDED v", "MODIFIED w", "DELETED w"]);
  } finally {
    client.close();
    await server.close();
  }
});
