/** The command line of kube-apiserver, for test environments that start one: `--compat=kube-apiserver`, or a program of that name. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { append } from "../../core/append.ts";
import { ignoredFlags } from "./upstream-flags.ts";

/** The flag by which the program accepts the command line of kube-apiserver. */
export const compatFlag = "--compat=kube-apiserver";

/** Names of gates, versions and steps that this server has: a list in kube-apiserver's command line may name others, which are ignored. */
export interface KnownNames {
  readonly gates: readonly string[];
  /** `v1`, `storage.k8s.io/v1`. */
  readonly groupVersions: readonly string[];
  readonly steps: readonly string[];
  /** Modes of authorization that plugins have. */
  readonly modes: readonly string[];
}

export interface Translated {
  /** Flags of this program. */
  readonly args: readonly string[];
  /** Flags, gates, modes and steps that have no effect, as written but without values that may be secret. */
  readonly ignored: readonly string[];
}

/** Sets of versions. Others that begin so, as `api/legacy` of old command lines, kube-apiserver accepts without an effect. */
const versionSets = ["api/all", "api/ga", "api/beta", "api/alpha"];

/** `api/all`, or a known `v1/resource`, `group/version` or `group/version/resource`. */
export function isKnownVersion(key: string, known: readonly string[]): boolean {
  return versionSets.includes(key) || known.some((each) => key === each || key.startsWith(`${each}/`));
}

/** Modes of authorization that are ignored if no plugin has them. */
const optionalModes = ["Node"];

/**
 * Leaves the controllers to a kube-controller-manager, unless the command line says otherwise: a kube-apiserver has none. A simulated cluster consists of
 * controllers.
 */
function controllersOf(words: readonly string[]): readonly string[] {
  const isChosen = words.some((word) => /^--?(controllers|config|simulate)(=|$)/.test(word) && !/^--?simulate=(false|0|f)$/i.test(word));
  return isChosen ? [] : ["--controllers=-*"];
}

/** The flags without anonymous requests where the mode AlwaysAllow would allow them everything. Kept if a file may say who is anonymous. */
function credentialed(args: readonly string[]): readonly string[] {
  const mode = "--authorization-mode=";
  const allowsAll = args.some((each) => each.startsWith(mode) && each.slice(mode.length).split(",").includes("AlwaysAllow"));
  if (!allowsAll || args.some((each) => /^--?authentication-config(=|$)/.test(each))) return args;
  return [...args.filter((each) => !/^--?anonymous-auth(=|$)/.test(each)), "--anonymous-auth=false"];
}

/**
 * Translates the arguments of kube-apiserver. Flags that exist here keep their meaning; the others that kube-apiserver has are ignored; the rest stays, and is
 * a mistake. Without `known` all gates and steps stay. Controllers of a kube-controller-manager are off, and anonymous requests with the mode AlwaysAllow. Without `--data-dir` all state that is not in
 * etcd is in memory, and no kubeconfig is written.
 */
export function kubeApiserverArguments(words: readonly string[], known?: KnownNames): Translated {
  const args: string[] = [], ignored: string[] = [];
  // As kube-apiserver, which accepts empty words: scripts pass them for flags that are not set. After a flag without "=" one is its value.
  const isValue = (before = "") =>
    /^--?[a-z]/.test(before) && !before.includes("=") && !ignoredFlags.withoutValue.has(before.replace(/^--?/, ""));
  const rest = words.filter((word, index) => word !== compatFlag && (word !== "" || isValue(words[index - 1])));
  const filtered: Readonly<Record<string, (value: string) => boolean>> = {
    "authorization-mode": (mode) => known === undefined || !optionalModes.includes(mode) || known.modes.includes(mode),
    "feature-gates": (pair) => known === undefined || known.gates.includes(pair.split("=")[0]!),
    "runtime-config": (pair) => known === undefined || isKnownVersion(pair.split("=")[0]!, known.groupVersions),
    "enable-admission-plugins": (step) => known === undefined || known.steps.includes(step),
  };
  let certificates = "", hasCertificate = false, hasFolder = false;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name = "", equals, written = ""] = /^--?([a-z][a-z0-9-]*)(?:(=)([\s\S]*))?$/.exec(word) ?? [];
    if (ignoredFlags.withoutValue.has(name)) ignored.push(`--${name}`);
    else if (ignoredFlags.withValue.has(name)) {
      if (equals === undefined) rest.shift();
      ignored.push(`--${name}`);
    } else if (name === "cert-dir") certificates = equals === undefined ? rest.shift() ?? "" : written;
    else if (Object.hasOwn(filtered, name)) {
      const values = (equals === undefined ? rest.shift() ?? "" : written).split(",").map((each) => each.trim()).filter((each) =>
        each !== ""
      );
      const kept = values.filter(filtered[name]!);
      append(ignored, values.filter((each) => !kept.includes(each)).map((each) => `--${name}=${each}`));
      if (kept.length > 0) args.push(`--${name}=${kept.join(",")}`);
    } else {
      if (name === "tls-cert-file") hasCertificate = true;
      if (name === "data-dir") hasFolder = true;
      args.push(word);
    }
  }
  // kube-apiserver takes a certificate of these names from its folder.
  const pair = ["apiserver.crt", "apiserver.key"].map((file) => join(certificates, file));
  if (certificates !== "" && !hasCertificate && pair.every(existsSync)) {
    args.push(`--tls-cert-file=${pair[0]}`, `--tls-private-key-file=${pair[1]}`);
  }
  return { args: [...credentialed(args), ...controllersOf(words), ...(hasFolder ? [] : ["--data-dir=:memory:"])], ignored };
}
