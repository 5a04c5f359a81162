/** The meaning of the settings of service account tokens. */
import { defaultIssuer } from "../../core/names.ts";
import type { Config } from "./settings.ts";

/** The issuers of tokens. The first one signs. */
export function serviceAccountIssuers(config: Pick<Config, "service-account-issuer" | "platform-name">): readonly string[] {
  const given = config["service-account-issuer"];
  return given.length > 0 ? given : [defaultIssuer({ platform: config["platform-name"] })];
}

/** The audiences of the server, of which a token must have one. */
export function apiAudiences(config: Pick<Config, "api-audiences" | "service-account-issuer" | "platform-name">): readonly string[] {
  const given = config["api-audiences"];
  return given.length > 0 ? given : serviceAccountIssuers(config);
}
