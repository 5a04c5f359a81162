/** Waits, aborts and one-time initialization. */
import type { Chance } from "./chance.ts";

/** The clock of long-running work. Tests inject a clock that they advance. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `run` once after `ms` milliseconds, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
  /** Begins work that belongs to the present time, until the returned function is called. A clock that tests advance waits for it. Absent: nothing waits. */
  hold?(): () => void;
  /** What is drawn at random and written into objects. Absent: by the machine. */
  readonly chance?: Chance;
}

/** The clock of a server. */
export interface ServerClock extends Clock {
  /** Milliseconds of a time that jumps of the wall clock do not change: for durations, ages and waits. */
  elapsed(): number;
}

/** Longest time that `setTimeout` accepts, in milliseconds: 24 days. */
const timerMsMax = 2 ** 31 - 1;

/** The clock of the system, with these timers. A wait that is longer than a timer can be has several, one after the other. */
export function clockOf(timer: Clock["after"]): ServerClock {
  return Object.freeze({
    now: () => Date.now(),
    elapsed: () => performance.now(),
    after: (ms: number, run: () => void) => ms > timerMsMax ? afterSteps(ms, run, timer) : timer(Math.max(0, ms), run),
  });
}

/** The clock and the timers of the system. */
export const systemClock: ServerClock = clockOf((ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
});

function afterSteps(ms: number, run: () => void, timer: Clock["after"]): () => void {
  const step = (left: number): () => void =>
    left > timerMsMax ? timer(timerMsMax, () => void (cancel = step(left - timerMsMax))) : timer(left, run);
  let cancel = step(ms);
  return () => cancel();
}

/** A clock for durations, ages and timeouts: jumps of the wall clock do not change it. It shows milliseconds since 1970 only until the first of them. */
export const elapsedClock: Clock = Object.freeze({ ...systemClock, now: () => performance.timeOrigin + performance.now() });

/**
 * Runs `run` after `ms` milliseconds in which other work of the present time may join it, unless the returned function is called before. A clock that tests
 * advance waits for it, so that it needs no advance.
 */
export function afterCollecting(ms: number, run: () => void, { hold }: Clock): () => void {
  const release = hold?.(),
    cancel = systemClock.after(release === undefined ? ms : 0, () => {
      release?.();
      run();
    });
  return () => {
    release?.();
    cancel();
  };
}

/** Resolves after `ms` milliseconds, or when the signal aborts. 0 waits for one turn of the event loop. Never rejects. */
export function pause(ms: number, signal: AbortSignal, clock: Clock = systemClock): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const over = (): void => {
      cancel();
      signal.removeEventListener("abort", over);
      resolve();
    };
    const cancel = clock.after(ms, over);
    signal.addEventListener("abort", over);
  });
}

/** Calls `run` in this interval until the signal aborts. Never rejects, if `run` does not throw. */
export async function every(ms: number, run: () => void, signal: AbortSignal, clock: Clock = systemClock): Promise<void> {
  for (await pause(ms, signal, clock); !signal.aborted; await pause(ms, signal, clock)) run();
}

/** Resolves when the signal aborts. Never rejects. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Returns the result of `promise`. Rejects with `signal.reason` on abort; a later result is ignored. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise.then((value) => {
      signal.removeEventListener("abort", abort);
      resolve(value);
    }, (error) => {
      signal.removeEventListener("abort", abort);
      reject(error);
    });
  });
}

/** Returns the result of `promise`. Rejects with `error` after `ms` milliseconds; a later result is ignored. The timer keeps the process alive. */
export function within<T>(promise: Promise<T>, ms: number, error: () => Error, clock: Pick<Clock, "after"> = systemClock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(error()));
    promise.then(resolve, reject).finally(cancel);
  });
}

/** Returns a function that calls `make` once and returns the same result, or promise, at every call. */
export function once<T>(make: () => T): () => T {
  const made: { value?: T } = {};
  return () => made.value ??= make();
}
