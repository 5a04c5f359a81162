/**
 * A program: the leader of an election, which renews its Lease at an interval and measures each renewal. As client-go's, it updates the Lease that
 * the last answer showed, over one connection of HTTP/2. It is a process of its own, so that no other client delays it.
 */
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import process from "node:process";
import { answerLines } from "./children.ts";
import { openSession } from "./http2-session.ts";
import { mainThreadMs } from "./process.ts";

/** Where the election is, and how long it is measured. */
export interface Election {
  readonly port: number;
  /** Path of the PEM file. */
  readonly ca: string;
  readonly token: string;
  /** Path of an existing Lease. */
  readonly path: string;
  /** Milliseconds from one renewal to the next. A renewal that takes longer delays the next one. */
  readonly everyMs: number;
  readonly seconds: number;
  /** The process of a server whose main thread serves. */
  readonly pid?: number;
}

export interface Elected {
  /** Milliseconds of each renewal. */
  readonly latencies: readonly number[];
  /** Of each, the milliseconds in which the server's main thread or this one could have run and had no core. Empty without a process. */
  readonly coreless: readonly number[];
  readonly failed: number;
}

interface Lease {
  readonly metadata: { readonly resourceVersion: string };
  readonly spec?: object;
}

async function elect({ port, ca, token, path, everyMs, seconds, pid }: Election): Promise<Elected> {
  const session = await openSession({ port, ca: readFileSync(ca, "utf8") });
  const heads = { authorization: `Bearer ${token}`, accept: "application/json" };
  const send = async (method: string, body: string): Promise<{ readonly status: number; readonly lease: Lease | undefined }> => {
    const pieces: Buffer[] = [];
    const head = { ":method": method, ":path": path, ...heads, ...(body === "" ? {} : { "content-type": "application/json" }) };
    const { status } = await session.request(head, body, (piece) => pieces.push(piece));
    return { status, lease: status === 200 ? JSON.parse(Buffer.concat(pieces).toString()) as Lease : undefined }; // The server's.
  };
  let { lease } = await send("GET", ""), failed = 0;
  const waited = () => pid === undefined ? NaN : mainThreadMs(pid).waited + mainThreadMs(process.pid).waited;
  const latencies: number[] = [], coreless: number[] = [], start = performance.now(), end = start + seconds * 1000;
  for (let at = start; at < end && lease !== undefined; at = Math.max(at + everyMs, performance.now())) {
    await setTimeout(Math.max(at - performance.now(), 0));
    const renewed = { ...lease, spec: { ...lease.spec, holderIdentity: "bench", renewTime: microTime() } };
    const body = JSON.stringify(renewed), waitedBefore = waited(), before = performance.now();
    const answered = await send("PUT", body);
    latencies.push(performance.now() - before);
    if (pid !== undefined) coreless.push(waited() - waitedBefore);
    if (answered.lease === undefined) {
      failed++;
      ({ lease } = await send("GET", ""));
    } else lease = answered.lease;
  }
  session.close();
  return { latencies, coreless, failed: lease === undefined ? failed + 1 : failed };
}

/** The present time with microseconds. */
function microTime(): string {
  return new Date().toISOString().replace("Z", "000Z");
}

await answerLines(elect);
