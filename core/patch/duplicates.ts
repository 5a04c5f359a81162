/** Duplicate keys of a document without a schema, reported as upstream's strict decoder does. */
import { goQuote } from "../tree/go-quote.ts";
import { type Tree, TreeObject } from "../tree/tree.ts";
import { strictFindingsMax } from "../bounds.ts";

/**
 * `duplicate field "data.a"` for every duplicate key, each once, in document order, at most `strictFindingsMax`. `known`: the
 * document is a list of objects with these members. Any other member is an `unknown field`, whose value is not checked.
 */
export function duplicateKeys(tree: Tree, known?: ReadonlySet<string>): readonly string[] {
  const found = new Set<string>();
  const open: { readonly at: Tree[] | TreeObject; readonly path: string; readonly seen: Set<string>; next: number }[] = [];
  const enter = (at: Tree, path: string) => {
    // Truncate long paths: ten thousand of them would take megabytes.
    if ((Array.isArray(at) || at instanceof TreeObject) && path.length < 1024) open.push({ at, path, seen: new Set(), next: 0 });
  };
  enter(tree, "");
  for (let frame = open.at(-1); frame !== undefined && found.size < strictFindingsMax; frame = open.at(-1)) {
    const { at, path, seen } = frame;
    const index = frame.next++;
    if (Array.isArray(at)) {
      if (index >= at.length) open.pop();
      else enter(at[index]!, `${path}[${index}]`);
      continue;
    }
    const key = at.keys[index];
    if (key === undefined) {
      open.pop();
      continue;
    }
    const name = path === "" ? key : `${path}.${key}`;
    if (known !== undefined && open.length === 2 && !known.has(key)) {
      found.add(`unknown field ${goQuote(name)}`);
      continue;
    }
    if (seen.has(key)) found.add(`duplicate field ${goQuote(name)}`);
    seen.add(key);
    enter(at.values[index]!, name);
  }
  return [...found];
}
