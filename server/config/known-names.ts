/** The names that settings use, of what the plugins have. */
import { defaultNames, type Names, spell } from "../../core/names.ts";
import type { Plugin } from "../../core/plugin.ts";
import { kernelGates } from "../../core/released/gates.ts";
import { inertLadders } from "../../core/released/inert-gates.ts";
import { authorizerTypes } from "./configured-authorizers.ts";
import { isKnownVersion, type KnownNames } from "./kube-apiserver-arguments.ts";
import type { Config } from "./settings.ts";

/** The gates, versions, admission steps and modes of authorization of these plugins. */
export function knownNames(plugins: readonly Plugin[], names: Names = defaultNames): KnownNames {
  return {
    gates: ["AllAlpha", "AllBeta", ...[kernelGates, ...plugins.map(({ featureGates = {} }) => featureGates)].flatMap(Object.keys)],
    groupVersions: plugins.flatMap(({ resources = [] }) => resources).flatMap(({ served }) => Object.keys(served))
      .map((written) => spell(names, written)),
    steps: plugins.flatMap(({ admission = [] }) => admission).map(({ name }) => name),
    modes: plugins.flatMap(({ authorizers = [] }) => authorizers).map(({ name }) => name),
  };
}

/**
 * The settings without the names that no plugin has, and without the files that have such names. While a plugin cannot be loaded these may be its own: a message
 * that they are unknown would hide the one that counts.
 */
export function withKnownNames(config: Config, plugins: readonly Plugin[]): Config {
  const known = knownNames(plugins, { domain: config["group-domain"], platform: config["platform-name"] });
  const gates = new Set([...known.gates, ...Object.keys(inertLadders)]), steps = new Set(known.steps);
  const modes = authorizerTypes(plugins.flatMap(({ authorizers = [] }) => authorizers.map(({ name }) => name)));
  return {
    ...config,
    "feature-gates": new Map([...config["feature-gates"]].filter(([name]) => gates.has(name))),
    "runtime-config": new Map([...config["runtime-config"]].filter(([key]) => isKnownVersion(key, known.groupVersions))),
    "enable-admission-plugins": config["enable-admission-plugins"].filter((name) => steps.has(name)),
    "disable-admission-plugins": config["disable-admission-plugins"].filter((name) => steps.has(name)),
    "authorization-mode": config["authorization-mode"].filter((mode) => modes.includes(mode)),
    "authorization-config": "",
    "admission-control-config-file": "",
  };
}
