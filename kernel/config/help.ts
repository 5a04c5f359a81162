/** What `--help` and the page on configuration say of settings and gates. */
import type { GateStage, Plugin } from "../../core/plugin.ts";
import { type AnySetting, type Kind, settings, settingWarnings } from "./settings.ts";
import { gatesWithoutEffect, stageAt, targetRelease } from "../catalog/gates.ts";

/** A gate as `--help` and the page on configuration list it. */
export interface ListedGate {
  readonly name: string;
  readonly stage: string;
  readonly default: boolean;
  readonly locked?: boolean;
  /** The release in which it is gone, where that is known. */
  readonly removed?: string | undefined;
}

/** The gates of these ladders at the target release, by name. */
export function listedGates(tables: readonly Readonly<Record<string, readonly GateStage[]>>[]): readonly ListedGate[] {
  return tables.flatMap((ladders) => Object.entries(ladders)).flatMap(([name, ladder]) => {
    const rung = stageAt(ladder, targetRelease);
    return rung === undefined
      ? []
      : [{ name, stage: rung.stage, default: rung.default, locked: rung.locked ?? false, removed: rung.removed }];
  }).toSorted((a, b) => a.name < b.name ? -1 : 1);
}

/** The text of `--help`, with the gates and the built-in plugins. */
export function helpText(gates: readonly ListedGate[], plugins: readonly Pick<Plugin, "name" | "summary">[]): string {
  const lines = Object.entries<AnySetting>(settings).map(([name, setting]) => {
    const shown = shownDefault(setting);
    const change = setting.fixed === undefined ? "reloaded" : `not reloaded: ${setting.fixed}`;
    const going = settingWarnings([name]).map((text) => `\n      DEPRECATED: ${text}`).join("");
    return `  --${name}${valueForm(setting)}\n      ${setting.help}${shown === "" ? "" : ` (default ${shown})`} [${change}]${going}`;
  });
  const gateLines = gates.map(({ name, stage, default: on, locked, removed }) =>
    `  ${name}=true|false (${stage}, default ${on}${locked ? ", locked" : ""}${
      gatesWithoutEffect.includes(name) ? ", without effect yet" : ""
    }${removed === undefined ? "" : `, removed in ${removed}`})`
  );
  return [
    "Usage: thole [--flag=value ...]",
    "",
    "A Kubernetes-style API server. Without flags it serves on https://127.0.0.1:6443 from an embedded store in ./thole-data",
    "and writes ./thole-data/kubeconfig. --version says which it is.",
    "",
    "The file that --config names is read again when it changes, and on SIGHUP. What is marked as reloaded takes effect at once; a",
    "change of anything else, or a mistake, refuses the whole file, and what was in force stays in force.",
    "",
    "Flags:",
    ...lines,
    "",
    "Built-in plugins (--plugins):",
    ...plugins.map(({ name, summary }) => `  ${name}\n      ${summary}`),
    "",
    "Feature gates (--feature-gates), with stage and default; AllAlpha=true|false and AllBeta=true|false switch all of a stage. A locked",
    "gate cannot be switched, at no time: it stays as it is shown. The others are reloaded.",
    ...gateLines,
    "",
  ].join("\n");
}

/** What stands behind the name of a flag. */
export function valueForm({ kind }: AnySetting): string {
  return placeholder[kind];
}

const placeholder: Readonly<Record<Kind, string>> = {
  string: "=<text>",
  bool: "[=true|false]",
  int: "=<number>",
  fraction: "=<number>",
  duration: "=<duration>",
  list: "=<a,b,...>",
  map: "=<key[=bool],...>",
  texts: "=<key=text>",
};

/** Its default as a flag would be given; empty where there is none. */
export function shownDefault({ kind, default: value }: AnySetting): string {
  if (kind === "duration") return durationText(value as number); // the table's own types
  if (kind === "list" || kind === "map" || kind === "texts" || value === "") return "";
  return String(value);
}

/** Milliseconds as Go writes durations: `1m30s`, `0s`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return milliseconds === 0 ? "0s" : `${milliseconds}ms`;
  const seconds = milliseconds / 1000;
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${rest}s`;
}
