/** The measured server of definitions, and requests to it. */
import { performance } from "node:perf_hooks";
import { type Connection, openConnection } from "./connection.ts";
import type { Definition } from "./definition-models.ts";
import type { Measured } from "./measured.ts";
import { percentile } from "./percentile.ts";
import { memoryMiB } from "./process.ts";

export type Row = Omit<Measured, "goals">;

/** A server that is measured: this one, or a kube-apiserver. */
export interface Subject {
  /** Prefix of the names of rows. */
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
  /** Milliseconds without requests before memory is read. */
  readonly idleMs: number;
  /** Bytes of the heap after garbage collection; undefined if they cannot be read. */
  readonly heapBytes: (() => Promise<number>) | undefined;
}

/** Path of the definitions. */
export const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const mebibyte = 1024 * 1024;
/** Milliseconds between two reads of a path until its answer changes, and the maximum wait. */
const askEveryMs = 2, waitMsMax = 300_000;

export interface Memory {
  /** Mebibytes. */
  readonly rss: number;
  readonly heap?: number;
}

export async function memoryOf({ pid, idleMs, heapBytes }: Subject): Promise<Memory> {
  await pause(idleMs);
  const heap = await heapBytes?.();
  await pause(idleMs / 3);
  return { rss: memoryMiB(pid).now, ...(heap === undefined ? {} : { heap: heap / mebibyte }) };
}

export interface Client {
  get(path: string, accept?: string): Promise<{ readonly status: number; readonly bytes: number }>;
  text(path: string): Promise<string>;
  send(method: "POST" | "PUT" | "DELETE", path: string, body?: string): Promise<number>;
  close(): void;
}

export async function clientOf({ port, ca, token }: Subject): Promise<Client> {
  const connection: Connection = await openConnection({ port, ca });
  const head = (method: string, at: string, more: string) =>
    `${method} ${at} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;
  return {
    get: (at, accept = "application/json") => connection.request(head("GET", at, `Accept: ${accept}\r\n`)),
    async text(at) {
      const pieces: Buffer[] = [];
      await connection.request(head("GET", at, "Accept: application/json\r\n"), (piece) => pieces.push(Buffer.from(piece)));
      return Buffer.concat(pieces).toString();
    },
    async send(method, at, body = "") {
      const bytes = Buffer.from(body);
      const fields = `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n`;
      return (await connection.request(Buffer.concat([Buffer.from(head(method, at, fields)), bytes]))).status;
    },
    close: () => connection.close(),
  };
}

export async function create(client: Client, { name, body }: Definition): Promise<void> {
  const status = await client.send("POST", path, body);
  if (status !== 201) throw new Error(`The definition "${name}" was answered with ${status}`);
}

export async function remove(client: Client, name: string): Promise<void> {
  const status = await client.send("DELETE", `${path}/${name}`);
  if (status !== 200) throw new Error(`The deletion of "${name}" was answered with ${status}`);
}

export async function createObject(client: Client, { path, object }: Definition): Promise<void> {
  const status = await client.send("POST", path, object);
  if (status !== 201) throw new Error(`An object at ${path} was answered with ${status}`);
}

/** Resolves when a path is answered with this status. */
export function served(client: Client, at: string, status: number): Promise<void> {
  return until(async () => (await client.get(at)).status === status);
}

export async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + waitMsMax; !await isDone();) {
    if (performance.now() > end) throw new Error(`A definition was not served or gone after ${waitMsMax} ms`);
    await pause(askEveryMs);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export function median(values: readonly number[]): string {
  return percentile(values.toSorted((a, b) => a - b), 0.5).toFixed(1);
}

export function noRate(name: string): Row {
  return { name, requests: 0, failed: 0, perSecond: NaN, p50: NaN, p99: NaN, cpuMs: NaN, floor: undefined, peakMiB: 0 };
}
