/** The descriptions of settings and gates in `--help` and the configuration page. */
import type { GateStage, Plugin } from "../../core/plugin.ts";
import { tableOf } from "./plugin-settings.ts";
import { type AnySetting, type Kind, settings, settingWarnings } from "./settings.ts";
import { stageAt } from "../../core/released/gates.ts";
import { serverRelease } from "../../core/releases.ts";

/** A gate in `--help` and on the configuration page. */
export interface ListedGate {
  readonly name: string;
  readonly stage: string;
  readonly default: boolean;
  readonly locked?: boolean;
  /** The release that removes it, if known. */
  readonly removed?: string | undefined;
}

/** The gates at the target release, by name. */
export function listedGates(tables: readonly Readonly<Record<string, readonly GateStage[]>>[]): readonly ListedGate[] {
  const all: Readonly<Record<string, readonly GateStage[]>> = Object.assign({}, ...tables);
  return Object.entries(all).flatMap(([name, ladder]) => {
    const rung = stageAt(ladder, serverRelease);
    return rung === undefined
      ? []
      : [{ name, stage: rung.stage, default: rung.default, locked: rung.locked ?? false, removed: rung.removed }];
  }).toSorted((a, b) => a.name < b.name ? -1 : 1);
}

/** A plugin in help. */
type ListedPlugin = Pick<Plugin, "name" | "summary" | "settings">;

/** The text of `--help`, with the gates, the built-in plugins, and those of modules. */
export function helpText(gates: readonly ListedGate[], plugins: readonly ListedPlugin[], others: readonly ListedPlugin[] = []): string {
  const flag = ([name, setting]: [string, AnySetting]) => {
    const shown = shownDefault(setting);
    const change = setting.fixed === undefined ? "reloaded" : `not reloaded: ${setting.fixed}`;
    const going = settingWarnings([name]).map((text) => `\n      DEPRECATED: ${text}`).join("");
    return `  --${name}${valueForm(setting)}\n      ${setting.help}${shown === "" ? "" : ` (default ${shown})`} [${change}]${going}`;
  };
  const lines = Object.entries<AnySetting>(settings).map(flag);
  const rows = Object.entries(tableOf([...plugins, ...others]));
  const ofPlugin = ({ name, summary }: ListedPlugin) => [
    "",
    `Plugin ${name}: ${summary}`,
    ...rows.filter(([, { plugin }]) => plugin === name).map(flag),
  ];
  const gateLines = gates.map(({ name, stage, default: on, locked, removed }) =>
    `  ${name}=true|false (${stage}, default ${on}${locked ? ", locked" : ""}${removed === undefined ? "" : `, removed in ${removed}`})`
  );
  return [
    "A Kubernetes-style API server. Without flags it serves on https://127.0.0.1:6443 from an embedded store in ./thole-data",
    "and writes ./thole-data/kubeconfig. Relative paths are below the working directory, those of npm start below the caller's.",
    "It runs on Deno, and on Node 22.13 or newer; Node 20 can only install it.",
    "",
    "The file of --config is read again when it changes, and on SIGHUP. Changes of the settings marked as reloaded take effect at once.",
    "A change of another setting, or a mistake, rejects the whole file, and the previous configuration stays active.",
    "",
    "Flags:",
    ...lines,
    "",
    "Built-in plugins (--plugins):",
    ...plugins.map(({ name, summary }) => `  ${name}\n      ${summary}`),
    ...others.flatMap(ofPlugin),
    "",
    "Feature gates (--feature-gates), with stage and default; AllAlpha=true|false and AllBeta=true|false set all gates of a stage. A locked",
    "gate cannot be changed. Changes of the others are reloaded.",
    ...gateLines,
    "",
  ].join("\n");
}

/** The placeholder of a flag's value. */
export function valueForm({ kind }: AnySetting): string {
  return placeholder[kind];
}

const placeholder: Readonly<Record<Kind, string>> = {
  string: "=<text>",
  bool: "[=true|false]",
  int: "=<number>",
  count: "=<number|auto>",
  fraction: "=<number>",
  duration: "=<duration>",
  list: "=<a,b,...>",
  map: "=<key[=bool],...>",
  texts: "=<key=text>",
};

/** The default in the form of a flag's value; empty if there is none. */
export function shownDefault({ kind, default: value }: AnySetting): string {
  if (kind === "duration") return durationText(value as number); // The table's own types.
  if (kind === "list" || kind === "map" || kind === "texts" || value === "") return "";
  return String(value);
}

/** A duration in milliseconds as Go writes it: `1m30s`, `0s`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return milliseconds === 0 ? "0s" : `${milliseconds}ms`;
  const seconds = milliseconds / 1000;
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${rest}s`;
}
