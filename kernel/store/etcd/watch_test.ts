import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection, WatchStream } from "./connection.ts";
import { putKey, status, type WatchRequest } from "./messages.ts";
import { progressKeeper, reportsProgress } from "./progress.ts";
import { followEtcd } from "./watch.ts";
import { manualClock } from "../testing/clock.ts";
import { text } from "../testing/helpers.ts";

/** What a watch over a member of one release says, and what is written beside it, where calls go to a member of another. */
async function asked({ watched, called }: { readonly watched: string; readonly called: string }): Promise<readonly string[]> {
  const said: string[] = [];
  const opened = Promise.withResolvers<void>();
  const stream: WatchStream = {
    endpoint: 0,
    reportsProgress: reportsProgress(watched),
    send(request: WatchRequest) {
      said.push(request === "progress" ? "progress" : `watch ${text(request.from)} to ${text(request.to)}`);
      opened.resolve();
    },
    cancel() {},
    async *[Symbol.asyncIterator]() {
      await new Promise(() => {});
      yield [];
    },
  };
  const connection = {
    call: (method: unknown, request: { readonly key?: Uint8Array }) => {
      if (method === putKey) said.push(`put ${text(request?.key)}`);
      return Promise.resolve(method === status ? { version: called, bytes: 0 } : {});
    },
    watch: () => Promise.resolve(stream),
    leave() {},
    close: () => Promise.resolve(),
  } as Connection; // its answers are those of the few methods that are called here
  const clock = manualClock(), progress = progressKeeper(clock), ending = new AbortController();
  const batches = followEtcd({ connection, progress, range: { prefix: "/a/" }, own: "", from: 5, signal: ending.signal });
  void batches.next();
  await opened.promise;
  progress.shown(7);
  clock.advance(400);
  while (said.length < 2) await new Promise((resolve) => setTimeout(resolve, 0));
  ending.abort();
  return said;
}

test("followEtcd() asks the member that it watches for progress, or writes, by the release of that member and no other's", async () => {
  // One that is asked and should not be tells of revisions before their events.
  assert.deepEqual(await asked({ watched: "3.5.12", called: "3.6.6" }), ["watch /a/ to /a0\0", "put /a0"]);
  assert.deepEqual(await asked({ watched: "3.6.6", called: "3.5.12" }), ["watch /a/ to /a0", "progress"]);
});
