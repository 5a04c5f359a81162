/**
 * A program: the minimum cost of the same work. A bare node:http2 server for reads and watches, the bare store for writes; and an HTTPS
 * server that parses the body, puts it and responds.
 */
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import { openSqlite } from "../../kernel/store/sqlite/sqlite.ts";
import { answerLines } from "./children.ts";
import { configMap, putsPath } from "./objects.ts";
import { percentiles } from "./percentile.ts";

export type FloorStep =
  | { readonly step: "listen"; readonly cert: string; readonly key: string }
  /** The response of a path: the bytes of a file. */
  | { readonly step: "serve"; readonly path: string; readonly file: string }
  | { readonly step: "open"; readonly etcd?: string; readonly file?: string }
  | { readonly step: "put"; readonly writers: number; readonly objects: number; readonly seconds: number; readonly again: boolean };

function program(): (step: FloorStep) => Promise<object> {
  const bodies = new Map<string, Buffer>();
  const watches = new Set<ServerResponse>();
  let store: Awaited<ReturnType<typeof openSqlite>> | undefined;
  const write = writer(() => store!);
  return async (step) => {
    switch (step.step) {
      case "listen":
        return await listen(step.cert, step.key, bodies, watches, write);
      case "serve":
        bodies.set(step.path, readFileSync(step.file));
        return {};
      case "open":
        store = step.etcd === undefined ? await openSqlite(step.file ?? ":memory:") : await openEtcd({ endpoints: [step.etcd] });
        return {};
      case "put":
        return await puts(store!, step);
    }
  };
}

/** Maximum queued bytes of one watch. */
const backlogBytesMax = 16 * 1024 * 1024;

type BareStore = Awaited<ReturnType<typeof openSqlite>>;
type Write = (path: string, body: Buffer) => Promise<void>;

/** Puts without a precondition. */
function writer(store: () => BareStore): Write {
  const revisions = new Map<string, number>();
  return async (path, body) => {
    const { metadata } = JSON.parse(body.toString()) as { metadata?: { name?: string } }; // A body of load.ts.
    const key = metadata?.name === undefined || path.endsWith(metadata.name) ? path : `${path}/${metadata.name}`;
    for (;;) {
      const commit = await store().commit({ key, expect: revisions.get(key) ?? "absent", value: body });
      const revision = commit.done ? commit.revision : commit.current?.revision;
      if (revision === undefined) revisions.delete(key);
      else revisions.set(key, revision);
      if (commit.done) return;
    }
  };
}

/** Whether bytes are in gzip, by their first two. */
function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

function listen(
  cert: string,
  key: string,
  bodies: ReadonlyMap<string, Buffer>,
  watches: Set<ServerResponse>,
  write: Write,
): Promise<{ port: number }> {
  const server = createSecureServer({ allowHTTP1: true, cert: readFileSync(cert), key: readFileSync(key) });
  server.on("request", (request: Http2ServerRequest, answer: Http2ServerResponse) => {
    const response = answer as unknown as ServerResponse; // Both have the methods that are used here.
    const url = request.url;
    if (url.includes("watch=true")) {
      response.writeHead(200, { "content-type": "application/json" });
      response.flushHeaders();
      watches.add(response);
      response.on("close", () => watches.delete(response));
      return;
    }
    if (request.method !== "GET") {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        if (url.startsWith(putsPath)) {
          const body = Buffer.concat(parts);
          write(url, body).then(() => {
            response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
          }, () => response.writeHead(500).end());
          return;
        }
        // An event of the same size as ours: the object between two short texts.
        const event = Buffer.concat([Buffer.from('{"type":"MODIFIED","object":'), ...parts, Buffer.from("}\n")]);
        // It has no backpressure, so it closes watches that do not keep up.
        for (const watch of watches) {
          if (watch.writableLength > backlogBytesMax) watch.destroy();
          else watch.write(event);
        }
        response.writeHead(200, { "content-length": 2 }).end("{}");
      });
      return;
    }
    const body = bodies.get(url) ?? Buffer.from("{}");
    const head = { "content-type": "application/json", "cache-control": "no-cache, private", "content-length": body.length };
    response.writeHead(200, isGzip(body) ? { ...head, "content-encoding": "gzip" } : head);
    response.end(body);
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const at = server.address();
      resolve({ port: typeof at === "object" && at !== null ? at.port : 0 });
    })
  );
}

async function puts(store: Awaited<ReturnType<typeof openSqlite>>, step: FloorStep & { step: "put" }): Promise<object> {
  const value = new TextEncoder().encode(configMap("floor", 0));
  const latencies: number[] = [];
  const start = performance.now(), end = start + step.seconds * 1000;
  let begun = 0;
  await Promise.all(Array.from({ length: step.writers }, async (_, writer) => {
    let revision: number | "absent" = "absent";
    while (performance.now() < end) {
      const key = step.again ? `/floor/${writer}` : `/floor/${start}/${begun++}`;
      const before = performance.now();
      const commit = await store.commit({ key, expect: step.again ? revision : "absent", value });
      latencies.push(performance.now() - before);
      if (commit.done) revision = commit.revision;
      else if (step.again && commit.current !== undefined) revision = commit.current.revision;
    }
  }));
  const seconds = (performance.now() - start) / 1000;
  return { requests: latencies.length, failed: 0, seconds, ...percentiles(latencies), bytes: 0 };
}

await answerLines(program());
