/** The classes of pods that a cluster cannot work without. */

/** The prefix of names that only these classes may have. */
export const systemPrefix = "system-";

interface SystemClass {
  readonly name: string;
  readonly value: number;
  readonly description: string;
}

export const systemClasses: readonly SystemClass[] = Object.freeze([
  {
    name: "system-node-critical",
    value: 2_000_001_000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
  {
    name: "system-cluster-critical",
    value: 2_000_000_000,
    description: "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
]);

/** Why a class with a name of the system is not the system's own; undefined if it is. */
export function systemClassError(name: string, value: number, globalDefault: boolean | undefined): string | undefined {
  const known = systemClasses.find((each) => each.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
