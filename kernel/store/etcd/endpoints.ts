/** Tracks whether etcd's endpoints answer. A fault is reported once when an endpoint stops answering, and ended once it answers. */
import { guide } from "../../../core/guide.ts";
import type { Clock } from "../../../core/async.ts";
import { unreachableCause } from "../../../protocols/etcd/errors.ts";
import type { EndpointObserver } from "../../../protocols/etcd/connection.ts";
import { GrpcError } from "../../../protocols/grpc/errors.ts";
import type { Faults } from "../fault.ts";
import { bound } from "../../../core/bound.ts";

/** Milliseconds without a response of an etcd endpoint after which it is reported as unreachable. */
export const etcdSilentMs = bound(1_800);
/**
 * A timer that is late by more milliseconds than this shows that this process was delayed. A missing answer of etcd then proves nothing.
 */
const etcdTimerLateMs = bound(500);
/** Milliseconds after which a missing answer of etcd is checked again, if this process was delayed. */
const etcdSilentCheckMs = bound(100);

interface State {
  /** The number of calls in progress, and the time since which none of them was answered. */
  underway: number;
  since: number;
  unreachable: boolean;
}

/**
 * An endpoint is unreachable if no connection can be made, if it reports that it cannot answer (no leader), or if no call was answered
 * for `etcdSilentMs`. A broken connection alone is not a failure: the next call connects again.
 */
export class Endpoints implements EndpointObserver {
  readonly #addresses: readonly string[];
  readonly #states: readonly State[];
  readonly #faults: Faults;
  readonly #clock: Clock;
  /** Cancels the planned check; undefined if none is planned. */
  #cancel: (() => void) | undefined;
  constructor(addresses: readonly string[], faults: Faults, clock: Clock) {
    this.#addresses = addresses;
    this.#states = addresses.map(() => ({ underway: 0, since: 0, unreachable: false }));
    this.#faults = faults;
    this.#clock = clock;
  }
  begin(index: number): (error?: unknown) => void {
    const state = this.#states[index];
    if (state === undefined) return () => {};
    if (state.underway++ === 0) state.since = this.#clock.now();
    if (this.#cancel === undefined && !state.unreachable) this.#plan(etcdSilentMs);
    return (error) => {
      state.underway--;
      const cause = error === undefined ? undefined : unreachableCause(error);
      if (cause !== undefined) return this.#failed(index, cause);
      if (error !== undefined && !(error instanceof GrpcError && error.fromServer)) return;
      state.since = this.#clock.now();
      this.#answered(index);
    };
  }
  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
  #failed(index: number, cause: string): void {
    const addresses = this.#addresses, state = this.#states[index], address = addresses[index];
    if (state === undefined || address === undefined || state.unreachable) return;
    state.unreachable = true;
    const kind = addresses.length === 1 ? "unreachable" : "member";
    this.#report(kind, `etcd at ${address}`, address, cause);
    if (addresses.length === 1 || this.#states.some((each) => !each.unreachable)) return;
    const all = `etcd at ${addresses.join(", ")}`;
    this.#report("unreachable", all, all, "no member answers");
  }
  #report(kind: "unreachable" | "member", name: string, of: string, cause: string): void {
    const advice = guide("etcd-is-unreachable");
    this.#faults.begin({ kind, of, state: `${name} unreachable`, over: `${name} is back`, cause, advice });
  }
  #answered(index: number): void {
    const addresses = this.#addresses, state = this.#states[index], address = addresses[index];
    if (state === undefined || address === undefined || !state.unreachable) return;
    state.unreachable = false;
    if (addresses.length > 1) this.#faults.end("unreachable", `etcd at ${addresses.join(", ")}`);
    this.#faults.end(addresses.length === 1 ? "unreachable" : "member", address);
  }
  #plan(ms: number): void {
    const due = this.#clock.now() + ms;
    this.#cancel = this.#clock.after(ms, () => {
      this.#cancel = undefined;
      const now = this.#clock.now();
      if (now - due > etcdTimerLateMs) return this.#plan(etcdSilentCheckMs);
      for (const [index, { underway, since }] of this.#states.entries()) {
        if (underway > 0 && now - since >= etcdSilentMs) this.#failed(index, `no answer for ${Math.round((now - since) / 1000)} s`);
      }
      const waiting = this.#states.filter(({ underway, unreachable }) => underway > 0 && !unreachable);
      if (waiting.length === 0) return;
      this.#plan(Math.max(etcdSilentCheckMs, Math.min(...waiting.map(({ since }) => since + etcdSilentMs - now))));
    });
  }
}
