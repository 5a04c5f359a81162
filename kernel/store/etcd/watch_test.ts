import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection, WatchStream } from "../../../protocols/etcd/connection.ts";
import { putKey, status, type WatchRequest } from "../../../protocols/etcd/messages.ts";
import { reportsProgress } from "../../../protocols/etcd/connection.ts";
import { ProgressKeeper } from "./progress.ts";
import { followEtcd } from "./watch.ts";
import { manualClock } from "../../../test/store/clock.ts";
import { text } from "../../../test/store/helpers.ts";

/** The requests and writes of a watch on a member of one release, while calls go to a member of another. */
async function requestsOf({ watched, called }: { readonly watched: string; readonly called: string }): Promise<readonly string[]> {
  const requests: string[] = [];
  const opened = Promise.withResolvers<void>();
  const stream: WatchStream = {
    endpoint: 0,
    reportsProgress: reportsProgress(watched),
    send(request: WatchRequest) {
      requests.push(request === "progress" ? "progress" : `watch ${text(request.from)} to ${text(request.to)}`);
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
      if (method === putKey) requests.push(`put ${text(request?.key)}`);
      return Promise.resolve(method === status ? { version: called, bytes: 0 } : {});
    },
    watch: () => Promise.resolve(stream),
    pieces: () => Promise.resolve(undefined),
    leave() {},
    close: () => Promise.resolve(),
  } as Connection; // its answers are those of the few methods that are called here
  const clock = manualClock(), progress = new ProgressKeeper(clock), ending = new AbortController();
  const batches = followEtcd({ connection, progress, range: { prefix: "/a/" }, own: "", from: 5, signal: ending.signal });
  void batches.next();
  await opened.promise;
  progress.shown(7);
  clock.advance(400);
  while (requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 0));
  ending.abort();
  return requests;
}

test("followEtcd() requests progress, or writes the beacon, by the release of the watched member", async () => {
  // An old member would answer a request with revisions before their events.
  assert.deepEqual(await requestsOf({ watched: "3.5.12", called: "3.6.6" }), ["watch /a/ to /a0\0", "put /a0"]);
  assert.deepEqual(await requestsOf({ watched: "3.6.6", called: "3.5.12" }), ["watch /a/ to /a0", "progress"]);
});
