/**
 * Runs of commits only, the usual case, and their results, encoded as numbers and bytes in shared memory. A single commit costs less this
 * way than as a message, which both runtimes copy. The numbers come first, then the bytes in the same order. An absent number is written as
 * -1.
 */
import { decodeKey } from "../bytes.ts";
import type { Answers, Call, Outcome, Run } from "./calls.ts";
import type { Lane } from "./thread-lane.ts";
import type { Change } from "../store.ts";

type Place = Pick<Lane, "words" | "bytes">;
type CommitCall = Extract<Call, { op: "commit" }>;

const none = -1;
/**
 * A request has one word for the number of calls, and five for each call: the expected revision, the expiry, whether it frees space, and
 * the lengths of key and value.
 */
const questionHead = 1, callWords = 5;
/**
 * A result has six words for the fields of the Run and the number of outcomes. Each outcome has three: whether it was written, and the
 * revision and length of the previous value.
 */
const answerHead = 6, outcomeWords = 3;

const encoder = new TextEncoder();

/**
 * Writes the calls to the shared memory. Returns false if not all calls are commits, or if they do not fit; the contents of the memory are
 * then undefined.
 */
export function writeCalls(calls: readonly Call[], { words, bytes }: Place): boolean {
  let at = (questionHead + calls.length * callWords) * words.BYTES_PER_ELEMENT;
  if (at > bytes.byteLength) return false;
  words[0] = calls.length;
  let word = questionHead;
  for (const call of calls) {
    if (call.op !== "commit") return false;
    const { key, value, expect, frees } = call.change;
    if (at + key.length * 3 + (value?.byteLength ?? 0) > bytes.byteLength) return false;
    const { written } = encoder.encodeInto(key, bytes.subarray(at));
    at += written;
    if (value !== undefined) bytes.set(value, at);
    at += value?.byteLength ?? 0;
    words[word++] = expect === "absent" ? none : expect;
    words[word++] = call.expires ?? none;
    words[word++] = frees === true ? 1 : 0;
    words[word++] = written;
    words[word++] = value?.byteLength ?? none;
  }
  return true;
}

export function readCalls(place: Place): CommitCall[] {
  const { next, bytes } = reader(place);
  const count = next();
  const take = bytes(questionHead + count * callWords);
  return Array.from({ length: count }, () => {
    const expect = next(), expires = next(), frees = next(), keyBytes = next(), valueBytes = next();
    const change: Change = {
      key: decodeKey(take(keyBytes)),
      expect: expect === none ? "absent" : expect,
      value: valueBytes === none ? undefined : take(valueBytes),
      ...(frees === 1 ? { frees: true } : {}),
    };
    return { op: "commit", change, expires: expires === none ? undefined : expires };
  });
}

/**
 * Writes the result of a request that readCalls() has read. Returns false if it does not fit; the contents of the memory are then
 * undefined.
 */
export function writeRun(run: Run, { words, bytes }: Place): boolean {
  let at = (answerHead + run.outcomes.length * outcomeWords) * words.BYTES_PER_ELEMENT;
  if (at > bytes.byteLength) return false;
  words[0] = run.revision;
  words[1] = run.compacted;
  words[2] = run.expiresAt ?? none;
  words[3] = run.unswept ? 1 : 0;
  words[4] = run.full ? 1 : 0;
  words[5] = run.outcomes.length;
  let word = answerHead;
  for (const outcome of run.outcomes) {
    if (!("answer" in outcome)) return false;
    const answer = outcome.answer as Answers["commit"]; // all calls are commits
    const before = answer.done ? answer.previous : answer.current;
    if (at + (before?.value.byteLength ?? 0) > bytes.byteLength) return false;
    if (before !== undefined) bytes.set(before.value, at);
    at += before?.value.byteLength ?? 0;
    words[word++] = answer.done ? answer.revision : none;
    words[word++] = before?.revision ?? none;
    words[word++] = before?.value.byteLength ?? none;
  }
  return true;
}

/** Reads the result of the request that writeCalls() has written. */
export function readRun(calls: readonly Call[], place: Place): Run {
  const { next, bytes } = reader(place);
  const revision = next(), compacted = next(), expiresAt = next(), unswept = next(), full = next(), count = next();
  const take = bytes(answerHead + count * outcomeWords);
  const outcomes = calls.map((call): Outcome => {
    const written = next(), beforeRevision = next(), beforeBytes = next();
    const before = beforeRevision === none ? undefined : { value: take(beforeBytes), revision: beforeRevision };
    if (written !== none) return { answer: { done: true, revision: written, previous: before } };
    const { key } = (call as CommitCall).change; // writeCalls() accepts only commits
    return { answer: { done: false, current: before && { key, ...before } } };
  });
  return { outcomes, revision, compacted, expiresAt: expiresAt === none ? undefined : expiresAt, unswept: unswept === 1, full: full === 1 };
}

/** Reads the words of a place one by one, and copies its bytes from behind `words` words. */
function reader(place: Place) {
  let word = 0;
  return {
    next: (): number => place.words[word++] ?? none,
    bytes(words: number): (length: number) => Uint8Array<ArrayBuffer> {
      let at = words * place.words.BYTES_PER_ELEMENT;
      return (length) => {
        at += length;
        return new Uint8Array(place.bytes.subarray(at - length, at));
      };
    },
  };
}
