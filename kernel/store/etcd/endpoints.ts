/** Whether the endpoints of etcd answer: reported once when one stops to, and once when it is back. */
import { guide } from "../../../core/guide.ts";
import { limits } from "../../../core/limits.ts";
import type { Clock } from "../../../core/async.ts";
import { isLate, isOfLearner, isUnavailable } from "./errors.ts";
import { GrpcError } from "./grpc/errors.ts";
import type { Troubles } from "../trouble.ts";

export interface Endpoints {
  /** A call to an endpoint begins; the function that is returned is called with what it failed by, or nothing, when it ends. */
  begin(endpoint: number): (error?: unknown) => void;
  close(): void;
}

interface State {
  /** Calls that wait for an answer, and since when nothing was answered. */
  underway: number;
  since: number;
  unreachable: boolean;
}

/** A timer that is later than this was held up by this process: nothing follows from an answer that has not come. */
const lateMs = 500, againMs = 100;

/**
 * An endpoint is unreachable when a connection cannot be made, when it says itself that it cannot answer (no leader), and when no call
 * was answered for `limits.etcdSilentMs`. A connection that breaks is no such failure by itself: the next call connects again.
 */
export function endpointsOf(addresses: readonly string[], troubles: Troubles, clock: Clock): Endpoints {
  const states = addresses.map((): State => ({ underway: 0, since: 0, unreachable: false }));
  let cancel: (() => void) | undefined;

  function failed(index: number, cause: string): void {
    const state = states[index], address = addresses[index];
    if (state === undefined || address === undefined || state.unreachable) return;
    state.unreachable = true;
    const kind = addresses.length === 1 ? "unreachable" : "member";
    const advice = guide("etcd-is-unreachable");
    troubles.begin({ kind, of: address, state: `etcd at ${address} unreachable`, over: `etcd at ${address} is back`, cause, advice });
    if (addresses.length === 1 || states.some((each) => !each.unreachable)) return;
    const all = `etcd at ${addresses.join(", ")}`;
    troubles.begin({
      kind: "unreachable",
      of: all,
      state: `${all} unreachable`,
      over: `${all} is back`,
      cause: "no member answers",
      advice,
    });
  }
  function answered(index: number): void {
    const state = states[index], address = addresses[index];
    if (state === undefined || address === undefined || !state.unreachable) return;
    state.unreachable = false;
    if (addresses.length > 1) troubles.end("unreachable", `etcd at ${addresses.join(", ")}`);
    troubles.end(addresses.length === 1 ? "unreachable" : "member", address);
  }

  function plan(ms: number): void {
    const due = clock.now() + ms;
    cancel = clock.after(ms, () => {
      cancel = undefined;
      const now = clock.now();
      if (now - due > lateMs) return plan(againMs);
      for (const [index, { underway, since }] of states.entries()) {
        if (underway > 0 && now - since >= limits.etcdSilentMs) failed(index, `no answer for ${Math.round((now - since) / 1000)} s`);
      }
      const waiting = states.filter(({ underway, unreachable }) => underway > 0 && !unreachable);
      if (waiting.length > 0) plan(Math.max(againMs, Math.min(...waiting.map(({ since }) => since + limits.etcdSilentMs - now))));
    });
  }

  return {
    begin(index) {
      const state = states[index];
      if (state === undefined) return () => {};
      if (state.underway++ === 0) state.since = clock.now();
      if (cancel === undefined && !state.unreachable) plan(limits.etcdSilentMs);
      return (error) => {
        state.underway--;
        const cause = error === undefined ? undefined : unreachableCause(error);
        if (cause !== undefined) return failed(index, cause);
        if (error !== undefined && !(error instanceof GrpcError && error.fromServer)) return;
        state.since = clock.now();
        answered(index);
      };
    },
    close() {
      cancel?.();
      cancel = undefined;
    },
  };
}

/** Why an endpoint is unreachable, or undefined where the error does not say so. */
function unreachableCause(error: unknown): string | undefined {
  if (!(error instanceof GrpcError) || isOfLearner(error)) return undefined;
  if (isLate(error) || (error.fromServer && isUnavailable(error))) return error.message;
  return error.connecting ? causeText(error.cause) : undefined;
}

/** In the words of whatever failed; of several addresses that were tried, those of the first. */
export function causeText(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return causeText(cause.errors[0]);
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return cause.message === "" ? code || cause.name : cause.message.includes(code) ? cause.message : `${cause.message} (${code})`;
}
