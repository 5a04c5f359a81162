/** A program: clients that send requests in sequence for a given time, and measure them. */
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { type Connection, openConnection } from "./connection.ts";
import { answerLines } from "./children.ts";
import { configMap, textOf } from "./objects.ts";
import { percentile } from "./percentile.ts";

export type LoadKind = "get" | "create" | "update" | "patch" | "strategic" | "json patch" | "apply" | "seed";

export interface Load {
  readonly kind: LoadKind;
  readonly port: number;
  /** Path of the PEM file. */
  readonly ca: string;
  readonly token: string;
  /** Path of the requests. `#` is replaced by a number below `objects` in a get, by a new number in a create. */
  readonly path: string;
  readonly clients: number;
  readonly objects: number;
  /** Seconds after which it stops. */
  readonly seconds: number;
  /** Number of requests after which it stops, if given. */
  readonly count?: number;
  /** Bytes of data of each written object; default 1 kB. */
  readonly bytes?: number;
  /** Distinguishes the names of new objects from those of other runs. */
  readonly run: string;
}

export interface Loaded {
  readonly requests: number;
  readonly failed: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  readonly bytes: number;
}

async function load(what: Load): Promise<Loaded> {
  const ca = readFileSync(what.ca, "utf8");
  const connections = await Promise.all(Array.from({ length: what.clients }, () => openConnection({ port: what.port, ca })));
  const latencies: number[] = [];
  let failed = 0, bytes = 0, begun = 0;
  const wire = wires(what);
  const start = performance.now(), end = start + what.seconds * 1000;
  const client = async (connection: Connection) => {
    while (performance.now() < end && begun < (what.count ?? Infinity)) {
      const request = wire(begun++);
      const before = performance.now();
      const answered = await connection.request(request);
      latencies.push(performance.now() - before);
      bytes += answered.bytes;
      if (answered.status >= 300) failed++;
    }
  };
  await Promise.all(connections.map(client));
  const seconds = (performance.now() - start) / 1000;
  for (const connection of connections) connection.close();
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    failed,
    seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    longest: latencies.at(-1) ?? 0,
    bytes,
  };
}

const patchTypes = Object.freeze({
  patch: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  "json patch": "application/json-patch+json",
  apply: "application/apply-patch+yaml",
});
/** Managers that apply to the same objects, each with two fields of its own. */
const appliers = 3;

/** The bytes of the request with a number. */
function wires({ kind, path, token, objects, run, bytes }: Load): (number: number) => string {
  const heads = `Host: localhost\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n`;
  // A stride that is coprime to the usual counts visits all objects in a pseudo-random order.
  const some = (number: number) => `cm-${String(number * 7919 % objects).padStart(5, "0")}`;
  const withBody = (method: string, target: string, type: string, body: string) =>
    `${method} ${target} HTTP/1.1\r\n${heads}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const json = "application/json";
  // A third of the size of other writes, so that three managers add up to the same.
  const applied = textOf(Math.floor((bytes ?? 1000) / appliers));
  switch (kind) {
    case "get":
      return (number) => `GET ${path.replace("#", some(number))} HTTP/1.1\r\n${heads}\r\n`;
    case "seed":
      return (number) => withBody("POST", path, json, configMap(`cm-${String(number).padStart(5, "0")}`, number, bytes));
    case "create":
      return (number) => withBody("POST", path, json, configMap(`new-${run}-${number}`, number, bytes));
    case "update":
      // Different from the results of earlier runs: an update without changes is not written.
      return (number) => withBody("PUT", `${path}/${some(number)}`, json, configMap(some(number), `${number}-${run}`, bytes));
    case "patch":
    case "strategic":
      // The same text has the same meaning in both.
      return (number) => withBody("PATCH", `${path}/${some(number)}`, patchTypes[kind], `{"data":{"n":"${number}-${run}"}}`);
    case "json patch":
      return (number) =>
        withBody("PATCH", `${path}/${some(number)}`, patchTypes[kind], `[{"op":"replace","path":"/data/n","value":"${number}-${run}"}]`);
    case "apply":
      return (number) => {
        // All objects by one manager, then all by the next.
        const manager = Math.floor(number / objects) % appliers, name = some(number);
        const body =
          `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"m${manager}":"${number}-${run}","v${manager}":"${applied}"}}`;
        return withBody("PATCH", `${path}/${name}?fieldManager=applier-${manager}`, patchTypes[kind], body);
      };
  }
}

await answerLines(load);
