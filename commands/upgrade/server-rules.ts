/** The rules of a server, applied to converted objects. What they reject and no conversion has named yet is a choice. */
import type { GroupVersion } from "../../core/versions.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import { type Tree, TreeObject } from "../../core/tree/tree.ts";
import type { Fields } from "./fields.ts";
import type { Finding } from "./finding.ts";

/** Why a server rejects an object. */
export interface Rejection {
  /** Path of the field: `spec.versions[0].schema`. */
  readonly path: string;
  readonly text: string;
}

/** The reasons why a server rejects a new object; none for kinds that are not checked. */
export type CheckObject = (groupVersion: GroupVersion, kind: string, object: Tree) => readonly Rejection[];

/** An object of a document after its conversion. */
export interface Converted {
  readonly fields: Fields;
  readonly kind: string;
  readonly to: GroupVersion;
}

/** Returns the choices in the converted objects of a document that are not among `known`. `text`: the document as it is written. */
export function rejectionsOf(
  text: string,
  objects: readonly Converted[],
  known: Iterable<Finding>,
  check: CheckObject,
): readonly Finding[] {
  const read = readYaml(text);
  if (!read.ok) return [];
  const chosen = [...known].filter(({ level }) => level === "choice").map(({ field }) => stepsOf(field));
  return objects.flatMap(({ fields, kind, to }) => {
    const tree = treeAt(read.tree, stepsOf(fields.path)), prefix = fields.path === "" ? "" : `${fields.path}.`;
    if (tree === undefined) return [];
    return check(to, kind, tree).flatMap(({ path, text: reason }): Finding[] => {
      const steps = stepsOf(path), whole = stepsOf(`${prefix}${path}`);
      if (chosen.some((each) => isWithin(each, whole) || isWithin(whole, each))) return [];
      return [{ level: "choice", line: fields.lineAt(steps), field: `${prefix}${path}`, text: `a server rejects it: ${reason}` }];
    });
  });
}

/** Returns the names and indexes of a path: `spec.versions[0].properties[spec]` has five. */
function stepsOf(path: string): readonly string[] {
  return path.split(/[.[\]]+/).filter((step) => step !== "");
}

/** Whether a path begins with another one. A schema that is copied to several versions of a definition has one choice: their indexes do not count. */
const isWithin = (outer: readonly string[], inner: readonly string[]) =>
  outer.length <= inner.length && outer.every((step, index) => step === inner[index] || outer[index - 1] === "versions");

function treeAt(tree: Tree, steps: readonly string[]): Tree | undefined {
  return steps.reduce<Tree | undefined>((at, step) => {
    if (Array.isArray(at)) return at[Number(step)];
    return at instanceof TreeObject ? at.get(step) : undefined;
  }, tree);
}
