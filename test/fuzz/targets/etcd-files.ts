import { databaseFile, type KeyChange, metaPage, walFile } from "../../../kernel/store/etcd-files/test-etcd-file.ts";
import { bytesOf, type Target, unless } from "../fuzz.ts";
import type { Writer } from "../grammar.ts";
import { protobufGrammar } from "./protobuf.ts";

const pageSize = 1024;
/** The characters of bytes. */
const textOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const keysOf = (w: Writer) => Array.from({ length: 1 + w.below(3) }, () => `/registry/${w.below(5)}`);
const changesOf = (w: Writer): readonly KeyChange[] =>
  keysOf(w).map((key) => w.below(4) === 0 ? { key } : { key, value: w.write("content") });
const number = (bytes: number, value: number) =>
  String.fromCharCode(...Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** at) % 256));
/** A page of a file whose other pages are valid: any flags, counts, places and children. */
const page = (w: Writer) => {
  const count = w.below(6), flags = 1 + w.below(2);
  const elements = Array.from(
    { length: count },
    () => number(4, w.below(64)) + number(4, w.below(64)) + number(4, w.below(64)) + number(4, w.below(8)),
  );
  return (number(8, 2) + number(2, flags) + number(2, w.below(3) === 0 ? 65535 : count) + number(4, w.below(3)) + elements.join("") +
    w.write("content"))
    .padEnd(pageSize, "k").slice(0, pageSize);
};

const oneOf = (w: Writer, some: readonly number[]): number => some[w.below(some.length)]!; // below() is within it.

/** A field of a message or of bytes, of at most 127 characters. */
function wrapped(field: number, content: string): string {
  const tag = field * 8 + 2, inner = content.slice(0, 127);
  return (tag < 128 ? String.fromCharCode(tag) : String.fromCharCode(tag & 127 | 128, tag >> 7)) + String.fromCharCode(inner.length) +
    inner;
}

/** Databases of etcd, their snapshots, and files of its write-ahead log. */
export const etcdFiles: Target = {
  name: "etcd-files",
  grammar: {
    ...protobufGrammar,
    file: ["<database>", "<pages>", "<log>", "<message>", "<request>"],
    // Put, deletion, transaction, lease grant and revocation with anything in them, then a transaction with a put and a comparison of a range.
    request: [(w) => wrapped(oneOf(w, [4, 5, 6, 8, 9]), w.write("message")), (w) => {
      const put = wrapped(1, "k") + wrapped(2, w.write("message")), compare = "\x08\x01\x10\x02" + wrapped(3, "a") + wrapped(64, "z");
      return wrapped(6, wrapped(1, compare) + wrapped(oneOf(w, [2, 3]), wrapped(oneOf(w, [2, 3, 4]), put)));
    }],
    database: [
      (w) =>
        textOf(databaseFile(changesOf(w), { pageSize, itemsPerPage: 2 + w.below(3), inline: w.below(2) === 0 ? [] : ["key", "meta"] })),
    ],
    pages: [(w) => textOf(metaPage({ pageSize, root: 2, pages: 4, transaction: 1 })).padEnd(2 * pageSize, "\x00") + page(w) + page(w)],
    log: [(w) =>
      textOf(
        walFile(
          Array.from(
            { length: 1 + w.below(4) },
            (_, index) => ({ index: index + w.below(2), data: bytesOf(w.write("message")), type: w.below(2) }),
          ),
        ),
      )],
  },
  start: "file",
  binary: true,
  stepsPerCharacter: 20,
  async open(code) {
    const { openDatabase } = await code.load("kernel/store/etcd-files/etcd-database.ts");
    const { entriesAfter } = await code.load("kernel/store/etcd-files/wal.ts");
    const { readRaftRequest } = await code.load("kernel/store/etcd-files/raft-request.ts");
    const { Replay } = await code.load("kernel/store/etcd-files/replay.ts");
    const { EtcdFileError, inMemory } = await code.load("kernel/store/etcd-files/random-access.ts");
    return (input) => {
      const bytes = bytesOf(input);
      unless([EtcdFileError], () => openDatabase(inMemory(bytes), "/registry/").list({ prefix: "/registry/" }));
      unless([EtcdFileError], () => {
        const states = new Map<string, never>([["a", { created: 1, revision: 2, version: 1, lease: 7, value: bytes } as never]]); // A KeyState.
        const keys = {
          get: (key: string) => states.get(key),
          has: (key: string) => states.has(key),
          all: () => states.keys(),
          set: (key: string, state: never) => states.set(key, state),
          delete: (key: string) => states.delete(key),
        };
        new Replay(keys, new Map([[7, new Set(["a"])]]), 2).apply(readRaftRequest(bytes));
      });
      unless([EtcdFileError], () => entriesAfter([{ name: "", sequence: 0, firstIndex: 0, open: () => inMemory(bytes) }], 0));
    };
  },
};
