/** The server's own words: one line of JSON each, for people at three in the morning and for what collects lines. */
export interface Log {
  info(message: string, more?: Readonly<Record<string, unknown>>): void;
  error(message: string, more?: Readonly<Record<string, unknown>>): void;
}

/** Lines go to `write`; `now` is in milliseconds since the epoch. */
export function jsonLog(write: (line: string) => void, now: () => number): Log {
  const line = (level: string) => (message: string, more: Readonly<Record<string, unknown>> = {}) =>
    write(JSON.stringify({ time: new Date(now()).toISOString(), level, message, ...more }));
  return { info: line("info"), error: line("error") };
}

/** What to say of a failure: its words, and where it came from. */
export function describe(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: String(error) };
  const cause = error.cause === undefined ? {} : { cause: error.cause instanceof Error ? error.cause.message : String(error.cause) };
  return { error: error.message, ...cause, stack: error.stack };
}
