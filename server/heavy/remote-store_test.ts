import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobMessage } from "./messages.ts";
import { RemoteStore } from "./remote-store.ts";

test("commit() sends every field of the change and resolves with the result", async () => {
  const posted: JobMessage[] = [];
  const store = new RemoteStore((message) => void posted.push(message), new AbortController().signal, () => undefined);
  const value = Uint8Array.of(1);
  const first = store.commit({ key: "/k", expect: 6, value, ttlSeconds: 5, frees: true });
  const second = store.commit({ key: "/k", expect: 7, value: undefined });
  store.answered(1, { ok: true, value: { done: true, revision: 7 } });
  store.answered(2, { ok: true, value: { done: true, revision: 8 } });
  assert.deepEqual([await first, await second], [{ done: true, revision: 7 }, { done: true, revision: 8 }]);
  const question = { op: "commit", key: "/k", attributes: undefined };
  assert.deepEqual(posted, [
    { tag: "question", id: 1, question: { ...question, expect: 6, value, ttlSeconds: 5, frees: true } },
    { tag: "question", id: 2, question: { ...question, expect: 7, value: undefined, ttlSeconds: undefined, frees: false } },
  ]);
});
