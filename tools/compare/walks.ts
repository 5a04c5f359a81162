import { isIP } from "node:net";
import type { Json, JsonObject } from "../../core/json.ts";
import { randomOf } from "../../core/random.ts";
import type { Catalog, Endpoint } from "../../kernel/catalog/catalog.ts";
import { type Bases, filledIn } from "./bases.ts";
import type { Ask, Difference } from "./compare-kind.ts";
import { type OwnBases, ownBases } from "./own-bases.ts";
import { Mutations } from "./mutations.ts";
import { Walk } from "./walk.ts";
import type { Words } from "./words.ts";

/** Objects of one walk, and walks at the same time. */
const stepsOfWalk = 30, atOnce = 10;

/** What walks over one kind found. */
export interface Walked {
  readonly place: string;
  readonly objects: number;
  readonly requests: number;
  readonly differences: readonly Difference[];
  /** Why bases were not created, each reason once. */
  readonly left: readonly string[];
}

/** A kind, and the objects from which walks begin. */
export interface WalkedBases {
  readonly endpoint: Endpoint;
  readonly template: string;
  readonly objects: readonly JsonObject[];
  /** If the objects are not recorded ones: how they are named. */
  readonly written?: OwnBases;
}

/** A kind in each version that is served, with the objects of its recorded version as bases where the version has none. */
export function walkedKinds(
  catalog: Catalog,
  bases: readonly Bases[],
): readonly WalkedBases[] {
  return catalog.groups.flatMap(({ versions }) => versions.flatMap(({ endpoints }) => endpoints)).flatMap((endpoint) => {
    const { group, version, plural, namespaced } = endpoint, ofNamespace = namespaced ? "/namespaces/${ns}" : "";
    const pathOf = (version: string) => `${group === "" ? "/api" : `/apis/${group}`}/${version}${ofNamespace}/${plural}`;
    const own = bases.filter(({ path }) => path === pathOf(version));
    const others = bases.filter(({ path }) => path.startsWith(group === "" ? "/api/" : `/apis/${group}/`) && path.endsWith(`/${plural}`));
    const written = ownBases[plural];
    const objects = written?.objects ?? (own.length > 0 ? own : others).flatMap(({ objects }) => objects);
    if (objects.length === 0 || !endpoint.verbs.includes("update")) return [];
    return [{ endpoint, template: pathOf(version), objects, ...(written === undefined ? {} : { written }) }];
  });
}

/** Walks from the bases of a kind in turn, until this many objects have been sent. */
export async function walkKind(
  { endpoint, template, objects, written }: WalkedBases,
  { servers, words, seed, count, namespace, word }: {
    readonly servers: { readonly ours: Ask; readonly theirs: Ask };
    readonly words: Words;
    readonly seed: number;
    readonly count: number;
    readonly namespace: string;
    readonly word: string;
  },
): Promise<Walked> {
  const { apiVersion, kind, schema, subresources } = endpoint, path = filledIn(template, namespace, word);
  const doors = [...subresources].filter(([, { view, request, verbs }]) =>
    view === undefined && request === undefined && verbs.includes("update")
  )
    .map(([name]) => name);
  const known = new Set<string>(), left = new Set<string>(), differences: Difference[] = [], useless = new Set<JsonObject>();
  let sent = 0, requests = 0, begun = 0;
  const work = async (): Promise<void> => {
    while (sent < count && useless.size < objects.length) {
      const nth = begun++, body = objects[nth % objects.length]!;
      if (useless.has(body)) continue;
      const base = written === undefined
        ? withName(filledIn(body, namespace, word), nth, word)
        : filledIn(numbered(body, nth), namespace, word);
      const walk = new Walk(
        {
          path,
          apiVersion,
          kind,
          doors,
          ...(written === undefined
            ? {}
            : { isDry: written.isDry, otherName: { from: numbered(written.token, nth), to: numbered(written.other, nth) } }),
        },
        base,
        servers,
        new Mutations(schema, words, randomOf(seed * 7919 + nth)),
        known,
      );
      const failed = await walk.begin();
      if (failed !== undefined) {
        left.add(failed);
        useless.add(body);
        continue;
      }
      for (let step = 0; step < stepsOfWalk && sent < count; step++, sent++) await walk.step();
      await walk.end();
      requests += walk.requests;
      differences.push(...walk.differences);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return {
    place: template.replace(/^\/apis?\//, "").replace("/namespaces/${ns}", ""),
    objects: sent,
    requests,
    differences,
    left: [...left],
  };
}

/** The recorded object under a name of its own. */
function withName(object: JsonObject, nth: number, word: string): JsonObject {
  const { metadata } = object as { readonly metadata?: JsonObject };
  const { generateName: _, ...rest } = metadata ?? {}, recorded = String(rest["name"] ?? word).slice(0, 40);
  return {
    ...object,
    metadata: { ...rest, name: isIP(recorded) === 0 ? `${recorded.replace(/[.-]+$/, "")}-${nth}` : `198.51.100.${nth}` },
  };
}

/** The value with the number of a walk in place of `${nth}`. */
function numbered<T extends Json>(value: T, nth: number): T {
  return JSON.parse(JSON.stringify(value).replaceAll("${nth}", String(nth))) as T;
}
