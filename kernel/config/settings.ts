/**
 * One table of settings: name, type, default, help. Flags, the configuration file, `--help` and the values of the chart
 * follow it. Names are kube-apiserver's where they mean the same.
 */
import { limits } from "../../core/limits.ts";

export type Kind = "string" | "bool" | "int" | "fraction" | "duration" | "list" | "map" | "texts";
export interface Setting<K extends Kind, D> {
  readonly kind: K;
  readonly default: D;
  /** What it does, and what for; a value's placeholder stands in angle brackets. */
  readonly help: string;
}
/** What becomes of a value that changes in the configuration file while the server runs: it is taken over, or refused because of this. */
export interface Change {
  readonly fixed: string | undefined;
}
/** Of a flag that is going away: the releases, and what to give instead. */
export interface Going {
  readonly deprecated?: { readonly since: string; readonly removed: string; readonly use: string };
}
/** A row of the table. */
export type AnySetting = Setting<Kind, unknown> & Change & Going;

const text = (fallback: string, help: string): Setting<"string", string> => ({ kind: "string", default: fallback, help });
const bool = (fallback: boolean, help: string): Setting<"bool", boolean> => ({ kind: "bool", default: fallback, help });
const int = (fallback: number, help: string): Setting<"int", number> => ({ kind: "int", default: fallback, help });
const fraction = (fallback: number, help: string): Setting<"fraction", number> => ({ kind: "fraction", default: fallback, help });
/** Milliseconds inside, `1m30s` outside. */
const duration = (fallback: number, help: string): Setting<"duration", number> => ({ kind: "duration", default: fallback, help });
const list = (help: string): Setting<"list", readonly string[]> => ({ kind: "list", default: [], help });
/** Texts by key: `key=text`, as often as needed; with several in one word, each with commas stands in double quotes. */
const texts = (help: string): Setting<"texts", ReadonlyMap<string, string>> => ({ kind: "texts", default: new Map(), help });
const map = (help: string): Setting<"map", ReadonlyMap<string, boolean>> => ({ kind: "map", default: new Map(), help });

/** A change in the file is taken over while the server runs. */
const live = <S extends Setting<Kind, unknown>>(setting: S): S & Change => ({ ...setting, fixed: undefined });
/** A change needs another start, because of `reason`. */
const fixed = <S extends Setting<Kind, unknown>>(reason: string, setting: S): S & Change => ({ ...setting, fixed: reason });

const isOpen = "the socket is open, and clients know where";
const isRead = "the file is read once, at the start";
const isFollowed = "another path needs another start; what is in the file is read again when it changes";
const isStore = "what has been written would be somewhere else";
const isSpelled = "keys, answers and clients spell it already";
const isElecting = "the election of the server that runs the controllers is under way by the old rules";
const isLogged = "the log is opened once, at the start";
const isCounted = "metrics that have been counted cannot be counted again";

/** A value for every setting, by flag name; durations in milliseconds. */
export interface Config {
  readonly "config": string;
  readonly "bind-address": string;
  readonly "secure-port": number;
  readonly "cert-dir": string;
  readonly "tls-cert-file": string;
  readonly "tls-private-key-file": string;
  readonly "client-ca-file": string;
  readonly "root-ca-file": string;
  readonly "requestheader-client-ca-file": string;
  readonly "requestheader-allowed-names": readonly string[];
  readonly "requestheader-username-headers": readonly string[];
  readonly "requestheader-uid-headers": readonly string[];
  readonly "requestheader-group-headers": readonly string[];
  readonly "requestheader-extra-headers-prefix": readonly string[];
  readonly "token-auth-file": string;
  readonly "anonymous-auth": boolean;
  readonly "data-dir": string;
  readonly "etcd-servers": readonly string[];
  readonly "etcd-prefix": string;
  readonly "etcd-cafile": string;
  readonly "etcd-certfile": string;
  readonly "etcd-keyfile": string;
  readonly "etcd-compaction-interval": number;
  readonly "leader-elect": boolean;
  readonly "leader-elect-lease-duration": number;
  readonly "leader-elect-renew-deadline": number;
  readonly "leader-elect-retry-period": number;
  readonly "group-domain": string;
  readonly "platform-name": string;
  readonly "plugins": readonly string[];
  readonly "runtime-config": ReadonlyMap<string, boolean>;
  readonly "disable-admission-plugins": readonly string[];
  readonly "feature-gates": ReadonlyMap<string, boolean>;
  readonly "suppress-deprecation-warnings": boolean;
  readonly "max-requests-inflight": number;
  readonly "max-mutating-requests-inflight": number;
  readonly "goaway-chance": number;
  readonly "http2-max-streams-per-connection": number;
  readonly "request-timeout": number;
  readonly "min-request-timeout": number;
  readonly "livez-grace-period": number;
  readonly "etcd-healthcheck-timeout": number;
  readonly "etcd-readycheck-timeout": number;
  readonly "logging-format": string;
  readonly "v": number;
  readonly "vmodule": readonly string[];
  readonly "slow-request-threshold": number;
  readonly "show-hidden-metrics-for-version": string;
  readonly "disabled-metrics": readonly string[];
  readonly "allow-metric-labels": ReadonlyMap<string, string>;
  readonly "allow-metric-labels-manifest": string;
  readonly "shutdown-send-retry-after": boolean;
  readonly "shutdown-watch-termination-grace-period": number;
  readonly "shutdown-delay-duration": number;
}
export type SettingName = keyof Config;
/** A row for every setting. */
export type Settings = { readonly [Name in SettingName]: Setting<Kind, Config[Name]> & Change & Going };

export const settings: Settings = Object.freeze(
  {
    "config": fixed(
      "it is given on the command line only",
      text("", "YAML file with settings by flag name; flags on the command line win over it."),
    ),

    "bind-address": fixed(isOpen, text("127.0.0.1", "Address to listen on.")),
    "secure-port": fixed(isOpen, int(6443, "Port to listen on with TLS; 0 picks a free one and prints it.")),
    "cert-dir": fixed(
      isFollowed,
      text("", "Folder for the certificates that the server makes itself, and renews in time; default: pki in the data folder."),
    ),
    "tls-cert-file": fixed(isFollowed, text("", "PEM file of the serving certificate, its chain behind it; needs --tls-private-key-file.")),
    "tls-private-key-file": fixed(isFollowed, text("", "PEM file of the serving certificate's key.")),
    "client-ca-file": fixed(
      isFollowed,
      text("", "PEM bundle of authorities whose client certificates are believed, beside the server's own authority."),
    ),
    "root-ca-file": fixed(
      isRead,
      text("", "PEM bundle of authorities to publish in each namespace as the ConfigMap kube-root-ca.crt; none where it is empty."),
    ),
    "requestheader-client-ca-file": fixed(
      isFollowed,
      text(
        "",
        "PEM bundle of authorities of front proxies: to whom they have given a certificate is believed what its headers say of users.",
      ),
    ),
    "requestheader-allowed-names": live(
      list("Common names of front proxies' certificates; without any, each certificate of --requestheader-client-ca-file will do."),
    ),
    "requestheader-username-headers": live(
      list(
        "Headers of front proxies that name the user, the first with a value counts; none is believed where none is named: X-Remote-User.",
      ),
    ),
    "requestheader-uid-headers": live(list("Headers of front proxies with the user's UID, X-Remote-Uid among them.")),
    "requestheader-group-headers": live(list("Headers of front proxies with the user's groups, one a header: X-Remote-Group.")),
    "requestheader-extra-headers-prefix": live(
      list("Beginnings of headers of front proxies with what else is known of the user: X-Remote-Extra-."),
    ),
    "token-auth-file": fixed(isFollowed, text("", 'File of static bearer tokens, a line each: token,user,uid,"group1,group2".')),
    "anonymous-auth": live(bool(true, "Let requests without credentials in as system:anonymous; false answers them 401.")),

    "data-dir": fixed(
      isStore,
      text("./thole-data", "Folder of the embedded store, certificates and kubeconfig; :memory: keeps everything in memory."),
    ),
    "etcd-servers": fixed(
      isStore,
      list("Addresses of etcd (scheme://host:port, separated by commas); without them the embedded store is used."),
    ),
    "etcd-prefix": fixed(isStore, text("/registry", "What every key begins with.")),
    "etcd-cafile": fixed(isFollowed, text("", "PEM bundle to verify etcd's certificate with.")),
    "etcd-certfile": fixed(isFollowed, text("", "PEM client certificate for etcd.")),
    "etcd-keyfile": fixed(isFollowed, text("", "PEM key of the client certificate for etcd.")),
    "etcd-compaction-interval": live(duration(5 * 60_000, "How much history is kept for watches and continued lists; 0 keeps all of it.")),

    "leader-elect": fixed(
      isElecting,
      bool(true, "Let only one of the servers on one etcd run the controllers, by a lease in kube-system; false: each runs them."),
    ),
    "leader-elect-lease-duration": fixed(
      isElecting,
      duration(15_000, "How long the others leave the lease to a server that does not renew it; whole seconds."),
    ),
    "leader-elect-renew-deadline": fixed(
      isElecting,
      duration(10_000, "How long the elected server tries to renew the lease before it stops its controllers."),
    ),
    "leader-elect-retry-period": fixed(
      isElecting,
      duration(2_000, "How long to wait between tries to take or to renew the lease."),
    ),

    "group-domain": fixed(isSpelled, text("k8s.io", "Domain of API groups: storage.<domain>. Stock clients expect the default.")),
    "platform-name": fixed(isSpelled, text("kubernetes", "Name in the protobuf media type, labels, annotations and finalizers.")),
    "plugins": live(list(
      "Plugins to serve: names (all built-in ones when none is named), -name to leave one out, and module paths or package names to load.",
    )),
    "runtime-config": live(map(
      "Group versions and resources to serve or not: group/version[/resource][=bool], api/all, api/ga, api/beta, api/alpha.",
    )),
    "disable-admission-plugins": live(list("Steps of admission to leave out, by name, such as DefaultStorageClass.")),
    "feature-gates": live(map("Feature gates to switch: Name=bool; AllAlpha and AllBeta switch every gate of that stage.")),

    "suppress-deprecation-warnings": live(bool(false, "Say nothing of flags and feature gates that are set and on their way out.")),

    "max-requests-inflight": live(int(400, "Reads answered at once before others get 429; 0 is no bound.")),
    "max-mutating-requests-inflight": live(int(200, "Writes answered at once before others get 429; 0 is no bound.")),
    "goaway-chance": live(
      fraction(
        0,
        "Share of HTTP/2 requests that are answered with GOAWAY, so that clients open another connection and spread over the servers " +
          "behind a load balancer; at most 0.02, 0.001 is a good beginning, and 0 is right for a single server.",
      ),
    ),
    "http2-max-streams-per-connection": fixed(
      isOpen,
      int(0, `Requests that an HTTP/2 client may have open on one connection, watches among them; 0 is ${limits.streamsPerConnectionMax}.`),
    ),
    "request-timeout": live(duration(60_000, "How long a request other than a watch may take.")),
    "min-request-timeout": live(int(1800, "Seconds that a watch lasts at least when its client names no time; up to twice as long.")),
    "livez-grace-period": live(duration(0, "How long after its start the server counts as alive although start hooks are not finished.")),
    "etcd-healthcheck-timeout": live(
      duration(2_000, "How long the store may take to answer before the server counts as not alive."),
    ),
    "etcd-readycheck-timeout": live(
      duration(2_000, "How long the store may take to answer before the server counts as not ready."),
    ),
    "logging-format": fixed(isLogged, text("text", "Form of the log's lines: text (as klog writes it) or json.")),
    "v": fixed(isLogged, int(0, "How much is logged; 3 has a line for every request, 0 only what an operator should know.")),
    "vmodule": fixed(
      isLogged,
      list("Other levels for parts of the server: module=level, by commas; names may have * and ?, such as httplog=3."),
    ),
    "slow-request-threshold": live(
      duration(500, "From when on a request is logged with where its time went; 0 is never. Watches are not meant."),
    ),
    "show-hidden-metrics-for-version": fixed(
      isCounted,
      text(
        "",
        "Serve metrics that this release hides and the next one drops; only the previous minor release makes sense, such as 1.34.",
      ),
    ),
    "disabled-metrics": fixed(
      isCounted,
      list("Metrics to leave out, by their full names; also where --show-hidden-metrics-for-version would show them."),
    ),
    "allow-metric-labels": fixed(
      isCounted,
      texts(
        "Values that a label of a metric may take, others count as unexpected: metric,label=value,value; as often as needed.",
      ),
    ),
    "allow-metric-labels-manifest": fixed(
      isRead,
      text(
        "",
        'YAML file of the same as "metric,label": "value,value"; not read where --allow-metric-labels is given.',
      ),
    ),
    "shutdown-send-retry-after": live(
      bool(
        false,
        "Answer requests that come once the server goes down with 429 and a time to come back, until those on their way are done.",
      ),
    ),
    "shutdown-watch-termination-grace-period": live(
      duration(0, "Over how long watches end, one after another, when the server goes down; 0 ends all at once."),
    ),
    "shutdown-delay-duration": live(duration(0, "How long the server goes on answering after it has said that it is not ready.")),
  } satisfies Settings,
);

/** Warnings for the operator about set flags that are deprecated. */
export function settingWarnings(
  set: Iterable<string>,
  table: Readonly<Record<string, Going & { readonly help: string }>> = settings,
): readonly string[] {
  return Array.from(set).flatMap((name) => {
    const going = Object.hasOwn(table, name) ? table[name]?.deprecated : undefined;
    return going === undefined
      ? []
      : [`flag --${name} is deprecated since ${going.since} and will be removed in ${going.removed}: use ${going.use}`];
  });
}

/** Every setting at its default. */
export const defaults: Config = Object.freeze(
  Object.fromEntries(Object.entries(settings).map(([name, { default: value }]) => [name, value])),
) as unknown as Config; // one entry for each key of Settings
