/** One object through the forms of its kind, without a server: encodings, the stored form, other versions. */
import { emptyListsToNil } from "../../core/derive/empty-lists.ts";
import { cborWriter } from "../../core/derive/cbor-write.ts";
import { protobufReader, protobufWriter } from "../../core/derive/protobuf.ts";
import { readCbor } from "../../core/codec/cbor/read.ts";
import { readEnvelope, writeEnvelope } from "../../core/codec/protobuf.ts";
import { writeYaml } from "../../core/codec/yaml.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { StructNode, Typed } from "../../core/schema.ts";
import { jsonFromTree, readJson, treeFromJson } from "../../core/tree/json.ts";
import type { Read } from "../../core/tree/tree.ts";
import { readYaml } from "../../core/tree/yaml.ts";
import type { Endpoint } from "../../kernel/catalog/catalog.ts";
import { decodeStored, storedBytes } from "../../kernel/objects/objects.ts";
import { conversionOf } from "../../kernel/objects/served.ts";
import { inStoredForm } from "../../kernel/write/stored-form.ts";
import { differences } from "./difference.ts";
import { encodingRemedy, storageRemedy, versionRemedy } from "./remedies.ts";

/** A way that an object can take. `lost`: the differences afterwards. */
export interface Way {
  /** Such as `through storage`. */
  readonly name: string;
  /** What the author changes if something is lost. */
  readonly remedy: string;
  readonly lost: (sent: JsonObject) => readonly string[];
}

/** The ways of objects of one version. `others`: the other versions of the kind. */
export function waysOf(endpoint: Endpoint, others: readonly Endpoint[]): readonly Way[] {
  const way = (name: string, remedy: string, back: (object: ApiObject) => ApiObject): Way => ({
    name,
    remedy,
    lost: (sent) => {
      const object = receive(endpoint, sent);
      return differences(show(endpoint, object), show(endpoint, back(object)));
    },
  });
  const ofStorage = storageRemedy(endpoint.apiVersion, isStoredVersion(endpoint));
  return [
    ...encodingsOf(endpoint).map(([name, back]) => way(`in ${name}`, encodingRemedy(name), back)),
    // Custom resources lose what the stored version does not have, as upstream.
    ...(endpoint.resource.custom === true ? [] : [
      way("through storage", ofStorage, (object) => conversionOf(endpoint, inStore(endpoint, inStoredForm(endpoint, object)))),
      way(`as it is stored by a release that stores ${endpoint.apiVersion}`, ofStorage, (object) => {
        const { stored } = endpoint;
        return conversionOf(endpoint, inStore(endpoint, stored.storedForm(endpoint.apiVersion)!.toStored(object)));
      }),
      ...others.map((other) => storedThrough(endpoint, other)),
    ]),
  ];
}

/** Whether objects are stored in this version, without a conversion. */
function isStoredVersion({ apiVersion, stored }: Pick<Endpoint, "apiVersion" | "stored">): boolean {
  return stored.apiVersion === apiVersion;
}

/** What a client of the other version gets and writes back unchanged. */
function storedThrough(endpoint: Endpoint, other: Endpoint): Way {
  return {
    name: `when it is read and written back in ${other.apiVersion}`,
    remedy: versionRemedy(other.apiVersion, isStoredVersion(other)),
    lost: (sent) => {
      const before = inStore(endpoint, inStoredForm(endpoint, receive(endpoint, sent)));
      const read = jsonOf(other, conversionOf(other, before));
      const after = inStore(other, inStoredForm(other, receive(other, read)));
      return differences(show(endpoint, conversionOf(endpoint, before)), show(endpoint, conversionOf(endpoint, after)));
    },
  };
}

/** The object of a request, with defaults. */
function receive(endpoint: Endpoint, sent: JsonObject): ApiObject {
  return endpoint.applyDefaults(endpoint.decode(treeFromJson(sent), { reader: "json", findings: [] }));
}

/** An object after it was stored and read, in the stored form. The store has no resourceVersion in it. */
function inStore({ stored }: Endpoint, object: ApiObject): ApiObject {
  const read = decodeStored(stored, "round-trips", storedBytes(stored, object).slice()), { resourceVersion } = object.metadata;
  return resourceVersion === undefined ? read : { ...read, metadata: { ...read.metadata, resourceVersion } };
}

function jsonOf(endpoint: Endpoint, object: ApiObject): JsonObject {
  return jsonFromTree(treeOf(readJson(endpoint.encode(object)))) as JsonObject; // of an object
}

/** The object as clients see it. The server sets empty lists to null when it stores an object. */
function show(endpoint: Endpoint, object: ApiObject): Json {
  return jsonOf(endpoint, emptyListsToNil(endpoint.schema)(object) as ApiObject); // of the same kind
}

function treeOf(read: Read) {
  if (!read.ok) throw new Error(`our own text cannot be read: ${read.error}`);
  return read.tree;
}

function encodingsOf(endpoint: Endpoint): readonly (readonly [string, (object: ApiObject) => ApiObject])[] {
  const schema = endpoint.schema as Typed<ApiObject, StructNode>; // schemas of served versions are made by object()
  const decode = (read: Read, reader: "json" | "yaml") => endpoint.decode(treeOf(read), { reader, findings: [] });
  const yaml = (object: ApiObject) => decode(readYaml(writeYaml(jsonOf(endpoint, object))), "yaml");
  const all = [
    ["JSON", (object: ApiObject) => decode(readJson(endpoint.encode(object)), "json")],
    ["YAML", yaml],
  ] as const;
  const cbor = (object: ApiObject) => endpoint.decodeCbor(readCbor(cborWriter(schema)(object).finish()));
  if (endpoint.resource.custom === true) return [...all, ["CBOR", cbor]];
  return [
    ...all,
    ["CBOR", cbor],
    ["protobuf", (object) => {
      const { raw, kind, apiVersion } = readEnvelope(writeEnvelope(object, protobufWriter(schema)(object)));
      // Protobuf has no kind and version of embedded objects: they are defaults.
      return endpoint.applyDefaults({ ...protobufReader(schema)(raw), kind, apiVersion });
    }],
  ];
}
