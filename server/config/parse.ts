/** Parses command line and configuration file to settings. Collects all mistakes before it reports them. */
import type { Plugin } from "../../core/plugin.ts";
import { isPreset, presets } from "./choose-plugins.ts";
import { aggregationMistakes } from "./aggregation-settings.ts";
import { kubeletMistakes } from "./kubelet-settings.ts";
import { serviceMistakes } from "./service-settings.ts";
import { isEtcdAddress, overrideMistakes } from "./server-overrides.ts";
import { trimEndOf } from "../../core/trim-end.ts";
import { append } from "../../core/append.ts";
import { withoutUser } from "../../protocols/without-user.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import { NumberText, type Tree, TreeObject } from "../../core/tree/tree.ts";
import { auditMistakes } from "./audit-settings.ts";
import { tlsMistakes } from "./tls-settings.ts";
import { type Config, type Kind, settings } from "./settings.ts";
import { emulationMistakes, kubeComponent } from "./emulation-settings.ts";
import { durationText } from "./help.ts";
import { fromPlain, type PlainSettings } from "./plain-settings.ts";
import { defaultsOf, refusedValues, type SettingTable, tableOf } from "./plugin-settings.ts";
import { verbosityOf } from "../../kernel/observe/log.ts";
import { testControlMistakes } from "./control-settings.ts";
import { workersMistakes } from "./workers.ts";
import { type Fault, faultOf, type Mistake, textOf } from "../../core/config/mistake.ts";
import { nearest } from "../../core/nearest.ts";
import { valueText } from "../../core/value-text.ts";
import { electionRetryJitter } from "./bounds.ts";

/** Values of the settings of plugins, by their names, in the form of `PlainSettings`. */
export type PluginSettings = Readonly<Record<string, unknown>>;

/** Invalid settings; the message has a line for each mistake. */
export class ConfigError extends Error {
  /** The lines of the message. */
  readonly mistakes: readonly string[];
  /** The same mistakes, with their places in files where they have one. */
  readonly placed: readonly Mistake[];
  /** The texts of `mistakes` become the lines of the message. */
  constructor(mistakes: readonly Mistake[]) {
    const texts = mistakes.map(textOf);
    super(texts.join("\n"));
    this.name = "ConfigError";
    this.mistakes = texts;
    this.placed = mistakes;
  }
}

export type Parsed = { readonly help: true } | { readonly help: false; readonly config: Config };
/** How arguments are read. */
export interface Reading {
  /** The settings. Default: those of the server. */
  readonly table?: SettingTable;
  /** Whether other settings are left out, because they may be those of plugins that are not loaded yet. Default: they are mistakes. */
  readonly leavesOthers?: boolean;
}
/** With mistakes, the settings that could be read, and the defaults of the others. */
export type Read = { readonly help: true } | {
  readonly help: false;
  readonly config: Config;
  readonly mistakes: readonly Mistake[];
  /** Settings in the file that have no value. */
  readonly empty: readonly string[];
  /** The values of the settings that were left out. */
  readonly left: readonly string[];
};

/** As `readArguments`, but throws mistakes as a ConfigError. */
export function parseArguments(args: readonly string[], readFile: (path: string) => string, reading?: Reading): Parsed {
  const read = readArguments(args, readFile, reading);
  if (read.help) return read;
  const { help, config, mistakes } = read;
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return { help, config };
}

/**
 * Flags have the form `--name=value`, `--name value` or, for a boolean, `--name`. The last occurrence of a flag applies; lists and maps
 * accumulate. A flag of a plugin has its value after an equals sign: who reads the arguments before plugins are loaded cannot know whether the next word is its value.
 * `readFile` returns the text of `--config`.
 */
export function readArguments(
  args: readonly string[],
  readFile: (path: string) => string,
  { table = settings, leavesOthers = false }: Reading = {},
): Read {
  const mistakes: string[] = [], left: string[] = [];
  const given = new Map<string, unknown>();
  const rest = [...args];
  let help = false;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--help" || word === "-h") {
      help = true;
      continue;
    }
    if (word.startsWith("-v")) {
      const short = word.slice(2);
      // The only flag with a short form, as in upstream: -v=4, -v 4, -v4.
      const level = short === "" ? rest.shift() : short.replace(/^=/, "");
      if (level === undefined) mistakes.push('flag "-v" needs a value');
      else set(given, "v", "int", level, 'flag "-v"', mistakes);
      continue;
    }
    if (!word.startsWith("--") || word === "--") {
      mistakes.push(`unexpected argument "${word}": the form of a setting is --name=value`);
      continue;
    }
    const equals = word.indexOf("=");
    const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
    if (!Object.hasOwn(table, name)) {
      if (leavesOthers) left.push(equals < 0 ? "" : word.slice(equals + 1));
      else mistakes.push(`unknown flag "--${name}"${meant(name, table, "--")}`);
      continue;
    }
    const { kind, plugin } = table[name]!; // An own key.
    const value = equals >= 0 ? word.slice(equals + 1) : kind === "bool" ? "true" : plugin === undefined ? rest.shift() : undefined;
    if (value !== undefined) set(given, name, kind, value, `flag "--${name}"`, mistakes);
    else mistakes.push(`flag "--${name}" needs a value${plugin === undefined ? "" : `: --${name}=value`}`);
  }
  if (help) return { help };
  const path = given.get("config"), ofFile: Mistake[] = [], empty: string[] = [];
  if (typeof path === "string" && path !== "") {
    const values = fromFile(path, readFile, { table, leavesOthers, left, mistakes: ofFile, empty });
    for (const [name, value] of values) if (!given.has(name)) given.set(name, value);
  }
  const config = { ...defaultsOf(table), ...Object.fromEntries(given) } as unknown as Config; // `set` has converted each value by its kind.
  names.set(config, new Set(given.keys()));
  return { help, config, mistakes: [...mistakes, ...ofFile, ...senseless(config), ...refusedValues(table, given)], empty, left };
}

/**
 * The settings of a program, for the server and for these plugins, merged into the defaults. Throws a ConfigError with every mistake.
 */
export function withDefaults(given: PlainSettings, plugins: readonly Plugin[] = [], ofPlugins: PluginSettings = {}): Config {
  const mistakes: string[] = [], table = tableOf(plugins);
  const values = { ...fromPlain({ ...given }, settings, mistakes), ...fromPlain(ofPlugins, withoutSettings(table), mistakes) };
  const config = { ...defaultsOf(table), ...values } as unknown as Config; // `fromPlain` has checked the kind of each value.
  names.set(config, new Set(Object.keys(values)));
  append(mistakes, senseless(config), refusedValues(table, new Map(Object.entries(values))));
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return config;
}

/** The rows that are not the server's. */
function withoutSettings(table: SettingTable): SettingTable {
  return Object.fromEntries(Object.entries(table).filter(([, { plugin }]) => plugin !== undefined));
}

/** The names of the settings that were given, by configuration: a value may be the default. */
const names = new WeakMap<Config, ReadonlySet<string>>();

/** The settings that command line, file or program have given. */
export function givenSettings(config: Config): ReadonlySet<string> {
  return names.get(config) ?? new Set();
}

function meant(name: string, table: SettingTable, dashes: string): string {
  const near = nearest(name, Object.keys(table));
  return near === undefined ? "" : `: did you mean "${dashes}${near}"?`;
}

function set(into: Map<string, unknown>, name: string, kind: Kind, value: string, where: string, mistakes: string[]): void {
  const bad = (expected: string) => mistakes.push(`${where}: ${valueText(value)} is not ${expected}`);
  switch (kind) {
    case "string":
      into.set(name, value);
      return;
    case "bool":
      if (/^(true|false|1|0|t|f)$/i.test(value)) into.set(name, /^(true|1|t)$/i.test(value));
      else bad("true or false");
      return;
    case "int":
      if (/^\d{1,9}$/.test(value)) into.set(name, Number(value));
      else bad("a number");
      return;
    case "count":
      if (value === "auto" || /^[1-9]\d{0,8}$/.test(value)) into.set(name, value === "auto" ? value : Number(value));
      else bad("auto or a number from 1");
      return;
    case "fraction":
      if (/^-?(\d{1,9}(\.\d{0,17})?|\.\d{1,17})(e-?\d{1,2})?$/i.test(value)) into.set(name, Number(value));
      else bad("a number such as 0.001");
      return;
    case "duration": {
      const milliseconds = durationOf(value);
      if (milliseconds === undefined) bad('a duration such as "30s" or "1m30s"');
      else into.set(name, milliseconds);
      return;
    }
    case "list": {
      const words = value.split(",").map((word) => word.trim()).filter((word) => word !== "");
      into.set(name, [...(into.get(name) as string[] | undefined ?? []), ...words]); // Only lists are set here.
      return;
    }
    case "texts": {
      const pairs = into.get(name) as Map<string, string> | undefined ?? new Map<string, string>(); // As above.
      for (const pair of pairsOf(value)) {
        const at = pair.indexOf("=");
        if (at < 0) mistakes.push(`${where}: ${valueText(pair)} must be formatted as key=value`);
        else pairs.set(pair.slice(0, at), pair.slice(at + 1));
      }
      into.set(name, pairs);
      return;
    }
    case "map": {
      const pairs = into.get(name) as Map<string, boolean> | undefined ?? new Map<string, boolean>(); // As for maps.
      for (const pair of value.split(",").map((each) => each.trim()).filter((each) => each !== "")) {
        const [written = "", on = "true"] = pair.split("=");
        const key = name === "feature-gates" ? withoutComponent(written, mistakes) : written;
        if (key === undefined) continue;
        if (/^(true|false)$/i.test(on)) pairs.set(key, on.toLowerCase() === "true");
        else {mistakes.push(
            `${where}: ${valueText(pair)} is not ${valueText(`${key}=true`)} or ${valueText(`${key}=false`)}`,
          );}
      }
      into.set(name, pairs);
    }
  }
}

/** The gate of `kube:Gate`. Undefined, after upstream's error, for another component. */
function withoutComponent(written: string, mistakes: string[]): string | undefined {
  const colon = written.indexOf(":"), component = written.slice(0, Math.max(0, colon));
  if (colon < 0 || component === kubeComponent) return written.slice(colon + 1);
  mistakes.push(`component not registered: ${component}`);
  return undefined;
}

/**
 * Pairs of one word as pflag's stringToString parses them: a word with one `=` is one pair, including its commas; otherwise commas outside
 * double quotes separate pairs.
 */
function pairsOf(value: string): readonly string[] {
  if (value.split("=").length === 2) return [trimEndOf(value.replace(/^"+/, ""), '"')];
  const pairs: string[] = [];
  for (let at = 0; at < value.length;) {
    const end = value[at] === '"' ? closingQuote(value, at) : wordEnd(value, at);
    if (end > at) pairs.push(value[at] === '"' ? value.slice(at + 1, end - 1).replaceAll('""', '"') : value.slice(at, end));
    at = Math.max(at + 1, end);
  }
  return pairs;
}

/** The end of the quoted text that starts at `start`; a doubled quote is a literal one, and the last quote ends the text. */
function closingQuote(value: string, start: number): number {
  let last = start;
  for (let at = value.indexOf('"', start + 1); at >= 0; at = value.indexOf('"', at + 2)) {
    last = at + 1;
    if (value[at + 1] !== '"') break;
  }
  return last;
}

function wordEnd(value: string, start: number): number {
  let end = start;
  while (end < value.length && value[end] !== "," && value[end] !== '"') end++;
  return end;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `1h2m3.5s`, `300ms` or `0` in milliseconds; undefined for invalid text. */
function durationOf(text: string): number | undefined {
  if (text === "0") return 0;
  const part = /(\d+(?:\.\d+)?)(ms|s|m|h)/y;
  let sum = 0, at = 0;
  for (let found = part.exec(text); found !== null; found = part.exec(text)) {
    sum += Number(found[1]) * units[found[2]!]!;
    at = part.lastIndex;
  }
  return at === text.length && at > 0 && at <= 40 ? sum : undefined;
}

/** The table to read a file by, and where what is not a value goes. */
interface FileReading extends Required<Reading> {
  readonly left: string[];
  readonly mistakes: Mistake[];
  readonly empty: string[];
}

function fromFile(
  path: string,
  readFile: (path: string) => string,
  { table, leavesOthers, left, mistakes, empty }: FileReading,
): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  const bad = (fault: Fault) => mistakes.push({ text: `configuration file "${path}": ${fault.text}`, file: path, faults: [fault] });
  let text: string;
  try {
    text = readFile(path);
  } catch (error) {
    mistakes.push(`cannot read the configuration file "${path}": ${reasonOf(error)}`);
    return values;
  }
  const read = readYaml(new TextEncoder().encode(text));
  if (!read.ok) {
    bad(faultOf(read.error));
    return values;
  }
  for (const duplicate of read.duplicates) bad(faultOf(duplicate));
  if (read.tree === null) return values;
  if (!(read.tree instanceof TreeObject)) {
    bad({ text: "expected settings by name" });
    return values;
  }
  read.tree.keys.forEach((name, index) => {
    const value = (read.tree as TreeObject).values[index]!; // Checked above.
    if (!Object.hasOwn(table, name) || name === "config") {
      if (leavesOthers && name !== "config") append(left, wordsOf(value));
      else bad({ text: `unknown setting "${name}"${meant(name, table, "")}`, path: name });
      return;
    }
    if (value === null) empty.push(name);
    const wrong: string[] = [];
    for (const word of wordsOf(value)) set(values, name, table[name]!.kind, word, `setting "${name}"`, wrong);
    for (const text of wrong) mistakes.push({ text: `configuration file "${path}", ${text}`, file: path, faults: [{ text, path: name }] });
  });
  return values;
}

/** A setting's value in the file in the form of flags: lists and maps item by item. */
function wordsOf(value: Tree): readonly string[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  if (value instanceof TreeObject) return value.keys.flatMap((key, index) => wordsOf(value.values[index]!).map((word) => `${key}=${word}`));
  return [value instanceof NumberText ? value.text : String(value)];
}

/** Upstream's bound: one of fifty requests. */
const goawayChanceMax = 0.02;

/** Mistakes: values out of bounds, and contradicting settings. */
function senseless(config: Config): readonly string[] {
  const mistakes: string[] = [];
  if ((config["tls-cert-file"] === "") !== (config["tls-private-key-file"] === "")) {
    mistakes.push('flags "--tls-cert-file" and "--tls-private-key-file" must be set together');
  }
  if ((config["etcd-certfile"] === "") !== (config["etcd-keyfile"] === "")) {
    mistakes.push('flags "--etcd-certfile" and "--etcd-keyfile" must be set together');
  }
  append(mistakes, auditMistakes(config), electionMistakes(config), emulationMistakes(config));
  append(
    mistakes,
    workersMistakes(config),
    serviceMistakes(config),
    kubeletMistakes(config),
    tlsMistakes(config),
    testControlMistakes(config),
    aggregationMistakes(config),
  );
  const chance = config["goaway-chance"];
  // Negated, so that NaN is a mistake as well.
  if (!(chance >= 0 && chance <= goawayChanceMax)) {
    mistakes.push(`flag "--goaway-chance": ${chance} is not a valid probability: it must be between 0 and ${goawayChanceMax}`);
  }
  if (config["secure-port"] > 65535) {
    mistakes.push(`flag "--secure-port": ${config["secure-port"]} is not a port: it must be at most 65535`);
  }
  for (const name of ["group-domain", "platform-name"] as const) {
    if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(config[name])) {
      mistakes.push(`flag "--${name}": ${valueText(config[name])} is not a lower-case DNS name`);
    }
  }
  if (!isPreset(config["preset"])) {
    mistakes.push(`flag "--preset": ${valueText(config["preset"])} is not a preset: it must be ${presets.join(" or ")}`);
  }
  if (!["own", "runtime"].includes(config["http2-implementation"])) {
    const given = valueText(config["http2-implementation"]);
    mistakes.push(`flag "--http2-implementation": ${given} is not an implementation: it must be own or runtime`);
  }
  if (!["text", "json"].includes(config["logging-format"])) {
    mistakes.push(`flag "--logging-format": ${valueText(config["logging-format"])} is not a format: it must be text or json`);
  }
  verbosityOf(config.v, config.vmodule, mistakes);
  for (const endpoint of config["etcd-servers"].filter((each) => !isEtcdAddress(each))) {
    mistakes.push(`flag "--etcd-servers": ${valueText(withoutUser(endpoint))} is not an address such as "https://10.0.0.1:2379"`);
  }
  append(mistakes, overrideMistakes(config));
  if (!/^(\/[^/]+)+$/.test(config["etcd-prefix"])) {
    mistakes.push(`flag "--etcd-prefix": ${valueText(config["etcd-prefix"])} is not a path such as "/registry"`);
  }
  return mistakes;
}

/** The rules of client-go: a leader must have stopped before another server can start. */
function electionMistakes(config: Config): readonly string[] {
  const lease = config["leader-elect-lease-duration"], deadline = config["leader-elect-renew-deadline"];
  const retry = config["leader-elect-retry-period"];
  return [
    ...(lease >= 1000 && lease % 1000 === 0
      ? []
      : [`flag "--leader-elect-lease-duration": ${durationText(lease)} is not a whole number of seconds`]),
    ...(lease > deadline ? [] : ['flag "--leader-elect-lease-duration" must be greater than "--leader-elect-renew-deadline"']),
    ...(retry > 0 && deadline > retry * electionRetryJitter ? [] : [
      `flag "--leader-elect-renew-deadline" must be greater than ${electionRetryJitter} times "--leader-elect-retry-period", which must not be 0`,
    ]),
  ];
}
