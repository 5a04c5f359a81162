/**
 * One of several servers does what only one may do. Which one stands in a Lease, kept by the rules of client-go's election, so
 * that the field's tools can read it:
 *
 *     looking ──> it has no holder, or has not changed for its duration ──> leading
 *        ^                                                                            │
 *        └─── not renewed within the deadline, or another holder: work ends ──┘
 *
 * Clocks of servers are never compared: a lease has run out once it has been seen unchanged for its whole duration.
 */
import { limits } from "../../core/limits.ts";
import { microTimeOf } from "../../core/scalars/time.ts";
import type { Api } from "../../core/api.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { StatusError } from "../../core/status-error.ts";
import { type Clock, pause } from "../../core/async.ts";

const groupVersion = "coordination.{domain}/v1", resource = "leases";
export interface Election {
  readonly api: Pick<Api, "get" | "create" | "update">;
  readonly namespace: string;
  readonly name: string;
  /** Of this server; no two may have the same. */
  readonly identity: string;
  /** How long others leave a lease alone that is not renewed; whole seconds. */
  readonly leaseMs: number;
  /** How long the leader tries to renew before it stops; less than `leaseMs`. */
  readonly renewDeadlineMs: number;
  /** How long it waits between two tries; `limits.electionRetryJitter` times that is less than the deadline. */
  readonly retryMs: number;
  readonly clock: Clock;
  /** Milliseconds since some beginning, whatever becomes of the clock. */
  readonly elapsed: () => number;
  readonly random: () => number;
  /** What the leader does, until the signal aborts; then it ends soon. */
  lead(signal: AbortSignal): Promise<void>;
  /** Told of each beginning and end of leading, each time that another leads, and of what keeps the lease from being read or written. */
  readonly notify: (news: "leading" | "stopped" | "resting" | { readonly failed: unknown }) => void;
}

interface Lease extends ApiObject {
  readonly spec: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string | null;
    readonly renewTime?: string | null;
    readonly leaseTransitions?: number;
  };
}

/** Leads whenever it holds the lease, until the signal aborts; then the work is ended first and the lease given back. */
export async function takeTurns(election: Election, signal: AbortSignal): Promise<void> {
  const { clock, retryMs, random } = election;
  const candidate = new Candidate(election);
  while (!signal.aborted) {
    const outcome = await within(candidate.attempt(), election.leaseMs, election, signal);
    if (outcome === "held") await leadWhileHeld(election, candidate, signal);
    else if (outcome === "elsewhere") election.notify("resting");
    await pause(retryMs * (1 + (limits.electionRetryJitter - 1) * random()), signal, clock);
  }
}

async function leadWhileHeld(election: Election, candidate: Candidate, signal: AbortSignal): Promise<void> {
  const { retryMs } = election;
  const lost = new AbortController();
  election.notify("leading");
  const work = election.lead(AbortSignal.any([signal, lost.signal]));
  try {
    await keep(election, candidate, signal);
  } finally {
    lost.abort();
    await work;
    election.notify("stopped");
  }
  if (signal.aborted) await within(candidate.release(), retryMs, election, never);
}

const never = new AbortController().signal;

/** What comes of it, or "late" where the time is over or the signal aborts first. */
async function within<T>(work: Promise<T>, ms: number, { clock }: Election, signal: AbortSignal): Promise<T | "late"> {
  const over = new AbortController();
  const late = pause(ms, AbortSignal.any([signal, over.signal]), clock).then(() => "late" as const);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

/** Renews until the signal aborts, the lease has another holder, or the deadline has passed since its last renewal. */
async function keep(election: Election, candidate: Candidate, signal: AbortSignal): Promise<void> {
  const { clock, elapsed, retryMs, renewDeadlineMs } = election;
  for (let renewed = elapsed();;) {
    await pause(retryMs, signal, clock);
    if (signal.aborted) return;
    const began = elapsed();
    // A store that does not answer must not keep us leading.
    const outcome = await within(candidate.attempt(), renewed + renewDeadlineMs - began, election, signal);
    if (outcome === "held") renewed = began;
    else if (outcome !== "failed" || elapsed() - renewed >= renewDeadlineMs) return;
  }
}

/** What one server knows of the lease. */
class Candidate {
  readonly #election: Election;
  /** What the lease said when it was last seen to change, and when that was. */
  #seen: { readonly text: string; readonly at: number } | undefined;

  constructor(election: Election) {
    this.#election = election;
  }

  /** Takes the lease where it may be taken, and renews it where it is held already. Never rejects. */
  async attempt(): Promise<"held" | "elsewhere" | "failed"> {
    const { api, namespace, identity, elapsed, notify } = this.#election;
    try {
      const found = await this.#read();
      if (found === undefined) {
        await api.create(groupVersion, resource, namespace, { metadata: { name: this.#election.name }, spec: this.#spec({}) });
        return "held";
      }
      const { spec } = found;
      const text = JSON.stringify(spec);
      if (this.#seen?.text !== text) this.#seen = { text, at: elapsed() };
      const holder = spec.holderIdentity ?? "";
      const holdsMs = (spec.leaseDurationSeconds ?? 0) * 1000;
      if (holder !== "" && holder !== identity && elapsed() < this.#seen.at + holdsMs) return "elsewhere";
      await this.#write(found, this.#spec(spec));
      return "held";
    } catch (error) {
      // Another was faster: that is what the election is for.
      if (!(error instanceof StatusError) || (error.reason !== "Conflict" && error.reason !== "AlreadyExists")) notify({ failed: error });
      return "failed";
    }
  }

  /** Lets another take the lease at once, where it is still ours. Never rejects. */
  async release(): Promise<void> {
    const { identity, notify } = this.#election;
    try {
      const found = await this.#read();
      if (found?.spec.holderIdentity !== identity) return;
      const now = this.#now();
      await this.#write(found, { ...found.spec, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now });
    } catch (error) {
      notify({ failed: error });
    }
  }

  /** What a lease says that said `before` until we took it. */
  #spec(before: Lease["spec"]): Lease["spec"] {
    const { identity, leaseMs } = this.#election;
    const now = this.#now();
    const { leaseTransitions, acquireTime = now } = before;
    const isOurs = before.holderIdentity === identity;
    return {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds: leaseMs / 1000,
      acquireTime: isOurs ? acquireTime : now,
      renewTime: now,
      leaseTransitions: leaseTransitions === undefined ? 0 : isOurs ? leaseTransitions : leaseTransitions + 1,
    };
  }

  async #read(): Promise<Lease | undefined> {
    const { api, namespace, name } = this.#election;
    try {
      return await api.get(groupVersion, resource, namespace, name) as Lease; // what the API answers under this path
    } catch (error) {
      if (error instanceof StatusError && error.reason === "NotFound") return undefined;
      throw error;
    }
  }

  async #write(found: Lease, spec: Lease["spec"]): Promise<void> {
    const { api, namespace, name } = this.#election;
    await api.update(groupVersion, resource, namespace, name, { ...found, spec });
  }

  #now(): string | null {
    const ms = this.#election.clock.now();
    return microTimeOf(Math.floor(ms / 1000), (ms % 1000) * 1_000_000);
  }
}
