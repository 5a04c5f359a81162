/** Passes requests on to the services of APIServices, with the identity of the user in headers. */
import { type Informer, StatusError } from "../../plugin.ts";
import { offersUpgrade, withoutHops } from "../../core/proxy/headers.ts";
import {
  type ConnectReply,
  type Delegate,
  type DelegateContext,
  type DelegateDefinition,
  type DelegatedRequest,
  type HeaderFields,
  passOn,
  pause,
  type PeerAccess,
  type RegisteredVersion,
  spell,
  systemClock,
} from "../../toolbox.ts";
import { isServed } from "../shared/is-served.ts";
import { apiServices } from "./api-service.ts";
import { availableOf } from "./available.ts";
import { identityHeaders, isCarried } from "./identity.ts";
import { accessOf, originOf, rememberedPlaces, type Target, targetOf } from "./resolve.ts";
import { type APIService, groupVersion, plural } from "./schema.ts";
import { redirectSetting } from "./settings.ts";

/** A registered version, with how its server is reached. */
interface Route extends RegisteredVersion {
  readonly target: Target | undefined;
  readonly access: PeerAccess;
  readonly isAvailable: boolean;
}

export const delegate: DelegateDefinition = Object.freeze<DelegateDefinition>({ open: (context) => new ServiceDelegate(context) });

class ServiceDelegate implements Delegate {
  readonly ready: Promise<void>;
  readonly #context: DelegateContext;
  readonly #places = rememberedPlaces(() => performance.now());
  #versions: readonly Route[] = [];

  constructor(context: DelegateContext) {
    this.#context = context;
    this.ready = this.#follow();
  }
  versions(): readonly RegisteredVersion[] {
    return this.#versions;
  }
  async forward(version: RegisteredVersion, request: DelegatedRequest): Promise<ConnectReply> {
    const { api, names, setting, gates } = this.#context;
    const { target, access, isAvailable } = version as Route; // the lists of this delegate have no others
    if (target === undefined || !isAvailable) return unavailable;
    // " admin" would arrive as "admin".
    if (!isCarried(request.user)) return textReply(503, "the identity of the user cannot be sent in headers");
    let origin: string;
    try {
      origin = await originOf(api, names, target, setting, this.#places);
    } catch (error) {
      this.#context.logError(`the service ${target.namespace}/${target.name} of ${version.version}.${version.group} is not found`, error);
      return unavailable;
    }
    const headers = sentHeaders(request, origin, gates("RemoteRequestHeaderUID"));
    return await passed({ ...request, headers }, { origin, access }, setting(redirectSetting));
  }

  /** Follows the objects. Resolves when the first are known, and never rejects. */
  #follow(): Promise<void> {
    const { api, signal, logError } = this.#context;
    if (!isServed(this.#context, { groupVersion, resource: plural })) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    void (async () => {
      while (!signal.aborted) {
        const services = api.of(apiServices).informer("");
        let isDue = true; // many objects may change in one turn, and all of them are new at the beginning
        const set = () => {
          isDue = false;
          this.#set(services);
        };
        const changed = () => {
          if (isDue) return;
          isDue = true;
          void pause(0, signal, systemClock).then(set);
        };
        services.synced.then(set).then(resolve, () => {});
        try {
          await services.run(signal, { added: changed, updated: changed, deleted: changed });
        } catch (error) {
          if (!signal.aborted) logError("the APIServices cannot be followed", error);
          await pause(1000, signal, systemClock);
        }
      }
      resolve();
    })();
    return promise;
  }

  #set(services: Pick<Informer<APIService>, "objects">): void {
    const { names, setting } = this.#context, own = spell(names, "apiregistration.{domain}");
    // The group of this kind itself is never elsewhere.
    const next = services.objects().filter(({ spec: { group } }) => group !== own).map((each) => routeOf(each, setting));
    const key = ({ group, version }: Route) => `${version}.${group}`;
    this.#versions = next.toSorted((a, b) => key(a) < key(b) ? -1 : 1);
    this.#context.changed();
  }
}

function routeOf(apiService: APIService, setting: DelegateContext["setting"]): Route {
  const { group = "", version = "", groupPriorityMinimum, versionPriority } = apiService.spec, target = targetOf(apiService);
  return {
    group,
    version,
    groupPriority: groupPriorityMinimum,
    versionPriority,
    isRemote: target !== undefined,
    server: target === undefined ? "" : `${target.namespace}/${target.name}:${target.port}`,
    target,
    access: target === undefined ? {} : accessOf(apiService, target, setting),
    isAvailable: availableOf(apiService)?.status === "True",
  };
}

/** The headers for the other server. Those of the client's connection are removed first: a client could name headers of the identity among them. */
function sentHeaders({ headers, user, mayUpgrade }: DelegatedRequest, origin: string, tellsUid: boolean): HeaderFields {
  return {
    ...withoutHops(headers),
    ...(mayUpgrade && offersUpgrade(headers) ? { connection: "Upgrade", upgrade: headers["upgrade"] } : {}),
    ...identityHeaders(user, tellsUid),
    host: origin.slice(origin.indexOf("//") + 2),
  };
}

/** As Go's http.Error. */
function textReply(status: number, text: string): ConnectReply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" }, body: `${text}\n` };
}
const unavailable = Object.freeze(textReply(503, "service unavailable"));

/** The reply of the other server, or the text of the error. */
async function passed(
  request: DelegatedRequest,
  { origin, access }: { readonly origin: string; readonly access: PeerAccess },
  rejectsRedirects: boolean,
): Promise<ConnectReply> {
  const mark = request.url.indexOf("?"), query = mark < 0 ? "" : request.url.slice(mark + 1);
  let reply: ConnectReply;
  try {
    reply = await passOn(request, { origin, path: request.path, query, access });
  } catch (error) {
    if (error instanceof StatusError) return textReply(503, error.message);
    throw error;
  }
  const isRedirect = reply.status >= 300 && reply.status <= 399 && reply.headers?.["location"] !== undefined;
  if (!isRedirect || !rejectsRedirects) return reply;
  if (typeof reply.body !== "string" && !(reply.body instanceof Uint8Array)) await reply.body[Symbol.asyncIterator]().return?.();
  return { status: 502, headers: {}, body: "the backend attempted to redirect this request, which is not permitted" };
}
