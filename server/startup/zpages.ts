/**
 * `/statusz` and `/flagz` (KEPs 4827 and 4828), behind the gates ComponentStatusz and ComponentFlagz: text for people, and objects of
 * `config.k8s.io/v1alpha1` for clients that ask for them: `Accept: application/json;v=v1alpha1;g=config.k8s.io;as=Statusz`. As upstream, any method.
 */
import type { VersionInfo } from "../../core/meta/version-info.ts";
import type { Plugin } from "../../core/plugin.ts";
import { parseAccept } from "../../core/codec/accept.ts";
import { clauseNames, mediaType, notAcceptable, prefersPretty } from "../../core/codec/negotiate.ts";
import { field, type Infer, int64, list, record, string, struct, type StructNode, type Typed } from "../../core/schema.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import { type Exchange, header, type Reply } from "../../kernel/request/exchange.ts";
import type { RequestInfo } from "../../kernel/request/request-info.ts";
import { typedReply } from "../../kernel/respond/answer.ts";
import { withoutUser } from "../../protocols/without-user.ts";
import { durationText } from "../config/help.ts";
import type { AnySetting } from "../config/setting.ts";
import { tableOf, valueOf } from "../config/plugin-settings.ts";
import type { Config } from "../config/settings.ts";

const Meta = struct("ObjectMeta", { name: field(1, string, "The component.") });
const meta = field(1, Meta, "The component's name.", { written: "always" });
const Statusz = withType(struct("Statusz", {
  metadata: meta,
  startTime: field(2, string, "When the process started.", { written: "always" }),
  uptimeSeconds: field(3, int64, "Seconds since then.", { written: "always" }),
  goVersion: field(4, string, "The runtime; the key is kept for clients.", { written: "always" }),
  binaryVersion: field(5, string, "The release of the program.", { written: "always" }),
  emulationVersion: field(6, string, "The emulated release."),
  paths: field(7, list(string), "Paths for looking into the server.", { written: "always" }),
}));
const Flagz = withType(struct("Flagz", {
  metadata: meta,
  flags: field(2, record(string), "The settings in force, by flag."),
}));

/** With kind and apiVersion. */
function withType<T extends object>(schema: Typed<T, StructNode>): Typed<T, StructNode> {
  return Object.freeze({ ...schema, typeMeta: true } as const);
}

export interface ZpageNeeds {
  readonly version: VersionInfo;
  readonly config: () => Config;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly startedAt: number;
}

const component = "apiserver", group = "config", version = "v1alpha1";

/** The paths that the gates of a catalog have switched on. */
export function zpagePaths({ gates }: Pick<Catalog, "gates">): readonly string[] {
  return [...(gates.isOn("ComponentFlagz") ? ["/flagz"] : []), ...(gates.isOn("ComponentStatusz") ? ["/statusz"] : [])];
}

/** The reply to one of these paths; undefined for others, and while the gate is off. Throws 406 for what cannot be sent. */
export function zpageReply(exchange: Exchange, { path, query }: RequestInfo, catalog: Catalog, needs: ZpageNeeds): Reply | undefined {
  if (!zpagePaths(catalog).includes(path)) return undefined;
  const kind = path === "/statusz" ? "Statusz" : "Flagz", accept = header(exchange, "accept"), { names } = catalog;
  const encoding = accept.trim() === "" ? "text" : encodingOf(accept, kind, catalog);
  if (encoding === "text") {
    const headers = { "content-type": "text/plain; charset=utf-8" };
    return {
      status: 200,
      headers,
      body: kind === "Statusz" ? statusText(statusOf(catalog, needs)) : flagsText(flagsOf(needs.config(), catalog.plugins)),
    };
  }
  const output = { encoding, transform: { as: "object" } } as const, apiVersion = `${group}.${names.domain}/${version}`;
  const pretty = prefersPretty(query.first("pretty") ?? "", header(exchange, "user-agent"));
  const written = <T extends object>(schema: Typed<T, StructNode>, body: T) =>
    typedReply({ output, pretty, catalog }, 200, schema, { ...body, kind, apiVersion });
  const reply = kind === "Statusz"
    ? written(Statusz, statusOf(catalog, needs))
    : written(Flagz, { metadata: { name: component }, flags: flagsOf(needs.config(), catalog.plugins) });
  const type = `${mediaType(encoding, names)};g=${group}.${names.domain};v=${version};as=${kind}`;
  return { ...reply, headers: { ...reply.headers, "content-type": type } };
}

/** As upstream: text for clauses without parameters of a transformation, the others only for the one kind. */
function encodingOf(accept: string, kind: string, { media, names }: Catalog): "text" | "json" | "yaml" | "cbor" {
  const encodings = (["json", "yaml", "cbor"] as const).filter((each) => media.encodings.includes(each));
  for (const clause of parseAccept(accept)) {
    const { parameters } = clause, [as, g, v] = ["as", "g", "v"].map((name) => parameters.get(name));
    if (parameters.has("stream") || parameters.has("sv")) continue;
    const isKind = as === kind && g === `${group}.${names.domain}` && v === version;
    const found = isKind ? encodings.find((each) => clauseNames(clause, mediaType(each, names))) : undefined;
    if (found !== undefined) return found;
    if (as === undefined && g === undefined && v === undefined && clauseNames(clause, "text/plain")) return "text";
  }
  throw notAcceptable([...encodings.map((each) => mediaType(each, names)), "text/plain"]);
}

function statusOf(catalog: Catalog, { version, now, startedAt }: ZpageNeeds): Infer<typeof Statusz> {
  return {
    metadata: { name: component },
    startTime: new Date(Math.floor(startedAt / 1000) * 1000).toISOString().replace(".000Z", "Z"),
    uptimeSeconds: Math.max(0, Math.floor((now() - startedAt) / 1000)),
    goVersion: version.goVersion,
    binaryVersion: `${version.major}.${version.minor}.0`,
    emulationVersion: catalog.releases.emulated,
    paths: ["/healthz", "/livez", "/metrics", "/readyz", "/version", ...zpagePaths(catalog)].toSorted(),
  };
}

/** Upstream warns programs off, and varies the separators so that none relies on them; people need no variation. */
const headOf = (page: string): string =>
  `\n${component} ${page}\nWarning: This text is for people. Its form may change at any time: programs ask for ${group}.k8s.io/${version}.\n`;

function statusText({ startTime, uptimeSeconds, goVersion, binaryVersion, emulationVersion, paths }: Infer<typeof Statusz>): string {
  const seconds = Number(uptimeSeconds), two = (value: number) => String(value).padStart(2, "0");
  const up = `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
  return [
    `${headOf("statusz")}`,
    `Started: ${startTime}`,
    `Up: ${up}`,
    `Go version: ${goVersion}`,
    `Binary version: ${binaryVersion}`,
    `Emulation version: ${emulationVersion}`,
    `Paths: ${(paths ?? []).join(" ")}`,
    "",
  ].join("\n");
}

function flagsText(flags: Readonly<Record<string, string>>): string {
  return [`${headOf("flagz")}`, ...Object.entries(flags).map(([name, value]) => `${name}: ${value}`), ""].join("\n");
}

/** Values in the form of Go's flags. Users and passwords in addresses are left out, and secrets of plugins. No other setting has a secret. */
export function flagsOf(config: Config, plugins: readonly Plugin[]): Readonly<Record<string, string>> {
  const rows = Object.entries(tableOf(plugins)).toSorted(([one], [other]) => one < other ? -1 : 1);
  return Object.fromEntries(rows.map(([name, row]) => [name, shown(row, valueOf(config, name, row.default))]));
}
function shown({ kind, isSecret }: AnySetting, value: unknown): string {
  if (isSecret) return value === "" ? "" : "***";
  if (kind === "duration") return durationText(value as number); // The table's own types.
  // An item of --etcd-servers-overrides has several addresses.
  const open = (text: string) => text.split(";").map(withoutUser).join(";");
  if (kind === "list") return `[${(value as readonly string[]).map(open).join(",")}]`;
  if (kind === "map" || kind === "texts") {
    return Array.from(value as ReadonlyMap<string, unknown>, ([key, each]) => `${key}=${each}`).join(",");
  }
  return withoutUser(String(value));
}
