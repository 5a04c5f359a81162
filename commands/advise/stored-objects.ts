/** The data of a server as a source: the objects in its etcd, and the releases of Helm among them. */
import { reasonOf } from "../../core/reason-of.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { Names } from "../../core/names.ts";
import type { Plugin } from "../../core/plugin.ts";
import type { BeginProgress } from "../../core/progress.ts";
import { protobufReader } from "../../core/derive/protobuf.ts";
import { field, string, struct } from "../../core/schema.ts";
import { readEnvelope } from "../../core/codec/protobuf.ts";
import { activeConfigOf } from "../../server/config/active-config.ts";
import { ConfigError } from "../../server/config/parse.ts";
import { defaults } from "../../server/config/settings.ts";
import { jsonOf } from "../../kernel/objects/json-of.ts";
import { protobufObject, untypedObject } from "../source/any-object.ts";
import { objectsOf, type Source as StoredSource, type SourceObject } from "../source/source.ts";
import { openOtherSource, type SourceFlags, sourceMistakes } from "../source/open-source.ts";
import { EtcdFileError } from "../source/etcd-files/random-access.ts";
import { StoreError } from "../../kernel/store/store.ts";
import type { Source, Unread } from "../upgrade/advise/evidence.ts";
import { type Places, placesOf, readObject } from "../verify/stored-places.ts";
import { objectsOfRelease } from "./helm-release.ts";
import { bound } from "../../core/bound.ts";

/** Different reasons why values of a store cannot be read that `thole advise` shows. Further ones are counted. */
export const advisedUnreadMax = bound(1_000);

/** Many, and gone within an hour. */
const passedOver = "events";

export interface StoredOptions {
  readonly names: Names;
  readonly plugins: readonly Plugin[];
  readonly begin: BeginProgress;
}

/** Returns a source of what a store has at its newest revision. Throws a ConfigError for mistakes in the flags. */
export function storedSource(flags: SourceFlags, options: StoredOptions): Source {
  const mistakes = sourceMistakes(flags, true);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return readStore(flags, options);
}

/** Values that cannot be read are counted by reason, and the others are read. */
async function* readStore(flags: SourceFlags, { names, plugins, begin }: StoredOptions): Source {
  const opening = begin("reading the keys");
  try {
    const source = await openOtherSource(flags, opening).finally(opening.end);
    try {
      const { catalog } = activeConfigOf({ ...defaults, "group-domain": names.domain }, plugins);
      yield* evidenceOf(source, placesOf(catalog.stored, source.prefix), begin);
    } finally {
      await source.close();
    }
  } catch (error) {
    if (!(error instanceof StoreError) && !(error instanceof EtcdFileError)) throw error;
    yield { tag: "unread", place: { name: "the store" }, reason: reasonOf(error) };
  }
}

async function* evidenceOf(source: StoredSource, places: Places, begin: BeginProgress): Source {
  const { prefix } = source, unread = new UnreadValues(), progress = begin("reading the objects");
  let count = 0;
  try {
    for await (const page of objectsOf(source)) {
      for (const one of page) {
        if (one.key.startsWith(`${prefix}/${passedOver}/`)) continue;
        const object = objectOf(one, places, prefix);
        if (typeof object === "string") {
          unread.add(one.key, object);
          continue;
        }
        yield { tag: "object", place: { name: one.key }, object, isStored: true };
        if (isRelease(object)) yield* objectsOfRelease(object);
      }
      progress.done(page.length);
      count += page.length;
    }
  } finally {
    progress.end();
  }
  yield* unread.all();
  if (count === 0) {
    yield { tag: "unread", place: { name: `${prefix}/` }, reason: "the store has no keys with this prefix (--from-etcd-prefix)" };
  }
}

/** Returns the object of a value in the version in which it is stored, or why it cannot be read. */
function objectOf({ key, value, identity }: SourceObject, places: Places, prefix: string): JsonObject | string {
  const { encoding, problem, apiVersion, kind } = identity;
  if (encoding === "encrypted") return `${problem}, for which --from-encryption-provider-config has no key`;
  if (problem !== undefined) return problem;
  try {
    if (encoding !== "protobuf") return untypedObject(value);
    const kinds = places.at(key);
    if (kinds === undefined || kinds[0]!.storedForm(apiVersion) === undefined) { // `Places.at` returns no empty list.
      return { ...protobufObject(value), ...scaleTarget(kind, value) };
    }
    const read = readObject(kinds, prefix, key, value);
    return { ...jsonOf(read.kind, read.object), apiVersion };
  } catch (error) {
    // Without the advice for a server with this value in its own store.
    return reasonOf(error instanceof Error && error.cause instanceof Error ? error.cause : error);
  }
}

/** The part of a HorizontalPodAutoscaler that is the same in all versions. */
const Scaled = struct("CrossVersionObjectReference", {
  kind: field(1, string, "Kind of the scaled object."),
  name: field(2, string, "Name of the scaled object."),
  apiVersion: field(3, string, "Version of the scaled object."),
});
const Autoscaler = struct("Autoscaler", {
  spec: field(2, struct("AutoscalerSpec", { scaleTargetRef: field(1, Scaled, "The scaled object.") }), "The specification."),
});

function scaleTarget(kind: string, value: Uint8Array): JsonObject {
  return kind === "HorizontalPodAutoscaler" ? protobufReader(Autoscaler)(readEnvelope(value).raw) as JsonObject : {};
}

/** Returns the newest revision of a release, which Helm compares with the server. */
function isRelease({ kind, type, metadata }: JsonObject): boolean {
  const labels = isObject(metadata) && isObject(metadata.labels) ? metadata.labels : {};
  return kind === "Secret" && type === "helm.sh/release.v1" && labels.owner === "helm" && labels.status === "deployed";
}

/** Values that cannot be read: the first key of each reason and resource, and how many there are. */
class UnreadValues {
  readonly #byReason = new Map<string, { readonly key: string; readonly reason: string; count: number }>();
  #others = 0;

  add(key: string, reason: string): void {
    const resource = key.slice(0, key.indexOf("/", key.indexOf("/", 1) + 1) + 1), of = `${resource} ${reason}`;
    const known = this.#byReason.get(of);
    if (known !== undefined) known.count += 1;
    else if (this.#byReason.size < advisedUnreadMax) this.#byReason.set(of, { key, reason, count: 1 });
    else this.#others++;
  }

  *all(): Generator<Unread> {
    for (const { key, reason, count } of this.#byReason.values()) {
      const more = count === 1 ? "" : `; and ${count - 1} more such values`;
      yield { tag: "unread", place: { name: key }, reason: `${reason}${more}` };
    }
    if (this.#others > 0) yield { tag: "unread", place: { name: "the store" }, reason: `${this.#others} more values cannot be read` };
  }
}
