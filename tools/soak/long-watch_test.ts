// The check of a watch finds what it is there for.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../test/https.ts";
import { newTally } from "./client.ts";
import { startLongWatch } from "./long-watch.ts";

const item = (name: string, version: number) => ({ metadata: { name, resourceVersion: String(version) } });

/** A server with a list of `a` at 5, whose watches have these events; each ends after its events, the last never. */
async function follow(...watches: readonly (readonly (readonly [string, string, number])[])[]) {
  const encoder = new TextEncoder(), tally = newTally(), over = new AbortController(), queries: string[] = [];
  const started = Promise.withResolvers<void>();
  let next = 0;
  const client: Client = {
    ask: () =>
      Promise.resolve({
        ...{ status: 200, headers: {}, bytes: new Uint8Array(), json: () => ({}) },
        text: JSON.stringify({ metadata: { resourceVersion: "5" }, items: [item("a", 5)] }),
      }),
    stream(path) {
      queries.push(/resourceVersion=(\d+)/.exec(path)![1]!);
      const events = watches[next++];
      return Promise.resolve({
        ...{ status: 200, headers: {} },
        async *chunks() {
          for (const [type, name, version] of events ?? []) {
            yield encoder.encode(`${JSON.stringify({ type, object: item(name, version) })}\n`);
          }
          if (events !== undefined) return;
          started.resolve();
          await new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
        },
      }).then(({ chunks, ...head }) => ({ ...head, chunks: chunks() }));
    },
    close() {},
  };
  const watch = startLongWatch({ client, path: "/a", name: "w", tally, signal: over.signal, pauseMs: 1 });
  await started.promise;
  over.abort();
  await watch.done;
  return { faults: tally.faults, queries, known: Object.fromEntries(watch.known) };
}

test("startLongWatch() resumes after the last event or bookmark, and knows the objects", async () => {
  const { faults, queries, known } = await follow(
    [["ADDED", "b", 6], ["MODIFIED", "a", 8], ["BOOKMARK", "", 9], ["BOOKMARK", "", 9]],
    [["DELETED", "a", 10], ["ADDED", "a", 12]],
  );
  assert.deepEqual([faults, queries, known], [[], ["5", "9", "12"], { a: "12", b: "6" }]);
});

for (
  const [what, events, fault] of [
    ["a repeated event", [["ADDED", "b", 6], ["MODIFIED", "b", 6]], /MODIFIED b at 6 after 6/],
    ["an older event", [["ADDED", "b", 7], ["ADDED", "c", 6]], /ADDED c at 6 after 7/],
    ["an older bookmark", [["ADDED", "b", 7], ["BOOKMARK", "", 6]], /BOOKMARK {2}at 6 after 7/],
    ["an object that is added twice", [["ADDED", "a", 6]], /ADDED a, known at 5/],
    ["a change of an unknown object", [["MODIFIED", "b", 6]], /MODIFIED b, known at undefined/],
    ["a deletion of an unknown object", [["DELETED", "b", 6]], /DELETED b, known at undefined/],
  ] as const
) {
  test(`startLongWatch() reports ${what}`, async () => {
    const { faults } = await follow(events);
    assert.equal(faults.length, 1);
    assert.match(faults[0]!, fault);
  });
}
