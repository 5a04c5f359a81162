/** Opens the delegate of the plugins, and passes requests for group versions of other servers on to it. */
import { elapsedClock } from "../../core/async.ts";
import type { Api } from "../../core/api.ts";
import type { Peers } from "../../core/connect.ts";
import type { Delegate, DelegateContext } from "../../core/delegate.ts";
import { requestLabels } from "../../kernel/observe/request-metrics.ts";
import type { Reply } from "../../kernel/request/exchange.ts";
import type { Server } from "../../kernel/server.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import { identityHeaders } from "../config/identity-headers.ts";
import type { KernelRegistry } from "../metrics/metrics.ts";
import { forward, type RemoteRequest } from "./forward.ts";
import { madeDocument, type MakeDocument } from "./made-documents.ts";
import { RemoteDocuments } from "./remote-documents.ts";
import { remoteVersions } from "./remote-versions.ts";
import { type ShownDocuments, shownDocuments } from "./shown-documents.ts";

/** The dependencies. */
export interface AggregationNeeds extends Pick<DelegateContext, "setting" | "logError" | "signal"> {
  readonly current: () => ActiveConfig;
  readonly registry: Pick<KernelRegistry, "record">;
  /** Returns the signal that ends a watch that begins now, at shutdown. */
  readonly ending: () => AbortSignal;
  /** Default: in this thread. */
  readonly makeDocument?: MakeDocument | undefined;
}

/** Group versions of other servers. */
export interface Aggregation {
  /** As in `Server`. */
  readonly elsewhere: NonNullable<Server["elsewhere"]>;
  /** As in `Server`. */
  readonly isElsewhere: NonNullable<Server["isElsewhere"]>;
  /** As in `Server`. */
  readonly others: NonNullable<Server["others"]>;
  /** Calls `then` after each change of `others`. */
  onChange(then: () => void): void;
  /** Resolves when the registered versions are known. */
  readonly ready: Promise<void>;
  /** Resolves when each server that is registered at the start was asked for its discovery once. */
  readonly askedOnce: Promise<void>;
  /** The documents of this server with those of others. */
  readonly documents: ShownDocuments;
  /** Starts to follow what is registered. `api` acts as a member of system:masters. */
  open(api: Api, peers: Peers): void;
}

/** Undefined if no plugin knows of other servers. */
export function openAggregation(needs: AggregationNeeds): Aggregation | undefined {
  const { current, setting, logError, signal, makeDocument = (work) => Promise.resolve(madeDocument(work)) } = needs;
  const definition = current().catalog.plugins.find(({ delegate }) => delegate !== undefined)?.delegate;
  if (definition === undefined) return undefined;
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const { promise: askedOnce, resolve: haveAsked } = Promise.withResolvers<void>();
  let elsewhere: Aggregation["elsewhere"] = () => undefined,
    isElsewhere: Aggregation["isElsewhere"] = () => false,
    shown: ShownDocuments | undefined;
  let documents: RemoteDocuments | undefined;
  const followers: (() => void)[] = [];
  return {
    documents: {
      catalog: (catalog, path) => shown?.catalog(catalog, path) ?? catalog,
      openapi: (own) => shown?.openapi(own) ?? own,
    },
    elsewhere: (...request) => elsewhere(...request),
    isElsewhere: (path) => isElsewhere(path),
    others: { collections: (verb) => documents?.collections(verb) ?? [], unknown: () => documents?.unknown() ?? [] },
    onChange: (then) => void followers.push(then),
    ...{ ready, askedOnce },
    open(api, peers) {
      const { names } = current().catalog, gates = (name: string) => current().catalog.gates.isOn(name);
      const changed = () => remote.follow(delegate.versions());
      const delegate = definition.open({ names, api, gates, setting, peers, logError, changed, signal });
      const remote = new RemoteDocuments({
        ...{ delegate, peers, logError, signal, clock: elapsedClock },
        changed: () => followers.forEach((each) => each()),
      });
      documents = remote;
      shown = shownDocuments(delegate, remote, { makeDocument, logError, signal });
      elsewhere = forwarding(delegate, peers, remote, needs);
      const versionAt = remoteVersions(delegate);
      isElsewhere = (path) => versionAt(path) !== undefined;
      void delegate.ready.then(() => {
        resolve();
        return remote.askedOnce();
      }).then(haveAsked);
    },
  };
}

function forwarding(
  delegate: Delegate,
  peers: Peers,
  remote: Pick<RemoteDocuments, "isLegacy">,
  { current, registry, ending }: AggregationNeeds,
): Aggregation["elsewhere"] {
  const versionAt = remoteVersions(delegate);
  const needs = {
    delegate,
    peers,
    ending,
    requestTimeoutMs: () => current().config["request-timeout"],
    identityHeaders: () => identityHeaders(current().config),
  };
  return (user, exchange, info, auditId) => {
    const version = versionAt(info.path), request = { user, exchange, info, auditId };
    if (version !== undefined && isOpenapiOfVersion(info.path) && remote.isLegacy(version)) return undefined; // this server has made it
    return version && forward(version, request, needs).then((reply) => counted(reply, request, current(), registry));
  };
}

/** Whether a path is that of the OpenAPI v3 document of a group version. */
function isOpenapiOfVersion(path: string): boolean {
  return path.startsWith("/openapi/v3/apis/") && path.split("/").length === 6;
}

/** Counts a request that no other server has answered, as kube-apiserver does: its reply is a text of this one. */
function counted(
  reply: Reply,
  { exchange, info }: RemoteRequest,
  { catalog }: ActiveConfig,
  { record }: AggregationNeeds["registry"],
): Reply {
  if (reply.status === 503 && typeof reply.body === "string") {
    record.terminations.with({ ...requestLabels(exchange.method, info, undefined, catalog), component: "aggregator", code: "503" }).add();
  }
  return reply;
}
