/** Copies the objects of one server into another. */
import { bound } from "../../core/bound.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { Catalog } from "../../kernel/catalog/catalog.ts";
import type { Store } from "../../kernel/store/store.ts";
import { valueText } from "../../core/value-text.ts";
import { titleOf } from "./documents.ts";
import { LoadError, type LoadProblem } from "./load.ts";
import { objectOf, type StoredObject, storedObjects } from "./objects.ts";
import { withoutDerived } from "./state-objects.ts";
import { steadyForms } from "./steady-form.ts";

/** Objects that are copied at the same time. */
const copyWritesMax = bound(256);

/** The store of a server, and its kinds. */
export interface CopiedServer {
  readonly store: Pick<Store, "list" | "get" | "commit">;
  readonly prefix: string;
  readonly catalog: Pick<Catalog, "stored">;
}

/** Kinds of which each server has its own objects: they say which servers run. */
const own: ReadonlySet<string> = new Set(["Lease", "Event"]);

/**
 * Copies objects with all of their metadata. Those that the target has already stay, if they differ only in what differs from run to run, as
 * the default objects of both do. Rejects with `LoadError` if others exist with another content; the rest is copied then.
 *
 * @returns the definitions of custom resources among the copied objects
 */
export async function copyObjects(from: CopiedServer, to: CopiedServer): Promise<readonly ApiObject[]> {
  const { entries } = await from.store.list({ prefix: `${from.prefix}/` });
  const objects = storedObjects(entries, from.prefix, from.catalog).filter(({ kind }) => !own.has(kind.resource.kind));
  const problems: LoadProblem[] = [];
  const definitions: ApiObject[] = [];
  for (let at = 0; at < objects.length; at += copyWritesMax) {
    await Promise.all(
      objects.slice(at, at + copyWritesMax).map(async (each) => {
        const current = await copyOne(each, from, to);
        if (current === undefined && each.kind.resource.kind === "CustomResourceDefinition") definitions.push(objectOf(each));
        if (current !== undefined && !isSame(each, current)) {
          problems.push({ place: each.entry.key, text: `${titleOf(objectOf(each))} exists with another content` });
        }
      }),
    );
  }
  if (problems.length > 0) throw new LoadError(problems);
  return definitions;
}

/** Returns what is there already; undefined if the object was copied. */
async function copyOne(
  { kind, entry: { key, value } }: StoredObject,
  from: CopiedServer,
  to: CopiedServer,
): Promise<StoredObject | undefined> {
  const ttlSeconds = kind.resource.strategy?.ttlSeconds, target = `${to.prefix}${key.slice(from.prefix.length)}`;
  const commit = await to.store.commit({ key: target, expect: "absent", value, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) });
  return commit.done || commit.current === undefined ? undefined : { kind, entry: commit.current };
}

/** The other server may not have come to what its controllers compute. */
function isSame(a: StoredObject, b: StoredObject): boolean {
  const [one, other] = [a, b].map((each) => valueText(steadyForms([withoutDerived(objectOf(each))])));
  return one === other;
}
