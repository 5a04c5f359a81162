/** Where the fields of a YAML or JSON text are, for messages. */
import { Composer, isMap, isNode, isScalar, isSeq, type Node } from "yaml";
import { lineStartsOf, tokensOf } from "./document.ts";
import { ManifestError } from "./finding.ts";

/** From 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A key or value that is no map and no list. */
export interface PlacedText extends Place {
  readonly text: string;
}

export interface Places {
  /** The first character that is no YAML; undefined if all of it is. */
  readonly error: Place | undefined;
  /**
   * The place of a field such as `rules[0].level` or `data[key]`: of its key in a map, of the item in a list. For a field that the text does not have, that of
   * the nearest field around it. The last of several equal keys counts.
   */
  of(path: string): Place;
  /** The keys of the text, if it is a map. */
  keys(): readonly PlacedText[];
  /** The keys and scalars below a field, in the order of the text. */
  below(path: string): readonly PlacedText[];
}

const first: Place = Object.freeze({ line: 1, column: 1 });

/** Returns the places of the first document. It is only for messages, so what it cannot read is at the start of the text. */
export function placesIn(text: string): Places {
  const lines = lineStartsOf(text);
  const at = (offset: number | undefined): Place => {
    const { line, col } = lines.linePos(offset ?? 0);
    return line < 1 ? first : { line, column: col };
  };
  const root = composeText(text);
  const find = (path: string): Found => root.contents === null ? { node: null, offset: 0 } : findNode(root.contents, path);
  return {
    error: root.error === undefined ? undefined : at(root.error),
    of: (path) => at(find(path).offset),
    keys: () =>
      !isMap(root.contents)
        ? []
        : root.contents.items.flatMap(({ key }) => isScalar(key) ? [{ ...at(key.range?.[0]), text: String(key.value) }] : []),
    below(path) {
      const { node, rest } = find(path);
      return rest === undefined || rest === "" ? [...scalarsIn(node)].map(({ offset, value }) => ({ ...at(offset), text: value })) : [];
    },
  };
}

function composeText(text: string): { readonly contents: Node | null; readonly error: number | undefined } {
  try {
    // Scalars stay text, as they are written.
    const composer = new Composer({ schema: "failsafe", uniqueKeys: false, logLevel: "silent" });
    for (const document of composer.compose(tokensOf(text, () => 0), true, text.length)) {
      return { contents: document.contents, error: document.errors[0]?.pos[0] };
    }
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error; // Too long or nested too deeply.
  }
  return { contents: null, error: undefined };
}

interface Found {
  readonly node: unknown;
  readonly offset: number | undefined;
  /** What of the path the text does not have. */
  readonly rest?: string;
}

function findNode(root: Node, path: string): Found {
  let node: unknown = root, offset = root.range?.[0], rest = path;
  while (rest !== "") {
    const next = isMap(node) ? memberOf(node.items, rest) : isSeq(node) ? itemOf(node.items, rest) : undefined;
    if (next === undefined) break;
    ({ node, offset = offset } = next);
    rest = next.rest.startsWith(".") ? next.rest.slice(1) : next.rest;
  }
  return { node, offset, rest };
}

type Step = { readonly node: unknown; readonly offset: number | undefined; readonly rest: string };

function itemOf(items: readonly unknown[], path: string): Step | undefined {
  const [whole, index] = /^\[(\d{1,9})\]/.exec(path) ?? [];
  if (whole === undefined) return undefined;
  const node = items[Number(index)];
  return isNode(node) ? { node, offset: node.range?.[0], rest: path.slice(whole.length) } : undefined;
}

/** Returns the longest key that the path begins with: keys may contain dots. */
function memberOf(items: readonly { readonly key: unknown; readonly value: unknown }[], path: string): Step | undefined {
  let best: Step | undefined;
  for (const { key, value } of items) {
    if (!isScalar(key)) continue;
    const rest = restAfter(String(key.value), path);
    if (rest !== undefined && (best === undefined || rest.length <= best.rest.length)) best = { node: value, offset: key.range?.[0], rest };
  }
  return best;
}

function restAfter(key: string, path: string): string | undefined {
  if (path.startsWith(`[${key}]`)) return path.slice(key.length + 2);
  const end = path[key.length];
  return path.startsWith(key) && (end === undefined || end === "." || end === "[") ? path.slice(key.length) : undefined;
}

/** Yields the scalars below a node. Aliases are not followed. */
function* scalarsIn(node: unknown): Generator<{ readonly offset: number | undefined; readonly value: string }> {
  if (isScalar(node)) yield { offset: node.range?.[0], value: String(node.value) };
  else if (isSeq(node)) { for (const item of node.items) yield* scalarsIn(item); }
  else if (isMap(node)) {
    for (const { key, value } of node.items) {
      yield* scalarsIn(key);
      yield* scalarsIn(value);
    }
  }
}
