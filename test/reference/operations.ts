/** The expected operations of OpenAPI documents, from the reference's facts about resources and queries. */
import { apiVersionOf, type GroupVersionFacts } from "./discovery.ts";
import type { Fields, Value } from "./facts.ts";

/** `openapiPaths` of discovery.json: names of query parameters. */
export interface PathFacts {
  readonly listQuery: readonly string[];
  readonly writeQuery: Readonly<Record<string, readonly string[]>>;
}

interface Place {
  readonly method: string;
  /** The value of `x-kubernetes-action`. */
  readonly action: string;
  readonly collection?: true;
}
/** The path of each verb. Watches have deprecated paths of their own and are lists with `watch` in the path. */
const places: Readonly<Record<string, Place>> = Object.freeze({
  create: { method: "post", action: "post", collection: true },
  delete: { method: "delete", action: "delete" },
  deletecollection: { method: "delete", action: "deletecollection", collection: true },
  get: { method: "get", action: "get" },
  list: { method: "get", action: "list", collection: true },
  patch: { method: "patch", action: "patch" },
  update: { method: "put", action: "put" },
});

const proxied = ["delete", "get", "head", "options", "patch", "post", "put"];
const streams = ["container", "stderr", "stdin", "stdout", "tty"];
/** The operations of subresources that connect, from the fields of their options. */
const connects: Readonly<
  Record<
    string,
    { readonly query: readonly string[]; readonly action?: string; readonly methods?: readonly string[]; readonly hasPath?: true }
  >
> = Object.freeze({
  attach: { query: streams, methods: ["get", "post"] },
  exec: { query: ["command", ...streams], methods: ["get", "post"] },
  log: {
    query: [
      ...["container", "follow", "insecureSkipTLSVerifyBackend", "limitBytes", "pretty", "previous", "sinceSeconds", "sinceTime", "stream"],
      ...["tailLines", "timestamps"],
    ],
    action: "get",
    methods: ["get"],
  },
  portforward: { query: ["ports"], methods: ["get", "post"] },
  proxy: { query: ["path"], hasPath: true },
});

/** Expected operations by group version and resource (or `resource/subresource`): method and path with action and query parameters. */
export function expectedOperations(groups: readonly GroupVersionFacts[], { listQuery, writeQuery }: PathFacts): Fields {
  const operation = (verb: string, path: string, part = ""): [string, Value] => {
    const { method, action, collection } = places[verb]!;
    // A subresource has one path for all verbs.
    const at = part !== "" ? `${path}/{name}/${part}` : collection ? path : `${path}/{name}`;
    return [`${method} ${at}`, { action, query: (verb === "list" ? listQuery : writeQuery[verb]!).toSorted() }];
  };
  return Object.fromEntries(groups.map((group): [string, Value] => [
    apiVersionOf(group),
    Object.fromEntries(group.resources.flatMap(({ name, namespaced, verbs, subresources = [] }): [string, Value][] => {
      const path = `${group.path}${namespaced ? "/namespaces/{namespace}" : ""}/${name}`;
      const own = verbs.filter((verb) => verb !== "watch").map((verb) => operation(verb, path));
      const everywhere = namespaced && verbs.includes("list") ? [operation("list", `${group.path}/${name}`)] : [];
      return [
        [name, Object.fromEntries([...own, ...everywhere])],
        ...subresources.flatMap((part): [string, Value][] => {
          const own = Object.fromEntries(part.verbs.map((verb) => operation(verb, path, part.name)));
          const connected = connects[part.name];
          if (connected === undefined) return [[`${name}/${part.name}`, own]];
          const { query, action = "connect", methods = proxied, hasPath = false } = connected;
          const all = (at: string) => Object.fromEntries(methods.map((method) => [`${method} ${at}`, { action, query }]));
          const at = `${path}/{name}/${part.name}`;
          return [
            [`${name}/${part.name}`, all(at)],
            ...(hasPath ? [[`${name}/${part.name}/{path}`, all(`${at}/{path}`)] as [string, Value]] : []),
          ];
        }),
      ];
    })),
  ]));
}

/** The same from a served v3 document of the group version at `root`: operations on resources. */
export function servedOperations(root: string, paths: Readonly<Record<string, any>>): Fields {
  const queries = (parameters: readonly any[] = []) => parameters.filter((each) => each.in === "query").map(({ name }) => name);
  const resources = new Map<string, Record<string, Value>>();
  for (const [path, { parameters, ...methods }] of Object.entries(paths)) {
    const resource = path.slice(root.length + 1).replace("namespaces/{namespace}/", "").replace("/{name}", "");
    for (const [method, operation] of Object.entries<any>(methods)) {
      const action = operation["x-kubernetes-action"];
      if (["watch", "watchlist", undefined].includes(action)) continue;
      const query = [...queries(parameters), ...queries(operation.parameters)].toSorted();
      resources.set(resource, { ...resources.get(resource), [`${method} ${path}`]: { action, query } });
    }
  }
  return Object.fromEntries(resources);
}
