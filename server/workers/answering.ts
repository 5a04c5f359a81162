/** Detects a process that runs and does nothing: its event loop is blocked, it was stopped, or its start does not go on. */
import { type Clock, pause } from "../../core/async.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds between two questions to a worker whether it runs, and the time for its answer. */
export const workerCheckMs = bound(10_000);
/** Unanswered questions in succession after which a worker is killed and replaced: 30 to 40 s. The chart's liveness probe takes 80 s. */
export const workerUnansweredMax = bound(3);
/** Milliseconds without progress, asked as often, after which a worker that is starting is killed and replaced. A start without objects takes a few
 *  seconds; each page of objects that it reads is progress. */
export const workerStartQuietMsMax = bound(120_000);

/**
 * Asks a worker again and again. Resolves with the milliseconds without an answer once it has left `workerUnansweredMax` questions in
 * succession unanswered, or with undefined when `life` aborts. One late answer is not enough: after a pause of the whole machine the time for an answer is
 * over before the worker has had a turn.
 */
export async function stopsAnswering(
  ask: (signal: AbortSignal) => Promise<unknown>,
  life: AbortSignal,
  clock: Clock,
): Promise<number | undefined> {
  for (let unanswered = 0; unanswered < workerUnansweredMax;) {
    if (unanswered === 0) await pause(workerCheckMs, life, clock);
    if (life.aborted) return undefined;
    unanswered = await isAnswered(ask, workerCheckMs, life, clock) ? 0 : unanswered + 1;
    if (life.aborted) return undefined;
  }
  return workerCheckMs * workerUnansweredMax;
}

/**
 * Asks a worker that is starting how many steps of its start are done. Resolves with the milliseconds without a further step once they reach
 * `workerStartQuietMsMax`, or with undefined when `over` aborts. A start that waits forever answers, so an answer alone is not enough.
 */
export async function stopsStarting(
  ask: (signal: AbortSignal) => Promise<unknown>,
  over: AbortSignal,
  clock: Clock,
): Promise<number | undefined> {
  let steps: unknown, quietMs: number = workerCheckMs;
  await pause(workerCheckMs, over, clock);
  while (quietMs < workerStartQuietMsMax) {
    if (over.aborted) return undefined;
    const began = clock.now(), before: unknown = steps;
    await isAnswered(async (signal) => steps = await ask(signal), workerCheckMs, over, clock);
    const leftMs = workerCheckMs - (clock.now() - began);
    if (leftMs > 0) await pause(leftMs, over, clock);
    quietMs = steps === before ? quietMs + workerCheckMs : 0;
  }
  return over.aborted ? undefined : quietMs;
}

async function isAnswered(
  ask: (signal: AbortSignal) => Promise<unknown>,
  withinMs: number,
  life: AbortSignal,
  clock: Clock,
): Promise<boolean> {
  const over = new AbortController(), answered = new AbortController();
  void pause(withinMs, AbortSignal.any([life, answered.signal]), clock).then(() => over.abort());
  try {
    await ask(over.signal);
    return true;
  } catch {
    return false;
  } finally {
    answered.abort();
  }
}
