/** The configuration of PodSecurity: what namespaces without labels demand, and what is exempt. */
import { duplicate, field, type FieldError, type Infer, invalid, list, string, struct } from "../../../plugin.ts";
import { dns1123Label, dns1123Subdomain, type StepConfiguration } from "../../../toolbox.ts";
import { levelError, type LevelVersion, modes, parseLevel, parseVersion, type Policy, privilegedPolicy, versionError } from "./levels.ts";

const home = { package: "" };

const Defaults = struct("PodSecurityDefaults", {
  enforce: field(0, string, "The level whose violation rejects a pod. Default: privileged."),
  "enforce-version": field(0, string, "The version of that level. Default: latest."),
  audit: field(0, string, "The level whose violation is noted in audit events. Default: privileged."),
  "audit-version": field(0, string, "The version of that level. Default: latest."),
  warn: field(0, string, "The level whose violation causes a warning. Default: privileged."),
  "warn-version": field(0, string, "The version of that level. Default: latest."),
}, { ...home, doc: "The levels of namespaces without labels." });

const Exemptions = struct("PodSecurityExemptions", {
  usernames: field(0, list(string), "Users whose pods are not checked."),
  namespaces: field(0, list(string), "Namespaces whose pods are not checked."),
  runtimeClasses: field(0, list(string), "Runtime classes whose pods are not checked."),
}, { ...home, doc: "What is not checked." });

const Configuration = struct("PodSecurityConfiguration", {
  defaults: field(0, Defaults, "The levels of namespaces without labels."),
  exemptions: field(0, Exemptions, "What is not checked."),
}, { ...home, doc: "The configuration of PodSecurity." });
type Configuration = Infer<typeof Configuration>;

/** What an operator exempts, and what namespaces without labels demand. */
export interface PodSecuritySettings {
  readonly defaults: Policy;
  readonly usernames: readonly string[];
  readonly namespaces: readonly string[];
  readonly runtimeClasses: readonly string[];
}
const defaultSettings: PodSecuritySettings = { defaults: privilegedPolicy, usernames: [], namespaces: [], runtimeClasses: [] };

function validateDefaults({ defaults = {} }: Configuration): readonly FieldError[] {
  return modes.toSorted((a, b) => modeOrder.indexOf(a) - modeOrder.indexOf(b)).flatMap((mode) => {
    const level = defaults[mode] || "privileged", version = defaults[`${mode}-version`] || "latest";
    return [
      ...(parseLevel(level) === undefined ? [invalid(`defaults.${mode}`, level, levelError)] : []),
      ...(parseVersion(version) === undefined ? [invalid(`defaults.${mode}-version`, version, versionError)] : []),
    ];
  });
}
const modeOrder = ["enforce", "warn", "audit"];

function validateList(values: readonly string[] = [], path: string, wrong: (value: string) => readonly string[]): readonly FieldError[] {
  const seen = new Set<string>();
  return values.flatMap((value, i) => {
    const errors = wrong(value);
    if (errors.length > 0) return [invalid(`${path}[${i}]`, value, errors.join(", "))];
    if (seen.has(value)) return [duplicate(`${path}[${i}]`, value)];
    seen.add(value);
    return [];
  });
}

function validate(configuration: Configuration): readonly FieldError[] {
  const { usernames, namespaces, runtimeClasses } = configuration.exemptions ?? {};
  return [
    ...validateDefaults(configuration),
    ...validateList(namespaces, "exemptions.namespaces", dns1123Label),
    ...validateList(runtimeClasses, "exemptions.runtimeClasses", dns1123Subdomain),
    ...validateList(usernames, "exemptions.usernames", (name) => name === "" ? ["username must not be empty"] : []),
  ];
}

export const configuration: StepConfiguration<Configuration> = {
  kind: "PodSecurityConfiguration",
  group: "pod-security.admission.config.{domain}",
  versions: ["v1", "v1beta1", "v1alpha1"],
  schema: Configuration,
  validate,
};

/** Settings by the configuration that they are of. */
const known = new WeakMap<object, PodSecuritySettings>();

/** The settings of a valid configuration; undefined is a server without one. */
export function settingsOf(given: unknown): PodSecuritySettings {
  if (given === undefined) return defaultSettings;
  const { defaults = {}, exemptions: { usernames = [], namespaces = [], runtimeClasses = [] } = {} } = given as Configuration; // validated
  const found = known.get(given as Configuration);
  if (found !== undefined) return found;
  const levelOf = (mode: (typeof modes)[number]): LevelVersion => ({
    level: parseLevel(defaults[mode] || "privileged")!, // validated; the same holds below
    version: parseVersion(defaults[`${mode}-version`] || "latest")!,
  });
  const policy: Policy = { enforce: levelOf("enforce"), audit: levelOf("audit"), warn: levelOf("warn") };
  const settings = { defaults: policy, usernames, namespaces, runtimeClasses };
  known.set(given as Configuration, settings);
  return settings;
}
