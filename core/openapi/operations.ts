/** All operations of a group version, in kube-apiserver's order and with its ids. */
import type { GroupVersionKind, OpenapiRoot } from "../derive/openapi.ts";
import type { Names } from "../names.ts";
import { type Media, mediaType, textMedia } from "../codec/negotiate.ts";
import type { DescribedEndpoint, DescribedKind, DescribedSubresource, DescribedVersion } from "./described-catalog.ts";
import { patchMediaTypes } from "../patch/media-types.ts";
import { isDeclared } from "../define/declared.ts";
import { listRoot, metaRoots, objectRoot } from "./components.ts";
import {
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  nameParameter,
  namespaceParameter,
  optionParameters,
  type Parameter,
  patchParameters,
  pretty,
  readParameters,
  writeParameters,
} from "./parameters.ts";

export type Method = "delete" | "get" | "head" | "options" | "patch" | "post" | "put";
export interface OperationResponse {
  readonly code: 200 | 201 | 202;
  /** Absent for text of any kind. */
  readonly root?: OpenapiRoot;
}
export interface Operation {
  readonly path: string;
  readonly method: Method;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  /** `x-kubernetes-action`, for operations on resources. */
  readonly action?: string;
  readonly kind?: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly root: OpenapiRoot; readonly required: boolean };
  /** Media types of the request's body. Version 2 publishes them also where there is none. */
  readonly consumes: readonly string[];
  readonly responses: readonly OperationResponse[];
  readonly produces: readonly string[];
}

const anyMediaType = ["*/*"];

/** `/api/v1` or `/apis/group/version`. */
export function versionPath({ group, version }: { readonly group: string; readonly version: string }): string {
  return group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** Returns the name in camel case; characters other than letters and digits separate words. */
function camel(name: string, capital: boolean): string {
  const joined = name.split(/[^\p{L}\p{Nd}_]+/u).map((word, at) =>
    at > 0 || capital ? word.slice(0, 1).toUpperCase() + word.slice(1) : word
  );
  return joined.join("").replace(/^\p{Nd}+/u, "");
}
function shortGroup(group: string, { domain }: Names): string {
  if (group === "") return "core";
  return group.endsWith(`.${domain}`) ? group.slice(0, -domain.length - 1) : group;
}

/** Returns a GET of discovery. `path` ends with a slash. */
export function discoveryOperation(path: string, root: OpenapiRoot, media: Media): Operation {
  const { names } = media;
  const [prefix, ...rest] = path.split("/").filter((part) => part !== "");
  const [group, version] = prefix === "api" ? ["", ...rest] : rest;
  const about = { path, method: "get", parameters: [], responses: [{ code: 200, root }] } as const;
  if (prefix === "version") {
    const description = "Read the version of the server.";
    const json = [mediaType("json", names)];
    return { ...about, id: "getCodeVersion", tag: "version", description, produces: json, consumes: json };
  }
  const types = { produces: media.types, consumes: media.types };
  if (group === undefined) return { ...about, id: "getAPIVersions", tag: "apis", description: "List the groups.", ...types };
  const short = shortGroup(group, names), tag = camel(short, false), id = `get${camel(short, true)}`;
  if (version !== undefined) {
    const description = "List the resources of this version.";
    return { ...about, id: `${id}${camel(version, true)}APIResources`, tag: `${tag}_${camel(version, false)}`, description, ...types };
  }
  const description = "List the versions of this group.";
  return { ...about, id: group === "" ? "getCoreAPIVersions" : `${id}APIGroup`, tag, description, ...types };
}

export function versionOperations(version: DescribedVersion, media: Media): readonly Operation[] {
  const discovery = discoveryOperation(`${versionPath(version)}/`, metaRoots.APIResourceList, media);
  return [...(isDeclared(version) ? [discovery] : []), ...version.endpoints.flatMap((endpoint) => endpointOperations(endpoint, media))];
}

/** What the operations of one resource share. */
interface Scene {
  readonly endpoint: DescribedEndpoint;
  /**
   * Whether a definition describes the kind. Upstream builds its operations apart: media types of text only, no paths of watches, parameters of
   * a list for the deletion of a collection, and `resourceVersion` for reads.
   */
  readonly custom: boolean;
  readonly media: Media;
  /** Media types of bodies other than patches. */
  readonly consumes: readonly string[];
  readonly base: string;
  /** Path parameters of the collection. */
  readonly scope: readonly Parameter[];
  /** The kind, preceded by `Namespaced` for a namespaced one. */
  readonly noun: string;
  readonly make: (verb: string, noun: string, rest: Omit<Operation, "id" | "tag" | "kind">) => Operation;
  /** The kind at the path, if a subresource has its own. */
  readonly shown?: DescribedKind;
}

function endpointOperations(endpoint: DescribedEndpoint, served: Media): readonly Operation[] {
  const { group, version, kind, namespaced, verbs } = endpoint;
  const custom = endpoint.resource.custom === true, media = custom ? textMedia(served.names) : served;
  const short = shortGroup(group, media.names);
  const idMiddle = camel(short, true) + camel(version, true);
  const tag = `${camel(short, false)}_${camel(version, false)}`;
  const scene: Scene = {
    endpoint,
    custom,
    media,
    consumes: custom ? media.types : anyMediaType,
    base: versionPath(endpoint),
    scope: namespaced ? [namespaceParameter] : [],
    noun: `${namespaced ? "Namespaced" : ""}${kind}`,
    make: (verb, noun, rest) => ({ ...rest, id: `${verb}${idMiddle}${noun}`, tag, kind: { group, version, kind } }),
  };
  const has = new Set<string>(verbs);
  return [
    ...collectionOperations(scene).filter(({ action }) => has.has(verbOf[action!]!)),
    ...itemOperations(scene).filter(({ action }) => has.has(verbOf[action!]!)),
    ...[...endpoint.subresources].flatMap(([name, subresource]) => subresourceOperations(scene, name, subresource)),
    ...watchOperations(scene).filter(() => has.has("watch") && !custom),
  ];
}
const verbOf: Readonly<Record<string, string>> = {
  list: "list",
  post: "create",
  deletecollection: "deletecollection",
  get: "get",
  put: "update",
  patch: "patch",
  delete: "delete",
};

function collectionPath({ endpoint, base }: Scene, prefix = ""): string {
  return `${base}${prefix}${endpoint.namespaced ? "/namespaces/{namespace}" : ""}/${endpoint.plural}`;
}

function collectionOperations(scene: Scene): readonly Operation[] {
  const { endpoint, custom, media, consumes, base, scope, noun, make } = scene;
  const { kind, plural, namespaced } = endpoint;
  const path = collectionPath(scene), object = objectRoot(endpoint);
  const produces = media.types, listed = media.listTypes;
  const parameters = [...scope, ...pretty];
  const list = { method: "get", action: "list", responses: [{ code: 200, root: listRoot(endpoint) }], produces: listed, consumes } as const;
  const all = namespaced
    ? [make("list", `${kind}ForAllNamespaces`, {
      ...list,
      path: `${base}/${plural}`,
      description: `List or watch objects of kind ${kind} in all namespaces.`,
      parameters: [...pretty, ...listParameters],
    })]
    : [];
  return [
    ...all,
    make("delete", `Collection${noun}`, {
      path,
      method: "delete",
      action: "deletecollection",
      description: `Delete all selected objects of kind ${kind}.`,
      parameters: [...parameters, ...(custom ? listParameters : deleteCollectionParameters)],
      ...(custom ? {} : { body: { root: metaRoots.DeleteOptions, required: false } }),
      responses: [{ code: 200, root: metaRoots.Status }],
      produces,
      consumes,
    }),
    make("list", noun, {
      ...list,
      path,
      description: `List or watch objects of kind ${kind}.`,
      parameters: [...parameters, ...listParameters],
    }),
    make("create", noun, {
      path,
      method: "post",
      action: "post",
      description: `Create an object of kind ${kind}.`,
      parameters: [...parameters, ...writeParameters],
      body: { root: object, required: true },
      responses: [{ code: 200, root: object }, { code: 201, root: object }, { code: 202, root: object }],
      produces,
      consumes,
    }),
  ];
}

/** GET, PUT and PATCH of an object or of a subresource. */
function partOperations(scene: Scene, path: string, nounEnd: string, what: string): readonly Operation[] {
  const { endpoint, custom, media, consumes, scope, noun, make } = scene;
  const shown = scene.shown ?? endpoint;
  const object = objectRoot(shown);
  const common = { path, produces: media.types, consumes };
  const parameters = [...scope, nameParameter(shown.kind), ...pretty];
  const written = [{ code: 200, root: object }, { code: 201, root: object }] as const;
  return [
    make("read", noun + nounEnd, {
      ...common,
      method: "get",
      action: "get",
      description: `Read ${what}.`,
      parameters: custom ? [...parameters, ...readParameters] : parameters,
      responses: [{ code: 200, root: object }],
    }),
    make("replace", noun + nounEnd, {
      ...common,
      method: "put",
      action: "put",
      description: `Replace ${what}.`,
      parameters: [...parameters, ...writeParameters],
      body: { root: object, required: true },
      responses: written,
    }),
    make("patch", noun + nounEnd, {
      ...common,
      method: "patch",
      action: "patch",
      description: `Change ${what} in part.`,
      parameters: [...parameters, ...patchParameters],
      body: { root: metaRoots.Patch, required: true },
      consumes: patchMediaTypes(media, endpoint),
      responses: custom ? written.slice(0, 1) : written,
    }),
  ];
}

function itemOperations(scene: Scene): readonly Operation[] {
  const { endpoint, media, consumes, scope, noun, make } = scene;
  const path = `${collectionPath(scene)}/{name}`;
  const answer = endpoint.resource.strategy?.deleteAnswers === "object" ? objectRoot(endpoint) : metaRoots.Status;
  return [
    ...partOperations(scene, path, "", `the named ${endpoint.kind}`),
    make("delete", noun, {
      path,
      method: "delete",
      action: "delete",
      description: `Delete the named ${endpoint.kind}.`,
      parameters: [...scope, nameParameter(endpoint.kind), ...pretty, ...deleteParameters],
      body: { root: metaRoots.DeleteOptions, required: false },
      responses: [{ code: 200, root: answer }, { code: 202, root: answer }],
      produces: media.types,
      consumes,
    }),
  ];
}

function subresourceOperations(whole: Scene, name: string, subresource: DescribedSubresource): readonly Operation[] {
  const { verbs, shown: kind, view, options, definition: { connect } } = subresource;
  if (connect !== undefined && options !== undefined) return connectOperations(whole, name, { connect, options, kind });
  const scene: Scene = {
    ...whole,
    ...(whole.custom ? {} : { make: (verb, noun, rest) => ({ ...whole.make(verb, noun, rest), kind }) }),
    ...(view === undefined ? {} : { shown: view }),
  };
  const path = `${collectionPath(scene)}/{name}/${name}`, what = `${name} of the named ${scene.endpoint.kind}`;
  return [
    ...(verbs.includes("create") ? [actionOperation(scene, path, name, what, subresource)] : []),
    ...partOperations(scene, path, camel(name, true), what).filter(({ action }) => (verbs as readonly string[]).includes(verbOf[action!]!)),
  ];
}

/** Returns the operations of a subresource that connects: one for each method, and again with a path below it. The reply is any content. */
function connectOperations(
  { endpoint, scope, noun, make, ...scene }: Scene,
  name: string,
  { connect: { methods, hasPath, isRead }, options, kind }: {
    readonly connect: NonNullable<DescribedSubresource["definition"]["connect"]>;
    readonly options: DescribedKind;
    readonly kind: DescribedSubresource["shown"];
  },
): readonly Operation[] {
  const path = `${collectionPath({ endpoint, scope, noun, make, ...scene })}/{name}/${name}`, part = noun + camel(name, true);
  const parameters = [...scope, nameParameter(kind.kind), ...optionParameters(options.schema)];
  const about = { responses: [{ code: 200 }], produces: isRead ? ["text/plain"] : anyMediaType, consumes: anyMediaType } as const;
  const operationOf = (method: string, path: string, more: readonly Parameter[], suffix: string): Operation => ({
    ...make(isRead ? "read" : `connect`, part, {
      ...about,
      path,
      method: method.toLowerCase() as Method, // HTTP methods of the definition
      action: isRead ? "get" : "connect",
      description: isRead
        ? `Read ${name} of the named ${endpoint.kind}.`
        : `Pass ${method} requests on to ${name} of the named ${endpoint.kind}.`,
      parameters: [...parameters, ...more],
    }),
    ...(isRead ? {} : { id: connectId(make, method, part + suffix), kind }),
  });
  const below: Parameter = { name: "path", in: "path", type: "string", description: "The path below it." };
  return methods.toSorted().flatMap((method) => [
    operationOf(method, path, isRead ? pretty : [], ""),
    ...(hasPath ? [operationOf(method, `${path}/{path}`, [below], "WithPath")] : []),
  ]);
}

/** Such as `connectCoreV1GetNamespacedPodExec`: the method follows the version. */
function connectId(make: Scene["make"], method: string, noun: string): string {
  const { id } = make("connect", `${camel(method.toLowerCase(), true)}${noun}`, emptyOperation);
  return id;
}
const emptyOperation = { path: "", method: "get", description: "", parameters: [], consumes: [], responses: [], produces: [] } as const;

/** POST of a subresource. */
function actionOperation(
  { endpoint, media, consumes, scope, noun, make }: Scene,
  path: string,
  name: string,
  what: string,
  { request, response, shown }: DescribedSubresource,
): Operation {
  const answer = objectRoot(response ?? endpoint);
  return make("create", noun + camel(name, true), {
    path,
    method: "post",
    action: "post",
    description: `Create ${what}.`,
    parameters: [...scope, nameParameter(shown.kind), ...pretty, ...writeParameters],
    ...(request === undefined ? {} : { body: { root: objectRoot(request), required: true } }),
    responses: [{ code: 200, root: answer }, { code: 201, root: answer }, { code: 202, root: answer }],
    produces: media.types,
    consumes,
  });
}

/** Returns the deprecated watch paths, which the `watch` parameter replaces. */
function watchOperations(scene: Scene): readonly Operation[] {
  const { endpoint, media, consumes, base, scope, noun, make } = scene;
  const { kind, plural, namespaced } = endpoint;
  const common = {
    method: "get",
    responses: [{ code: 200, root: metaRoots.WatchEvent }],
    produces: media.listTypes,
    consumes,
  } as const;
  const instead = "Deprecated: list with the watch parameter instead";
  const watchlist = (path: string, words: string, parameters: readonly Parameter[]) => ({
    ...common,
    path,
    action: "watchlist",
    description: `Watch objects of kind ${kind}${words}. ${instead}.`,
    parameters: [...parameters, ...pretty, ...listParameters],
  });
  const path = collectionPath(scene, "/watch");
  const all = namespaced
    ? [make("watch", `${kind}ListForAllNamespaces`, watchlist(`${base}/watch/${plural}`, " in all namespaces", []))]
    : [];
  return [
    ...all,
    make("watch", `${noun}List`, watchlist(path, "", scope)),
    make("watch", noun, {
      ...common,
      path: `${path}/{name}`,
      action: "watch",
      description: `Watch one object of kind ${kind}. ${instead}, and a fieldSelector of its name.`,
      parameters: [...scope, nameParameter(kind), ...pretty, ...listParameters],
    }),
  ];
}
