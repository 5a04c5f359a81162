/** What the settings of the parts of plugins have wrong, found before they open. */
import type { PlacedMistake } from "../../core/config/mistake.ts";
import type { CheckedSetting, PartChecks } from "../../core/part.ts";
import type { Plugin } from "../../core/plugin.ts";
import type { Config } from "../config/settings.ts";
import { partInspection } from "./part-context.ts";

function checksOf(plugins: readonly Plugin[]): readonly PartChecks[] {
  return plugins.flatMap(({ authenticators = [] }) => authenticators).flatMap(({ checks }) => checks ?? []);
}

/** The checks of the files that settings name. */
export function checkedFiles(config: Config, plugins: readonly Plugin[]): readonly CheckedSetting[] {
  const inspection = partInspection(config, plugins);
  return checksOf(plugins).flatMap(({ files }) => files?.(inspection) ?? []);
}

/** Warnings about values. */
export function partWarnings(config: Config, plugins: readonly Plugin[]): readonly string[] {
  const inspection = partInspection(config, plugins);
  return checksOf(plugins).flatMap(({ warnings }) => warnings?.(inspection) ?? []);
}

/** Warnings about the content of files that can be used; the others have mistakes. */
export async function fileWarnings(config: Config, plugins: readonly Plugin[]): Promise<readonly PlacedMistake[]> {
  const inspection = partInspection(config, plugins);
  const found = await Promise.all(checksOf(plugins).map(({ fileWarnings }) => fileWarnings?.(inspection).catch(() => []) ?? []));
  return found.flat();
}
