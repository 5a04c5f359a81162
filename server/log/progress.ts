/**
 * Progress of long work. On a terminal the last line is rewritten, elsewhere lines are logged at a bounded rate:
 *
 *     migrating widgets.example.com: 120000 of 300000 objects (40 %), 25000 a second, 8 s left
 */
import type { BeginProgress } from "../../core/progress.ts";
import type { Log } from "../../kernel/observe/log.ts";

/** What is known of a running work. */
interface State {
  readonly objects: number;
  readonly left: number | undefined;
  readonly seconds: number;
}

/** Milliseconds without a line at the beginning and between two lines, in the first minute and later. */
const loggedEveryMs = 2_000, laterEveryMs = 30_000, soonMs = 60_000;

/** Logs progress. `now` is in milliseconds and monotonic. */
export function loggedProgress(log: Pick<Log, "info">, now: () => number): BeginProgress {
  return (what) => {
    const begun = now();
    let last = begun, objects = 0, isLogged = false;
    const seconds = () => (now() - begun) / 1000;
    return {
      done(count, left) {
        objects += count;
        const at = now();
        if (at - last < (at - begun <= soonMs ? loggedEveryMs : laterEveryMs)) return;
        last = at;
        isLogged = true;
        log.info(what, fieldsOf({ objects, left, seconds: seconds() }));
      },
      end() {
        if (isLogged) log.info(`${what}: ended`, { objects, seconds: Math.round(seconds()) });
      },
    };
  };
}

function fieldsOf({ objects, left, seconds }: State) {
  const known = left === undefined ? {} : { percent: percent(objects, left), secondsLeft: secondsLeft({ objects, left, seconds }) };
  return { objects, ...(left === undefined ? {} : { total: objects + left }), seconds: Math.round(seconds), ...known };
}

/** A terminal: the standard error of a program that a person runs. */
export interface Terminal {
  write(text: string): unknown;
  /** Characters of a line; undefined if unknown. */
  readonly columns?: number | undefined;
}

/** A terminal whose last line shows progress. */
export interface ProgressTerminal {
  readonly begin: BeginProgress;
  /** Writes to the same terminal, above the line of progress. */
  above(write: () => void): void;
}

/** Milliseconds without a line at the beginning, and between two changes of it. */
const shownAfterMs = 500, rewrittenEveryMs = 100;
const columnsMin = 20, columnsDefault = 80;
/** Back to the first column, and the rest of the line is cleared. */
const cleared = "\r\x1b[K";

/** Of several works the first that began is shown. `now` is in milliseconds and monotonic. */
export function progressTerminal(terminal: Terminal, now: () => number): ProgressTerminal {
  /** The text of each running work, in the order of their beginnings; empty until it is shown. */
  const running = new Map<object, string>();
  let shown = "";
  function show(): void {
    const text = [...running.values()].find((each) => each !== "") ?? "";
    const line = text.slice(0, Math.max(columnsMin, terminal.columns ?? columnsDefault) - 1);
    if (line === shown) return;
    shown = line;
    terminal.write(`${cleared}${line}`);
  }
  return {
    begin(what) {
      const work = {}, begun = now();
      let last = begun - rewrittenEveryMs + shownAfterMs, objects = 0;
      running.set(work, "");
      return {
        done(count, left) {
          objects += count;
          const at = now();
          if (at - last < rewrittenEveryMs) return;
          last = at;
          running.set(work, textOf(what, { objects, left, seconds: (at - begun) / 1000 }));
          show();
        },
        end() {
          running.delete(work);
          show();
        },
      };
    },
    above(write) {
      if (shown !== "") terminal.write(cleared);
      write();
      if (shown !== "") terminal.write(shown);
    },
  };
}

function textOf(what: string, { objects, left, seconds }: State): string {
  const rate = `${Math.round(objects / seconds)} a second`;
  if (left === undefined) return `${what}: ${objects} objects, ${rate}`;
  const rest = secondsLeft({ objects, left, seconds });
  return `${what}: ${objects} of ${objects + left} objects (${percent(objects, left)} %), ${rate}${
    rest === undefined ? "" : `, ${durationText(rest)} left`
  }`;
}

function percent(objects: number, left: number): number {
  return objects + left === 0 ? 100 : Math.floor(100 * objects / (objects + left));
}
/** At the average rate so far; undefined before the first object. */
function secondsLeft({ objects, left = 0, seconds }: State): number | undefined {
  return objects === 0 ? undefined : Math.ceil(left * seconds / objects);
}

function durationText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
