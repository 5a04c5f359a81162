/** Reads every object of a store and changes none. */
import { validateValue } from "../../core/custom/validate.ts";
import { fieldErrorText } from "../../core/field-error.ts";
import type { Json } from "../../core/json.ts";
import type { Progress } from "../../core/progress.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { pagesOf } from "../../kernel/cache/fill/pages.ts";
import type { StoredKind } from "../../kernel/catalog/catalog.ts";
import { type Identity, identityOf } from "../source/identity.ts";
import type { Source } from "../source/source.ts";
import type { Entry, Revision } from "../../kernel/store/store.ts";
import { type Findings, Problems } from "./checks.ts";
import { Related } from "./related.ts";
import { placesOf, type ReadObject, readObject } from "./stored-places.ts";
import { customResourceOf } from "./unknown-kinds.ts";

export interface Verified {
  /** The revision at which everything was read. */
  readonly revision: Revision;
  /** Objects of these kinds. */
  readonly read: number;
  /** Those of custom resources among them. */
  readonly custom: number;
  /** Keys that belong to none of them. */
  readonly other: number;
  /** Bytes of all values. */
  readonly bytes: number;
  readonly findings: Findings;
  /** Whether there are so many objects that their uids, owners and namespaces were not compared. */
  readonly isPartial: boolean;
}

/** Decodes every object of these kinds, and compares what objects say of each other. Rejects if the store fails. */
export async function verifyStore(source: Source, kinds: readonly StoredKind[], progress?: Progress): Promise<Verified> {
  const { prefix, revision } = source, places = placesOf(kinds, prefix);
  const unreadable = new Problems(), mismatched = new Problems(), related = new Related();
  let read = 0, custom = 0, other = 0, bytes = 0;
  const { count } = await source.list({ prefix: `${prefix}/` }, { limit: 1 });
  function verify({ key, value }: Entry): void {
    bytes += value.length;
    const found = places.at(key);
    if (found === undefined) {
      other++;
      return addOther(related, prefix, key, identityOf(value));
    }
    read++;
    if (found[0]!.schema.whole !== undefined) custom++;
    try {
      const one = readObject(found, prefix, key, value);
      addObject(related, key, one);
      const mismatch = mismatchOf(key, one);
      if (mismatch !== undefined) mismatched.add(mismatch);
    } catch (error) {
      unreadable.add(reasonOf(error));
    }
  }
  for await (const page of pagesOf(source, `${prefix}/`, revision, new AbortController().signal)) {
    for (const entry of page) verify(entry);
    progress?.done(page.length, Math.max(0, count - read - other));
  }
  related.compare();
  const { duplicates, missingOwners, missingNamespaces, undefinedResources, isPartial } = related;
  const findings = { unreadable, duplicates, mismatched, undefinedResources, missingOwners, missingNamespaces };
  return { revision, read, custom, other, bytes, findings, isPartial };
}

function addObject(related: Related, key: string, { kind, object: { metadata } }: ReadObject): void {
  const { name = "", namespace = "", uid = "", ownerReferences } = metadata;
  related.add({ key, namespace, uid, owners: ownerReferences ?? [] });
  if (kind.group === "" && kind.plural === "namespaces") related.addNamespace(name);
}

/** Adds an object of a kind that this server does not have: it may own objects that are checked. Keys that are no objects have no uid. */
function addOther(related: Related, prefix: string, key: string, identity: Identity): void {
  // Its namespace and its owners are no concern of this server.
  related.add({ key, namespace: "", uid: identity.uid, owners: [] });
  const resource = customResourceOf(prefix, key, identity);
  if (resource !== undefined) related.addUndefined(resource, key);
}

function mismatchOf(key: string, { kind, object, version }: ReadObject): string | undefined {
  const whole = version === undefined ? undefined : kind.storedForm(version)?.schema.whole;
  const errors = whole === undefined ? [] : validateValue(object as unknown as Json, whole); // a custom object is JSON
  return errors.length === 0
    ? undefined
    : `the object stored under "${key}" does not match the schema of ${version}: ${
      errors.slice(0, shownErrorsMax).map(fieldErrorText).join("; ")
    }${errors.length > shownErrorsMax ? `; ${errors.length - shownErrorsMax} more` : ""}`;
}

/** Errors of one object that are shown. */
const shownErrorsMax = 3;
