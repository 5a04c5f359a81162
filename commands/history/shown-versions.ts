/** The versions of one object as they are shown: who wrote each, and what it changed. */
import { changedFields } from "../../core/changed-fields.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { withoutWriters, writersOf } from "../../core/meta/writers.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { plainJson } from "../../core/tree/plain-json.ts";
import type { StoredKind } from "../../kernel/catalog/catalog.ts";
import { withRevision } from "../../kernel/objects/objects.ts";
import { isEncrypted, type Transformer } from "../../server/encryption/transformer.ts";
import { encryptionOf } from "../source/encrypted.ts";
import { readObject } from "../verify/stored-places.ts";
import { hiddenValues } from "./hidden-values.ts";
import type { StoredVersion } from "./stored-versions.ts";

/** What a write was, as far as the store still shows it. */
export type Write = "created" | "changed" | "deleted" | "first kept";

export interface ShownVersion {
  readonly revision: number;
  readonly write: Write;
  /** In the form of the API. */
  readonly time: string | undefined;
  readonly managers: readonly string[];
  /** A line for each field that differs from the version before; empty for the first one that the store has kept. */
  readonly changes: readonly string[];
  /** Why the value cannot be read. */
  readonly problem?: string;
  /** Undefined if it was deleted, or if it cannot be read. Values of Secrets are hidden. */
  readonly object: ApiObject | undefined;
}

export interface ShownOptions {
  /** The kinds at the place of the object. */
  readonly kinds: readonly [StoredKind, ...StoredKind[]];
  readonly prefix: string;
  readonly key: string;
  readonly keys?: Transformer;
}

/** Yields each version with what differs from the one before. */
export async function* shownVersions(versions: AsyncIterable<StoredVersion>, options: ShownOptions): AsyncGenerator<ShownVersion> {
  const isSecret = options.kinds.some(({ group, plural }) => group === "" && plural === "secrets");
  const hide = isSecret ? hiddenValues() : (object: ApiObject) => object;
  let before: Read = {}, exists = false;
  for await (const { revision, value, isFirstKept } of versions) {
    const write = value === undefined ? "deleted" : isFirstKept ? "first kept" : exists ? "changed" : "created";
    exists = value !== undefined;
    const read = value === undefined ? {} : await readVersion(value, revision, options, isSecret),
      object = read.object && hide(read.object);
    const isCompared = write === "created" || (write === "changed" && before.object !== undefined);
    const changes = isCompared && object !== undefined
      ? changedFields(before.object && withoutWriters(before.object), withoutWriters(object))
      : [];
    const problem = read.problem ?? (write === "changed" && !isCompared && object !== undefined ? unreadBefore : undefined);
    yield { revision, write, ...writersOf(before.object, object), changes, object, ...(problem === undefined ? {} : { problem }) };
    before = object === undefined ? {} : { object };
  }
}

const unreadBefore = "the version before cannot be read, so what changed is not known";

interface Read {
  readonly object?: ApiObject;
  readonly problem?: string;
}

async function readVersion(value: Uint8Array, revision: number, options: ShownOptions, isSecret: boolean): Promise<Read> {
  const { kinds, prefix, key, keys } = options;
  try {
    const opened = isEncrypted(value) ? await keys?.open(value, key) : { value }, encryption = encryptionOf(opened?.value ?? value);
    if (opened === undefined || encryption !== undefined) {
      const by = encryption === undefined ? "" : ` by ${encryption.provider} with ${encryption.key}`;
      return { problem: `the value is encrypted${by}: --encryption-provider-config needs that key` };
    }
    const { kind, object } = readObject(kinds, prefix, key, opened.value);
    return { object: plainJson(kind.encode(withRevision(object, revision))) as unknown as ApiObject }; // JSON of an object
  } catch (error) {
    // A reason may quote the value.
    return { problem: isSecret ? "the value cannot be read" : reasonOf(error) };
  }
}
