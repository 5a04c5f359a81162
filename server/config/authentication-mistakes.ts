/** Mistakes in the settings of authentication, with upstream's messages. */
import { goQuote } from "../../core/tree/go-quote.ts";
import { type Config, defaults } from "./settings.ts";

const oidcTexts = Object.freeze(
  [
    "oidc-issuer-url",
    "oidc-client-id",
    "oidc-ca-file",
    "oidc-username-claim",
    "oidc-username-prefix",
    "oidc-groups-claim",
    "oidc-groups-prefix",
  ] as const,
);
/** Those of kube-apiserver: neither symmetric algorithms nor `none`. */
const algorithms = new Set(["ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"]);
const webhookVersions = new Set(["v1", "v1beta1"]);

export function authenticationMistakes(config: Config): readonly string[] {
  const mistakes: string[] = [];
  const hasOidc = oidcTexts.some((name) => config[name] !== defaults[name]) || config["oidc-signing-algs"].length > 0 ||
    config["oidc-required-claim"].size > 0;
  if (hasOidc && config["authentication-config"] !== "") {
    mistakes.push("authentication-config file and oidc-* flags are mutually exclusive");
  } else if (hasOidc && (config["oidc-issuer-url"] === "" || config["oidc-client-id"] === "")) {
    mistakes.push("oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set");
  }
  for (const algorithm of config["oidc-signing-algs"]) {
    if (!algorithms.has(algorithm)) mistakes.push(`oidc: unsupported signing alg: ${goQuote(algorithm)}`);
  }
  const version = config["authentication-token-webhook-version"];
  if (!webhookVersions.has(version)) {
    mistakes.push(`flag "--authentication-token-webhook-version": ${goQuote(version)} must be v1 or v1beta1`);
  }
  return mistakes;
}
