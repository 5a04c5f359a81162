/** Settings that have no effect with the values of the others, for `thole check`. */
import { isSameValue } from "./active-config.ts";
import { type AuditBackendName, auditMistakes } from "./audit-settings.ts";
import { etcdServers } from "./server-overrides.ts";
import { serviceAccountIssuers } from "./service-accounts.ts";
import { type Config, defaults, type SettingName } from "./settings.ts";

/** Settings that need others. */
interface Need {
  readonly settings: readonly SettingName[];
  readonly isMet: (config: Config) => boolean;
  /** After "has no effect": `without --audit-log-path`. */
  readonly why: string;
}

const isSet = (...names: readonly SettingName[]) => (config: Config) => names.some((name) => String(config[name]) !== "");
const hasMode = (mode: string) => (config: Config) => config["authorization-config"] !== "" || config["authorization-mode"].includes(mode);

function ofAuditBackend(backend: AuditBackendName, given: SettingName): readonly Need[] {
  const name = (rest: string) => `audit-${backend}-${rest}` as SettingName; // A setting of each backend.
  const batch = ["batch-buffer-size", "batch-max-size", "batch-max-wait", "batch-throttle-enable"].map(name);
  const rate = ["batch-throttle-qps", "batch-throttle-burst"].map(name),
    sizes = ["truncate-max-batch-size", "truncate-max-event-size"].map(name);
  const others = ["mode", "truncate-enabled", "version"].map(name);
  const isOff = (config: Config) => config[given] === "";
  return [
    { settings: [...others, ...batch, ...rate, ...sizes], isMet: isSet(given), why: `without --${given}` },
    {
      settings: [...batch, ...rate],
      isMet: (config) => isOff(config) || config[name("mode")] === "batch",
      why: `without --${name("mode")}=batch`,
    },
    {
      settings: rate,
      isMet: (config) => isOff(config) || config[name("mode")] !== "batch" || config[name("batch-throttle-enable")] === true,
      why: `with --${name("batch-throttle-enable")}=false`,
    },
    {
      settings: sizes,
      isMet: (config) => isOff(config) || config[name("truncate-enabled")] === true,
      why: `without --${name("truncate-enabled")}`,
    },
  ];
}

const files = ["audit-log-maxage", "audit-log-maxbackup", "audit-log-maxsize", "audit-log-compress"] as const;
const frontProxy = [
  "requestheader-allowed-names",
  "requestheader-username-headers",
  "requestheader-uid-headers",
  "requestheader-group-headers",
  "requestheader-extra-headers-prefix",
] as const;

const needs: readonly Need[] = Object.freeze([
  { settings: ["audit-log-path", "audit-webhook-config-file"], isMet: isSet("audit-policy-file"), why: "without --audit-policy-file" },
  {
    settings: ["audit-policy-file"],
    isMet: isSet("audit-log-path", "audit-webhook-config-file"),
    why: "without --audit-log-path or --audit-webhook-config-file",
  },
  { settings: ["audit-log-format", ...files], isMet: isSet("audit-log-path"), why: "without --audit-log-path" },
  { settings: files, isMet: (config) => config["audit-log-path"] !== "-", why: "with --audit-log-path=-, the standard output" },
  ...ofAuditBackend("log", "audit-log-path"),
  { settings: ["audit-webhook-initial-backoff"], isMet: isSet("audit-webhook-config-file"), why: "without --audit-webhook-config-file" },
  ...ofAuditBackend("webhook", "audit-webhook-config-file"),
  {
    settings: ["authentication-token-webhook-version", "authentication-token-webhook-cache-ttl"],
    isMet: isSet("authentication-token-webhook-config-file"),
    why: "without --authentication-token-webhook-config-file",
  },
  {
    settings: ["authentication-skip-lookup", "authentication-tolerate-lookup-failure"],
    isMet: isSet("authentication-kubeconfig"),
    why: "without --authentication-kubeconfig",
  },
  {
    settings: ["authentication-tolerate-lookup-failure"],
    isMet: (config) => !config["authentication-skip-lookup"],
    why: "with --authentication-skip-lookup",
  },
  {
    settings: ["authorization-kubeconfig"],
    isMet: (config) => config["authorization-mode"].length === 0 || hasMode("Cluster")(config),
    why: "without Cluster in --authorization-mode",
  },
  { settings: ["authorization-always-allow-paths"], isMet: isSet("authorization-kubeconfig"), why: "without --authorization-kubeconfig" },
  {
    settings: [
      "authorization-webhook-version",
      "authorization-webhook-cache-authorized-ttl",
      "authorization-webhook-cache-unauthorized-ttl",
    ],
    isMet: hasMode("Webhook"),
    why: "without Webhook in --authorization-mode",
  },
  { settings: frontProxy, isMet: isSet("requestheader-client-ca-file"), why: "without --requestheader-client-ca-file" },
  {
    settings: ["requestheader-client-ca-file"],
    isMet: (config) => config["requestheader-username-headers"].length > 0,
    why: "without --requestheader-username-headers",
  },
  { settings: ["oidc-groups-prefix"], isMet: isSet("oidc-groups-claim"), why: "without --oidc-groups-claim" },
  {
    settings: ["service-account-jwks-uri"],
    isMet: (config) => serviceAccountIssuers(config)[0]!.startsWith("https:"),
    why: "without an https URL as first --service-account-issuer",
  },
  {
    settings: ["etcd-cafile", "etcd-certfile", "etcd-keyfile"],
    isMet: (config) => etcdServers(config).some((server) => server.startsWith("https:")),
    why: "without an https:// address in --etcd-servers",
  },
  {
    settings: ["leader-elect", "leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period"],
    isMet: isSet("etcd-servers"),
    why: "without --etcd-servers: the embedded store has one server",
  },
  {
    settings: ["leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period"],
    isMet: (config) => config["leader-elect"],
    why: "with --leader-elect=false",
  },
  {
    settings: ["allow-metric-labels-manifest"],
    isMet: (config) => config["allow-metric-labels"].size === 0,
    why: "with --allow-metric-labels",
  },
]);

/** A warning about a setting. */
export interface SettingWarning {
  readonly setting: SettingName;
  readonly text: string;
}

/** One warning for each setting that differs from its default and has no effect. */
export function settingsWithoutEffect(config: Config): readonly SettingWarning[] {
  const found = new Map<SettingName, string>();
  for (const { settings, isMet, why } of needs) {
    if (isMet(config)) continue;
    for (const name of settings) if (!found.has(name) && !isSameValue(config[name], defaults[name])) found.set(name, why);
  }
  return [...found].map(([setting, why]) => ({ setting, text: `--${setting} has no effect ${why}` }));
}

/** Mistakes in the settings of audit backends that are off, which a start does not look at. */
export function mistakesOfUnusedAudit(config: Config): readonly string[] {
  const used = auditMistakes(config);
  return auditMistakes({ ...config, "audit-log-path": "-", "audit-webhook-config-file": "-" }).filter((each) => !used.includes(each));
}
