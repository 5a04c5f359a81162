/**
 * The objects of a start, made once in a process: a server begins with those that an earlier one with the same plugins and settings had when it was open, as
 * a fork does. It shares their uids and creation times with that server, and nothing else.
 */
import type { Plugin } from "../../core/plugin.ts";
import { valueText } from "../../core/value-text.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import type { ActiveConfig } from "../../server/config/active-config.ts";
import type { PlainSettings } from "../../server/config/plain-settings.ts";
import type { SnapshotParts } from "./snapshot.ts";

/** What decides the objects of a start. */
export interface Started {
  /** Plugins beside the built-in families. */
  readonly own: readonly Plugin[];
  readonly settings: Omit<PlainSettings, "data-dir">;
  readonly active: ActiveConfig;
}

/** The settings by whose values alone the objects of a start differ. Others may name files or other servers, which change. */
const plain: ReadonlySet<string> = new Set<keyof PlainSettings>([
  "authorization-mode",
  "controllers",
  "disable-admission-plugins",
  "enable-admission-plugins",
  "feature-gates",
  "preset",
  "runtime-config",
]);

/** By catalog, which servers with the same plugins and settings share: the last start. */
const starts = new WeakMap<Catalog, { readonly settings: string; readonly parts: SnapshotParts }>();

/** Whether a server may begin with the objects of another start. Plugins that make objects, or see those of a start, get a start of their own. */
export function isRepeatable({ own, settings }: Pick<Started, "own" | "settings">): boolean {
  return Object.keys(settings).every((name) => plain.has(name)) && own.every(isPassive);
}
function isPassive({ startHooks, bootstrapObjects, controllers, resourceSource, admission }: Plugin): boolean {
  return [startHooks, bootstrapObjects, controllers, admission].every((each) => each === undefined || each.length === 0) &&
    resourceSource === undefined;
}

/** The state of an earlier start with the same plugins and settings; undefined if there was none. */
export function earlierStart({ active, settings }: Started): SnapshotParts | undefined {
  const known = starts.get(active.catalog);
  return known?.settings === valueText(settings) ? { ...known.parts, active, isStart: true } : undefined;
}

/** Keeps the state of a server that has just been opened, in place of the one before with the same catalog. */
export function keepStart({ active, settings }: Started, parts: SnapshotParts): void {
  starts.set(active.catalog, { settings: valueText(settings), parts });
}
