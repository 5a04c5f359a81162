/**
 * Copies the objects of a source into a store. Definitions of custom resources come first, so that custom resources never lack theirs if the
 * import is interrupted. Values are written as this server writes them, with the uids and all other metadata of the source.
 */
import type { Progress } from "../../core/progress.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { StoredEncoding, StoredKind } from "../../kernel/catalog/catalog.ts";
import { storedBytes } from "../../kernel/objects/objects.ts";
import { objectsOf, type Source, type SourceObject } from "../source/source.ts";
import { sameBytes } from "../../kernel/store/same-bytes.ts";
import type { Entry, Store } from "../../kernel/store/store.ts";
import { Problems } from "../verify/checks.ts";
import { readObject } from "../verify/stored-places.ts";
import type { Chooser } from "./choice.ts";
import { Survey } from "./survey.ts";
import { bound } from "../../core/bound.ts";

/** Objects that `thole import` writes at the same time. */
const importWritesMax = bound(64);

/** The store to write to. */
export interface Target {
  readonly store: Pick<Store, "get" | "commit">;
  readonly prefix: string;
  readonly encoding: StoredEncoding;
  /** Whether objects that differ are replaced. */
  readonly overwrites: boolean;
}

/** What happened to an object. */
type Outcome = "created" | "equal" | "overwritten" | "different" | "unverified";

export interface Imported {
  readonly survey: Survey;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Objects that the operator wants and that are not in the store as they are in the source. */
  readonly problems: Problems;
  /** Imported Secrets with tokens of service accounts, which are signed with a key of the other server. */
  readonly tokens: number;
}

/** Without a target nothing is written: only the survey and the problems are made. Rejects if the source or the store fails. */
export async function importObjects(
  source: Source,
  { choose, first }: Chooser,
  target: Target | undefined,
  progress?: Progress,
): Promise<Imported> {
  const survey = new Survey(source.prefix), problems = new Problems();
  const outcomes = { created: 0, equal: 0, overwritten: 0, different: 0, unverified: 0 };
  const { count } = await source.list({ prefix: `${source.prefix}/` }, { limit: 1 });
  let done = 0, tokens = 0;
  async function importOne(one: SourceObject): Promise<void> {
    const choice = choose(one);
    survey.add(one, choice);
    if (choice.tag === "left") {
      if (choice.problem !== undefined) problems.add(choice.problem);
      return;
    }
    if (isToken(choice.object)) tokens++;
    if (target === undefined) return;
    const outcome = await write(target, source.prefix, one.key, choice);
    outcomes[outcome]++;
    const text = problemOf(outcome, one.key);
    if (text !== undefined) problems.add(text);
  }
  async function importRange(range: string, isIncluded: (key: string) => boolean): Promise<void> {
    for await (const page of objectsOf(source, range)) {
      const entries = page.filter(({ key }) => isIncluded(key));
      for (let at = 0; at < entries.length; at += importWritesMax) {
        await Promise.all(entries.slice(at, at + importWritesMax).map(importOne));
      }
      done += entries.length;
      progress?.done(entries.length, Math.max(0, count - done));
    }
  }
  const before = first.map((each) => `${source.prefix}/${each}`);
  for (const range of before) await importRange(range, () => true);
  await importRange(`${source.prefix}/`, (key) => !before.some((each) => key.startsWith(each)));
  return { survey, outcomes, problems, tokens };
}

function isToken(object: ApiObject): boolean {
  return object.kind === "Secret" && (object as { readonly type?: unknown }).type === "kubernetes.io/service-account-token";
}

interface Chosen {
  readonly kind: StoredKind;
  readonly kinds: readonly StoredKind[];
  readonly object: ApiObject;
}

/** Writes an object and reads it again. */
async function write({ store, prefix, encoding, overwrites }: Target, from: string, sourceKey: string, chosen: Chosen): Promise<Outcome> {
  const { kind, object } = chosen, key = `${prefix}${sourceKey.slice(from.length)}`;
  const value = storedBytes(kind, object, encoding), ttlSeconds = kind.resource.strategy?.ttlSeconds;
  const change = { key, value, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
  let outcome: Outcome = "created";
  let commit = await store.commit({ ...change, expect: "absent" });
  while (!commit.done) {
    const { current } = commit;
    if (current !== undefined && isEqual(current, value, prefix, chosen)) return "equal";
    if (current !== undefined && !overwrites) return "different";
    outcome = current === undefined ? "created" : "overwritten";
    commit = await store.commit({ ...change, expect: current?.revision ?? "absent" });
  }
  const { entry } = await store.get(key);
  return entry !== undefined && entry.revision === commit.revision && isEqual(entry, value, prefix, chosen, true) ? outcome : "unverified";
}

/** Whether an entry has this object. `isDecoded`: also if its bytes are the expected ones, they are decoded and compared. */
function isEqual(entry: Entry, value: Uint8Array, prefix: string, { kind, kinds, object }: Chosen, isDecoded = false): boolean {
  if (!isDecoded && sameBytes(entry.value, value)) return true;
  try {
    const read = readObject(kinds, prefix, entry.key, entry.value);
    return kind === read.kind && kind.encode(read.object) === kind.encode(object);
  } catch {
    return false;
  }
}

function problemOf(outcome: Outcome, key: string): string | undefined {
  if (outcome === "different") return `the object "${key}" is in the store and differs: it was kept (--overwrite replaces it)`;
  return outcome === "unverified"
    ? `the object "${key}" was written and is not in the store as it was written: another program changed it`
    : undefined;
}
