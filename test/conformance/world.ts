/** Shared by the conformance tests: a server in process with an HTTP client, and watches that are read on demand. */
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Ask, type Client, documents, httpsClient } from "../https.ts";
import { until } from "../real-server.ts";
import { serverArgs } from "../validation/tables.ts";

/** Members of objects are untyped; a wrong shape fails the test. */
export interface ControllerContext {
  readonly client: Client;
  /** The body of a response, which must have this status. */
  ask(status: number, path: string, ask?: Ask): Promise<any>;
  create(collection: string, object: object): Promise<any>;
  /** A JSON merge patch. */
  patch(path: string, change: object): Promise<any>;
  put(path: string, object: object): Promise<any>;
  /** Resolves when the object is deleted, after its finalizers. */
  remove(path: string): Promise<void>;
  gone(path: string): Promise<void>;
  /** The version from which a watch receives all later changes. */
  now(collection: string): Promise<string>;
  /** Watches a collection with a list's query. */
  watch(collection: string, query: Readonly<Record<string, string>>): Promise<Watch>;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: any;
}
export interface Watch {
  next(): Promise<WatchEvent>;
  /** The next `count` events. */
  take(count: number): Promise<readonly WatchEvent[]>;
  close(): void;
}

/** A server for the tests of this file, with every version of the kinds enabled. */
export function world(args: readonly string[] = []): ControllerContext {
  let server: TestServer | undefined, current: Client | undefined;
  const watches = new Set<Watch>();
  before(async () => {
    server = await startTestServer({ args: [...serverArgs, ...args] });
    current = httpsClient({ ...server, token: server.tokens.admin });
  });
  after(async () => {
    for (const each of watches) each.close();
    current?.close();
    await server?.close();
  });
  const client: Client = {
    ask: (...words) => current!.ask(...words),
    stream: (...words) => current!.stream(...words),
    close: () => current!.close(),
  };
  async function ask(status: number, path: string, more: Ask = {}): Promise<any> {
    const answer = await client.ask(path, more);
    assert.equal(answer.status, status, `${more.method ?? "GET"} ${path}: ${answer.text.slice(0, 1000)}`);
    return answer.json();
  }
  const gone: ControllerContext["gone"] = (path) =>
    until(async () => {
      const status = await ask(404, path);
      assert.equal(status.reason, "NotFound");
    });
  return {
    client,
    ask,
    gone,
    create: (collection, body) => ask(201, collection, { method: "POST", body }),
    patch: (path, body) => ask(200, path, { method: "PATCH", body, headers: { "content-type": "application/merge-patch+json" } }),
    put: (path, body) => ask(200, path, { method: "PUT", body }),
    async remove(path) {
      await ask(200, path, { method: "DELETE" });
      await gone(path);
    },
    now: async (collection) => (await ask(200, `${collection}?limit=1`)).metadata.resourceVersion,
    async watch(collection, query) {
      const ended = new AbortController();
      const { status, chunks } = await client.stream(`${collection}?${new URLSearchParams({ watch: "true", ...query })}`, {
        signal: ended.signal,
      });
      assert.equal(status, 200);
      const events = documents(chunks);
      const watch: Watch = {
        async next() {
          const { done, value } = await events.next();
          assert.ok(done !== true, `a watch of ${collection} ended`);
          return value;
        },
        async take(count) {
          const taken: WatchEvent[] = [];
          while (taken.length < count) taken.push(await watch.next());
          return taken;
        },
        close() {
          ended.abort();
          watches.delete(watch);
        },
      };
      watches.add(watch);
      return watch;
    },
  };
}

/** `ADDED one` for each event. */
export function told(events: readonly WatchEvent[]): readonly string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name}`);
}
