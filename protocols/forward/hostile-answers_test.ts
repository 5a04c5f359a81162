// Generated answers of kubelets and registered servers, whole and cut into pieces: each ends, with an answer or with an error of the caller's.
// THOLE_SEED repeats a run.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { seedOfRun } from "../../core/derive/test-random.ts";
import { randomOf } from "../../core/random.ts";
import { generator, type Grammar, mutated, pumped } from "../../test/fuzz/grammar.ts";
import { within } from "../../test/store/helpers.ts";
import { peersOf } from "./peers.ts";

const seed = seedOfRun();
const inputs = 150;

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const grammar: Grammar = {
  answer: ["<plain>", "<informational><plain>", "<chunked>", "<switched>", "<strange>"],
  informational: ["", "HTTP/1.1 100 Continue\r\n\r\n<informational>", "HTTP/1.1 103 Early Hints\r\n<fields>\r\n<informational>"],
  plain: [
    (w) => {
      const body = "a".repeat(w.below(300));
      return `HTTP/1.1 ${w.write("status")}\r\n${w.write("fields")}Content-Length: ${body.length}\r\n\r\n${body}`;
    },
    "HTTP/1.1 <status>\r\n<fields>\r\nuntil the end",
  ],
  chunked: [
    (w) => `HTTP/1.1 200 OK\r\n${w.write("fields")}Transfer-Encoding: chunked\r\n\r\n${w.many("chunk")}0\r\n${w.write("fields")}\r\n`,
  ],
  chunk: [(w) => chunk("b".repeat(1 + w.below(40))), () => "1;extension=1\r\na\r\n", () => "1\r\na\r\n"],
  switched: [
    (w) =>
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n${
        "\x80\x03\0\x06\0\0\0\x04\0\0\0\x02".repeat(w.below(9))
      }`,
  ],
  strange: [
    () => "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde",
    () => "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
    () => "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    () => "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\n",
    () => "HTTP/9.9 200 OK\r\n\r\n",
    () => "\x80\x03\0\x04\0\0\0\0",
    () => "",
  ],
  status: ["200 OK", "404 Not Found", "204 No Content", "304 Not Modified", "500 \xff", "299"],
  fields: ["", (w) => w.many("field")],
  field: [
    "A: b\r\n",
    "X-Long: <long>\r\n",
    "Set-Cookie: a=b\r\n",
    "Trailer: a\r\n",
    " folded: x\r\n",
    "Bad Name: x\r\n",
    "Connection: close, upgrade\r\n",
  ],
  long: [(w) => "c".repeat(w.below(3000))],
};

test(`generated answers end, with an answer or an error of the caller's, whole and cut into pieces (seed ${seed})`, async () => {
  const failures = new Set<Error>();
  const peers = peersOf((message, more) => {
    const failure = Object.assign(new Error(message), more);
    failures.add(failure);
    return failure;
  });
  let answer = "", size = 1;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("error", () => {}).on("close", () => open.delete(socket));
    socket.once("data", () => void play(socket, Buffer.from(answer, "latin1"), size));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on TCP
  /** The content that arrived, and whether it ended well. A cut answer may be over before its content. */
  const outcome = async (headers: Record<string, string>) => {
    let seen = "", status = 0;
    try {
      const reply = await peers.ask({ method: "GET", url, headers, access: {}, signal: new AbortController().signal });
      status = reply.status;
      for await (const piece of reply.body) seen += Buffer.from(piece).toString("latin1");
      reply.trailers?.();
      return { status, seen, isWhole: true };
    } catch (error) {
      assert.ok(error instanceof Error);
      assert.ok(status > 0 || failures.has(error), `a request fails with an error of the caller's: ${error.stack}`);
      assert.ok(!(error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError), String(error.stack));
      return { status, seen, isWhole: false };
    }
  };
  const random = randomOf(seed), made = generator(grammar, "answer", random), known: string[] = [];
  try {
    for (let count = 0; count < inputs || (made.unused.size > 0 && count < 10 * inputs); count++) {
      const before = known[Math.floor(random() * known.length)], kind = random();
      answer = before === undefined || kind < 0.5
        ? made.input(6)
        : kind < 0.9
        ? mutated(before, random, true)
        : pumped(before, random, 20_000);
      known.push(answer);
      const headers: Record<string, string> = random() < 0.5 ? {} : { connection: "Upgrade", upgrade: "SPDY/3.1" };
      size = answer.length + 1;
      const whole = await within(outcome(headers), `an answer: ${JSON.stringify(answer.slice(0, 500))}`);
      if (answer.length > 400) continue;
      size = 7;
      const cut = await within(outcome(headers), `an answer in pieces: ${JSON.stringify(answer)}`);
      if (whole.isWhole && cut.isWhole) assert.deepEqual(cut, whole, JSON.stringify(answer));
    }
    assert.deepEqual([...made.unused], []);
  } finally {
    for (const socket of open) socket.destroy();
    server.close();
  }
});

/** Sends bytes in pieces, each in a turn of its own, and ends the connection. */
async function play(socket: Socket, bytes: Uint8Array, size: number): Promise<void> {
  socket.setNoDelay(true);
  for (let at = 0; at < bytes.length && !socket.destroyed; at += size) {
    socket.write(bytes.subarray(at, at + size));
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
}
