/** Creates on servers with policies in force, compared with the same creates on a server without policies. */
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEtcd } from "../../test/etcd.ts";
import { clientRuntime, type Runtime, startChild } from "./children.ts";
import { openConnection } from "./connection.ts";
import type { Load, Loaded } from "./load.ts";
import type { Measured, StoreName } from "./measured.ts";
import { percentile } from "./percentile.ts";
import { cpuMs, memoryMiB } from "./process.ts";
import { startServer } from "./server.ts";

export interface Policies {
  readonly tag: "policies";
  /** `none`; `others`: many policies for another resource, each with a binding; `matching`: one policy of three rules for the resource. */
  readonly inForce: "none" | "others" | "matching";
  readonly count: number;
}
export interface PoliciesSetting {
  readonly store: StoreName;
  readonly runtime: Runtime;
  readonly seconds: number;
  readonly share: number;
}

const group = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "/api/v1/namespaces/default/configmaps";
const clients = 16;
/** The servers are measured alternately, so that other load on the machine affects all of them; twice in a smoke run. */
const roundsMax = 20;

export const threeRules = Object.freeze([
  { expression: "object.metadata.name.startsWith('new-')" },
  { expression: "has(object.data) && object.data.size() <= 16" },
  { expression: "!has(object.metadata.labels) || object.metadata.labels.all(key, key.size() <= 63)", message: "label keys are short" },
]);

export async function measurePolicies(
  scenarios: readonly { readonly name: string; readonly measure: Policies }[],
  { store, runtime, seconds, share }: PoliciesSetting,
): Promise<readonly Omit<Measured, "goals">[]> {
  const folder = await mkdtemp(join(tmpdir(), "thole-bench-"));
  const children: { stop(): Promise<void> }[] = [];
  try {
    const load = startChild(clientRuntime(), "load.ts");
    children.push(load);
    const servers: { readonly pid: number; readonly port: number; readonly ca: string }[] = [];
    for (const [index, { measure }] of scenarios.entries()) {
      const own = join(folder, String(index));
      await mkdir(own);
      await writeFile(join(own, "tokens.csv"), "bench,bench,1,system:masters\n", { mode: 0o600 });
      const etcd = store === "etcd" ? await startEtcd() : undefined;
      if (etcd !== undefined) children.push(etcd);
      const stored = etcd === undefined ? [] : [`--etcd-servers=${etcd.endpoint}`];
      const server = await startServer(runtime, [`--data-dir=${own}/data`, `--token-auth-file=${own}/tokens.csv`, ...stored]);
      children.push(server);
      const ca = join(own, "data", "pki", "ca.crt");
      await fill(server.port, readFileSync(ca, "utf8"), { ...measure, count: Math.ceil(measure.count * share) });
      servers.push({ pid: server.pid, port: server.port, ca });
    }
    const rounds = Math.max(2, Math.ceil(roundsMax * share));
    const sums = scenarios.map(() => ({ requests: 0, failed: 0, seconds: 0, p50: 0, p99: 0, cpu: [] as number[] }));
    for (let round = -2; round < rounds; round++) {
      for (const [index, { pid, port, ca }] of servers.entries()) {
        const before = cpuMs(pid), run = `r${round + 2}`;
        const loaded = await load.ask<Loaded>(
          {
            kind: "create",
            port,
            ca,
            token: "bench",
            path: configMaps,
            clients,
            objects: 0,
            seconds: seconds / rounds,
            run,
          } satisfies Load,
        );
        if (round < 0) continue; // Warm-up.
        const sum = sums[index]!;
        sum.cpu.push((cpuMs(pid) - before) / loaded.requests);
        for (const key of ["requests", "failed", "seconds"] as const) sum[key] += loaded[key];
        for (const key of ["p50", "p99"] as const) sum[key] += loaded[key] / rounds;
      }
    }
    return scenarios.map(({ name }, index) => {
      const { requests, failed, seconds, p50, p99, cpu } = sums[index]!, peakMiB = memoryMiB(servers[index]!.pid).peak;
      // The median round: other load on the machine makes some of them much dearer.
      const cpuMs = percentile(cpu.toSorted((a, b) => a - b), 0.5);
      return { name, requests, failed, perSecond: requests / seconds, p50, p99, cpuMs, floor: undefined, peakMiB };
    });
  } finally {
    for (const child of children.toReversed()) await child.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Creates the policies with their bindings, and waits until the status of the last one is written. */
async function fill(port: number, ca: string, { inForce, count }: Policies): Promise<void> {
  if (inForce === "none") return;
  const connection = await openConnection({ port, ca });
  const post = async (resource: string, object: object) => {
    const body = JSON.stringify(object);
    const { status } = await connection.request(
      `POST ${group}/${resource} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    if (status !== 201) throw new Error(`POST ${resource} was answered with ${status}`);
  };
  const resources = [inForce === "matching" ? "configmaps" : "secrets"];
  const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources };
  for (let at = 0; at < (inForce === "matching" ? 1 : count); at++) {
    const name = `policy-${at}`, spec = { matchConstraints: { resourceRules: [rule] }, validations: threeRules };
    await post("validatingadmissionpolicies", { metadata: { name }, spec });
    await post("validatingadmissionpolicybindings", { metadata: { name }, spec: { policyName: name, validationActions: ["Deny"] } });
  }
  connection.close();
}
