/** Compiles a resource of a plugin to its stored kind and its served versions. */
import { pluralOf } from "../../core/define/define.ts";
import { goString } from "../../core/tree/json-text.ts";
import { type CborItem, memberOf } from "../../core/codec/cbor/item.ts";
import { canonical } from "../../core/derive/canonical.ts";
import { canonicalBytes } from "../../core/derive/canonical-bytes.ts";
import { cborReader } from "../../core/derive/cbor-read.ts";
import { append } from "../../core/append.ts";
import { CborFailure } from "../../core/codec/cbor/failure.ts";
import { objectOfCbor } from "../../core/codec/cbor/untyped.ts";
import { DecodeError, decoder, type DecodeReport, decodeStored } from "../../core/derive/decode.ts";
import { ObjectMeta } from "../../core/meta/object-meta.ts";
import { encoder } from "../../core/derive/encode.ts";
import { defaulter, gatesOfDefaults } from "../../core/derive/apply-defaults.ts";
import { emptyListsToNil, emptyMapDropper } from "../../core/derive/empty-lists.ts";
import { type Names, spell } from "../../core/names.ts";
import { once } from "../../core/async.ts";
import { compareVersions, type GroupVersion, splitGroupVersion, type Verb, verbs } from "../../core/versions.ts";
import type { Gates } from "../../core/controller.ts";
import type { Resource, Served } from "../../core/plugin.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { StructNode, Typed } from "../../core/schema.ts";
import { type Tree, TreeObject } from "../../core/tree/tree.ts";
import { type Endpoint, type StoredForm, type StoredKind, type WrittenForm } from "./catalog.ts";
import { boundChecks } from "../../core/custom/field-bounds.ts";
import { declaredChecks } from "../../core/derive/declared.ts";
import { compileRules } from "./compile-rules.ts";
import { subresourcesOf } from "./compile-subresource.ts";
import { compareReleases, type Releases } from "../../core/releases.ts";

/**
 * Compiled kinds. The tables belong to the module and not to a catalog: a kind is a pure function of a definition and settings, and caches
 * of kinds outlive the catalogs that a reload replaces.
 */
const kinds = new WeakMap<Resource, KnownKind[]>();
const gatesOfResources = new WeakMap<Resource, readonly string[]>();
const endpoints = new WeakMap<StoredKind, Map<GroupVersion, Endpoint>>();

/** The configuration that the compilation of a kind depends on. */
export interface Settings {
  readonly names: Names;
  readonly isOn: Gates;
  readonly releases: Releases;
}

/**
 * Compiles the kind of a resource. Returns the same value for the same names and the same gates of its defaults, so that caches of this
 * kind outlive a catalog.
 */
export function kindOf(resource: Resource, settings: Settings): StoredKind {
  const known = kinds.get(resource) ?? [];
  const found = known.find((each) => isCompiledWith(each, gatesOf(resource), settings));
  if (found !== undefined) return found.kind;
  const { names, isOn, releases } = settings, on = new Set(gatesOf(resource).filter(isOn));
  const kind = compileStored(resource, settings);
  kinds.set(resource, [...known, { kind, names, releases, on }]);
  return kind;
}

/** A compiled kind with the settings that it depends on. */
interface KnownKind {
  readonly kind: StoredKind;
  readonly names: Names;
  readonly releases: Releases;
  /** The enabled gates among those that the defaults use. */
  readonly on: ReadonlySet<string>;
}

function isCompiledWith({ names, releases, on }: KnownKind, gates: readonly string[], settings: Settings): boolean {
  return names.domain === settings.names.domain && names.platform === settings.names.platform &&
    releases.emulated === settings.releases.emulated && releases.minCompatibility === settings.releases.minCompatibility &&
    gates.every((gate) => on.has(gate) === settings.isOn(gate));
}

/** Returns the gates that the defaults of a resource use. They are read from its schemas once. */
function gatesOf(resource: Resource): readonly string[] {
  const known = gatesOfResources.get(resource);
  if (known !== undefined) return known;
  const gates = [...new Set(Object.values(resource.served).flatMap(({ schema }) => gatesOfDefaults(schema)))];
  gatesOfResources.set(resource, gates);
  return gates;
}

/** Compiles the endpoint of a kind in the version that its definition calls `written`. Returns the same value for the same arguments. */
export function endpointOf(kind: StoredKind, written: GroupVersion, settings: Settings): Endpoint {
  const known = endpoints.get(kind) ?? new Map<GroupVersion, Endpoint>();
  endpoints.set(kind, known);
  const { group, version } = splitGroupVersion(spell(settings.names, written));
  const endpoint = known.get(written) ?? compileEndpoint(kind, group, version, kind.resource.served[written]!, settings);
  known.set(written, endpoint);
  return endpoint;
}

function compileStored(resource: Resource, settings: Settings): StoredKind {
  const { names } = settings;
  const apiVersion = spell(names, resource.storedAs);
  const own = resource.served[resource.storedAs]!;
  const { schema } = own;
  const codec = codecOf(own, settings);
  const settle = once(() => emptyListsToNil(schema)), dropEmptyMaps = once(() => emptyMapDropper(schema));
  const isCanonical = once(() => canonical(schema as Typed<ApiObject, StructNode>)); // the values are objects of the kind
  const isCanonicalBytes = once(() => canonicalBytes(schema, codec.applyDefaults, own.applyDefaults !== undefined));
  const forms = new Map(
    Object.entries(resource.served).map(([written, served]) => {
      const version = spell(names, written);
      return [
        version,
        version === apiVersion
          ? nativeForm(schema, resource.conversion === undefined ? codec.applyDefaults : asIs)
          : foreignForm(served, apiVersion, codec.applyDefaults, settings),
      ];
    }),
  );
  const head = `{"kind":${goString(resource.kind)},"apiVersion":${goString(apiVersion)},`;
  return Object.freeze({
    resource,
    apiVersion,
    group: splitGroupVersion(apiVersion).group,
    plural: resource.plural ?? pluralOf(resource.kind),
    namespaced: resource.scope === "Namespaced",
    under: spell(names, resource.storedUnder ?? ""),
    schema,
    ...(resource.custom ? { rules: undefined, ruleMistakes: [] } : compileRules(schema)),
    // The objects of the checks are those of the kind.
    bounds: resource.custom ? undefined : boundChecks(schema as Typed<ApiObject, StructNode>),
    declared: resource.rules === "compared" ? declaredChecks(schema as Typed<ApiObject, StructNode>) : undefined, // the values are objects of the kind
    written: writtenForm(resource, apiVersion, codec, settings),
    head,
    headBytes: new TextEncoder().encode(head),
    ...codec,
    // The result is an object of the kind.
    emptyListsToNil: (object: ApiObject) => settle()(object) as ApiObject,
    withoutEmptyMaps: (object: ApiObject) => dropEmptyMaps()(object) as ApiObject,
    isCanonical: (value: unknown): value is ApiObject => isCanonical()(value) && codec.applyDefaults(value) === value,
    isCanonicalBytes: (value: Uint8Array, onRead?: (object: ApiObject) => void) => isCanonicalBytes()(value, onRead),
    storedForm: (version: string) => forms.get(version),
  });
}

/**
 * Finds the version of new values by upstream's rule: the most stable version that the oldest compatible release had, and that the emulated
 * one has not removed.
 */
function writtenVersion({ served, storedAs }: Resource, { emulated, minCompatibility }: Releases): GroupVersion {
  if (compareReleases(served[storedAs]!.introduced, minCompatibility) <= 0) return storedAs;
  const known = Object.entries(served).filter(([groupVersion, { introduced, removed }]) =>
    splitGroupVersion(groupVersion).group === splitGroupVersion(storedAs).group && compareReleases(introduced, minCompatibility) <= 0 &&
    (removed === undefined || compareReleases(removed, emulated) > 0)
  );
  const versions = known.map(([groupVersion]) => groupVersion);
  return versions.toSorted((a, b) => compareVersions(splitGroupVersion(a).version, splitGroupVersion(b).version))[0] ?? storedAs;
}

function writtenForm(resource: Resource, apiVersion: string, own: Codec, settings: Settings): WrittenForm {
  const version = resource.custom === true ? resource.storedAs : writtenVersion(resource, settings.releases);
  const served = resource.served[version]!, { schema, fromStored } = served;
  if (version === resource.storedAs) return { apiVersion, schema, fromStored: asIs, encode: own.encode };
  const written = spell(settings.names, version);
  return {
    apiVersion: written,
    schema,
    fromStored: (object) => withVersion(fromStored?.(object) ?? object, written),
    encode: codecOf(served, settings).encode,
  };
}

/** Values of converted kinds have the defaults of the version in which they are stored: see `kernel/conversion`. */
const asIs = (object: ApiObject): ApiObject => object;

function nativeForm(schema: StructNode, applyDefaults: StoredKind["applyDefaults"]): StoredForm {
  return { schema, ...storedDecoders(schema), toStored: applyDefaults };
}
function foreignForm(served: Served, apiVersion: string, applyDefaults: StoredKind["applyDefaults"], settings: Settings): StoredForm {
  const { schema, toStored } = served;
  const withDefaults = codecOf(served, settings).applyDefaults;
  return {
    schema,
    ...storedDecoders(schema),
    toStored: (object) => applyDefaults(withVersion(toStored?.(withDefaults(object)) ?? withDefaults(object), apiVersion)),
  };
}

type Codec = Pick<Endpoint, "encode" | "decode" | "decodeCbor" | "applyDefaults">;

/** Folds are compiled on first use, so that a thousand unused kinds cost nothing. */
function codecOf({ schema, applyDefaults: more }: Served, { names, isOn }: Settings): Codec {
  // The folds of a kind's schema accept and return objects of that kind.
  const typed = schema as Typed<ApiObject, StructNode>;
  const encode = once(() => encoder(typed)), decode = once(() => decoder(typed)), defaults = once(() => defaulter(typed));
  const decodeCbor = once(() => cborReader(typed));
  return {
    encode: (object) => encode()(object),
    decode: (tree, report) => {
      const metadata = tree instanceof TreeObject ? tree.get("metadata") : undefined;
      if (schema.whole !== undefined) return decodeCustom(decode(), tree, metadata, report);
      return withClearedOwners(decode()(tree, report), metadata instanceof TreeObject ? metadata.get("managedFields") : undefined);
    },
    decodeCbor: schema.whole !== undefined
      ? (item, findings) => customOfCbor(decode(), item, findings)
      : (item, findings) => withClearedOwners(decodeCbor()(item, findings), memberOf(memberOf(item, "metadata"), "managedFields")),
    applyDefaults: more === undefined ? (object) => defaults()(object, isOn) : (object) => more(defaults()(object, isOn), names),
  };
}

type Decode = (tree: Tree, report: DecodeReport) => ApiObject;
const readMeta = once(() => decodeStored(ObjectMeta));

/**
 * Decodes a custom resource as upstream does, with its metadata first and on its own. The findings are duplicate members, then unknown ones
 * of metadata, of the schema and of embedded metadata; each group is sorted.
 */
function decodeCustom(decode: Decode, tree: Tree, metadata: Tree | undefined, report: DecodeReport): ApiObject {
  if (metadata !== undefined) readMeta()(metadata);
  const findings: string[] = [], embedded: string[] = [];
  const object = decode(tree, { ...report, findings, embedded });
  const rank = (finding: string) => finding.startsWith("duplicate") ? 0 : finding.startsWith('unknown field "metadata.') ? 1 : 2;
  append(report.findings, findings.toSorted((a, b) => rank(a) - rank(b) || (rank(a) === 0 ? 0 : a < b ? -1 : 1)));
  append(report.findings, embedded.toSorted());
  return withClearedOwners(object, metadata instanceof TreeObject ? metadata.get("managedFields") : undefined);
}

function treeOfCbor(item: CborItem): TreeObject {
  const tree = objectOfCbor(item);
  if (tree instanceof CborFailure) throw new DecodeError(tree.text);
  return tree;
}

/** Decodes a custom resource in CBOR, which is read as a tree. */
function customOfCbor(decode: Decode, item: CborItem, findings: string[] | undefined): ApiObject {
  const tree = treeOfCbor(item);
  return decodeCustom(decode, tree, tree.get("metadata"), { reader: "json", findings: findings ?? [] });
}

/** Restores an empty list of managed fields. Decoding omits it like any empty list, but it means that all entries are to be cleared. */
function withClearedOwners(object: ApiObject, entries: Tree | CborItem | undefined): ApiObject {
  return Array.isArray(entries) && entries.length === 0 ? { ...object, metadata: { ...object.metadata, managedFields: [] } } : object;
}

function storedDecoders(schema: StructNode): Pick<StoredForm, "decode" | "decodeCbor"> {
  const typed = schema as Typed<ApiObject, StructNode>; // the reason is above
  const decode = once(() => decodeStored(typed)), decodeCbor = once(() => cborReader(typed));
  const ofTree = (tree: Tree) => decode()(tree);
  return { decode: ofTree, decodeCbor: schema.whole === undefined ? (item) => decodeCbor()(item) : (item) => ofTree(treeOfCbor(item)) };
}

function compileEndpoint(kind: StoredKind, group: string, version: string, served: Served, settings: Settings): Endpoint {
  const { resource } = kind;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const codec = codecOf(served, settings);
  // Fields of a custom resource that are not stored are removed after validation.
  const toStored = (resource.custom ? undefined : served.toStored) ?? ((object: ApiObject) => object);
  const fromStored = served.fromStored ?? ((object: ApiObject) => object);
  return Object.freeze({
    group,
    version,
    apiVersion,
    kind: resource.kind,
    listKind: resource.listKind ?? `${resource.kind}List`,
    plural: kind.plural,
    singular: resource.singular ?? resource.kind.toLowerCase(),
    namespaced: kind.namespaced,
    verbs: verbsOf(resource),
    resource,
    served,
    stored: kind,
    subresources: subresourcesOf(
      { group, version, kind: resource.kind, plural: kind.plural, resource },
      served,
      (own) => endpointOf(kindOf(own, settings), own.storedAs, settings),
    ),
    schema: served.schema,
    ...codec,
    toStored: (object: ApiObject) => withVersion(toStored(object), kind.apiVersion),
    fromStored: (object: ApiObject) => withVersion(fromStored(object), apiVersion),
    deprecation: deprecationOf(resource.kind, apiVersion, served, settings),
  });
}

function verbsOf({ compute, handleCreate, strategy }: Resource): readonly Verb[] {
  if (compute !== undefined) return ["get", "list"];
  return handleCreate !== undefined ? ["create"] : verbs.filter((verb) => strategy?.without?.includes(verb) !== true);
}

function withVersion(object: ApiObject, apiVersion: string): ApiObject {
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Makes upstream's deprecation warning. */
function deprecationOf(kind: string, apiVersion: string, served: Served, { names, releases }: Settings): Endpoint["deprecation"] {
  const { deprecated, removed, replacement, warning } = served;
  if (deprecated === undefined ? warning === undefined : compareReleases(deprecated, releases.emulated) > 0) return undefined;
  if (warning !== undefined) return { warning: spell(names, warning), removedRelease: removed ?? "" };
  const until = removed === undefined ? "" : `, unavailable in v${removed}+`;
  const move = replacement === undefined ? "" : `; use ${spell(names, replacement.groupVersion)} ${replacement.kind}`;
  return { warning: `${apiVersion} ${kind} is deprecated in v${deprecated}+${until}${move}`, removedRelease: removed ?? "" };
}
