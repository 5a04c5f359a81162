/**
 * Generates the parts of the chart that derive from other files: a block of `values.yaml`, and `settings` and `liveSettings`
 * of `values.schema.json` and `files/defaults.json` from the settings table, the values in its README, its icon. Run it with `npm run chart:settings`; tests check that
 * the files are up to date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type SettingName, settings } from "../server/config/settings.ts";
import { durationText } from "../server/config/help.ts";
import { valueSchemas } from "../server/config/json-schema.ts";
import { withIcon, withValues } from "./chart-page.ts";

/** Flags that the chart sets itself, with the values they derive from. They are not in `settings`. */
export const chartOwned = Object.freeze<Partial<Record<SettingName, string>>>({
  "config": "holds liveSettings",
  "data-dir": "a volume, from store.type",
  "cert-dir": "stays in the data folder: the serving certificate is given",
  "tls-cert-file": "certificates",
  "tls-private-key-file": "certificates",
  "client-ca-file": "authentication.clientCASecret",
  "requestheader-client-ca-file": "apiService.frontProxy",
  "requestheader-allowed-names": "apiService.frontProxy",
  "requestheader-username-headers": "apiService.frontProxy",
  "requestheader-uid-headers": "apiService.frontProxy",
  "requestheader-group-headers": "apiService.frontProxy",
  "requestheader-extra-headers-prefix": "apiService.frontProxy",
  "token-auth-file": "authentication.tokens",
  "service-account-signing-key-file": "authentication.serviceAccountKey",
  "service-account-key-file": "authentication.serviceAccountKey.verifying",
  "etcd-servers": "store.type, store.external.endpoints",
  "etcd-cafile": "certificates, store.external.tlsSecret",
  "etcd-certfile": "certificates, store.external.tlsSecret",
  "etcd-keyfile": "certificates, store.external.tlsSecret",
  "test-control": "stays off: it is for tests on one machine",
});

/** Whether a setting goes into the configuration file, which the server reloads. Not anonymous-auth: the pods' probes depend on it. */
function isLive(name: SettingName): boolean {
  return settings[name].fixed === undefined && name !== "anonymous-auth";
}

/** Defaults of the chart that differ from the flag's default. */
const podDefaults: Readonly<Partial<Record<SettingName, string | number>>> = {
  "bind-address": "0.0.0.0",
  // The cluster needs time to update its endpoints before the server stops accepting connections.
  "shutdown-delay-duration": "10s",
};

type Value = string | number | boolean | readonly string[] | object;
const names = Object.keys(settings).filter((name) => !Object.hasOwn(chartOwned, name)) as SettingName[]; // keys of the table

function defaultOf(name: SettingName): Value {
  return podDefaults[name] ?? flagDefaultOf(name);
}
function flagDefaultOf(name: SettingName): Value {
  const { kind, default: value } = settings[name];
  if (kind === "duration") return durationText(value as number); // `as`: the type of a duration in the table
  if (kind === "list") return [];
  return kind === "map" || kind === "texts" ? {} : value as string | number | boolean; // `as`: the types of the remaining kinds
}

function block(title: string, of: readonly SettingName[]): string {
  const rows = of.map((name) => `  # ${settings[name].help}\n  ${name}: ${JSON.stringify(defaultOf(name))}\n`);
  return `${title}:\n${rows.join("")}`;
}

/** The generated block of values.yaml, without its begin and end lines. */
export function settingsValues(): string {
  return [
    block("settings", names.filter((name) => !isLive(name))),
    "# Settings that the servers read again while they run: a change takes effect within a minute or two, without a restart.\n",
    block("liveSettings", names.filter(isLive)),
  ].join("");
}

/** The generated properties of values.schema.json. */
export function settingsSchema(): Readonly<Record<"settings" | "liveSettings", object>> {
  const schema = (of: readonly SettingName[]) => ({
    type: "object",
    additionalProperties: false,
    required: of,
    properties: Object.fromEntries(of.map((name) => [name, { description: settings[name].help, ...valueSchemas[settings[name].kind] }])),
  });
  return { settings: schema(names.filter((name) => !isLive(name))), liveSettings: schema(names.filter(isLive)) };
}

/**
 * The flags' own defaults, in the form of the values: the templates leave out a setting that equals its default. The defaults that only the
 * chart has are not among them, so those are rendered.
 */
export function settingsDefaults(): string {
  const defaults = Object.fromEntries(names.map((name) => [name, flagDefaultOf(name)]));
  return `${JSON.stringify(defaults, undefined, 2)}\n`;
}

const begin = /^# settings: begin.*$/m, end = "# settings: end";

/** Returns the text of values.yaml with the block replaced. Throws Error if its begin or end line is missing. */
export function withSettings(values: string): string {
  const from = begin.exec(values), to = values.indexOf(end);
  if (from === null || to < 0) throw new Error("values.yaml lacks the lines that mark begin and end of its settings");
  return `${values.slice(0, from.index + from[0].length)}\n${settingsValues()}${values.slice(to)}`;
}

/** Returns the text of values.schema.json with the generated properties replaced. */
export function withSettingsSchema(schema: string): string {
  // `as`: the file is part of the repository; the test compares all of it.
  const whole = JSON.parse(schema) as { properties: Record<string, unknown> };
  return `${JSON.stringify({ ...whole, properties: { ...whole.properties, ...settingsSchema() } }, undefined, 2)}\n`;
}

function main(): void {
  const chart = fileURLToPath(new URL("../charts/thole/", import.meta.url));
  const changes: Readonly<Record<string, (text: string) => string>> = {
    "values.yaml": withSettings,
    "values.schema.json": withSettingsSchema,
    "files/defaults.json": settingsDefaults,
    "README.md": (text) => withValues(text, readFileSync(`${chart}values.yaml`, "utf8")),
    "Chart.yaml": (text) => withIcon(text, readFileSync(`${chart}../../docs/pictures/icon.svg`, "utf8")),
  };
  for (const [file, change] of Object.entries(changes)) writeFileSync(chart + file, change(readFileSync(chart + file, "utf8")));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
