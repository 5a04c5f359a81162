import { bytesOf, type Target, unlessRefused } from "../fuzz.ts";
import { delimited, protobufGrammar } from "./protobuf.ts";

const inField = (field: number, text: string) => String.fromCharCode(field * 8 + 2) + delimited(text);

/** Responses of etcd: ranges, transactions, watches, leases, status. */
export const etcd: Target = {
  name: "etcd-messages",
  grammar: {
    ...protobufGrammar,
    reply: ["<range>", "<transaction>", "<watch>", "<message>", "<status>"],
    header: [(w) => inField(1, `\x08\x01\x18${w.write("number")}`)],
    range: [(w) => w.write("header") + w.many("entry") + `\x20${w.write("number")}`],
    entry: [(w) => inField(2, w.write("key-value"))],
    "key-value": [
      (w) => inField(1, "/key") + `\x10${w.write("number")}\x18${w.write("number")}` + inField(5, w.write("content")),
      "<message>",
    ],
    transaction: [(w) => `${w.write("header")}\x10\x01${inField(3, inField(1, w.write("range")))}`],
    watch: [(w) => `${w.write("header")}\x18\x01\x20\x01\x28${w.write("number")}${inField(6, "reason")}\x38\x01${w.many("event")}`],
    event: [(w) => inField(11, `\x08\x01${inField(2, w.write("key-value"))}${inField(3, w.write("key-value"))}`)],
    status: [(w) => `${w.write("header")}${inField(2, "3.6.0")}\x18${w.write("number")}`],
  },
  start: "reply",
  binary: true,
  stepsPerCharacter: 40,
  async open(code) {
    const { range, txn, watch, leaseGrant, status } = await code.load("protocols/etcd/messages.ts");
    return (input) => {
      const bytes = bytesOf(input);
      for (const { decode } of [range, txn, watch, leaseGrant, status]) {
        try {
          unlessRefused(() => decode(bytes));
        } catch (error) {
          // The library's own error for truncated bytes.
          if (!(error instanceof RangeError && error.message.startsWith("index out of range"))) throw error;
        }
      }
    };
  },
};
