/**
 * The part of the chart that follows the table of settings: a block of `values.yaml`, and `settings` and `liveSettings` of
 * `values.schema.json`. Run by `npm run chart:settings`; a test compares what it would write with what is there.
 */
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type SettingName, settings } from "../kernel/config/settings.ts";
import { durationText } from "../kernel/config/help.ts";

/** Flags that the chart itself gives, from other values. */
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
  "etcd-servers": "store.type, store.external.endpoints",
  "etcd-cafile": "certificates, store.external.tlsSecret",
  "etcd-certfile": "certificates, store.external.tlsSecret",
  "etcd-keyfile": "certificates, store.external.tlsSecret",
});

/** In the file stands what the server takes over while it runs; but the probes of pods depend on whether strangers are let in. */
function isLive(name: SettingName): boolean {
  return settings[name].fixed === undefined && name !== "anonymous-auth";
}

/** Where a pod differs from a program on somebody's machine. */
const inPods: Readonly<Partial<Record<SettingName, string | number>>> = {
  "bind-address": "0.0.0.0",
  // Time for the cluster to hear that a server is leaving, before it stops taking connections.
  "shutdown-delay-duration": "10s",
};

type Value = string | number | boolean | readonly string[] | object;
const names = Object.keys(settings).filter((name) => !Object.hasOwn(chartOwned, name)) as SettingName[]; // keys of the table

function defaultOf(name: SettingName): Value {
  const { kind, default: value } = settings[name];
  const own = inPods[name];
  if (own !== undefined) return own;
  if (kind === "duration") return durationText(value as number); // the table's own types
  if (kind === "list") return [];
  return kind === "map" || kind === "texts" ? {} : value as string | number | boolean; // what is left of the kinds
}

function block(title: string, of: readonly SettingName[]): string {
  const rows = of.map((name) => `  # ${settings[name].help}\n  ${name}: ${JSON.stringify(defaultOf(name))}\n`);
  return `${title}:\n${rows.join("")}`;
}

/** The block of values.yaml between its marks. */
export function settingsValues(): string {
  return [
    block("settings", names.filter((name) => !isLive(name))),
    "# Settings that the servers read again while they run: a change takes effect within a minute or two, without a restart.\n",
    block("liveSettings", names.filter(isLive)),
  ].join("");
}

/** `settings` and `liveSettings` of the schema. */
export function settingsSchema(): Readonly<Record<"settings" | "liveSettings", object>> {
  const schema = (of: readonly SettingName[]) => ({
    type: "object",
    additionalProperties: false,
    required: of,
    properties: Object.fromEntries(of.map((name) => [name, { description: settings[name].help, ...types[settings[name].kind] }])),
  });
  return { settings: schema(names.filter((name) => !isLive(name))), liveSettings: schema(names.filter(isLive)) };
}

const types = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int: { type: "integer", minimum: 0 },
  fraction: { type: "number", minimum: 0 },
  duration: { type: "string", pattern: "^(0|(\\d+(\\.\\d+)?(ms|s|m|h))+)$" },
  list: { type: "array", items: { type: "string" } },
  map: { type: "object", additionalProperties: { type: "boolean" } },
  texts: { type: "object", additionalProperties: { type: "string" } },
};

const begin = /^# settings: begin.*$/m, end = "# settings: end";

/** A text of values.yaml with the block as it has to be; an Error where the marks are gone. */
export function withSettings(values: string): string {
  const from = begin.exec(values), to = values.indexOf(end);
  if (from === null || to < 0) throw new Error("values.yaml has lost the marks around its settings");
  return `${values.slice(0, from.index + from[0].length)}\n${settingsValues()}${values.slice(to)}`;
}

/** A text of values.schema.json with the parts as they have to be. */
export function withSettingsSchema(schema: string): string {
  // `as`: the file is ours; the test compares the whole.
  const whole = JSON.parse(schema) as { properties: Record<string, unknown> };
  return `${JSON.stringify({ ...whole, properties: { ...whole.properties, ...settingsSchema() } }, undefined, 2)}\n`;
}

function main(): void {
  const chart = fileURLToPath(new URL("../charts/thole/", import.meta.url));
  for (const [file, change] of [["values.yaml", withSettings], ["values.schema.json", withSettingsSchema]] as const) {
    writeFileSync(chart + file, change(readFileSync(chart + file, "utf8")));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
