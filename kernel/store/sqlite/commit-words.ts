/**
 * Runs that are nothing but commits, which nearly all are, and their answers, as numbers and bytes in memory that two threads share:
 * a commit that comes alone costs less so than as a message, which is looked through at both ends. The words come first, then the
 * bytes that they tell of, in the same order. A number that is not there is -1.
 */
import { decodeKey } from "../bytes.ts";
import type { Answers, Call, Outcome, Run } from "./calls.ts";
import type { Lane } from "./thread-lane.ts";
import type { Change } from "../store.ts";

type Place = Pick<Lane, "words" | "bytes">;
type CommitCall = Extract<Call, { op: "commit" }>;

const none = -1;
/** Of a question: how many calls; of each the revision expected, when it expires, whether it frees room, the bytes of its key and of its value. */
const questionHead = 1, callWords = 5;
/** Of an answer: what a Run tells, how many outcomes; of each what was written, the revision and the bytes of what was there before. */
const answerHead = 6, outcomeWords = 3;

const encoder = new TextEncoder();

/** False, with nothing of use written, where these are not all commits or do not fit. */
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

/** Writes the answer to a question that was read with readCalls(). False, with nothing of use written, where it does not fit. */
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
    const answer = outcome.answer as Answers["commit"]; // the calls are commits
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

/** The answer to what writeCalls() wrote. */
export function readRun(calls: readonly Call[], place: Place): Run {
  const { next, bytes } = reader(place);
  const revision = next(), compacted = next(), expiresAt = next(), unswept = next(), full = next(), count = next();
  const take = bytes(answerHead + count * outcomeWords);
  const outcomes = calls.map((call): Outcome => {
    const written = next(), beforeRevision = next(), beforeBytes = next();
    const before = beforeRevision === none ? undefined : { value: take(beforeBytes), revision: beforeRevision };
    if (written !== none) return { answer: { done: true, revision: written, previous: before } };
    const { key } = (call as CommitCall).change; // writeCalls() takes nothing else
    return { answer: { done: false, current: before && { key, ...before } } };
  });
  return { outcomes, revision, compacted, expiresAt: expiresAt === none ? undefined : expiresAt, unswept: unswept === 1, full: full === 1 };
}

/** The words of a place one by one, and copies of its bytes from behind so many words. */
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
