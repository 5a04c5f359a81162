/** A real kube-apiserver for tests: on loopback, over an etcd of its own. It ends with the process that started it. */
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { issue } from "../../server/listen/testing/clients.ts";
import type { KeyedCertificate } from "../../protocols/x509/certificate.ts";
import { etcdMissing, etcdRelease, etcds, type EtcdServer, startEtcd } from "../etcd.ts";
import { type Client, httpsClient } from "../https.ts";
import { freePort } from "../ports.ts";
import { programs } from "../programs.ts";
import { run, startCommand, until } from "../real-server.ts";

export interface KubeApiserver {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process to the first 200 of /readyz, in milliseconds. */
  readonly readyMs: number;
  /** Issuer of its serving certificate and of client certificates. */
  readonly ca: KeyedCertificate;
  /** A member of system:masters. */
  readonly admin: Client;
  /** A client of it with a bearer token; the token of a user of `users` is its name. */
  client(token: string): Client;
  readonly etcd: EtcdServer;
  close(): Promise<void>;
}

export interface KubeApiserverOptions {
  /** Further flags. */
  readonly flags?: readonly string[];
  /** The data folder of its etcd, which is not removed; default: a temporary one. */
  readonly etcdDataDir?: string;
  /** The key file of service accounts, for a controller manager beside; default: a key of its own, and pods need no accounts. */
  readonly accountsKey?: string;
}

/** The release that this server emulates; a newer program gets the flag to emulate it too. */
const emulated = { version: "1.35", minor: 35 };
/** Token of its administrator; not a secret. */
export const adminToken = "admin";
const readyMsMax = 120_000;

/** Why tests that need a kube-apiserver must be skipped, or false. */
export function kubeApiserverMissing(): string | false {
  return programs("kube-apiserver").length === 0 ? "no kube-apiserver on PATH" : etcdMissing();
}

/** The newest etcd of this machine: a kube-apiserver supports few old ones. */
export async function newestEtcd(): Promise<string | undefined> {
  const releases = await Promise.all(etcds().map(etcdRelease));
  return releases.toSorted((a, b) => b.minor - a.minor)[0]?.program;
}

/** Starts one with RBAC and these users besides the administrator. `lifeMs`: after this time it is killed. Rejects with its output if it does not become ready. */
export async function startKubeApiserver(
  users: readonly string[],
  lifeMs?: number,
  { flags: further = [], etcdDataDir, accountsKey }: KubeApiserverOptions = {},
): Promise<KubeApiserver> {
  const [program] = programs("kube-apiserver"), etcdProgram = await newestEtcd();
  if (program === undefined || etcdProgram === undefined) throw new Error(`Cannot start kube-apiserver: ${kubeApiserverMissing()}`);
  const etcd = await startEtcd({ program: etcdProgram, ...(etcdDataDir === undefined ? {} : { dataDir: etcdDataDir }) });
  const folder = await mkdtemp(join(tmpdir(), "thole-kube-apiserver-"));
  const port = await freePort(), url = `https://127.0.0.1:${port}`;
  const ca = issue({ usage: "ca", commonName: "cluster" });
  const flags = await flagsOf({ folder, port, etcd, ca, users, accountsKey, newer: await isNewer(program) });
  const start = performance.now();
  const server = await startCommand([program, ...flags, ...further], { cwd: folder, ...(lifeMs === undefined ? {} : { lifeMs }) });
  const clients: Client[] = [];
  const client = (token: string): Client => {
    const made = httpsClient({ port, ca: ca.cert, token });
    clients.push(made);
    return made;
  };
  const admin = client(adminToken);
  let exited = false, readyMs = NaN;
  server.exited.then(() => exited = true);
  const close = async (): Promise<void> => {
    for (const each of clients) each.close();
    // SIGTERM waits for open watches.
    server.signal("SIGKILL");
    await server.exited;
    await etcd.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(async () => {
      if (exited) return;
      const { status, text } = await admin.ask("/readyz");
      if (status !== 200) throw new Error(text);
    }, readyMsMax);
    if (exited) throw new Error("it ended");
    readyMs = performance.now() - start;
  } catch (error) {
    await close();
    throw new Error(`kube-apiserver did not get ready: ${error}: ${server.errors().slice(-2000)}`);
  }
  return { url, pid: server.pid, readyMs, ca, admin, client, etcd, close };
}

async function isNewer(program: string): Promise<boolean> {
  const { output } = await run(program, ["--version"]), released = minorOf(output);
  return (released ?? minorOf((await run(program, ["--help"])).output) ?? 0) > emulated.minor;
}

/** The minor release of a program: of its version, or, for a development build (`v0.0.0-master+abc`), the newest one that its help lists for the flag --emulated-version. */
export function minorOf(text: string): number | undefined {
  const found = /^Kubernetes v1\.(\d+)/.exec(text)?.[1] ?? /kube=1\.\d+\.\.1\.(\d+)/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

interface Place {
  readonly folder: string;
  readonly port: number;
  readonly etcd: EtcdServer;
  readonly ca: KeyedCertificate;
  readonly users: readonly string[];
  readonly accountsKey: string | undefined;
  readonly newer: boolean;
}
async function flagsOf({ folder, port, etcd, ca, users, accountsKey, newer }: Place): Promise<readonly string[]> {
  const proxies = issue({ usage: "ca", commonName: "front proxies" });
  const proxy = issue({ usage: "client", commonName: "front-proxy-client" }, proxies);
  const serving = issue({ usage: "server", commonName: "kube-apiserver", names: ["localhost", "127.0.0.1"] }, ca);
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const files: Readonly<Record<string, string>> = {
    "ca.crt": ca.cert,
    "server.crt": serving.cert,
    "server.key": serving.key,
    "proxy-ca.crt": proxies.cert,
    "proxy.crt": proxy.cert,
    "proxy.key": proxy.key,
    "accounts.key": String(privateKey.export({ type: "pkcs8", format: "pem" })),
    "tokens.csv": `${adminToken},admin,admin,system:masters\n${users.map((user) => `${user},${user},${user}\n`).join("")}`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  return [
    ...(newer ? [`--emulated-version=${emulated.version}`] : []),
    `--etcd-servers=${etcd.endpoint}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    "--tls-cert-file=server.crt",
    "--tls-private-key-file=server.key",
    "--client-ca-file=ca.crt",
    "--token-auth-file=tokens.csv",
    "--requestheader-client-ca-file=proxy-ca.crt",
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-uid-headers=X-Remote-Uid",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    "--proxy-client-cert-file=proxy.crt",
    "--proxy-client-key-file=proxy.key",
    `--service-account-key-file=${accountsKey ?? "accounts.key"}`,
    `--service-account-signing-key-file=${accountsKey ?? "accounts.key"}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--authorization-mode=RBAC",
    // Without a controller manager nothing creates the accounts.
    ...(accountsKey === undefined ? ["--disable-admission-plugins=ServiceAccount"] : []),
  ];
}
