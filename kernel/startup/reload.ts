/**
 * Takes a changed configuration into force while the server runs, or refuses it whole.
 *
 *   file changes, SIGHUP ──> read ──> as before ──> told to whoever asked
 *                              ├────> a mistake, or what only a start can change ──> refused: log, metric, the old one stays
 *                              └────> another generation ──> swapped: log, metric
 */
import { append } from "../../core/append.ts";
import { type Catalog, CatalogError } from "../catalog/catalog.ts";
import { ConfigError } from "../config/parse.ts";
import { type Config, type SettingName, settings } from "../config/settings.ts";
import { type ActiveConfig, activeConfigOf, isSameValue } from "../config/active-config.ts";
import { describe, type Log } from "../observe/log.ts";
import type { KernelRecord } from "../observe/metrics.ts";
import type { Written } from "./read-configuration.ts";

export interface ReloadNeeds {
  /** What is written down now; a ConfigError lists every mistake. */
  readonly read: () => Promise<Written>;
  /** Text of the file that the server was started with. */
  readonly text: string;
  readonly inForce: () => ActiveConfig;
  readonly swap: (next: ActiveConfig) => void;
  readonly record: KernelRecord;
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Never rejects; concurrent calls run one after another. `asked`: logs also when nothing has changed. */
export type Reload = (asked: boolean) => Promise<void>;

export function reloader(needs: ReloadNeeds): Reload {
  /** What was read last, in force or refused. */
  let text = needs.text;
  let running = needs.text === "" ? Promise.resolve() : tellHash(needs, needs.text);
  async function reload(asked: boolean): Promise<void> {
    try {
      const written = await needs.read();
      if (!asked && written.text === text) return;
      text = written.text;
      adopt(needs, written);
      tellOutcome(needs, "success");
      await tellHash(needs, text);
    } catch (error) {
      refuse(needs, error);
    }
  }
  return (asked) => running = running.then(() => reload(asked));
}

function adopt({ inForce, swap, log }: ReloadNeeds, { config, plugins, mistakes = [] }: Written): void {
  const before = inForce();
  const changed = changedSettings(before.config, config);
  const next = generationAfter(before, config, plugins, [
    ...mistakes,
    ...changed.flatMap((name) => fixedMistake(name) ?? []),
  ]);
  if (changed.length === 0 && next.catalog === before.catalog) return log.info("the configuration was read again: nothing has changed");
  swap(next);
  const [was, is] = [groupVersionsOf(before.catalog), groupVersionsOf(next.catalog)];
  log.info("the configuration was read again and is in force", {
    changed,
    came: is.filter((each) => !was.includes(each)),
    left: was.filter((each) => !is.includes(each)),
  });
}

/** The generation of changed settings; every mistake in it is thrown together with those that are `known` already, in one ConfigError. */
function generationAfter(before: ActiveConfig, config: Config, plugins: Written["plugins"], known: readonly string[]): ActiveConfig {
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

function isMistaken(error: unknown): error is ConfigError | CatalogError {
  return error instanceof ConfigError || error instanceof CatalogError;
}

/** The settings whose values differ, in the order of the table. */
export function changedSettings(before: Config, next: Config): readonly SettingName[] {
  // The keys of the table are the names of settings.
  return (Object.keys(settings) as SettingName[]).filter((name) => !isSameValue(before[name], next[name]));
}

function fixedMistake(name: SettingName): string | undefined {
  const { fixed } = settings[name];
  return fixed === undefined ? undefined : `setting "${name}" cannot change while the server runs: ${fixed}; start it again for that`;
}

function groupVersionsOf({ groups }: Catalog): readonly string[] {
  return groups.flatMap(({ versions }) =>
    versions.flatMap(({ apiVersion, endpoints }) => endpoints.map(({ plural }) => `${apiVersion}/${plural}`))
  );
}

function refuse(needs: ReloadNeeds, error: unknown): void {
  const mistakes = isMistaken(error) ? { mistakes: error.mistakes } : describe(error);
  needs.log.error("the changed configuration is refused, the one before it stays in force", mistakes);
  tellOutcome(needs, "failure");
}

/** Upstream's hash of a server's identity, which is empty where a server has none. */
const apiserver_id_hash = "";

function tellOutcome({ record, now }: ReloadNeeds, status: "success" | "failure"): void {
  record.reloads.with({ apiserver_id_hash, status }).add();
  record.reloadedAt.with({ apiserver_id_hash, status }).set(now() / 1000);
}

async function tellHash({ record }: ReloadNeeds, text: string): Promise<void> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  record.configurationInfo.reset();
  record.configurationInfo.with({ apiserver_id_hash, hash: `sha256:${hex}` }).set(1);
}
