/** Hostile requests, each sent to a separate server: the delay of another client meanwhile, and the server's memory. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { type Connection, type ConnectTo, openConnection } from "./connection.ts";
import { clientRuntime, type Runtime, startChild } from "./children.ts";
import { hostilePath } from "./hostile-bodies.ts";
import { openPeer } from "./hostile-peer.ts";
import type { HostileRequest } from "./hostile-request.ts";
import type { Load, Loaded } from "./load.ts";
import type { Measured } from "./measured.ts";
import { cpuMs, forgetPeak, mainThreadMs, memoryMiB } from "./process.ts";
import { startServer } from "./server.ts";

export interface Hostile {
  readonly tag: "hostile";
  readonly request: HostileRequest;
}

/** Concurrent bodies while memory is measured. */
const atOnce = 16;
const token = "bench";
const mebibyte = 1024 * 1024;
/** Duration of requests to /livez before and after the hostile requests. */
const quietSeconds = 0.3;

type Unjudged = Omit<Measured, "goals">;

export async function measureHostile(name: string, request: HostileRequest, runtime: Runtime, share: number): Promise<Unjudged> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const children: { stop(): Promise<void> }[] = [];
  try {
    await writeFile(join(folder, "tokens.csv"), `${token},bench,1,system:masters\n`, { mode: 0o600 });
    const args = [
      `--data-dir=${folder}/data`,
      `--token-auth-file=${folder}/tokens.csv`,
      // Also stores objects in CBOR, which is not the default.
      ...(request.type === "application/cbor" ? ["--feature-gates=CBORServingAndStorage=true"] : []),
      ...(request.flags ?? []).map((flag) => flag.replace("FOLDER", folder)),
    ];
    const turnsFile = join(folder, "turns");
    const peer = await request.listen?.(folder) ?? (request.peer && await openPeer(request.peer));
    if (peer !== undefined) children.push(peer);
    for (const [file, text] of Object.entries(request.files?.(folder, peer) ?? {})) await writeFile(join(folder, file), text);
    const server = await startServer(runtime, args, turnsFile);
    const longestTurn = () => turnOf(server.pid, turnsFile);
    children.push(server);
    const ca = join(folder, "data", "pki", "ca.crt"), certificate = await readFile(ca, "utf8");
    const connections = await Promise.all(Array.from({ length: atOnce }, () => lastingConnection({ port: server.port, ca: certificate })));
    const prepare = async () => {
      for (const before of request.before ?? []) {
        const made = await sendWhenServed(connections[0]!, before.path, before.body(share, peer));
        if (made >= 300) throw new Error(`An object before "${name}" was answered with ${made}`);
      }
    };
    const settled = request.settleSeconds ?? 0, session = request.sessionSeconds ?? 0;
    if (settled === 0) await prepare();
    const probe = startChild(clientRuntime(), "load.ts");
    children.push(probe);
    const load: Load = {
      kind: "get",
      port: server.port,
      ca,
      token,
      path: "/livez",
      clients: 1,
      objects: 1,
      seconds: quietSeconds,
      run: "",
    };
    await probe.ask<Loaded>(load); // Until its code, and the server's for it, is compiled.
    const quiet = await probe.ask<Loaded>(load);
    const body = request.body(share), path = hostilePath(request, share);
    const bearer = request.token?.(share) ?? token;
    const more = Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const one = () => send(connections[0]!, request.method, path, request.type, body, bearer, more);
    if (request.readyPath !== undefined) await untilReady(connections[0]!, request.readyPath);
    const memoryBefore = memoryMiB(server.pid).now, peerBefore = peer?.sent() ?? 0;
    forgetPeak(server.pid);
    const cpuBefore = cpuMs(server.pid), mainBefore = mainThreadMs(server.pid);
    await longestTurn(); // Resets the meter: the start has long turns.
    const alone = await beside(probe, load, async () => {
      if (settled > 0) await prepare();
      await one();
      await pause(settled + session);
    });
    const turnAlone = await longestTurn();
    const together = await beside(probe, load, async () => {
      const answers = await Promise.all(connections.map((each) => send(each, request.method, path, request.type, body, bearer, more)));
      await pause(session);
      return answers;
    });
    const turnTogether = await longestTurn();
    const cpu = cpuMs(server.pid) - cpuBefore, main = mainThreadMs(server.pid);
    const { peak } = memoryMiB(server.pid);
    for (const connection of connections) connection.close();
    const answered = ((peer?.sent() ?? 0) - peerBefore) / (atOnce + 1);
    const sentMiB = Math.max(body.length, path.length, bearer.length, answered) * atOnce / mebibyte;
    const stalls = [alone.waited, together.waited], turns = [turnAlone, turnTogether];
    const statuses = new Map<number, number>();
    for (const status of together.result) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return {
      name,
      requests: atOnce + 1,
      failed: alone.failed + together.failed,
      perSecond: atOnce / together.seconds,
      p50: alone.seconds * 1000,
      p99: together.seconds * 1000,
      cpuMs: cpu / (atOnce + 1),
      floor: undefined,
      peakMiB: peak,
      stallMs: Math.max(...stalls),
      turnCpuMs: Math.max(...turns),
      bodyTimes: (peak - memoryBefore) / sentMiB,
      note: `answered with ${[...statuses].map(([status, count]) => `${status} (${count})`).join(", ")}; /livez waited ${
        stalls.map((each) => each.toFixed(0)).join(" and ")
      } ms beside 1 and ${atOnce} (longest turn: ${turns.map((each) => each.toFixed(0)).join(" and ")} ms of CPU), ${
        quiet.longest.toFixed(0)
      } ms before; the serving thread ran ${(main.ran - mainBefore.ran).toFixed(0)} ms and waited ${
        (main.waited - mainBefore.waited).toFixed(0)
      } ms for a core; ${sentMiB.toFixed(1)} MiB sent, ${memoryBefore.toFixed(0)} MiB before, ${
        (peak - memoryBefore).toFixed(0)
      } MiB more at the peak`,
    };
  } finally {
    for (const child of children.toReversed()) await child.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The result of `run`, and the longest delay of /livez from before its start until after its end. */
export async function beside<T>(probe: ReturnType<typeof startChild>, load: Load, run: () => Promise<T>) {
  let over = false;
  let waited = 0, failed = 0;
  const probing = (async () => {
    while (!over) {
      const loaded = await probe.ask<Loaded>(load);
      waited = Math.max(waited, loaded.longest);
      failed += loaded.failed;
    }
  })();
  const begun = performance.now();
  const result = await run();
  const seconds = (performance.now() - begun) / 1000;
  over = true;
  await probing;
  return { result, seconds, waited, failed };
}

/** CPU time of the longest turn of the server's event loop since the last call, in milliseconds. */
export async function turnOf(pid: number, file: string): Promise<number> {
  await rm(file, { force: true });
  process.kill(pid, "SIGUSR2");
  for (const end = performance.now() + turnWaitMs; performance.now() < end;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text !== "") return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return NaN;
}
const turnWaitMs = 30_000;

/** A connection that is made again when the server has closed it. The status of a response that was cut off is 0. */
async function lastingConnection(to: ConnectTo): Promise<Connection> {
  let current = await openConnection(to), isSession = false;
  return {
    async request(wire) {
      try {
        if (isSession) {
          current.close();
          current = await openConnection(to);
        }
        const answered = await current.request(wire);
        isSession = answered.status === 101;
        return answered;
      } catch {
        current = await openConnection(to);
        return { status: 0, bytes: 0 };
      }
    },
    close: () => current.close(),
  };
}

async function pause(seconds: number): Promise<void> {
  if (seconds > 0) await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

/** Waits until a path has the status 200. */
async function untilReady(connection: Connection, path: string): Promise<void> {
  for (const end = performance.now() + servedMsMax; await send(connection, "GET", path, "application/json", "") !== 200;) {
    if (performance.now() > end) throw new Error("the server is not ready for a hostile request");
    await pause(0.1);
  }
}

/** The status of a create. A kind is served some time after its definition is created. */
async function sendWhenServed(connection: Connection, path: string, body: string): Promise<number> {
  for (const end = performance.now() + servedMsMax;;) {
    const status = await send(connection, "POST", path, "application/json", body);
    if (status !== 404 || performance.now() > end) return status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const servedMsMax = 10_000;

/** The status of the response. */
async function send(
  connection: Connection,
  method: string,
  path: string,
  type: string,
  body: Uint8Array | string,
  bearer = token,
  more = "",
): Promise<number> {
  const bytes = Buffer.from(body);
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${bearer}\r\nAccept: ${
    method === "GET" ? type : "application/json"
  }\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n${more}\r\n`;
  return (await connection.request(Buffer.concat([Buffer.from(head), bytes]))).status;
}
