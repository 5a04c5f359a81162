/** A program: reads a collection page by page, repeatedly while there is time. */
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { answerLines } from "./children.ts";
import { openConnection } from "./connection.ts";
import type { Loaded } from "./load.ts";
import { percentiles } from "./percentile.ts";

export interface Paging {
  readonly port: number;
  /** Path of the PEM file. */
  readonly ca: string;
  readonly token: string;
  /** Of the collection, without a query. */
  readonly path: string;
  readonly limit: number;
  /** Of labels; default: all objects. */
  readonly selector?: string;
  readonly seconds: number;
}

/** Maximum bytes of a continue token and everything before it. */
const headBytes = 4096;

async function pages({ port, ca, token, path, limit, selector, seconds }: Paging): Promise<Loaded> {
  const connection = await openConnection({ port, ca: readFileSync(ca, "utf8") });
  const latencies: number[] = [];
  let failed = 0, bytes = 0, next = "";
  const start = performance.now();
  while (performance.now() < start + seconds * 1000) {
    const before = performance.now();
    let head = "";
    const chosen = selector === undefined ? "" : `&labelSelector=${encodeURIComponent(selector)}`;
    const query = `limit=${limit}${chosen}${next === "" ? "" : `&continue=${encodeURIComponent(next)}`}`;
    const answered = await connection.request(
      `GET ${path}?${query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n\r\n`,
      (piece) => {
        if (head.length < headBytes) head += piece.toString("latin1", 0, headBytes);
      },
    );
    latencies.push(performance.now() - before);
    bytes += answered.bytes;
    if (answered.status !== 200) failed++;
    next = /^\{"kind":"\w+","apiVersion":"\w+","metadata":\{[^}]*"continue":"([^"]+)"/.exec(head)?.[1] ?? "";
  }
  connection.close();
  return {
    requests: latencies.length,
    failed,
    seconds: (performance.now() - start) / 1000,
    ...percentiles(latencies),
    longest: latencies.at(-1) ?? 0,
    bytes,
  };
}

await answerLines(pages);
