/**
 * The table of settings: name, type, default, help. Flags, the configuration file, `--help` and the chart's values are derived from it.
 * A setting with the meaning of a kube-apiserver flag has the flag's name.
 */
import { type AdmissionConfig, admissionSettings } from "./admission-settings.ts";
import { type AuditConfig, auditSettings } from "./audit-settings.ts";
import { type TlsConfig, tlsSettings } from "./tls-settings.ts";
import { type ElectionConfig, electionSettings } from "./election-settings.ts";
import { isFollowed, isStore, type StoreConfig, storeSettings } from "./store-settings.ts";
import { type EmulationConfig, emulationSettings } from "./emulation-settings.ts";
import { type LimitConfig, limitSettings } from "./limit-settings.ts";
import {
  bool,
  type Change,
  type Count,
  count,
  duration,
  fixed,
  fraction,
  type Going,
  int,
  type Kind,
  list,
  live,
  map,
  type Setting,
  text,
  texts,
} from "./setting.ts";
import { type AggregationConfig, aggregationSettings } from "./aggregation-settings.ts";
import { type KubeletConfig, kubeletSettings } from "./kubelet-settings.ts";
import { type ServiceConfig, serviceSettings } from "./service-settings.ts";
import { type ShutdownConfig, shutdownSettings } from "./shutdown-settings.ts";
import { type TestConfig, testSettings } from "./control-settings.ts";
import { type TracingConfig, tracingSettings } from "./tracing-settings.ts";
import { streamsPerConnectionMax } from "../listen/bounds.ts";

export type { AnySetting, Change, Going, Kind, Setting } from "./setting.ts";

const isIssuer = "authenticators are opened once, at start";
const isOpen = "the listener is opened once, at start";
const isRead = "the file is read once, at start";
const isCluster = "the connection to the cluster in front is set up once, at start";
const isSpelled = "stored keys, responses and clients already use the name";
const isLogged = "the log is opened once, at start";
const isCounted = "metrics are registered once, at start";

/** A value for every setting, by flag name; durations in milliseconds. */
export interface Config
  extends
    AdmissionConfig,
    AuditConfig,
    ElectionConfig,
    EmulationConfig,
    KubeletConfig,
    LimitConfig,
    AggregationConfig,
    ServiceConfig,
    ShutdownConfig,
    StoreConfig,
    TestConfig,
    TlsConfig,
    TracingConfig {
  readonly "config": string;
  readonly "bind-address": string;
  readonly "secure-port": number;
  readonly "workers": Count;
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
  readonly "enable-bootstrap-token-auth": boolean;
  readonly "anonymous-auth": boolean;
  readonly "service-account-signing-key-file": string;
  readonly "service-account-key-file": readonly string[];
  readonly "service-account-issuer": readonly string[];
  readonly "service-account-jwks-uri": string;
  readonly "service-account-max-token-expiration": number;
  readonly "service-account-extend-token-expiration": boolean;
  readonly "service-account-lookup": boolean;
  readonly "api-audiences": readonly string[];
  readonly "authentication-kubeconfig": string;
  readonly "authentication-skip-lookup": boolean;
  readonly "authentication-tolerate-lookup-failure": boolean;
  readonly "authorization-kubeconfig": string;
  readonly "authorization-always-allow-paths": readonly string[];
  readonly "authorization-mode": readonly string[];
  readonly "authorization-config": string;
  readonly "authorization-webhook-config-file": string;
  readonly "authorization-webhook-version": string;
  readonly "authorization-webhook-cache-authorized-ttl": number;
  readonly "authorization-webhook-cache-unauthorized-ttl": number;
  readonly "authentication-config": string;
  readonly "oidc-issuer-url": string;
  readonly "oidc-client-id": string;
  readonly "oidc-ca-file": string;
  readonly "oidc-username-claim": string;
  readonly "oidc-username-prefix": string;
  readonly "oidc-groups-claim": string;
  readonly "oidc-groups-prefix": string;
  readonly "oidc-signing-algs": readonly string[];
  readonly "oidc-required-claim": ReadonlyMap<string, string>;
  readonly "authentication-token-webhook-config-file": string;
  readonly "authentication-token-webhook-version": string;
  readonly "authentication-token-webhook-cache-ttl": number;
  readonly "data-dir": string;
  readonly "write-kubeconfig": string;
  readonly "group-domain": string;
  readonly "platform-name": string;
  readonly "plugins": readonly string[];
  readonly "preset": string;
  readonly "runtime-config": ReadonlyMap<string, boolean>;
  readonly "feature-gates": ReadonlyMap<string, boolean>;
  readonly "suppress-deprecation-warnings": boolean;
  readonly "goaway-chance": number;
  readonly "http2-max-streams-per-connection": number;
  readonly "http2-implementation": string;
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
}
export type SettingName = keyof Config;
/** A row for every setting. */
export type Settings = { readonly [Name in SettingName]: Setting<Kind, Config[Name]> & Change & Going };

export const settings: Settings = Object.freeze(
  {
    "config": fixed(
      "it is a command line flag only",
      text("", "YAML configuration file: a map from flag name to value. Flags on the command line take precedence."),
    ),

    "bind-address": fixed(isOpen, text("127.0.0.1", "Address to listen on.")),
    "secure-port": fixed(isOpen, int(6443, "TLS port to listen on; 0 selects a free port and prints it.")),
    "workers": fixed(
      "the processes are started once, at start",
      count(
        1,
        "Number of processes that serve requests on the port, each on one core; auto: as many as the machine has cores. More than 1 needs " +
          "--etcd-servers and Linux; auto with the embedded store is 1.",
      ),
    ),
    "cert-dir": fixed(
      isFollowed,
      text("", "Directory of the certificates that the server generates and renews; empty: pki in the data directory."),
    ),
    "tls-cert-file": fixed(
      isFollowed,
      text("", "PEM file of the serving certificate, followed by its chain; requires --tls-private-key-file."),
    ),
    "tls-private-key-file": fixed(isFollowed, text("", "PEM file of the serving certificate's private key.")),
    ...tlsSettings,
    "client-ca-file": fixed(
      isFollowed,
      text("", "PEM bundle of CAs for client certificates, in addition to the server's own CA."),
    ),
    "root-ca-file": fixed(
      isRead,
      text(
        "",
        "PEM bundle of CAs to publish in each namespace as the ConfigMap kube-root-ca.crt; empty publishes none, or with --simulate the server's own.",
      ),
    ),
    "requestheader-client-ca-file": fixed(
      isFollowed,
      text(
        "",
        "PEM bundle of front proxy CAs. Identity headers are trusted only from clients with a certificate of these CAs; " +
          "empty disables front proxy authentication.",
      ),
    ),
    "requestheader-allowed-names": live(
      list("Allowed common names of front proxy certificates; empty allows every certificate of --requestheader-client-ca-file."),
    ),
    "requestheader-username-headers": live(
      list(
        "Front proxy headers with the user name, such as X-Remote-User. The first header with a value is used; empty disables front proxy authentication.",
      ),
    ),
    "requestheader-uid-headers": live(list(
      "Front proxy headers with the user's UID. The first header with a value is used. A non-empty list must contain X-Remote-Uid " +
        "and requires the feature gate RemoteRequestHeaderUID.",
    )),
    "requestheader-group-headers": live(list(
      "Front proxy headers with the user's groups, such as X-Remote-Group; a header can be repeated, with one group each.",
    )),
    "requestheader-extra-headers-prefix": live(
      list(
        "Prefixes of front proxy headers with extra user attributes, such as X-Remote-Extra-. The rest of the header's name is the key.",
      ),
    ),
    "token-auth-file": fixed(isFollowed, text("", 'File of static bearer tokens, one per line: token,user,uid,"group1,group2".')),
    "enable-bootstrap-token-auth": live(
      bool(false, "Accept tokens of Secrets of the type bootstrap.kubernetes.io/token in kube-system, with which nodes join a cluster."),
    ),
    "anonymous-auth": live(bool(true, "Accept requests without credentials as system:anonymous; false rejects them with 401.")),
    "service-account-signing-key-file": fixed(
      isFollowed,
      text(
        "",
        "PEM file of the private key that signs service account tokens; empty: a key made on the first start, in the data directory.",
      ),
    ),
    "service-account-key-file": fixed(
      isFollowed,
      list(
        "PEM files of further keys that verify service account tokens: public keys, private keys or certificates. " +
          "The signing key always verifies.",
      ),
    ),
    "service-account-issuer": live(
      list(
        "Issuers of service account tokens. The first signs, all are accepted; empty: https://kubernetes.default.svc. " +
          "Discovery documents need an https URL.",
      ),
    ),
    "service-account-jwks-uri": live(
      text("", "Address of the key set in /.well-known/openid-configuration; empty: this server's /openid/v1/jwks."),
    ),
    "service-account-max-token-expiration": live(
      duration(0, "Maximum validity of a service account token, at least 1h; longer requests are shortened. 0 disables the limit."),
    ),
    "service-account-extend-token-expiration": live(
      bool(
        true,
        "Extend tokens of pods, which are requested for 3607 seconds and the server's audiences, to a year. Use after the requested time counts as stale.",
      ),
    ),
    "service-account-lookup": live(
      bool(
        true,
        "Accept legacy service account tokens only while their Secret and account exist; false accepts every one with a valid signature.",
      ),
    ),
    "api-audiences": live(
      list("Audiences of this server: a service account token must be for one of them; empty: --service-account-issuer."),
    ),
    "authentication-config": fixed(
      isFollowed,
      text(
        "",
        "YAML file with an AuthenticationConfiguration: issuers of JSON Web Tokens, and paths that may be requested without credentials. " +
          "Excludes --oidc-*.",
      ),
    ),
    "oidc-issuer-url": fixed(
      isIssuer,
      text("", "URL of the OpenID Connect issuer whose tokens are accepted; https only. Requires --oidc-client-id."),
    ),
    "oidc-client-id": fixed(isIssuer, text("", "Client ID that must be among the audiences of a token of the issuer.")),
    "oidc-ca-file": fixed(isRead, text("", "PEM bundle of CAs that verify the issuer's certificate; empty uses those of the system.")),
    "oidc-username-claim": fixed(isIssuer, text("sub", "Claim of the user name.")),
    "oidc-username-prefix": fixed(
      isIssuer,
      text("", "Prefix of user names. Empty: the issuer's URL and #, except for the claim email; - for none."),
    ),
    "oidc-groups-claim": fixed(isIssuer, text("", "Claim of the groups, a string or a list of strings; empty for none.")),
    "oidc-groups-prefix": fixed(isIssuer, text("", "Prefix of groups. Without one, a token may name groups such as system:masters.")),
    "oidc-signing-algs": fixed(
      isIssuer,
      list("Algorithms that tokens may be signed with: RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512; empty: RS256."),
    ),
    "oidc-required-claim": fixed(isIssuer, texts("Claim that a token must have, with its value: key=value. Can be repeated.")),
    "authentication-token-webhook-config-file": fixed(
      isFollowed,
      text("", "Kubeconfig file of the webhook that reviews bearer tokens which no other authenticator accepts."),
    ),
    "authentication-token-webhook-version": fixed(
      isIssuer,
      text("v1beta1", "Version of the TokenReviews for the webhook: v1 or v1beta1."),
    ),
    "authentication-token-webhook-cache-ttl": fixed(
      isIssuer,
      duration(2 * 60_000, "Time for which responses of the webhook are cached, for accepted and rejected tokens; 0 disables the cache."),
    ),

    "authentication-kubeconfig": fixed(
      isCluster,
      text(
        "",
        "Kubeconfig file of the kube-apiserver in front of this server, or in-cluster for the credentials of the pod. Bearer tokens that " +
          "no other authenticator accepts are reviewed there. CAs of clients and of the front proxy that no flag names are read from its " +
          "ConfigMap kube-system/extension-apiserver-authentication, and reloaded when it changes.",
      ),
    ),
    "authentication-skip-lookup": fixed(
      isCluster,
      bool(false, "Do not read the ConfigMap extension-apiserver-authentication of --authentication-kubeconfig."),
    ),
    "authentication-tolerate-lookup-failure": fixed(
      isCluster,
      bool(false, "Start although that ConfigMap cannot be read. Until it can be, no CA of the cluster is trusted."),
    ),
    "authorization-kubeconfig": fixed(
      isCluster,
      text(
        "",
        "Kubeconfig file of the kube-apiserver in front, or in-cluster. Requests are authorized there: Cluster becomes the default " +
          "of --authorization-mode.",
      ),
    ),
    "authorization-always-allow-paths": fixed(
      isCluster,
      list("Paths that the mode Cluster allows without a review; * at the end is a prefix. Empty: /healthz, /livez and /readyz."),
    ),
    "authorization-mode": live(
      list(
        "Authorizers in the order in which they are called: RBAC, Webhook, Cluster, AlwaysAllow, AlwaysDeny, or one that a plugin offers. The " +
          "first that allows or denies a request decides. Members of system:masters are always allowed. Empty: RBAC, or Cluster with " +
          "--authorization-kubeconfig.",
      ),
    ),
    "authorization-config": fixed(
      isFollowed,
      text(
        "",
        "YAML file with an AuthorizationConfiguration: the authorizers in order, with any number of webhooks. Excludes " +
          "--authorization-mode and --authorization-webhook-*.",
      ),
    ),
    "authorization-webhook-config-file": fixed(
      isFollowed,
      text("", "Kubeconfig file of the server that receives SubjectAccessReviews with --authorization-mode=Webhook."),
    ),
    "authorization-webhook-version": fixed(
      isIssuer,
      text("v1beta1", "Version of the SubjectAccessReviews for the webhook: v1 or v1beta1."),
    ),
    "authorization-webhook-cache-authorized-ttl": fixed(
      isIssuer,
      duration(5 * 60_000, "Time for which responses of the webhook that allow a request are cached; 0 disables the cache."),
    ),
    "authorization-webhook-cache-unauthorized-ttl": fixed(
      isIssuer,
      duration(30_000, "Time for which other responses of the webhook are cached; 0 disables the cache."),
    ),

    "data-dir": fixed(
      isStore,
      text("./thole-data", "Directory of the embedded store, certificates and kubeconfig; :memory: keeps all state in memory."),
    ),
    "write-kubeconfig": fixed(
      "the file is created at start",
      text(
        "",
        "File for the administrator's kubeconfig. Empty: kubeconfig in the data folder, or in a temporary folder if that is :memory:. In memory it is removed at the end.",
      ),
    ),
    ...storeSettings,
    ...electionSettings,
    ...serviceSettings,
    ...kubeletSettings,
    ...aggregationSettings,

    "group-domain": fixed(isSpelled, text("k8s.io", "Domain of API groups: storage.<domain>. Stock clients expect the default.")),
    "platform-name": fixed(isSpelled, text("kubernetes", "Name in the protobuf media type, labels, annotations and finalizers.")),
    "plugins": live(list(
      "Plugins to serve: names (all built-in ones when none is named), -name to leave one out, and module paths or package names to load.",
    )),
    "preset": live(
      text(
        "kubernetes",
        "Built-in plugins to serve when none is named: kubernetes (all) or control-plane (an API without pods, nodes and workloads).",
      ),
    ),
    ...testSettings,
    ...emulationSettings,
    "runtime-config": live(map(
      "Group versions and resources to enable or disable: group/version[/resource][=bool], api/all, api/ga, api/beta, api/alpha.",
    )),
    ...admissionSettings,
    "feature-gates": live(map("Feature gates to set: Name=bool. AllAlpha and AllBeta set every gate of that stage.")),

    "suppress-deprecation-warnings": live(bool(false, "Do not log warnings about deprecated flags and feature gates that are set.")),

    ...limitSettings,
    "goaway-chance": live(
      fraction(
        0,
        "Probability that an HTTP/2 request is answered with GOAWAY, so that clients reconnect and spread over the servers behind " +
          "a load balancer. At most 0.02; try 0.001. 0 disables it, which suits a single server.",
      ),
    ),
    "http2-max-streams-per-connection": fixed(
      isOpen,
      int(0, `Maximum number of concurrent requests, watches included, per HTTP/2 connection; 0 means ${streamsPerConnectionMax}.`),
    ),
    "http2-implementation": fixed(
      isOpen,
      text(
        "own",
        "Implementation of HTTP/2: own, or runtime for that of Deno or Node, which costs more CPU: for trouble with the own one.",
      ),
    ),
    "request-timeout": live(
      duration(
        60_000,
        "Maximum duration of a request other than a watch; a longer timeout parameter has no effect. " +
          "0 ends reads that wait for the store at once, with 504. A commit in progress is never interrupted.",
      ),
    ),
    "min-request-timeout": live(
      int(
        1800,
        "Minimum duration of a watch without timeoutSeconds, in seconds; the actual duration is random, up to twice this value. " +
          "0 ends such a watch at once.",
      ),
    ),
    "livez-grace-period": live(duration(0, "Time after start during which /livez ignores unfinished start hooks; 0 ignores none.")),
    "etcd-healthcheck-timeout": live(
      duration(
        2_000,
        "Timeout of the store check etcd in /livez, /readyz and /healthz. 0 fails the check unless the store answers within about 1ms.",
      ),
    ),
    "etcd-readycheck-timeout": live(
      duration(
        2_000,
        "Timeout of the store check etcd-readiness in /readyz. 0 fails the check unless the store answers within about 1ms.",
      ),
    ),
    "logging-format": fixed(isLogged, text("text", "Log format: text (klog's format) or json.")),
    "v": fixed(isLogged, int(0, "Log verbosity; 0 logs operational messages only, 3 adds a line per request.")),
    "vmodule": fixed(
      isLogged,
      list("Log verbosity per module: module=level, comma-separated, such as httplog=3. Names may contain * and ?."),
    ),
    "slow-request-threshold": live(
      duration(500, "Log a trace of requests slower than this; 0 disables it. Excludes watches."),
    ),
    "show-hidden-metrics-for-version": fixed(
      isCounted,
      text(
        "",
        "Also serve the metrics that are hidden in this release and removed in the next. The only valid value is the previous minor " +
          "release, such as 1.34; empty serves no hidden metrics.",
      ),
    ),
    "disabled-metrics": fixed(
      isCounted,
      list("Metrics to disable, by full name. Takes precedence over --show-hidden-metrics-for-version."),
    ),
    "allow-metric-labels": fixed(
      isCounted,
      texts(
        "Allowed values of a metric label: metric,label=value,value. Other values are recorded as unexpected. Can be repeated.",
      ),
    ),
    "allow-metric-labels-manifest": fixed(
      isRead,
      text(
        "",
        'YAML file of allowed label values: "metric,label": "value,value". Ignored when --allow-metric-labels is set.',
      ),
    ),
    ...auditSettings,
    ...tracingSettings,

    ...shutdownSettings,
  } satisfies Settings,
);

/** Returns a warning for each flag in `set` that is deprecated. */
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
) as unknown as Config; // One entry for each key of Settings.
