/** A cluster without machines: a server with kube-controller-manager, kube-scheduler and kwok beside it, all of them other processes. */
import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { newestEtcd, startKubeApiserver } from "../../test/access/kube-apiserver.ts";
import { startEtcd } from "../../test/etcd.ts";
import { type Client, httpsClient } from "../../test/https.ts";
import { freePort } from "../../test/ports.ts";
import { programs } from "../../test/programs.ts";
import { type Program, startCommand } from "../../test/real-server.ts";
import type { Runtime } from "./children.ts";
import { startServer } from "./server.ts";

export interface Cluster {
  readonly name: string;
  /** Of the server. */
  readonly pid: number;
  /** A member of system:masters. */
  readonly admin: Client;
  /** A program beside the server that has ended, with its errors; undefined while all run. */
  failure(): string | undefined;
  /** Stops all processes. */
  stop(): Promise<void>;
}

/** The programs beside the server, which are on PATH. */
export const companions = Object.freeze(["kube-controller-manager", "kube-scheduler", "kwok"] as const);

/** Users of the companions; each has a token that is its name. */
const controllers = "system:kube-controller-manager", scheduler = "system:kube-scheduler", masters = "density";
export interface Places {
  /** For certificates, tokens and data; removed by the caller. */
  readonly folder: string;
  /** kwok's folder of stages. */
  readonly stages: string;
}

/** A run on a busy machine ends before. */
const lifeMsMax = 2 * 3_600_000;
const stopMsMax = 5_000;
/** Requests a second that each companion may send, and those at once: more than the servers answer. */
const requestsPerSecond = 1_000;

/** kwok has no defaults of these in its configuration file. */
const kwokConfiguration = `apiVersion: config.kwok.x-k8s.io/v1alpha1
kind: KwokConfiguration
options:
  enablePodsOnNodeSyncStreamWatch: true
  nodeLeaseParallelism: 4
  podPlayStageParallelism: 4
  nodePlayStageParallelism: 4
`;

interface Started {
  readonly pid: number;
  readonly port: number;
  readonly ca: string;
  readonly admin: string;
  stop(): Promise<void>;
}

/** The files of kwok's own stages that its folder `kustomize/stage` has: nodes and pods that are ready at once, and heartbeats by Lease. */
const stageFiles = [
  "node/fast/node-initialize.yaml",
  "node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
  ...["pod-ready", "pod-complete", "pod-delete"].map((name) => `pod/fast/${name}.yaml`),
];

/** Why a cluster cannot be started, or false. `stages`: kwok's folder of stages. */
export function companionsMissing(stages: string | undefined): string | false {
  const missing = companions.filter((name) => programs(name).length === 0);
  if (missing.length > 0) return `no ${missing.join(", no ")} on PATH`;
  if (stages === undefined) return "no folder of stages: name kustomize/stage of kwok's module with --stages";
  const absent = stageFiles.find((file) => !existsSync(join(stages, file)));
  return absent !== undefined && `no ${absent} in ${stages}`;
}

/** This server, with the flags of a kube-apiserver. `store`: etcd, each server with its own. */
export async function startOwnCluster(runtime: Runtime, store: "etcd" | "sqlite", places: Places): Promise<Cluster> {
  const { folder } = places, accounts = await accountsKey(folder), data = join(folder, "data");
  const program = await newestEtcd();
  const etcd = store === "etcd" ? await startEtcd(program === undefined ? {} : { program }) : undefined;
  await writeFile(join(folder, "tokens.csv"), `${masters},${masters},1,system:masters\n${userLine(controllers)}${userLine(scheduler)}`, {
    mode: 0o600,
  });
  const server = await startServer(runtime, [
    ...["--compat=kube-apiserver", "--controllers=-*", `--data-dir=${data}`, `--token-auth-file=${folder}/tokens.csv`],
    ...[`--service-account-signing-key-file=${accounts}`, `--service-account-key-file=${accounts}`],
    ...["--service-account-issuer=https://kubernetes.default.svc", "--authorization-mode=RBAC"],
    ...etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`],
  ]);
  const stop = async () => {
    await server.stop();
    await etcd?.stop();
  };
  const ca = await readFile(join(data, "pki", "ca.crt"), "utf8");
  return await withCompanions(`this on ${runtime}, ${store}`, { pid: server.pid, port: server.port, ca, admin: masters, stop }, places);
}

/** A kube-apiserver on PATH, with an etcd of its own. */
export async function startPeerCluster(places: Places): Promise<Cluster> {
  const accounts = await accountsKey(places.folder);
  const peer = await startKubeApiserver([controllers, scheduler], lifeMsMax, { accountsKey: accounts });
  const { pid, url, ca, close } = peer;
  return await withCompanions(
    "kube-apiserver, etcd",
    { pid, port: Number(new URL(url).port), ca: ca.cert, admin: "admin", stop: close },
    places,
  );
}

function userLine(user: string): string {
  return `${user},${user},${user}\n`;
}

async function accountsKey(folder: string): Promise<string> {
  const file = join(folder, "accounts.key");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(file, String(privateKey.export({ type: "pkcs8", format: "pem" })), { mode: 0o600 });
  return file;
}

async function withCompanions(name: string, server: Started, { folder, stages }: Places): Promise<Cluster> {
  const ca = join(folder, "ca.crt");
  await writeFile(ca, server.ca);
  const kubeconfig = async (user: string): Promise<string> => {
    const file = join(folder, `${user.replaceAll(":", "-")}.kubeconfig`);
    await writeFile(file, JSON.stringify(kubeconfigOf(server.port, ca, user)), { mode: 0o600 });
    return file;
  };
  await writeFile(join(folder, "kwok.yaml"), kwokConfiguration);
  const rate = [`--kube-api-qps=${requestsPerSecond}`, `--kube-api-burst=${requestsPerSecond}`];
  const lines: readonly (readonly [typeof companions[number], readonly string[]])[] = [
    ["kube-controller-manager", [
      ...[`--kubeconfig=${await kubeconfig(controllers)}`, "--use-service-account-credentials=true", ...rate],
      ...[`--service-account-private-key-file=${folder}/accounts.key`, `--root-ca-file=${ca}`, `--secure-port=${await freePort()}`],
      ...["--bind-address=127.0.0.1", `--cert-dir=${folder}/controllers`],
    ]],
    ["kube-scheduler", [
      ...[`--kubeconfig=${await kubeconfig(scheduler)}`, ...rate, `--secure-port=${await freePort()}`],
      ...["--bind-address=127.0.0.1", `--cert-dir=${folder}/scheduler`],
    ]],
    ["kwok", [
      ...[
        `--kubeconfig=${await kubeconfig(server.admin)}`,
        `--config=${[join(folder, "kwok.yaml"), ...stageFiles.map((file) => resolve(stages, file))].join(",")}`,
        "--manage-all-nodes=true",
      ],
      ...["--node-lease-duration-seconds=40", "--cidr=10.128.0.0/9"],
    ]],
  ];
  const started: Program[] = [];
  let failure: string | undefined;
  const admin = httpsClient({ port: server.port, ca: server.ca, token: server.admin });
  const stop = async (): Promise<void> => {
    admin.close();
    for (const each of started.toReversed()) await ended(each);
    await server.stop();
  };
  try {
    for (const [program, args] of lines) {
      const [path] = programs(program);
      if (path === undefined) throw new Error(`no ${program} on PATH`);
      const companion = await startCommand([path, ...args], { cwd: folder, lifeMs: lifeMsMax });
      started.push(companion);
      void companion.exited.then(() => failure ??= `${program} has ended: ${companion.errors().slice(-1000)}`);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, pid: server.pid, admin, failure: () => failure, stop };
}

function kubeconfigOf(port: number, ca: string, token: string): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "density", cluster: { server: `https://127.0.0.1:${port}`, "certificate-authority": ca } }],
    users: [{ name: "density", user: { token } }],
    contexts: [{ name: "density", context: { cluster: "density", user: "density" } }],
    "current-context": "density",
  };
}

async function ended(program: Program): Promise<void> {
  program.signal("SIGTERM");
  const limit = setTimeout(() => program.signal("SIGKILL"), stopMsMax);
  await program.exited;
  clearTimeout(limit);
}
