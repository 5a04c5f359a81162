/**
 * Activates a changed configuration while the server runs, or rejects it as a whole.
 *
 *   file changes, SIGHUP ──> read ──> unchanged ──> logged if requested
 *                              ├────> a mistake, or a setting that needs a restart ──> rejected: log, metric, the old one stays active
 *                              └────> new configuration ──> swapped: log, metric
 */
import { append } from "../../core/append.ts";
import { type Clock, within } from "../../core/async.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import type { Mistake } from "../../core/config/mistake.ts";
import { ConfigError } from "../config/parse.ts";
import { type SettingTable, tableOf, valueOf } from "../config/plugin-settings.ts";
import type { Config } from "../config/settings.ts";
import { type ActiveConfig, activeConfigOf, isMistaken, isSameValue } from "../config/active-config.ts";
import { describe, type Log } from "../../kernel/observe/log.ts";
import type { KernelRecord } from "../metrics/metrics.ts";
import type { Written } from "./read-configuration.ts";
import { bound } from "../../core/bound.ts";

/** Milliseconds for a whole reload of the configuration. */
export const reloadMs = bound(60_000);

export interface ReloadNeeds {
  /** The configuration as written now; a ConfigError contains every mistake. */
  readonly read: () => Promise<Written>;
  /** Text of the file at the start. */
  readonly text: string;
  readonly inForce: () => ActiveConfig;
  readonly swap: (next: ActiveConfig) => void;
  readonly record: KernelRecord;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Default: the system's. */
  readonly clock?: Pick<Clock, "after">;
}

/** Never rejects; concurrent calls run in sequence. `asked`: logs even if nothing has changed. */
export type Reload = (asked: boolean) => Promise<void>;

export function reloader(needs: ReloadNeeds): Reload {
  /** The text of the last reading, active or rejected. */
  let text = needs.text;
  let running = needs.text === "" ? Promise.resolve() : recordHash(needs, needs.text);
  async function reload(asked: boolean): Promise<void> {
    try {
      const late = () => new Error(`the configuration was not read within ${reloadMs / 1000} s`);
      const written = await within(needs.read(), reloadMs, late, needs.clock);
      if (!asked && written.text === text) return;
      text = written.text;
      adopt(needs, written);
      recordOutcome(needs, "success");
      await recordHash(needs, text);
    } catch (error) {
      refuse(needs, error);
    }
  }
  return (asked) => running = running.then(() => reload(asked));
}

function adopt({ inForce, swap, log }: ReloadNeeds, { config, plugins, mistakes = [], judged = config }: Written): void {
  const before = inForce(), table = tableOf(plugins);
  const changed = changedSettings(before.config, config, table);
  const next = generationAfter(before, judged, plugins, [
    ...mistakes,
    ...changed.flatMap((name) => fixedMistake(name, table) ?? []),
  ]);
  if (changed.length === 0 && next.catalog === before.catalog) return log.info("the configuration was read again: nothing has changed");
  swap(next);
  const [was, is] = [groupVersionsOf(before.catalog), groupVersionsOf(next.catalog)];
  log.info("the configuration was read again and is active", {
    changed,
    came: is.filter((each) => !was.includes(each)),
    left: was.filter((each) => !is.includes(each)),
  });
}

/** The active form of changed settings. Its mistakes and the `known` ones are thrown in one ConfigError. */
function generationAfter(before: ActiveConfig, config: Config, plugins: Written["plugins"], known: readonly Mistake[]): ActiveConfig {
  let next: ActiveConfig | undefined;
  const mistakes = [...known];
  try {
    next = activeConfigOf(config, plugins, before);
  } catch (error) {
    if (!isMistaken(error)) throw error;
    append(mistakes, error.mistakes);
  }
  if (next === undefined || mistakes.length > 0) throw new ConfigError(mistakes);
  return next;
}

/** The settings whose values differ, in the order of the table. Those of a plugin that was not served before are new, and no changes. */
function changedSettings(before: Config, next: Config, table: SettingTable): readonly string[] {
  return Object.keys(table).filter((name) => Object.hasOwn(before, name) && !isSameValue(valueOf(before, name), valueOf(next, name)));
}

function fixedMistake(name: string, table: SettingTable): string | undefined {
  const { fixed } = table[name]!; // The name is a key of the table.
  return fixed === undefined
    ? undefined
    : `setting "${name}" cannot change while the server runs: ${fixed}; restart the server to change it`;
}

function groupVersionsOf({ groups }: Catalog): readonly string[] {
  return groups.flatMap(({ versions }) =>
    versions.flatMap(({ apiVersion, endpoints }) => endpoints.map(({ plural }) => `${apiVersion}/${plural}`))
  );
}

function refuse(needs: ReloadNeeds, error: unknown): void {
  const mistakes = isMistaken(error) ? { mistakes: error.mistakes } : describe(error);
  needs.log.error("the changed configuration is rejected; the previous one stays active", mistakes);
  recordOutcome(needs, "failure");
}

/** Upstream's hash of the server's identity; empty for a server without one. */
const apiserver_id_hash = "";

function recordOutcome({ record, now }: ReloadNeeds, status: "success" | "failure"): void {
  record.reloads.with({ apiserver_id_hash, status }).add();
  record.reloadedAt.with({ apiserver_id_hash, status }).set(now() / 1000);
}

async function recordHash({ record }: ReloadNeeds, text: string): Promise<void> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  record.configurationInfo.reset();
  record.configurationInfo.with({ apiserver_id_hash, hash: `sha256:${hex}` }).set(1);
}
