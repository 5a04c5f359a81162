/** Reads by users with rights from roles, compared with the same reads by a member of system:masters, on one server. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEtcd } from "../../test/etcd.ts";
import { clientRuntime, type Runtime, startChild } from "./children.ts";
import { openConnection } from "./connection.ts";
import type { Load, Loaded } from "./load.ts";
import type { Measured, StoreName } from "./measured.ts";
import { cpuMs, memoryMiB } from "./process.ts";
import { startServer } from "./server.ts";

export interface Authorization {
  readonly tag: "authorization";
  /**
   * `master`: roles are not evaluated. `others`: a user with one binding, beside those of other users. `own`: a member of a group in every
   * binding, each for another role, of which the last allows the request.
   */
  readonly user: "master" | "others" | "own";
  /** Number of bindings of other users, or of the group. */
  readonly bindings: number;
}
export interface AuthorizationSetting {
  readonly store: StoreName;
  readonly runtime: Runtime;
  readonly seconds: number;
  readonly share: number;
}

const group = "rbac.authorization.k8s.io", roles = `/apis/${group}/v1/namespaces/default`;
const configMaps = "/api/v1/namespaces/default/configmaps";
const clients = 16;
/** The users are measured alternately, so that other load on the machine affects all of them; twice in a smoke run. */
const roundsMax = 12;

export async function measureAuthorization(
  scenarios: readonly { readonly name: string; readonly measure: Authorization }[],
  { store, runtime, seconds, share }: AuthorizationSetting,
): Promise<readonly Omit<Measured, "goals">[]> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const etcd = store === "etcd" ? await startEtcd() : undefined;
  const children: { stop(): Promise<void> }[] = [];
  try {
    await writeFile(join(folder, "tokens.csv"), "master,master,1,system:masters\nothers,others,2\nown,own,3,team\n", { mode: 0o600 });
    const args = [`--data-dir=${folder}/data`, `--token-auth-file=${folder}/tokens.csv`];
    if (etcd !== undefined) args.push(`--etcd-servers=${etcd.endpoint}`);
    const server = await startServer(runtime, args);
    children.push(server);
    const ca = join(folder, "data", "pki", "ca.crt");
    const load = startChild(clientRuntime(), "load.ts");
    children.push(load);
    const bindings = Math.ceil(Math.max(...scenarios.map(({ measure }) => measure.bindings)) * share);
    await fill(server.port, readFileSync(ca, "utf8"), bindings);
    const ask = (token: string, length: number) =>
      load.ask<Loaded>(
        {
          kind: "get",
          port: server.port,
          ca,
          token,
          path: `${configMaps}/cm-00000`,
          clients,
          objects: 1,
          seconds: length,
          run: "a",
        } satisfies Load,
      );
    const rounds = Math.max(2, Math.ceil(roundsMax * share));
    const sums = scenarios.map(() => ({ requests: 0, failed: 0, seconds: 0, p50: 0, p99: 0, cpu: 0 }));
    for (let round = -1; round < rounds; round++) {
      for (const [index, { measure: { user } }] of scenarios.entries()) {
        const before = cpuMs(server.pid), loaded = await ask(user, seconds / rounds), sum = sums[index]!;
        if (round < 0) continue; // Warm-up.
        sum.cpu += cpuMs(server.pid) - before;
        for (const key of ["requests", "failed", "seconds"] as const) sum[key] += loaded[key];
        for (const key of ["p50", "p99"] as const) sum[key] += loaded[key] / rounds;
      }
    }
    const peakMiB = memoryMiB(server.pid).peak;
    return scenarios.map(({ name }, index) => {
      const { requests, failed, seconds, p50, p99, cpu } = sums[index]!;
      return { name, requests, failed, perSecond: requests / seconds, p50, p99, cpuMs: cpu / requests, floor: undefined, peakMiB };
    });
  } finally {
    for (const child of children.toReversed()) await child.stop();
    await etcd?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates roles, bindings and the ConfigMap of the reads. */
async function fill(port: number, ca: string, bindings: number): Promise<void> {
  const connection = await openConnection({ port, ca });
  const post = async (path: string, object: object) => {
    const body = JSON.stringify(object);
    const { status } = await connection.request(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer master\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    if (status !== 201) throw new Error(`POST ${path} was answered with ${status}`);
  };
  const role = (name: string, resource: string) =>
    post(`${roles}/roles`, { metadata: { name }, rules: [{ verbs: ["get", "list", "watch"], apiGroups: [""], resources: [resource] }] });
  const bind = (name: string, of: string, kind: "User" | "Group", subject: string) =>
    post(`${roles}/rolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: group, kind: "Role", name: of },
      subjects: [{ apiGroup: group, kind, name: subject }],
    });
  await post(configMaps, { metadata: { name: "cm-00000" }, data: { value: "x".repeat(1_000) } });
  await role("reader", "configmaps");
  for (let at = 0; at < bindings; at++) {
    await bind(`other-${at}`, "reader", "User", `user-${at}`);
    await role(`own-${at}`, at === bindings - 1 ? "configmaps" : "secrets");
    await bind(`own-${at}`, `own-${at}`, "Group", "team");
  }
  await bind("mine", "reader", "User", "others");
  connection.close();
}
