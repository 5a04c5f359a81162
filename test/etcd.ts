/** A real etcd for tests, on loopback with its own folder. It ends with the process that started it. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { freePort } from "./ports.ts";
import { programs } from "./programs.ts";
import { signal } from "./real-server.ts";

export interface EtcdOptions {
  /** The program; default: the first etcd on PATH. */
  readonly program?: string;
  /** Not removed if given; default: a temporary folder that stop() removes. */
  readonly dataDir?: string;
  /** Number of members of the cluster; default: one. */
  readonly members?: number;
  /** Further flags of etcd; with "--cert-file" among them, clients speak TLS. */
  readonly flags?: readonly string[];
}

/** One etcd, or one member of a cluster. */
export interface EtcdServer {
  readonly endpoint: string;
  /** Process id of the current process. */
  readonly pid: number;
  /** Stops it with SIGTERM and removes its temporary folder. */
  stop(): Promise<void>;
  /** Kills it. */
  kill(): Promise<void>;
  /** Starts it again on its ports and data, after killing it if it runs. Resolves when it responds. `program`: another etcd from now on. */
  restart(program?: string): Promise<void>;
}

const readyMsMax = 60_000;
/** Time from SIGTERM to a kill: etcd waits for open streams. */
const endMsMax = 1_000;

/** All etcd programs of this machine. */
export function etcds(): readonly string[] {
  return programs("etcd");
}

export interface EtcdRelease {
  readonly program: string;
  readonly version: string;
  /** 3005 for 3.5. */
  readonly minor: number;
}

/** The release of a program. */
export async function etcdRelease(program: string): Promise<EtcdRelease> {
  const { stdout } = await promisify(execFile)(program, ["--version"]);
  const [, version = "", major, minor] = /^etcd Version: ((\d+)\.(\d+)\S*)/.exec(stdout) ?? [];
  return { program, version, minor: Number(major) * 1000 + Number(minor) };
}

/** The path of etcd, or undefined; scripts/ensure-etcd.sh can install it. */
export function etcdAvailable(): string | undefined {
  return etcds()[0];
}

/** The reason to skip tests that need etcd, or false. */
export function etcdMissing(): string | false {
  return etcdAvailable() === undefined && "no etcd on PATH (scripts/ensure-etcd.sh installs it)";
}

/** Starts one etcd. Rejects if there is none, or if it does not become ready. */
export async function startEtcd(options: Omit<EtcdOptions, "members"> = {}): Promise<EtcdServer> {
  const [server] = await startEtcds({ ...options, members: 1 });
  if (server === undefined) throw new Error("A cluster of one has one member");
  return server;
}

/** Starts a cluster; it responds when a majority runs. */
export async function startEtcds(options: EtcdOptions = {}): Promise<EtcdServer[]> {
  const path = options.program ?? etcdAvailable();
  if (path === undefined) throw new Error(`Cannot start etcd: ${etcdMissing()}`);
  const count = options.members ?? 1;
  const ports = await Promise.all(Array.from({ length: count * 2 }, freePort));
  const secure = options.flags?.some((flag) => flag.startsWith("--cert-file")) ?? false;
  const members = Array.from({ length: count }, (_, index) => ({
    name: `member-${index}`,
    client: `${secure ? "https" : "http"}://127.0.0.1:${ports[index * 2]}`,
    peer: `http://127.0.0.1:${ports[index * 2 + 1]}`,
  }));
  const cluster = members.map(({ name, peer }) => `${name}=${peer}`).join(",");
  const folder = options.dataDir ?? await mkdtemp(join(tmpdir(), "thole-etcd-"));
  const leave = options.dataDir === undefined ? () => rm(folder, { recursive: true, force: true }) : () => Promise.resolve();
  const servers = members.map((member) => {
    const flags = [...flagsOf(member, cluster, folder), ...(options.flags ?? [])];
    return memberOf(path, member.client, flags, join(folder, `${member.name}.log`), leave);
  });
  try {
    await Promise.all(servers.map((server) => server.restart()));
  } catch (error) {
    await Promise.all(servers.map((server) => server.stop()));
    throw error;
  }
  return servers;
}

/** Adds a member as a learner, without a vote. */
export async function startLearner(beside: EtcdServer): Promise<EtcdServer> {
  const path = etcdAvailable();
  if (path === undefined) throw new Error(`Cannot start etcd: ${etcdMissing()}`);
  const [client, peer] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
  const added = await etcdGateway(beside.endpoint, "cluster/member/add", { peerURLs: [peer], isLearner: true });
  const { members } = added as { members: readonly { readonly name?: string; readonly peerURLs: readonly string[] }[] }; // As documented.
  const name = "learner", cluster = members.map((each) => `${each.name ?? name}=${each.peerURLs[0]}`).join(",");
  const folder = await mkdtemp(join(tmpdir(), "thole-etcd-"));
  const flags = [...flagsOf({ name, client, peer }, cluster, folder), "--initial-cluster-state=existing"];
  const member = memberOf(path, client, flags, join(folder, `${name}.log`), () => rm(folder, { recursive: true, force: true }));
  await member.restart();
  return member;
}

/** Sends a request to etcd's JSON gateway, independent of the tested client. */
export async function etcdGateway(endpoint: string, call: string, body: object = {}): Promise<unknown> {
  const response = await fetch(`${endpoint}/v3/${call}`, { method: "POST", body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`etcd answers ${call} with ${response.status} ${text}`);
  return JSON.parse(text);
}

interface Named {
  readonly name: string;
  readonly client: string;
  readonly peer: string;
}
function flagsOf({ name, client, peer }: Named, cluster: string, folder: string): readonly string[] {
  return [
    ...["--name", name, "--data-dir", join(folder, name), "--initial-cluster", cluster, "--logger", "zap", "--log-level", "error"],
    ...["--listen-client-urls", client, "--advertise-client-urls", client],
    ...["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer],
  ];
}

/** A member that is not running: `restart` starts it with these flags. `leave` is called after its stop. */
export function memberOf(first: string, endpoint: string, flags: readonly string[], log: string, leave: () => Promise<void>): EtcdServer {
  let running: Awaited<ReturnType<typeof run>> | undefined;
  let path = first;

  async function end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const ending = running;
    running = undefined;
    await ending?.end(signal);
  }
  return {
    endpoint,
    get pid() {
      if (running === undefined) throw new Error("This etcd does not run");
      return running.pid;
    },
    stop: () => end("SIGTERM").then(leave),
    kill: () => end("SIGKILL"),
    async restart(program = path) {
      path = program;
      await end("SIGKILL");
      running = await run(path, flags, log);
      await ready(endpoint, running.exited).catch(async (error: unknown) => {
        throw new Error(`${error}: ${(await readFile(log, "utf8")).slice(-1000)}`);
      });
    },
  };
}

/** etcd runs under a shell that kills it when the shell's standard input ends: so it ends with this process in every case. */
async function run(path: string, flags: readonly string[], log: string) {
  const script = 'log=$1; shift; exec 3<&0; "$0" "$@" </dev/null >>"$log" 2>&1 & pid=$!; echo $pid; ' +
    "{ cat <&3; kill -9 $pid; } >/dev/null 2>&1 & wait $pid";
  const shell = spawn("sh", ["-c", script, path, log, ...flags], { stdio: ["pipe", "pipe", "ignore"] });
  const exited = once(shell, "exit");
  const pid = Number((await once(createInterface({ input: shell.stdout }), "line"))[0]);
  let ended = false;
  exited.then(() => {
    ended = true;
    shell.stdin.end();
  });
  return {
    pid,
    exited,
    async end(how: "SIGTERM" | "SIGKILL"): Promise<void> {
      if (!ended) signal(pid, how);
      const late = setTimeout(() => shell.stdin.end(), endMsMax);
      await exited;
      clearTimeout(late);
    },
  };
}

async function ready(endpoint: string, exited: Promise<unknown>): Promise<void> {
  let dead = false;
  exited.then(() => dead = true);
  const { port, hostname } = new URL(endpoint);
  for (const until = Date.now() + readyMsMax; Date.now() < until && !dead; await delay(20)) {
    if (endpoint.startsWith("https:") ? await listens(Number(port), hostname) : await healthy(endpoint)) return;
  }
  throw new Error(`The etcd at ${endpoint} ${dead ? "ended before it was" : `was not within ${readyMsMax} ms`} ready`);
}

async function healthy(endpoint: string): Promise<boolean> {
  try {
    const response = await fetch(`${endpoint}/health`, { signal: AbortSignal.timeout(1000) });
    const health: unknown = await response.json();
    return typeof health === "object" && health !== null && "health" in health && health.health === "true";
  } catch {
    return false;
  }
}

async function listens(port: number, host: string): Promise<boolean> {
  const { connect } = await import("node:net");
  const socket = connect(port, host);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
