/** Faults of the servers of a run and of their etcd. */
import process from "node:process";
import { openEtcd } from "../../kernel/store/etcd/etcd.ts";
import type { EtcdServer } from "../etcd.ts";
import { pause } from "./actors.ts";
import type { Host } from "./host.ts";

export interface Fault {
  readonly name: string;
  run(): Promise<unknown>;
}

/** Duration of a stop: longer than an election of etcd. */
const stillMs = 2_000;
const silentMs = 1_000;
/** Longer than a server takes to find that a line is dead: its keepalive of 30 s, and 10 s for the answer. */
const deadMs = 45_000;

/** The faults of a run, in order. */
export function faultsOf(hosts: readonly Host[], members: readonly EtcdServer[], random: () => number): readonly Fault[] {
  const host = () => some(hosts, random), member = () => some(members, random);
  const always: readonly Fault[] = [
    { name: "a server is killed", run: () => host().crash() },
    { name: "clients lose their server", run: () => host().loseClients(silentMs) },
    { name: "a server stands still", run: () => host().freeze(silentMs) },
  ];
  if (members.length === 0) return always;
  const [first, ...rest] = always;
  const withStore: readonly Fault[] = [
    first!,
    { name: "etcd is killed", run: () => member().restart() },
    { name: "history is compacted", run: () => compact(members) },
    { name: "a server loses its store", run: () => host().loseStore(silentMs) },
    { name: "etcd stands still", run: () => freeze(member()) },
    { name: "etcd is defragmented", run: () => gateway(member(), "defragment", {}) },
    ...rest,
  ];
  if (members.length === 1) return withStore;
  return shuffled([
    ...withStore,
    { name: "the leader is killed", run: async () => (await leaderOf(members)).restart() },
    { name: "the leader stands still", run: async () => freeze(await leaderOf(members)) },
    { name: "the leader hands over", run: () => moveLeader(members, random) },
  ], random);
}

/** The faults of a server with several workers, and first those of one worker. */
export function faultsOfWorkers(hosts: readonly Host[], members: readonly EtcdServer[], random: () => number): readonly Fault[] {
  const host = () => some(hosts, random);
  const kill = { name: "a worker is killed", run: () => Promise.resolve(host().killWorker(random)) };
  return [
    kill,
    { name: "a worker stands still", run: () => host().freezeWorker(silentMs, random) },
    kill,
    { name: "the elected worker is killed", run: () => Promise.resolve(host().killElected()) },
    { name: "the server reads its configuration again", run: () => Promise.resolve(host().reload()) },
    { name: "a worker dies three times in succession", run: () => host().killStarting(2, random) },
    { name: "the server ends while a worker is replaced", run: () => host().endWhileReplacing(random) },
    ...faultsOf(hosts, members, random),
  ];
}

/** The store connections of one server after the other become silent, while the others continue. */
export function silences(hosts: readonly Host[]): readonly Fault[] {
  return hosts.map((host) => ({
    name: "a server's connections to its store are silent, without a notification",
    run: () => host.silenceStore(deadMs),
  }));
}

/** Compacts all but the latest revision, while watches are open. */
async function compact(members: readonly EtcdServer[]): Promise<void> {
  const store = await openEtcd({ endpoints: members.map(({ endpoint }) => endpoint) });
  try {
    const { revision } = await store.get("/registry");
    await store.compact(Math.max(1, revision - 5));
  } finally {
    await store.close();
  }
}

async function freeze({ pid }: EtcdServer): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await pause(stillMs);
  process.kill(pid, "SIGCONT");
}

async function moveLeader(members: readonly EtcdServer[], random: () => number): Promise<void> {
  const leader = await leaderOf(members);
  const others = members.filter((member) => member !== leader);
  const target = await statusOf(some(others, random));
  // The result, and the next leader, do not matter.
  await gateway(leader, "transfer-leadership", { targetID: target.header.member_id }).catch(() => {});
}

interface MemberStatus {
  readonly header: { readonly member_id: string };
  readonly leader?: string;
}
async function leaderOf(members: readonly EtcdServer[]): Promise<EtcdServer> {
  for (let attempt = 0; attempt < 50; attempt++) {
    for (const member of members) {
      const status = await statusOf(member).catch(() => undefined);
      if (status !== undefined && status.leader === status.header.member_id) return member;
    }
    await pause(100);
  }
  throw new Error("etcd found no leader");
}
function statusOf(member: EtcdServer): Promise<MemberStatus> {
  return gateway(member, "status", {}) as Promise<MemberStatus>; // The documented response of etcd.
}
async function gateway({ endpoint }: EtcdServer, call: string, body: object): Promise<unknown> {
  const signal = AbortSignal.timeout(2_000);
  return await (await fetch(`${endpoint}/v3/maintenance/${call}`, { method: "POST", body: JSON.stringify(body), signal })).json();
}

function some<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)]!;
}
function shuffled<T>(list: readonly T[], random: () => number): readonly T[] {
  return list.map((each) => ({ each, at: random() })).toSorted((a, b) => a.at - b.at).map(({ each }) => each);
}
