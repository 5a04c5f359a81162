/** The context of asynchronous hooks: caller, access reviews, reads, warnings and audit annotations. */
import type { Access, AdmissionServer, Reader, Waiting } from "../../core/access.ts";
import type { AdmissionRequest, Reinvocation } from "../../core/admission/request.ts";
import type { ApiObject } from "../../core/meta/object-meta.ts";
import type { RequestHookContext } from "../../core/hook-context.ts";
import type { Endpoint } from "../catalog/catalog.ts";
import { type Item, keyOf } from "../objects/objects.ts";
import { collectionOf } from "../reads/reads.ts";
import { admissionRequest } from "./admission-request.ts";
import type { DeleteRequest } from "./delete-options.ts";
import { admissionServer, everything, servedEndpoint } from "./admission-server.ts";
import { CallHookContext, type RequestContext } from "../request-context.ts";

/** Makes the context of a hook. `deletion` has the options of a deletion, `reinvocation` the state of the mutating steps that run. */
export function requestHookContext(
  call: RequestContext,
  deletion?: DeleteRequest,
  reinvocation: Reinvocation = firstRun,
): RequestHookContext {
  return new WriteContext(call, deletion, reinvocation);
}

/** Members that are objects are made at their first use: each write has two contexts, and most steps use few members. */
class WriteContext extends CallHookContext implements RequestHookContext {
  readonly reinvocation: Reinvocation;
  readonly #call: RequestContext;
  readonly #deletion: DeleteRequest | undefined;
  #request: AdmissionRequest | undefined;
  #server: AdmissionServer | undefined;

  constructor(call: RequestContext, deletion: DeleteRequest | undefined, reinvocation: Reinvocation) {
    super(call);
    this.reinvocation = reinvocation;
    this.#call = call;
    this.#deletion = deletion;
  }
  get release(): RequestHookContext["release"] {
    return this.#call.catalog.releases.emulated;
  }
  get configuration(): RequestHookContext["configuration"] {
    return (step) => this.#call.catalog.configurations.get(step);
  }
  get requestName(): string {
    return this.#call.info.name;
  }
  get resource(): RequestHookContext["resource"] {
    return this.#call.endpoint;
  }
  get request(): AdmissionRequest {
    return this.#request ??= admissionRequest(this.#call, this.#deletion);
  }
  get isDryRun(): boolean {
    return this.#deletion?.dryRun ?? this.#call.info.query.first("dryRun") !== "";
  }
  get server(): AdmissionServer {
    return this.#server ??= admissionServer(this.#call);
  }
  get ifNotStored(): RequestHookContext["ifNotStored"] {
    const { takeBacks } = this.#call;
    return (takeBack) => void takeBacks.push(async (isStored) => isStored ? undefined : await takeBack());
  }
  get ifStored(): RequestHookContext["ifStored"] {
    return (giveBack) => void this.#call.takeBacks.push(async (isStored) => isStored ? await giveBack() : undefined);
  }
  get allocation(): RequestHookContext["allocation"] {
    return this.#call.backend.allocation!; // requests of kinds that allocate stay in the serving thread
  }
  get access(): Access {
    return accessOf(this.#call.access, this.#call.deadline);
  }
  get read(): Reader {
    return readerOf(this.#call);
  }
  get warn(): RequestHookContext["warn"] {
    const { warnings } = this.#call;
    return (text) => warnings.add(text);
  }
  get annotate(): RequestHookContext["annotate"] {
    const { audit } = this.#call;
    return (key, value, level) => {
      if (level === undefined || audit?.level !== "Metadata") audit?.annotate(key, value);
    };
  }
}

/** Runs the functions that hooks have registered. Called if it is certain that the write was stored, or that it was not. */
export async function takeBack({ takeBacks }: RequestContext, isStored = false): Promise<void> {
  for (const run of takeBacks.splice(0)) await run(isStored);
}

/** The reinvocation state of hooks that run only once. */
const firstRun: Reinvocation = Object.freeze<Reinvocation>({ isSecondRun: false, request() {}, stateOf: (_key, make) => make() });

/** Makes the access of a request. Its reviews end when the client closes its connection. */
function accessOf(access: Access, waiting: Waiting): Access {
  const { rules, authenticateToken, issueToken } = access;
  return { authorize: (user, attributes) => access.authorize(user, attributes, waiting), rules, authenticateToken, issueToken };
}

/** Makes a reader that reads objects through the cache. It finds no objects of kinds that are not served. */
function readerOf(call: RequestContext): Reader {
  const { catalog, backend } = call;
  const endpointOf = (groupVersion: string, resource: string) => servedEndpoint(catalog, groupVersion, resource);
  const objectOf = (endpoint: Endpoint, item: Item): ApiObject => endpoint.fromStored(item.kept);
  return {
    async get(groupVersion, resource, namespace, name) {
      const endpoint = endpointOf(groupVersion, resource);
      if (endpoint === undefined) return undefined;
      const item = await backend.reads.get(endpoint.stored, keyOf(backend.prefix, endpoint.stored, namespace, name), "", call.deadline);
      return item === undefined ? undefined : objectOf(endpoint, item);
    },
    async list(groupVersion, resource, namespace) {
      const endpoint = endpointOf(groupVersion, resource);
      if (endpoint === undefined) return [];
      const collection = collectionOf(backend.prefix, endpoint, namespace, "");
      const { items } = await backend.reads.list(collection, everything, catalog.names, call.deadline.signal);
      return [...items].map((item) => objectOf(endpoint, item));
    },
  };
}
