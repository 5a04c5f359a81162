/** The labels of its node that a kubelet may set. */
import { type Names, spell } from "../../../toolbox.ts";

const allowed = [
  "{platform}.io/hostname",
  "topology.{platform}.io/zone",
  "topology.{platform}.io/region",
  "failure-domain.beta.{platform}.io/zone",
  "failure-domain.beta.{platform}.io/region",
  "beta.{platform}.io/instance-type",
  "node.{platform}.io/instance-type",
  "{platform}.io/os",
  "{platform}.io/arch",
  "beta.{platform}.io/os",
  "beta.{platform}.io/arch",
];

type Labels = Readonly<Record<string, string>>;

/** The labels that differ and that kubelets may not set, in alphabetical order. */
export function forbiddenLabels(next: Labels = {}, prior: Labels = {}, names: Names): readonly string[] {
  const changed = [...new Set([...Object.keys(next), ...Object.keys(prior)])].filter((key) =>
    Object.hasOwn(next, key) !== Object.hasOwn(prior, key) || next[key] !== prior[key]
  );
  return changed.filter((key) => isForbidden(key, names)).sort();
}

function isForbidden(key: string, names: Names): boolean {
  const slash = key.indexOf("/"), domain = slash < 0 ? "" : key.slice(0, slash);
  const isIn = (home: string) => domain === spell(names, home) || domain.endsWith(`.${spell(names, home)}`);
  if (isIn("node-restriction.{platform}.io")) return true;
  if (!isIn("{platform}.io") && !isIn("{domain}")) return false;
  return !isIn("kubelet.{platform}.io") && !isIn("node.{platform}.io") && !allowed.some((each) => spell(names, each) === key);
}
