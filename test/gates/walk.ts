/** The fields with a gate, of every served and writable kind, and the gates that can be changed. */
import { membersOf } from "../../core/derive/members.ts";
import { defaultNames, spell } from "../../core/names.ts";
import type { GateStage } from "../../core/plugin.ts";
import { type Node, resolve } from "../../core/schema.ts";
import { kernelGates, stageAt } from "../../core/released/gates.ts";
import { compareReleases, serverRelease } from "../../core/releases.ts";
import { plugins } from "../../plugins/mod.ts";

/** `"v1/PodTemplate template.spec.volumes[].image"` to its gate. Lists are written `[]`, maps `{}`. */
export function gatedFields(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { kind, served, strategy } of plugins.flatMap((plugin) => plugin.resources ?? [])) {
    // Nothing is dropped from read-only kinds.
    if (strategy?.without?.includes("create") && strategy.without.includes("update")) continue;
    for (const [groupVersion, { schema, removed }] of Object.entries(served)) {
      if (removed !== undefined && compareReleases(removed, serverRelease) <= 0) continue;
      collect(schema, `${spell(defaultNames, groupVersion)}/${kind} `, [], found);
    }
  }
  return found;
}

function collect(of: Node, path: string, inside: readonly Node[], found: Map<string, string>): void {
  const node = resolve(of);
  if (node.tag === "list") return collect(node.of, `${path}[]`, inside, found);
  if (node.tag === "record") return collect(node.of, `${path}{}`, inside, found);
  if (node.tag !== "struct" || inside.includes(node)) return;
  for (const { key, field } of membersOf(node)) {
    const own = path.endsWith(" ") ? `${path}${key}` : `${path}.${key}`;
    if (field.gate !== undefined) found.set(own, field.gate);
    collect(field.node, own, [...inside, node], found);
  }
}

/** The values at a path such as `spec.volumes[].image`: one for each element that has it. */
export function valuesAt(object: unknown, path: string): readonly unknown[] {
  let here: readonly unknown[] = [object];
  for (const step of path.split(".")) {
    const key = step.replace("[]", "");
    // Objects of JSON: other values have no such key.
    here = here.flatMap((each) => (each as Readonly<Record<string, unknown>> | null)?.[key] ?? []);
  }
  return here;
}

interface GateAt {
  readonly gate: string;
  readonly stage: GateStage;
  /** Whether a plugin declares it, not the kernel. */
  readonly ofPlugin: boolean;
}

/** Every gate of the emulated release with its stage. */
export function gatesNow(): readonly GateAt[] {
  // Families may share a gate.
  const ofPlugins = new Map(plugins.flatMap(({ featureGates = {} }) => Object.entries(featureGates)));
  const ladders = [
    ...Object.entries(kernelGates).map(([gate, ladder]) => ({ gate, ladder, ofPlugin: false })),
    ...Array.from(ofPlugins, ([gate, ladder]) => ({ gate, ladder, ofPlugin: true })),
  ];
  return ladders.flatMap(({ gate, ladder, ofPlugin }) => {
    const stage = stageAt(ladder, serverRelease);
    return stage === undefined ? [] : [{ gate, stage, ofPlugin }];
  });
}
