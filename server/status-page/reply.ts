/** `/` for a browser: the state of the server. Other clients get the index of paths. */
import { report } from "../../health/mod.ts";
import type { RecentError } from "../log/recent-errors.ts";
import type { StatusPage } from "../../kernel/nonresource/status-page.ts";
import { pageText } from "./page.ts";
import { type ControllerRow, type Scrape, scrapeOf, stateOf } from "./state.ts";
import { styleHash } from "./style.ts";

/** What the page shows of a process that is not in its metrics. */
export interface PageFacts {
  readonly errors: readonly RecentError[];
  /** The controllers of the process, and what they do. */
  readonly controllers: readonly ControllerRow[];
}

/** What the page depends on. */
export interface PageSource {
  readonly version: string;
  /** `etcd`, or `sqlite`. */
  readonly store: string;
  /** The text of /metrics. */
  metrics(): Promise<string>;
  /** Returns the facts that the metrics do not have. */
  facts(): Promise<PageFacts>;
  /** Milliseconds since the epoch. */
  now(): number;
}

const refreshSeconds = 5;
/** Scrapes that are further apart than this give no rates, in milliseconds. */
const scrapeAgeMax = 60_000, scrapeAgeMin = 1_000;

/** Makes the replies of one server. It keeps the scrape before the last one, for rates. */
export function statusPage(source: PageSource): StatusPage {
  let last: Scrape | undefined, before: Scrape | undefined;
  return async ({ query }, catalog, checks, mayGet) => {
    const now = source.now();
    const [text, { errors, controllers }, { failures }] = await Promise.all([
      source.metrics(),
      source.facts(),
      report("readyz", checks, { verbose: true, exclude: [], observe() {} }, checkMs),
    ]);
    const scrape = scrapeOf(text, now);
    // Two browsers that load at once share one earlier scrape.
    if (last === undefined || now - last.at >= scrapeAgeMin) [before, last] = [last, scrape];
    const isRecent = before !== undefined && now - before.at <= scrapeAgeMax && now > before.at;
    const body = pageText({
      version: source.version,
      store: source.store,
      state: stateOf(scrape, isRecent ? before : undefined, { catalog, controllers }),
      failing: await Promise.all(failures.map(async ({ name, reason }) => await mayGet(`/readyz/${name}`) ? { name, reason } : { name })),
      plugins: catalog.plugins,
      gates: catalog.gates.states,
      errors,
      now,
      refresh: query.first("refresh") === "0" ? 0 : refreshSeconds,
    });
    return { status: 200, headers: pageHeaders, body };
  };
}

/** Timeout of a health check in milliseconds. */
const checkMs = 1_000;

export const pageHeaders = Object.freeze({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `default-src 'none'; style-src '${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  vary: "Accept",
});
