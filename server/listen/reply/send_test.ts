// The way of a reply, which is the same for all protocols.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChunkIterator, Reply } from "../../../kernel/request/exchange.ts";
import { sendReply, wholeBytesMax } from "./send.ts";
import type { ReplySink } from "./sink.ts";

/** A sink that records its calls, takes parts of 4 bytes, and is full after each while `isFull`. */
class Recorded implements ReplySink {
  waitsSince: number | undefined;
  readonly calls: string[] = [];
  isFull = false;
  ready: () => void = () => {};

  head({ status }: Pick<Reply, "status">, length: number | undefined, ends: boolean): void {
    this.calls.push(`head ${status} ${length}${ends ? " ends" : ""}`);
  }
  partEnd(chunk: Uint8Array, from: number): number {
    return Math.min(chunk.length, from + 4);
  }
  write(part: Uint8Array, ready: () => void): boolean {
    this.calls.push(`write ${new TextDecoder().decode(part)}`);
    this.ready = ready;
    this.waitsSince = this.isFull ? 1 : undefined;
    return !this.isFull;
  }
  end(whole?: Uint8Array): void {
    this.calls.push(whole === undefined ? "end" : `end ${new TextDecoder().decode(whole)}`);
  }
  breakOff(): void {
    this.calls.push("broken off");
  }
}

const bytes = (text: string) => new TextEncoder().encode(text);
const replyOf = (body: Reply["body"], status = 200): Reply => ({ status, headers: {}, body });

/** Chunks, and whether their iterator was told to stop. */
function chunksOf(...texts: readonly (string | Error)[]): Reply["body"] & { stopped: boolean } {
  const left = [...texts];
  const iterator: ChunkIterator = {
    next() {
      const text = left.shift();
      if (text instanceof Error) return Promise.reject(text);
      return Promise.resolve(text === undefined ? { done: true, value: undefined } : { done: false, value: bytes(text) });
    },
    return() {
      body.stopped = true;
      return Promise.resolve({ done: true, value: undefined });
    },
  };
  const body = { stopped: false, [Symbol.asyncIterator]: () => iterator };
  return body;
}

/** Lets promises settle. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a whole body is sent at once; one without bytes ends with its head", async () => {
  const calls = async (reply: Reply, isHead = false) => {
    const sink = new Recorded();
    await sendReply(sink, reply, isHead, new AbortController());
    return sink.calls;
  };
  assert.deepEqual(await calls(replyOf("é")), ["head 200 2", "end é"]);
  assert.deepEqual(await calls(replyOf("")), ["head 200 0 ends"]);
  assert.deepEqual(await calls(replyOf("text"), true), ["head 200 4 ends"]);
  assert.deepEqual(await calls(replyOf("text", 304)), ["head 304 undefined ends"]);
});

test("a large whole body is sent in parts, the next one when the client has read", async () => {
  const sink = new Recorded(), body = new Uint8Array(wholeBytesMax + 1).fill(65);
  sink.partEnd = (chunk, from) => Math.min(chunk.length, from + wholeBytesMax);
  sink.isFull = true;
  const sent = sendReply(sink, replyOf(body), false, new AbortController());
  await settled();
  assert.deepEqual(sink.calls.map((call) => call.slice(0, 20)), ["head 200 undefined", "write AAAAAAAAAAAAAA"]);
  sink.isFull = false;
  sink.ready();
  await sent;
  assert.deepEqual(sink.calls.slice(2), ["write A", "end"]);
});

test("chunks are written in the parts of the protocol, and the next one when the client has read", async () => {
  const sink = new Recorded();
  sink.isFull = true;
  const sent = sendReply(sink, replyOf(chunksOf("abcdef", "", "g")), false, new AbortController());
  await settled();
  assert.deepEqual(sink.calls, ["head 200 undefined", "write abcd"]);
  sink.ready();
  assert.deepEqual(sink.calls.slice(2), ["write ef"]);
  sink.isFull = false;
  sink.ready();
  await sent;
  assert.deepEqual(sink.calls.slice(3), ["write g", "end"]);
});

test("HEAD and a client that has left stop the iterator", async () => {
  const head = chunksOf("a"), left = chunksOf("a"), abort = new AbortController(), sink = new Recorded();
  await sendReply(new Recorded(), replyOf(head), true, new AbortController());
  assert.equal(head.stopped, true);
  sink.isFull = true;
  const sent = sendReply(sink, replyOf(left), false, abort);
  await settled();
  abort.abort();
  await sent;
  assert.equal(left.stopped, true);
  sink.ready();
  assert.deepEqual(sink.calls, ["head 200 undefined", "write a"]);
});

test("an error of the iterator rejects, without an end", async () => {
  const sink = new Recorded();
  await assert.rejects(sendReply(sink, replyOf(chunksOf("a", new Error("lost"))), false, new AbortController()), /lost/);
  assert.deepEqual(sink.calls, ["head 200 undefined", "write a"]);
});

test("a reply that is given up is broken off only while its client does not read", async () => {
  for (const isFull of [true, false]) {
    const sink = new Recorded(), givenUp = new AbortController(), abort = new AbortController();
    sink.isFull = isFull;
    const body = { [Symbol.asyncIterator]: (): ChunkIterator => ({ next: () => new Promise(() => {}), poll: () => first.shift() }) };
    const first: IteratorResult<Uint8Array, unknown>[] = [{ done: false, value: bytes("a") }];
    const sent = sendReply(sink, { ...replyOf(body), givenUp: givenUp.signal }, false, abort);
    givenUp.abort();
    assert.equal(sink.calls.at(-1), isFull ? "broken off" : "write a");
    abort.abort();
    await sent;
  }
});

test("an iterator is told to stop when the head cannot be sent, and nothing breaks a reply off after its end", async () => {
  const chunks = chunksOf("a"), failing = new Recorded();
  failing.head = () => {
    throw new Error("a header is invalid");
  };
  await assert.rejects(sendReply(failing, replyOf(chunks), false, new AbortController()), /invalid/);
  assert.equal(chunks.stopped, true);
  const sink = new Recorded(), givenUp = new AbortController();
  await sendReply(sink, { ...replyOf(chunksOf("a")), givenUp: givenUp.signal }, false, new AbortController());
  sink.waitsSince = 1;
  givenUp.abort();
  assert.equal(sink.calls.at(-1), "end");
});
