import { boltFile, databaseFile, type KeyChange, metaPage } from "../../../commands/source/etcd-files/test-etcd-file.ts";
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

/** Databases of etcd and their snapshots. */
export const etcdFiles: Target = {
  name: "etcd-files",
  grammar: {
    ...protobufGrammar,
    file: ["<database>", "<pages>", "<records>"],
    // A valid key of a record, and any message as its value.
    records: [
      (w) => textOf(boltFile({ key: [[bytesOf(number(7, 0) + "\x02_" + number(8, 0)), bytesOf(w.write("message"))]] }, { pageSize })),
    ],
    database: [
      (w) =>
        textOf(databaseFile(changesOf(w), { pageSize, itemsPerPage: 2 + w.below(3), inline: w.below(2) === 0 ? [] : ["key", "meta"] })),
    ],
    pages: [(w) => textOf(metaPage({ pageSize, root: 2, pages: 4, transaction: 1 })).padEnd(2 * pageSize, "\x00") + page(w) + page(w)],
  },
  start: "file",
  binary: true,
  stepsPerCharacter: 20,
  async open(code) {
    const { openDatabase } = await code.load("commands/source/etcd-files/etcd-database.ts");
    const { EtcdFileError, inMemory } = await code.load("commands/source/etcd-files/random-access.ts");
    return (input) => {
      const bytes = bytesOf(input);
      unless([EtcdFileError], () => openDatabase(inMemory(bytes), "/registry/").list({ prefix: "/registry/" }));
    };
  },
};
