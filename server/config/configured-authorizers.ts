/** `--authorization-mode` and related flags: the configured authorizers of the chain. */
import type { ConfiguredAuthorizer } from "./authorization/configured-authorizer.ts";
import type { Config } from "./settings.ts";
import { type SettingName, settings } from "./settings.ts";
import { nearest } from "../../core/nearest.ts";
import { valueText } from "../../core/value-text.ts";

/** The default mode. */
const defaultModes: readonly string[] = Object.freeze(["RBAC"]);
/** The default of a server whose requests a kube-apiserver authorizes. */
const clusterModes: readonly string[] = Object.freeze(["Cluster"]);
/** Modes of kube-apiserver that the server implements, or that are valid even if no plugin has them. */
const knownModes: readonly string[] = Object.freeze(["AlwaysAllow", "AlwaysDeny", "Cluster", "RBAC", "Webhook"]);
const webhookVersions: readonly string[] = Object.freeze(["v1", "v1beta1"]);
/** Upstream's timeout of a request to the webhook of the flags. */
const webhookTimeoutMs = 30_000;

/** The settings that --authorization-config replaces. */
const replaced = [
  "authorization-mode",
  "authorization-webhook-config-file",
  "authorization-webhook-version",
  "authorization-webhook-cache-authorized-ttl",
  "authorization-webhook-cache-unauthorized-ttl",
] as const satisfies readonly SettingName[];

/** The valid types of authorizers. `offered`: the names of the plugins' authorizers. */
export function authorizerTypes(offered: readonly string[]): readonly string[] {
  return [...new Set([...knownModes, ...offered])];
}

/** Mistakes in these settings, with upstream's messages. `offered`: the names of the plugins' authorizers. */
export function authorizationMistakes(config: Config, offered: readonly string[]): readonly string[] {
  if (config["authorization-config"] !== "") {
    if (replaced.every((name) => String(config[name]) === String(settings[name].default))) return [];
    return ["--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined"];
  }
  const modes = config["authorization-mode"], types = authorizerTypes(offered);
  const file = config["authorization-webhook-config-file"], version = config["authorization-webhook-version"];
  const paths = config["authorization-always-allow-paths"];
  const hasWebhook = modes.includes("Webhook");
  return [
    ...(modes.includes("Cluster") && config["authorization-kubeconfig"] === ""
      ? ["authorization-mode Cluster requires --authorization-kubeconfig"]
      : []),
    ...paths.filter((path) => path.slice(0, -1).includes("*")).map((path) => `only trailing * allowed in ${valueText(path)}`),
    ...modes.filter((mode) => !types.includes(mode)).map((mode) =>
      `authorization-mode ${valueText(mode)} is not a valid mode${meant(mode, types)}`
    ),
    ...(hasWebhook && file === "" ? ["authorization-mode Webhook's authorization config file not passed"] : []),
    ...(!hasWebhook && file !== "" ? ["cannot specify --authorization-webhook-config-file without mode Webhook"] : []),
    ...(!hasWebhook || webhookVersions.includes(version)
      ? []
      : [`unsupported webhook authorizer version ${valueText(version)}, supported versions are "v1", "v1beta1"`]),
    ...(new Set(modes).size === modes.length
      ? []
      : [`authorization-mode [${modes.map((mode) => valueText(mode)).join(" ")}] has mode specified more than once`]),
  ];
}

function meant(mode: string, types: readonly string[]): string {
  const near = nearest(mode, types);
  return near === undefined ? "" : `: did you mean "${near}"?`;
}

/** The authorizers of the flags. Names are upstream's: the mode in lower case, `default` for the webhook. */
export function authorizersOfFlags(config: Config): readonly ConfiguredAuthorizer[] {
  const given = config["authorization-mode"], fallback = config["authorization-kubeconfig"] === "" ? defaultModes : clusterModes;
  const modes = given.length === 0 ? fallback : given;
  return modes.map((type) => type === "Webhook" ? webhookOf(config) : { type, name: type.toLowerCase() });
}

function webhookOf(config: Config): ConfiguredAuthorizer {
  return {
    type: "Webhook",
    name: "default",
    webhook: {
      kubeconfig: config["authorization-webhook-config-file"],
      version: config["authorization-webhook-version"],
      authorizedMs: config["authorization-webhook-cache-authorized-ttl"],
      unauthorizedMs: config["authorization-webhook-cache-unauthorized-ttl"],
      timeoutMs: webhookTimeoutMs,
      onFailure: "noOpinion",
    },
  };
}
