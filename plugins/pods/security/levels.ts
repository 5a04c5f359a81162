/** The levels that labels of a namespace demand from its pods. */
import { type FieldError, invalid } from "../../../plugin.ts";
import { type Names, spell } from "../../../toolbox.ts";

export const levels = ["privileged", "baseline", "restricted"] as const;
export type Level = (typeof levels)[number];

export interface LevelVersion {
  readonly level: Level;
  /** The minor release of 1, or the newest one. */
  readonly version: number | "latest";
}

/** Violations of `enforce` reject a pod, those of `audit` are annotations of the audit event, and those of `warn` are warnings. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}
export const modes = ["enforce", "audit", "warn"] as const;

const privileged: LevelVersion = { level: "privileged", version: "latest" };
export const privilegedPolicy: Policy = { enforce: privileged, audit: privileged, warn: privileged };

export const prefix = "pod-security.{platform}.io/";

export function levelText({ level, version }: LevelVersion): string {
  return `${level}:${version === "latest" ? version : `v1.${version}`}`;
}

export function isSame(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.version === b.version;
}

/** Whether both demand the same. The version of `privileged` has no meaning. */
export function isEquivalent(a: Policy, b: Policy): boolean {
  return modes.every((mode) => (a[mode].level === "privileged" && b[mode].level === "privileged") || isSame(a[mode], b[mode]));
}

export function isFullyPrivileged(policy: Policy): boolean {
  return modes.every((mode) => policy[mode].level === "privileged");
}

/** Positive if `a` demands more than `b`. */
export function compareLevels(a: Level, b: Level): number {
  return levels.indexOf(a) - levels.indexOf(b);
}

/** The largest number of a version: Go's int on 64-bit systems. */
const versionMax = 2n ** 63n - 1n;

export const levelError = `must be one of ${levels.join(", ")}`, versionError = 'must be "latest" or "v1.x"';

export function parseLevel(text: string): Level | undefined {
  return levels.find((level) => level === text);
}

export function parseVersion(text: string): LevelVersion["version"] | undefined {
  if (text === "latest") return text;
  const [, minor] = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(text) ?? [];
  return minor === undefined || BigInt(minor) > versionMax ? undefined : Number(minor);
}

export interface LabelledPolicy {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

/** Reads the labels. A wrong value of `enforce` demands the most, one of the others nothing. Warnings are at least about what is enforced. */
export function policyOf(labels: Readonly<Record<string, string>> = {}, defaults: Policy, names: Names): LabelledPolicy {
  const errors: FieldError[] = [];
  const labelOf = (key: string) => {
    const label = spell(names, prefix) + key;
    return Object.hasOwn(labels, label) ? { label, value: labels[label]! } : undefined;
  };
  const read = <T>(key: string, parse: (text: string) => T | undefined, why: string): { readonly value: T | undefined } | undefined => {
    const found = labelOf(key);
    if (found === undefined) return undefined;
    const value = parse(found.value);
    if (value === undefined) errors.push(invalid(`metadata.labels[${found.label}]`, found.value, why));
    return { value };
  };
  const given = modes.map((mode) => {
    const level = read(mode, parseLevel, levelError), version = read(`${mode}-version`, parseVersion, versionError);
    const fallback: Level = mode === "enforce" ? "restricted" : "privileged";
    const at: LevelVersion = {
      level: level === undefined ? defaults[mode].level : level.value ?? fallback,
      version: version === undefined ? defaults[mode].version : version.value ?? "latest",
    };
    return { at, level, version };
  });
  const [enforce, audit, warn] = given as [(typeof given)[0], (typeof given)[0], (typeof given)[0]]; // one for each mode
  const follows = warn.level === undefined && enforce.level?.value !== undefined && compareLevels(enforce.at.level, warn.at.level) > 0;
  const warned: LevelVersion = follows
    ? { level: enforce.at.level, version: warn.version === undefined ? enforce.at.version : warn.at.version }
    : warn.at;
  return { policy: { enforce: enforce.at, audit: audit.at, warn: warned }, errors };
}
