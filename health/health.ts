/** Named checks and the reports that /livez, /readyz and /healthz give of them, in kube-apiserver's words. */

/** Something that is well unless `check` throws; the error's message says why not. */
export interface Check {
  readonly name: string;
  /** How long it may take where that is another time than that of the other checks. */
  readonly timeoutMs?: number;
  /** While it is true, reports leave the check out, and only its own path tells of it. */
  readonly aside?: () => boolean;
  /** What is known of the cause when it fails; its own reason counts where there is nothing. */
  readonly cause?: () => string | undefined;
  check(signal: AbortSignal): Promise<void>;
}

export type Endpoint = "livez" | "readyz" | "healthz";

export interface ReportOptions {
  /** A line for each check instead of a single word. */
  readonly verbose: boolean;
  /** Names of checks to leave out. */
  readonly exclude: readonly string[];
  /** Told how each check that was run came out, for metrics. */
  readonly observe?: (name: string, passed: boolean) => void;
}

export interface Report {
  readonly status: 200 | 500;
  readonly text: string;
  /** What failed and why, for the log: clients are told the names only. */
  readonly failures: readonly { readonly name: string; readonly reason: string }[];
}

/** Checks by endpoint, in the order in which they are reported. */
export type Checks = Readonly<Record<Endpoint, readonly Check[]>>;

/** Runs the checks of an endpoint side by side, each bounded by `timeoutMs`, and reports them in order. */
export async function report(endpoint: Endpoint, checks: Checks, options: ReportOptions, timeoutMs: number): Promise<Report> {
  const excluded = new Set(options.exclude);
  const counting = checks[endpoint].filter(({ aside }) => aside?.() !== true);
  const results = await Promise.all(counting.map(async (check) => ({
    name: check.name,
    excluded: excluded.delete(check.name),
    reason: options.exclude.includes(check.name) ? undefined : await failureOf(check, timeoutMs),
  })));
  for (const { name, excluded, reason } of results) if (!excluded) options.observe?.(name, reason === undefined);
  const failures = results.flatMap(({ name, reason }) => reason === undefined ? [] : [{ name, reason }]);
  const lines = results.map(({ name, excluded, reason }) =>
    excluded ? `[+]${name} excluded: ok` : reason === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`
  );
  // Names that exclude nothing are told, so that a typing error shows; quoted with escapes, so that they cannot forge lines.
  if (excluded.size > 0) {
    const names = [...excluded].toSorted().map((each) => JSON.stringify(each));
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(",")}`);
  }
  if (failures.length > 0) return { status: 500, text: [...lines, `${endpoint} check failed`, ""].join("\n"), failures };
  return { status: 200, text: options.verbose ? [...lines, `${endpoint} check passed`, ""].join("\n") : "ok", failures };
}

/** The answer of one check at a path of its own; undefined when the endpoint has no such check. */
export async function reportOne(endpoint: Endpoint, checks: Checks, name: string, timeoutMs: number): Promise<Report | undefined> {
  const check = checks[endpoint].find((each) => each.name === name);
  if (check === undefined) return undefined;
  const reason = await failureOf(check, timeoutMs);
  if (reason === undefined) return { status: 200, text: "ok", failures: [] };
  return { status: 500, text: `internal server error: ${reason}\n`, failures: [{ name, reason }] };
}

async function failureOf(check: Check, timeoutMs: number): Promise<string | undefined> {
  // Not AbortSignal.timeout(): its timer, and all that listens to it, would stay for as long as a look may take.
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new DOMException("timed out", "TimeoutError")), check.timeoutMs ?? timeoutMs);
  try {
    await Promise.race([check.check(over.signal), aborted(over.signal)]);
    return undefined;
  } catch (error) {
    return check.cause?.() ?? (error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("timed out")), { once: true }));
}
