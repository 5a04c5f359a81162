/**
 * One table of settings: name, type, default, help. Flags, the configuration file, `--help` and the values of the chart
 * follow it. Names are kube-apiserver's where they mean the same.
 */

type Kind = "string" | "bool" | "int" | "duration" | "list" | "map" | "texts";
interface Setting<K extends Kind, D> {
  readonly kind: K;
  readonly default: D;
  /** What it does, and what for; a value's placeholder stands in angle brackets. */
  readonly help: string;
}

const text = (fallback: string, help: string): Setting<"string", string> => ({ kind: "string", default: fallback, help });
const bool = (fallback: boolean, help: string): Setting<"bool", boolean> => ({ kind: "bool", default: fallback, help });
const int = (fallback: number, help: string): Setting<"int", number> => ({ kind: "int", default: fallback, help });
/** Milliseconds inside, `1m30s` outside. */
const duration = (fallback: number, help: string): Setting<"duration", number> => ({ kind: "duration", default: fallback, help });
const list = (help: string): Setting<"list", readonly string[]> => ({ kind: "list", default: [], help });
/** Texts by key: `key=text`, as often as needed; with several in one word, each with commas stands in double quotes. */
const texts = (help: string): Setting<"texts", ReadonlyMap<string, string>> => ({ kind: "texts", default: new Map(), help });
const map = (help: string): Setting<"map", ReadonlyMap<string, boolean>> => ({ kind: "map", default: new Map(), help });

export const settings = Object.freeze({
  "config": text("", "YAML file with settings by flag name; flags on the command line win over it."),

  "bind-address": text("127.0.0.1", "Address to listen on."),
  "secure-port": int(6443, "Port to listen on with TLS; 0 picks a free one and prints it."),
  "cert-dir": text("", "Folder for the certificates that the server makes itself; default: pki in the data folder."),
  "tls-cert-file": text("", "PEM file of the serving certificate, its chain behind it; needs --tls-private-key-file."),
  "tls-private-key-file": text("", "PEM file of the serving certificate's key."),
  "client-ca-file": text("", "PEM bundle of authorities whose client certificates are believed, beside the server's own authority."),
  "token-auth-file": text("", 'File of static bearer tokens, a line each: token,user,uid,"group1,group2".'),
  "anonymous-auth": bool(true, "Let requests without credentials in as system:anonymous; false answers them 401."),

  "data-dir": text("./thole-data", "Folder of the embedded store, certificates and kubeconfig; :memory: keeps everything in memory."),
  "etcd-servers": list("Addresses of etcd (scheme://host:port, separated by commas); without them the embedded store is used."),
  "etcd-prefix": text("/registry", "What every key begins with."),
  "etcd-cafile": text("", "PEM bundle to verify etcd's certificate with."),
  "etcd-certfile": text("", "PEM client certificate for etcd."),
  "etcd-keyfile": text("", "PEM key of the client certificate for etcd."),
  "etcd-compaction-interval": duration(5 * 60_000, "How much history is kept for watches and continued lists; 0 keeps all of it."),

  "group-domain": text("k8s.io", "Domain of API groups: storage.<domain>. Stock clients expect the default."),
  "platform-name": text("kubernetes", "Name in the protobuf media type, labels, annotations and finalizers."),
  "plugins": list(
    "Plugins to serve: names (all built-in ones when none is named), -name to leave one out, and module paths or package names to load.",
  ),
  "runtime-config": map(
    "Group versions and resources to serve or not: group/version[/resource][=bool], api/all, api/ga, api/beta, api/alpha.",
  ),
  "disable-admission-plugins": list("Steps of admission to leave out, by name, such as DefaultStorageClass."),
  "feature-gates": map("Feature gates to switch: Name=bool; AllAlpha and AllBeta switch every gate of that stage."),

  "max-requests-inflight": int(400, "Reads answered at once before others get 429; 0 is no bound."),
  "max-mutating-requests-inflight": int(200, "Writes answered at once before others get 429; 0 is no bound."),
  "request-timeout": duration(60_000, "How long a request other than a watch may take."),
  "min-request-timeout": int(1800, "Seconds that a watch lasts at least when its client names no time; up to twice as long."),
  "logging-format": text("text", "Form of the log's lines: text (as klog writes it) or json."),
  "v": int(0, "How much is logged; 3 has a line for every request, 0 only what an operator should know."),
  "vmodule": list("Other levels for parts of the server: module=level, by commas; names may have * and ?, such as httplog=3."),
  "slow-request-threshold": duration(500, "From when on a request is logged with where its time went; 0 is never. Watches are not meant."),
  "show-hidden-metrics-for-version": text(
    "",
    "Serve metrics that this release hides and the next one drops; only the previous minor release makes sense, such as 1.34.",
  ),
  "disabled-metrics": list("Metrics to leave out, by their full names; also where --show-hidden-metrics-for-version would show them."),
  "allow-metric-labels": texts(
    "Values that a label of a metric may take, others count as unexpected: metric,label=value,value; as often as needed.",
  ),
  "allow-metric-labels-manifest": text(
    "",
    'YAML file of the same as "metric,label": "value,value"; not read where --allow-metric-labels is given.',
  ),
  "shutdown-delay-duration": duration(0, "How long the server goes on answering after it has said that it is not ready."),
});

type Settings = typeof settings;
type ValueOf<S> = S extends Setting<Kind, infer D> ? D : never;
/** A value for every setting. */
export type Config = { readonly [Name in keyof Settings]: ValueOf<Settings[Name]> };
export type SettingName = keyof Settings;

/** Every setting at its default. */
export const defaults: Config = Object.freeze(
  Object.fromEntries(Object.entries(settings).map(([name, { default: value }]) => [name, value])),
) as Config; // one entry for each key of Settings

/** The text of `--help`. */
export function helpText(
  gates: readonly { readonly name: string; readonly stage: string; readonly default: boolean; readonly locked?: boolean }[],
): string {
  const lines = Object.entries(settings).map(([name, setting]) => {
    const shown = defaultText(setting);
    return `  --${name}${placeholder[setting.kind]}\n      ${setting.help}${shown === "" ? "" : ` (default ${shown})`}`;
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

function defaultText({ kind, default: value }: Setting<Kind, unknown>): string {
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
