import type { Json, JsonObject } from "../../core/json.ts";
import { type Answer, type Comparable, comparable } from "./answers.ts";
import type { Change } from "./changes.ts";

/** Sends a request to one of the two servers. */
export type Ask = (method: string, path: string, body?: Json, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

/** A request that the two servers answer differently. */
export interface Difference {
  readonly method: string;
  /** What was changed, such as `spec.replicas = -1`. */
  readonly what: string;
  /** Whether only texts for people differ. */
  readonly isText: boolean;
  readonly ours: string;
  readonly theirs: string;
  /** Of walks: the path of the request. */
  readonly path?: string;
  /** Of walks: a small body with the same difference. */
  readonly body?: JsonObject;
}

/** Requests of one kind that are sent at the same time. */
const atOnce = 8;

/**
 * Creates and updates objects as dry runs on both servers.
 *
 * @param path the collection
 * @param base an object that exists on both servers
 * @param unlike members that the create of a further object needs, such as another name
 */
export async function compareKind(
  path: string,
  base: JsonObject,
  changes: readonly Change[],
  { ours, theirs }: { readonly ours: Ask; readonly theirs: Ask },
): Promise<{ readonly requests: number; readonly differences: readonly Difference[] }> {
  const { name } = base["metadata"] as { readonly name: string }; // of an object that exists
  const requests = changes.flatMap(({ what, object }) => [
    { what, method: "POST", path: `${path}?dryRun=All`, body: renamed(object, name) },
    { what, method: "PUT", path: `${path}/${name}?dryRun=All`, body: object },
  ]);
  const differences: Difference[] = [], waiting = [...requests];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { what, method, path, body } = next;
      const [mine, peers] = await Promise.all([ours(method, path, body), theirs(method, path, body)]);
      const difference = differenceOf(method, what, comparable(mine), comparable(peers));
      if (difference !== undefined) differences.push(difference);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { requests: requests.length, differences };
}

/** What two answers differ in. Undefined if they do not. */
export function differenceOf(method: string, what: string, mine: Comparable, peers: Comparable): Difference | undefined {
  const isText = mine.meaning === peers.meaning;
  if (isText && mine.text === peers.text) return undefined;
  const [one, other] = isText ? [shortened(mine.text), shortened(peers.text)] : shownLines(mine, peers);
  return { method, what, isText, ours: one, theirs: other };
}

/** The object under another name, if the change was not about its name. */
export function renamed(object: JsonObject, name: string): JsonObject {
  const { metadata } = object as { readonly metadata?: JsonObject };
  return metadata?.["name"] === name ? { ...object, metadata: { ...metadata, name: `${name.slice(0, 40)}-2` } } : object;
}

const shownLength = 400;
function shortened(text: string): string {
  const short = text.replace(/(.)\1{9,}/g, "$1...");
  return short.length > shownLength ? `${short.slice(0, shownLength)}...` : short;
}

/** The lines in which two meanings differ, and their messages. */
function shownLines(mine: { meaning: string; text: string }, peers: { meaning: string; text: string }): [string, string] {
  const [one, other] = [mine.meaning.split("\n"), peers.meaning.split("\n")];
  const only = (lines: readonly string[], others: readonly string[], text: string) =>
    shortened(
      [lines[0]!.slice(0, 60), ...lines.slice(1).filter((line) => !others.includes(line)).map((line) => line.trim()), text].join(" | "),
    );
  return [only(one, other, mine.text), only(other, one, peers.text)];
}
