/** Deprecated node labels and their successors. */
import { type Names, spell } from "../../toolbox.ts";

const successors: Readonly<Record<string, string>> = {
  "beta.{platform}.io/arch": 'deprecated since v1.14; use "{platform}.io/arch" instead',
  "beta.{platform}.io/os": 'deprecated since v1.14; use "{platform}.io/os" instead',
  "failure-domain.beta.{platform}.io/region": 'deprecated since v1.17; use "topology.{platform}.io/region" instead',
  "failure-domain.beta.{platform}.io/zone": 'deprecated since v1.17; use "topology.{platform}.io/zone" instead',
  "beta.{platform}.io/instance-type": 'deprecated since v1.17; use "node.{platform}.io/instance-type" instead',
  "node-role.{platform}.io/master": 'use "node-role.{platform}.io/control-plane" instead',
  "app.{platform}.io/created-by": "deprecated since v1.9",
  "scheduler.alpha.{platform}.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
};

/** The warning for a deprecated label key, such as `deprecated since v1.9`. Undefined for other keys. */
export function deprecatedNodeLabel(key: string, names: Names): string | undefined {
  const found = Object.entries(successors).find(([label]) => spell(names, label) === key);
  return found === undefined ? undefined : spell(names, found[1]);
}

/** The successor of a deprecated topology label. Undefined for other keys. */
export function topologySuccessor(key: string, names: Names): string | undefined {
  const renamed: Readonly<Record<string, string>> = {
    "failure-domain.beta.{platform}.io/zone": "topology.{platform}.io/zone",
    "failure-domain.beta.{platform}.io/region": "topology.{platform}.io/region",
    "beta.{platform}.io/os": "{platform}.io/os",
    "beta.{platform}.io/arch": "{platform}.io/arch",
    "beta.{platform}.io/instance-type": "node.{platform}.io/instance-type",
  };
  const found = Object.entries(renamed).find(([label]) => spell(names, label) === key);
  return found === undefined ? undefined : spell(names, found[1]);
}
