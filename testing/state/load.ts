/** Writes the objects of manifests through the API. */
import type { Api, ApiCollection } from "../../core/api.ts";
import { bound } from "../../core/bound.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { StatusError } from "../../core/status-error.ts";
import { type Clock, pause, systemClock, within } from "../../core/async.ts";
import { type ManifestDocument, titleOf } from "./documents.ts";
import { groupOf, keyOf, ownerKeys, stepsOf } from "./order.ts";

/** Objects that a load writes at the same time. */
const loadWritesMax = bound(64);
/** Milliseconds that a load waits until the kinds of its definitions are served. */
const servedMsMax = bound(5_000);
/** Milliseconds that a load waits for the service account of a new namespace, and between two looks. */
const accountMsMax = bound(2_000), accountLookMs = 2;
/** Problems that the message of a `LoadError` names. */
const namedProblemsMax = bound(20);

/** A document that could not be loaded. */
export interface LoadProblem {
  /** The file, and the number of the document in it. */
  readonly place: string;
  /** Why, in one sentence. */
  readonly text: string;
}

/** The error of a load: all documents that could not be loaded. The others were. */
export class LoadError extends Error {
  /** The documents in the order of the load. */
  readonly problems: readonly LoadProblem[];
  /** Makes the error of at least one problem. */
  constructor(problems: readonly LoadProblem[]) {
    const lines = problems.slice(0, namedProblemsMax).map(({ place, text }) => `  ${place}: ${text}`);
    const rest = problems.length - lines.length;
    super([`${problems.length} of the documents cannot be loaded:`, ...lines, ...(rest > 0 ? [`  and ${rest} more`] : [])].join("\n"));
    this.name = "LoadError";
    this.problems = problems;
  }
}

/** How documents are loaded. */
export interface LoadNeeds {
  /** The API that gets the objects. */
  readonly api: Api;
  /** The owner of the written fields. */
  readonly fieldManager: string;
  /** The clock of the waits. */
  readonly clock?: Clock;
}

interface Loading extends LoadNeeds {
  /** What was stored, by `keyOf` of the document. */
  readonly stored: Map<string, ApiObject>;
  readonly problems: LoadProblem[];
  readonly clock: Clock;
}

/** A document with an object. */
type Whole = ManifestDocument & { readonly object: ApiObject };

/**
 * Creates the objects of documents, or applies those that exist. Definitions come first, then namespaces; owners come before what they own. The status of an
 * object is written, too. When it resolves, the kinds of definitions are served. Resolves with what was stored, in the order of the documents. Rejects with `LoadError` after all were tried.
 */
export async function loadDocuments(documents: readonly ManifestDocument[], needs: LoadNeeds): Promise<readonly ApiObject[]> {
  const loading: Loading = { clock: systemClock, ...needs, stored: new Map(), problems: [] };
  const whole: Whole[] = [];
  for (const { place, object, problem } of documents) {
    if (object === undefined) loading.problems.push({ place, text: problem ?? "has no object" });
    else whole.push({ place, object });
  }
  for (const step of stepsOf(whole)) {
    await waitForKinds(loading, step);
    await waitForAccounts(loading, step);
    for (let at = 0; at < step.length; at += loadWritesMax) {
      await Promise.all(step.slice(at, at + loadWritesMax).map((each) => loadOne(loading, each)));
    }
  }
  await untilDefined(loading.api, [...loading.stored.values()].filter(({ kind }) => kind === "CustomResourceDefinition"));
  if (loading.problems.length > 0) throw new LoadError(loading.problems);
  return whole.map(({ place, object }) => loading.stored.get(identityOf(place, object))!);
}

/** Objects with a generated name have no name that tells them apart. */
function identityOf(place: string, object: ApiObject): string {
  return object.metadata?.name === undefined ? place : keyOf(object);
}

async function loadOne(loading: Loading, { place, object }: Whole): Promise<void> {
  const fail = (text: string) => loading.problems.push({ place, text: `${titleOf(object)}: ${text}` });
  try {
    const kind = collectionOf(loading.api, object);
    if (kind === undefined) fail(`no kind "${object.kind}" is served in ${object.apiVersion}`);
    else loading.stored.set(identityOf(place, object), await write(loading, kind, object));
  } catch (error) {
    fail(reasonOf(error));
  }
}

async function write(
  { api, fieldManager, stored }: Loading,
  { resource, namespaced }: ApiCollection,
  given: ApiObject,
): Promise<ApiObject> {
  const { apiVersion } = given, namespace = namespaced ? given.metadata?.namespace ?? "default" : "";
  const { status, ...object } = withOwners(given, stored) as ApiObject & { readonly status?: unknown };
  let written: ApiObject;
  try {
    written = await api.create(apiVersion, resource, namespace, object, { fieldManager });
  } catch (error) {
    const name = object.metadata?.name;
    if (!(error instanceof StatusError && error.reason === "AlreadyExists") || name === undefined) throw error;
    const { resourceVersion: _, uid: _uid, managedFields: _fields, ...metadata } = object.metadata;
    written = await api.apply(apiVersion, resource, namespace, name, { ...object, metadata }, { fieldManager });
  }
  if (status === undefined || isDefinition(given)) return written;
  const writeStatus = (subresource: string) =>
    api.patch(apiVersion, resource, namespace, written.metadata.name!, { merge: { status } }, { fieldManager, subresource });
  try {
    return await writeStatus("status");
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === "NotFound")) throw error;
    return await writeStatus(""); // a kind without the subresource
  }
}

/** The server itself writes the status of definitions and namespaces. */
function isDefinition({ kind }: ApiObject): boolean {
  return kind === "CustomResourceDefinition" || kind === "Namespace";
}

/** The object with the uids of its owners, if these were loaded, too: their uids are others than in the server that the manifest is from. */
function withOwners(object: ApiObject, stored: ReadonlyMap<string, ApiObject>): ApiObject {
  const references = object.metadata?.ownerReferences;
  if (references === undefined) return object;
  const ownerReferences = references.map((reference) => {
    const owner = ownerKeys(object, reference).map((key) => stored.get(key)).find((found) => found !== undefined);
    return owner === undefined ? reference : { ...reference, uid: owner.metadata.uid ?? "" };
  });
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function collectionOf(api: Api, { apiVersion, kind }: Pick<ApiObject, "apiVersion" | "kind">): ApiCollection | undefined {
  const group = groupOf(apiVersion);
  return api.collections("create").find((each) => each.kind === kind && groupOf(each.groupVersion) === group);
}

/** Waits until the kinds of a step are served, if definitions among the loaded objects have them. */
async function waitForKinds({ api, stored, clock }: Loading, step: readonly Whole[]): Promise<void> {
  const defined = new Set([...stored.values()].flatMap(definedKind));
  const wanted = step.map(({ object }) => object).filter(({ apiVersion, kind }) => defined.has(`${kind}.${groupOf(apiVersion)}`));
  await untilServed(api, wanted, clock);
}

/** The kind that a definition defines, with its group: `Widget.example.com`. */
function definedKind(object: ApiObject): readonly string[] {
  if (object.kind !== "CustomResourceDefinition") return [];
  const { group, names } = (object as unknown as Definition).spec;
  return [`${names.kind}.${group}`];
}
interface Definition {
  readonly spec: { readonly group: string; readonly names: { readonly kind: string } };
}

/** Waits until the kinds of definitions are served, for a bounded time. */
export async function untilDefined(api: Api, definitions: readonly ApiObject[]): Promise<void> {
  const kinds = definitions.map((definition) => (definition as unknown as Definition).spec);
  await untilServed(api, kinds.map(({ group, names: { kind } }) => ({ apiVersion: `${group}/v1`, kind })), systemClock);
}

async function untilServed(api: Api, kinds: readonly Pick<ApiObject, "apiVersion" | "kind">[], clock: Clock): Promise<void> {
  const isMissing = () => kinds.some((kind) => collectionOf(api, kind) === undefined);
  if (!isMissing()) return;
  const ending = new AbortController();
  const served = (async () => {
    for await (const _ of api.followCollections("create", ending.signal)) if (!isMissing()) return;
  })();
  // Documents whose kind is not served by then are reported one by one.
  await within(served, servedMsMax, () => new Error("not served in time"), clock).catch(() => {}).finally(() => ending.abort());
}

/** Waits for the service accounts that a controller makes in the new namespaces of pods: without them, admission rejects the pods. */
async function waitForAccounts({ api, stored, clock }: Loading, step: readonly Whole[]): Promise<void> {
  const namespaces = new Set(
    step.flatMap(({ object: { kind, metadata } }) => kind === "Pod" ? [metadata?.namespace ?? "default"] : []),
  );
  const ending = new AbortController(), cancel = clock.after(accountMsMax, () => ending.abort());
  for (const namespace of namespaces) {
    if (!stored.has(keyOf({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } as ApiObject))) continue;
    const isThere = () => api.get("v1", "serviceaccounts", namespace, "default").then(() => true, () => false);
    while (!ending.signal.aborted && !(await isThere())) await pause(accountLookMs, ending.signal, systemClock);
  }
  cancel();
}
