/** Named health checks and the replies of /livez, /readyz and /healthz, with kube-apiserver's texts (apiserver/pkg/server/healthz). */

/** One health check. It passes when `check` resolves; the message of its rejection is the reason of the failure. */
export interface Check {
  readonly name: string;
  /** Overrides the timeout of `report`, in milliseconds. */
  readonly timeoutMs?: number;
  /** While this returns true, the check is left out of the endpoint's report and is available at its own path only. */
  readonly omitted?: () => boolean;
  /** A more precise reason for a failure, if one is known; it replaces the message of the rejection. */
  readonly cause?: () => string | undefined;
  check(signal: AbortSignal): Promise<void>;
}

export type Endpoint = "livez" | "readyz" | "healthz";

export interface ReportOptions {
  /** Write one line for each check instead of "ok". Failures are always listed. */
  readonly verbose: boolean;
  /** Names of checks to leave out. */
  readonly exclude: readonly string[];
  /** Called with the result of each check that ran, for metrics. */
  readonly observe?: (name: string, passed: boolean) => void;
}

export interface Report {
  readonly status: 200 | 500;
  readonly text: string;
  /** Failed checks with their reasons, for the log. The text for clients has the names only. */
  readonly failures: readonly { readonly name: string; readonly reason: string }[];
}

/** Checks by endpoint, in the order in which they are reported. */
export type Checks = Readonly<Record<Endpoint, readonly Check[]>>;

/**
 * Runs the checks of an endpoint concurrently and lists the results in the order of `checks`.
 *
 * @param timeoutMs timeout of each check in milliseconds, unless the check has its own
 * @returns status 200 if all checks pass, else 500. Never rejects
 */
export async function report(endpoint: Endpoint, checks: Checks, options: ReportOptions, timeoutMs: number): Promise<Report> {
  const excluded = new Set(options.exclude);
  const counting = checks[endpoint].filter(({ omitted }) => omitted?.() !== true);
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
  // An excluded name that matches no check is listed, so that a typing error is visible. It is quoted, so that it cannot forge lines.
  if (excluded.size > 0) {
    const names = [...excluded].toSorted().map((each) => JSON.stringify(each));
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names.join(",")}`);
  }
  if (failures.length > 0) return { status: 500, text: [...lines, `${endpoint} check failed`, ""].join("\n"), failures };
  return { status: 200, text: options.verbose ? [...lines, `${endpoint} check passed`, ""].join("\n") : "ok", failures };
}

/** Runs one check for its own path (`/livez/<name>`). Its reply shows the reason. Undefined if the endpoint has no such check. */
export async function reportOne(endpoint: Endpoint, checks: Checks, name: string, timeoutMs: number): Promise<Report | undefined> {
  const check = checks[endpoint].find((each) => each.name === name);
  if (check === undefined) return undefined;
  const reason = await failureOf(check, timeoutMs);
  if (reason === undefined) return { status: 200, text: "ok", failures: [] };
  return { status: 500, text: `internal server error: ${reason}\n`, failures: [{ name, reason }] };
}

async function failureOf(check: Check, timeoutMs: number): Promise<string | undefined> {
  // Not AbortSignal.timeout(): its timer cannot be cleared, so it and its listeners would live for the whole timeout.
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
