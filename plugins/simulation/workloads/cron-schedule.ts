/** The times of a cron job's schedule. */
import { Cron } from "croner";
import { bound } from "../../../core/bound.ts";
import { parseDuration, Unreadable } from "../../../toolbox.ts";

const every = "@every ";
const nanosecondsInMs = 1_000_000n;
/** How far back a missed time is looked for, in milliseconds, the shortest span first: an hour, a day, a month and a year. */
const spansMs = [1, 24, 24 * 32, 24 * 366].map((hours) => hours * 3_600_000);
/** Times of one span that are looked at. */
const stepsMax = bound(1_500);

/** The times at which a schedule is due, in milliseconds since 1970. */
export interface Schedule {
  /** The first time after `ms`; undefined if there is none. */
  after(ms: number): number | undefined;
}

/**
 * Reads a schedule that the API has accepted: five fields, a word such as `@daily`, or `@every 1h`, with the time zone of the cron job, or of the text
 * (`CRON_TZ=`). Days of the month and of the week are both enough if both are limited. Throws an Error for a schedule that cannot be read.
 */
export function readSchedule(text: string, timeZone: string): Schedule {
  const zoned = /^(?:CRON_)?TZ=(\S+) /.exec(text), rest = zoned === null ? text : text.slice(zoned[0].length).trim();
  if (rest.startsWith(every)) {
    const duration = parseDuration(rest.slice(every.length));
    if (duration instanceof Unreadable) throw new Error(duration.error);
    const ms = Math.max(1_000, Math.floor(Number(duration / nanosecondsInMs) / 1_000) * 1_000);
    return { after: (from) => Math.floor(from / 1_000) * 1_000 + ms };
  }
  // A question mark is a star.
  const cron = new Cron(rest.replaceAll("?", "*"), { timezone: zoned?.[1] ?? timeZone, paused: true });
  return remembered((from) => cron.nextRun(new Date(from))?.getTime());
}

/** Remembers the last two answers: no time lies between a time that was asked for and the next, so times in between have the same answer. */
function remembered(next: (ms: number) => number | undefined): Schedule {
  let known: readonly { readonly from: number; readonly at: number }[] = [];
  return {
    after(ms) {
      const found = known.find(({ from, at }) => from <= ms && ms < at);
      if (found !== undefined) return found.at;
      const at = next(ms);
      if (at !== undefined) known = [{ from: ms, at }, ...known.slice(0, 1)];
      return at;
    },
  };
}

/** The last time that was due in `(from, now]`, and how many were missed before it, as far as they were counted; undefined if none was due. */
export function lastDue(schedule: Schedule, from: number, now: number): { readonly at: number; readonly missed: number } | undefined {
  const first = schedule.after(from);
  if (first === undefined || first > now) return undefined;
  const second = schedule.after(first);
  if (second === undefined || second > now) return { at: first, missed: 0 };
  const begin = spansMs.map((span) => now - span).find((start) => start > from && (schedule.after(start) ?? Infinity) <= now) ?? from;
  let at = first, missed = 0;
  for (let next = schedule.after(begin); next !== undefined && next <= now && missed < stepsMax; next = schedule.after(next)) {
    at = next;
    missed++;
  }
  return { at, missed: missed - 1 };
}
