/** Elects the holders of leases that have candidates (KEP-4355), and removes candidates that are not renewed. */
import { type Api, type Controller, type ControllerContext, runWorkQueue, StatusError } from "../../plugin.ts";
import { listed, pause } from "../../toolbox.ts";
import { electedSpec, electionStep, isAsked, isExpired } from "./election.ts";
import type { LeaseCandidate } from "./lease-candidate.ts";
import type { Lease } from "./lease.ts";
import { electionGate } from "./strategy.ts";

const leaseVersion = "coordination.{domain}/v1", candidateVersion = "coordination.{domain}/v1beta1";
/** Time after which an election goes on without a change, and time between two removals of old candidates, in milliseconds. */
const againMs = 5000, removalMs = 30 * 60_000;
/** Elections that run at the same time. */
const workers = 5;

export const leaderElection: Controller = {
  name: "coordinated-leader-election",
  isRequired: true,
  fieldManager: "kube-apiserver",
  gate: electionGate,
  needs: [
    { resource: "leases", groupVersions: [leaseVersion] },
    { resource: "leasecandidates", groupVersions: [candidateVersion] },
  ],
  run: (context, signal) => {
    const { api } = context;
    /** The leases that have candidates, by namespace and name. */
    const contested = new Set<string>();
    const work = async (key: string, queue: { addAfter(key: string, ms: number): void }) => {
      if (await elect(context, key, queue)) contested.add(key);
      else contested.delete(key);
    };
    return runWorkQueue({ context, signal, workers, work }, async (queue, until) => {
      const failed = new AbortController(), both = AbortSignal.any([until, failed.signal]);
      const watches = [
        follow(api, leaseVersion, "leases", both, ({ metadata: { namespace, name } }) => {
          // Kubelets renew leases all the time, and these have no candidates.
          if (contested.has(`${namespace}/${name}`)) queue.add(`${namespace}/${name}`);
        }),
        follow(api, candidateVersion, "leasecandidates", both, (object) => {
          const candidate = object as LeaseCandidate; // `as`: this is the type of the watched resource
          const lease = `${candidate.metadata.namespace}/${candidate.spec.leaseName}`;
          contested.add(lease);
          if (!isAsked(candidate)) queue.add(lease);
        }),
        removeOld(context, both),
      ];
      try {
        await Promise.all(watches);
      } finally {
        failed.abort();
        await Promise.allSettled(watches);
      }
    });
  },
};

async function follow(
  api: Api,
  groupVersion: string,
  resource: string,
  signal: AbortSignal,
  changed: (object: Lease | LeaseCandidate) => void,
): Promise<void> {
  // `as`: these are the types of the watched resources.
  for await (const { object } of api.watch(groupVersion, resource, "", {}, signal)) changed(object as Lease | LeaseCandidate);
}

/** Does the next step of the election of one lease. Resolves with whether it has candidates. */
async function elect({ api, clock }: ControllerContext, key: string, queue: { addAfter(key: string, ms: number): void }): Promise<boolean> {
  const slash = key.indexOf("/"), namespace = key.slice(0, slash), name = key.slice(slash + 1);
  const candidates: LeaseCandidate[] = [];
  for await (const object of listed(api, candidateVersion, "leasecandidates", namespace)) {
    const candidate = object as LeaseCandidate; // `as`: this is the type of the listed resource
    if (candidate.spec.leaseName === name) candidates.push(candidate);
  }
  if (candidates.length === 0) return false;
  // `as`: this is the type of the resource.
  const lease = await orNone(api.get(leaseVersion, "leases", namespace, name), "NotFound") as Lease | undefined;
  const now = clock.now(), step = electionStep(candidates, lease, now), time = new Date(now).toISOString().replace("Z", "000Z");
  if (step.tag === "ask") {
    for (const { metadata, spec } of step.candidates) {
      const { name = "" } = metadata, next = { metadata, spec: { ...spec, pingTime: time } };
      await orNone(api.update(candidateVersion, "leasecandidates", namespace, name, next), "NotFound", "Conflict");
    }
  }
  if (step.tag === "elect") {
    const spec = electedSpec(lease?.spec, step, time);
    const write: Promise<unknown> = spec === undefined
      ? Promise.resolve()
      : lease === undefined
      ? api.create(leaseVersion, "leases", namespace, { metadata: { name }, spec })
      : api.update(leaseVersion, "leases", namespace, name, { ...lease, spec });
    await orNone(write, "Conflict", "AlreadyExists", "NotFound");
  }
  if (step.tag !== "none") queue.addAfter(key, againMs);
  return true;
}

async function removeOld({ api, clock }: ControllerContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for await (const object of listed(api, candidateVersion, "leasecandidates", "")) {
      // `as`: this is the type of the listed resource
      const candidate = object as LeaseCandidate, { namespace = "", name = "", uid, resourceVersion } = candidate.metadata;
      if (!isExpired(candidate, clock.now())) continue;
      const only = { preconditions: { uid, resourceVersion } };
      await orNone(api.delete(candidateVersion, "leasecandidates", namespace, name, only), "NotFound", "Conflict");
    }
    await pause(removalMs, signal, clock);
  }
}

/** Resolves with undefined if the request fails with one of these reasons: another change is seen and handled. */
async function orNone<T>(request: Promise<T>, ...reasons: readonly string[]): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof StatusError && reasons.includes(error.reason)) return undefined;
    throw error;
  }
}
