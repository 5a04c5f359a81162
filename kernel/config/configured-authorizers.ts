/** `--authorization-mode` and the flags around it: the authorizers of the chain, as the configuration names them. */
import type { Config } from "./settings.ts";

/** An authorizer of the chain. */
export interface ConfiguredAuthorizer {
  /** `AlwaysAllow`, `AlwaysDeny`, or the name of an authorizer that a plugin offers. */
  readonly type: string;
  /** Its name in metrics and errors. */
  readonly name: string;
}

/** The mode where none is given. */
const defaultModes: readonly string[] = Object.freeze(["RBAC"]);
/** Modes of kube-apiserver that the server knows by itself, or that are valid although no plugin offers them. */
const knownModes: readonly string[] = Object.freeze(["AlwaysAllow", "AlwaysDeny", "RBAC"]);

/** What is wrong with these settings, in upstream's words. `offered`: the names of the authorizers of plugins. */
export function authorizationMistakes(config: Config, offered: readonly string[]): readonly string[] {
  const modes = config["authorization-mode"];
  return [
    ...modes.filter((mode) => !knownModes.includes(mode) && !offered.includes(mode)).map((mode) =>
      `authorization-mode ${JSON.stringify(mode)} is not a valid mode`
    ),
    ...(new Set(modes).size === modes.length
      ? []
      : [`authorization-mode [${modes.map((mode) => JSON.stringify(mode)).join(" ")}] has mode specified more than once`]),
  ];
}

/** The authorizers that the flags name. Names are the modes in lower case, as in upstream. */
export function authorizersOfFlags(config: Config): readonly ConfiguredAuthorizer[] {
  const modes = config["authorization-mode"].length === 0 ? defaultModes : config["authorization-mode"];
  return modes.map((type) => ({ type, name: type.toLowerCase() }));
}
