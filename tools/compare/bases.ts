import { readdirSync, readFileSync } from "node:fs";
import type { Json, JsonObject } from "../../core/json.ts";
import { isObject } from "../../core/json.ts";

/** A collection, and objects that a kube-apiserver has accepted in it. */
export interface Bases {
  /** Such as `/apis/apps/v1/namespaces/${ns}/deployments`. */
  readonly path: string;
  readonly objects: readonly JsonObject[];
}

interface Recording {
  readonly scenarios: readonly {
    readonly needs?: readonly string[];
    readonly steps: readonly { readonly do: string; readonly body?: Json }[];
    readonly answers: readonly { readonly status?: number }[];
  }[];
}

const folder = new URL("../../test/transcripts/recorded/", import.meta.url);
const collection = /^POST (\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/\$\{ns\})?\/([a-z]+))$/;

/** The objects that the recorded conversations create without special settings, by collection. `special`: also those that need settings. */
export function recordedBases(special: boolean): readonly Bases[] {
  const byPath = new Map<string, JsonObject[]>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json")).sort()) {
    const { scenarios } = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Recording;
    for (const { needs = [], steps, answers } of scenarios) {
      if (!special && !needs.every((each) => each.startsWith("controller:"))) continue;
      steps.forEach(({ do: request, body }, index) => {
        const path = collection.exec(request)?.[1];
        if (path === undefined || answers[index]?.status !== 201 || !isObject(body)) return;
        // An owner that does not exist would end the object at once.
        if (isObject(body["metadata"]) && body["metadata"]["ownerReferences"] !== undefined) return;
        // Values that earlier answers have given are not known here.
        if (/\$\{(?!ns\}|id\})/.test(JSON.stringify(body))) return;
        const objects = byPath.get(path) ?? [];
        if (!byPath.has(path)) byPath.set(path, objects);
        objects.push(body);
      });
    }
  }
  return [...byPath].map(([path, objects]) => ({ path, objects }));
}

/** The base with the namespace and the word of a run in place of `${ns}` and `${id}`. */
export function filledIn<T>(value: T, namespace: string, word: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll("${ns}", namespace).replaceAll("${id}", word)) as T;
}
