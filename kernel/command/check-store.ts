/** Reads every object of a store and changes none. */
import { validateValue } from "../../core/custom/validate.ts";
import { fieldErrorText } from "../../core/field-error.ts";
import type { Json } from "../../core/json.ts";
import { limits } from "../../core/limits.ts";
import type { Progress } from "../../core/progress.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { pagesOf } from "../cache/fill/pages.ts";
import type { StoredKind } from "../catalog/catalog.ts";
import { placeOf } from "../conversion/converted-kinds.ts";
import { apiVersionOf } from "../conversion/stored-values.ts";
import { decodeStored } from "../objects/objects.ts";
import type { Store } from "../store/store.ts";

export interface Checked {
  /** Objects of these kinds. */
  readonly read: number;
  /** Those of custom resources among them. */
  readonly custom: number;
  /** Keys that belong to none of them. */
  readonly other: number;
  readonly unreadable: Found;
  /** Custom objects that are read but do not match the schema of the version in which they are stored. */
  readonly mismatched: Found;
}

/** Objects with a problem. */
export interface Found {
  readonly count: number;
  /** One text for each object, at most `limits.unreadableShownMax`. */
  readonly texts: readonly string[];
}

/** Decodes every object of these kinds. Rejects if the store fails. */
export async function checkStore(store: Store, prefix: string, kinds: readonly StoredKind[], progress?: Progress): Promise<Checked> {
  const places = new Map<string, StoredKind[]>();
  for (const kind of kinds) {
    if (kind.under === "") continue;
    const place = `${prefix}/${placeOf(kind)}/`;
    places.set(place, [...places.get(place) ?? [], kind]);
  }
  const unreadable = new Problems(), mismatched = new Problems();
  let read = 0, custom = 0, other = 0;
  const { count } = await store.list({ prefix: `${prefix}/` }, { limit: 1 });
  for await (const page of pagesOf(store, `${prefix}/`, undefined, new AbortController().signal)) {
    for (const { key, value } of page) {
      const found = kindsOf(places, prefix, key);
      if (found === undefined) {
        other++;
        continue;
      }
      read++;
      if (found[0]!.schema.whole !== undefined) custom++;
      const { problem, mismatch } = check(found, key, value);
      if (problem !== undefined) unreadable.add(problem);
      if (mismatch !== undefined) mismatched.add(mismatch);
    }
    // Other writers may have added objects.
    progress?.done(page.length, Math.max(0, count - read - other));
  }
  return { read, custom, other, unreadable, mismatched };
}

/** The kinds at the place of a key; several if their versions are converted by a webhook. */
function kindsOf(places: ReadonlyMap<string, readonly StoredKind[]>, prefix: string, key: string): readonly StoredKind[] | undefined {
  for (let slash = key.lastIndexOf("/"); slash > prefix.length; slash = key.lastIndexOf("/", slash - 1)) {
    const found = places.get(key.slice(0, slash + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

function check(kinds: readonly StoredKind[], key: string, value: Uint8Array): { readonly problem?: string; readonly mismatch?: string } {
  try {
    const version = kinds[0]!.schema.whole === undefined ? undefined : versionOf(kinds, value);
    const kind = kinds.find(({ apiVersion }) => apiVersion === version) ?? kinds[0]!;
    const object = decodeStored(kind, key, value);
    const { name } = object.metadata;
    if (!key.endsWith(`/${name}`)) return { problem: `the object stored under "${key}" has the name "${name}"` };
    const whole = version === undefined ? undefined : kind.storedForm(version)?.schema.whole;
    const errors = whole === undefined ? [] : validateValue(object as unknown as Json, whole); // a custom object is JSON
    return errors.length === 0 ? {} : {
      mismatch: `the object stored under "${key}" does not match the schema of ${version}: ${
        errors.slice(0, shownErrorsMax).map(fieldErrorText).join("; ")
      }${errors.length > shownErrorsMax ? `; ${errors.length - shownErrorsMax} more` : ""}`,
    };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

/** The version in which a custom object is stored, by its first bytes if these are the server's own. */
function versionOf(kinds: readonly StoredKind[], value: Uint8Array): string | undefined {
  const isOf = ({ headBytes }: StoredKind) => headBytes.every((byte, index) => value[index] === byte);
  return kinds.find(isOf)?.apiVersion ?? apiVersionOf(value);
}

/** Errors of one object that are shown. */
const shownErrorsMax = 3;

class Problems implements Found {
  count = 0;
  readonly texts: string[] = [];
  add(text: string): void {
    if (this.count++ < limits.unreadableShownMax) this.texts.push(text.slice(0, limits.logTextLengthMax));
  }
}
