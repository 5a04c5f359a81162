/**
 * Leader election with a Lease, by the rules of client-go's election, so that existing tools can read it:
 *
 *     looking ──> no holder, or unchanged for its duration ──> leading
 *        ^                                                        │
 *        └─── not renewed within the deadline, or another holder ─┘
 *
 * Clocks of servers are never compared: a lease has expired when it was observed unchanged for its whole duration.
 */
import { microTimeOf } from "../../core/scalars/time.ts";
import type { Api } from "../../core/api.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { StatusError } from "../../core/status-error.ts";
import { type Clock, pause } from "../../core/async.ts";
import { valueText } from "../../core/value-text.ts";
import { electionRetryJitter } from "../config/bounds.ts";

const groupVersion = "coordination.{domain}/v1", resource = "leases";
export interface Election {
  readonly api: Pick<Api, "get" | "create" | "update">;
  readonly namespace: string;
  readonly name: string;
  /** Identity of this server; unique among the servers. */
  readonly identity: string;
  /** Milliseconds after which others may take an unrenewed lease; whole seconds. */
  readonly leaseMs: number;
  /** Milliseconds without a renewal after which the leader stops; less than `leaseMs`. */
  readonly renewDeadlineMs: number;
  /** Milliseconds between two attempts; `electionRetryJitter` times this is less than the deadline. */
  readonly retryMs: number;
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  readonly random: () => number;
  /** The work of the leader. It must end soon after the signal aborts. */
  lead(signal: AbortSignal): Promise<void>;
  /** Called at each start and end of leading, at each change of the leader, and for errors in reading or writing the lease. */
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

/** Leads while it holds the lease, until the signal aborts; then ends the work first and releases the lease. */
export async function takeTurns(election: Election, signal: AbortSignal): Promise<void> {
  const { clock, retryMs, random } = election;
  const candidate = new Candidate(election);
  while (!signal.aborted) {
    const attempt = candidate.attempt();
    const outcome = await within(attempt, election.leaseMs, election, signal);
    // An attempt in flight may still take the lease, and the next server would wait until it expires.
    if (signal.aborted && outcome === "late") await within(attempt.then(() => candidate.release()), retryMs, election, never);
    if (outcome === "held") await leadWhileHeld(election, candidate, signal);
    else if (outcome === "elsewhere") election.notify("resting");
    await pause(retryMs * (1 + (electionRetryJitter - 1) * random()), signal, clock);
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

/** The result of `work`, or "late" if the time is over or the signal aborts first. */
async function within<T>(work: Promise<T>, ms: number, { clock }: Election, signal: AbortSignal): Promise<T | "late"> {
  const over = new AbortController();
  const late = pause(ms, AbortSignal.any([signal, over.signal]), clock).then(() => "late" as const);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

/** Renews until the signal aborts, the lease has another holder, or the deadline after the last renewal has passed. */
async function keep(election: Election, candidate: Candidate, signal: AbortSignal): Promise<void> {
  const { clock, elapsed, retryMs, renewDeadlineMs } = election;
  for (let renewed = elapsed();;) {
    await pause(retryMs, signal, clock);
    if (signal.aborted) return;
    const began = elapsed();
    // If the store does not respond, this server must still stop leading.
    const outcome = await within(candidate.attempt(), renewed + renewDeadlineMs - began, election, signal);
    if (outcome === "held") renewed = began;
    else if (outcome !== "failed" || elapsed() - renewed >= renewDeadlineMs) return;
  }
}

/** One server's view of the lease. */
class Candidate {
  readonly #election: Election;
  /** The content of the lease at its last observed change, and the time of that. */
  #seen: { readonly text: string; readonly at: number } | undefined;

  constructor(election: Election) {
    this.#election = election;
  }

  /** Takes the lease if permitted, or renews it if held. Never rejects. */
  async attempt(): Promise<"held" | "elsewhere" | "failed"> {
    const { api, namespace, identity, elapsed, notify } = this.#election;
    try {
      const found = await this.#read();
      if (found === undefined) {
        await api.create(groupVersion, resource, namespace, { metadata: { name: this.#election.name }, spec: this.#spec({}) });
        return "held";
      }
      const { spec } = found;
      const text = valueText(spec);
      if (this.#seen?.text !== text) this.#seen = { text, at: elapsed() };
      const holder = spec.holderIdentity ?? "";
      const holdsMs = (spec.leaseDurationSeconds ?? 0) * 1000;
      if (holder !== "" && holder !== identity && elapsed() < this.#seen.at + holdsMs) return "elsewhere";
      await this.#write(found, this.#spec(spec));
      return "held";
    } catch (error) {
      // Another server was faster, which is expected.
      if (!(error instanceof StatusError) || (error.reason !== "Conflict" && error.reason !== "AlreadyExists")) notify({ failed: error });
      return "failed";
    }
  }

  /** Releases the lease if this server still holds it, so that another can take it at once. Never rejects. */
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

  /** The new content of the lease after `before`. */
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
      return await api.get(groupVersion, resource, namespace, name) as Lease; // The API returns a lease at this path.
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
