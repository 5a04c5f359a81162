/** What `--help` and the page on configuration say of settings and gates. */
import { type AnySetting, type Kind, settings } from "./config.ts";

/** The text of `--help`. */
export function helpText(
  gates: readonly { readonly name: string; readonly stage: string; readonly default: boolean; readonly locked?: boolean }[],
): string {
  const lines = Object.entries(settings).map(([name, setting]) => {
    const shown = defaultText(setting);
    const change = setting.fixed === undefined ? "reloaded" : `not reloaded: ${setting.fixed}`;
    return `  --${name}${placeholder[setting.kind]}\n      ${setting.help}${shown === "" ? "" : ` (default ${shown})`} [${change}]`;
  });
  const gateLines = gates.map(({ name, stage, default: on, locked }) =>
    `  ${name}=true|false (${stage}, default ${on}${locked ? ", locked" : ""})`
  );
  return [
    "Usage: thole [--flag=value ...]",
    "",
    "A Kubernetes-style API server. Without flags it serves on https://127.0.0.1:6443 from an embedded store in ./thole-data",
    "and writes ./thole-data/kubeconfig.",
    "",
    "The file that --config names is read again when it changes, and on SIGHUP. What is marked as reloaded takes effect at once; a",
    "change of anything else, or a mistake, refuses the whole file, and what was in force stays in force.",
    "",
    "Flags:",
    ...lines,
    "",
    "Feature gates (--feature-gates):",
    ...gateLines,
    "",
  ].join("\n");
}

const placeholder: Readonly<Record<Kind, string>> = {
  string: "=<text>",
  bool: "[=true|false]",
  int: "=<number>",
  duration: "=<duration>",
  list: "=<a,b,...>",
  map: "=<key[=bool],...>",
  texts: "=<key=text>",
};

function defaultText({ kind, default: value }: AnySetting): string {
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
