/** A client of any Kubernetes API server. */
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { access as checkAccess } from "node:fs/promises";
import type { Api } from "../core/api.ts";
import { objectApi } from "../core/client/object-api.ts";
import { defaultNames, type Names } from "../core/names.ts";
import type { RemoteAccess } from "../protocols/remote/remote-access.ts";
import { remoteClient } from "../protocols/remote/remote-client.ts";
import { accessIn, inCluster, readAccess } from "./kubeconfig.ts";
import { remoteApi } from "./remote-api.ts";

/** Address and credentials of a server, with PEM texts. */
export interface ServerAccess {
  /** Such as `https://127.0.0.1:6443`; it may have a path. */
  readonly url: string;
  /** The authorities that are trusted. Default: those of the runtime. */
  readonly ca?: string;
  /** Client certificate. */
  readonly cert?: string;
  /** Key of the client certificate. */
  readonly key?: string;
  /** Bearer token. */
  readonly token?: string;
}
/** Options of `clientFrom`. At most one of `kubeconfig`, `kubeconfigText` and `server` is set. */
export interface ClientOptions {
  /**
   * Path of a kubeconfig, or `in-cluster` for the service account of the pod. Default: the file of the environment variable KUBECONFIG, else
   * `~/.kube/config`, else the service account of the pod. It is read again when it is older than ten seconds, for new tokens and certificates.
   */
  readonly kubeconfig?: string | undefined;
  /** The text of a kubeconfig, such as `kubeconfigText` of a server that `start` has started. */
  readonly kubeconfigText?: string | undefined;
  /** The context of the kubeconfig. Default: its current context. */
  readonly context?: string | undefined;
  /** Address and credentials, without a kubeconfig. */
  readonly server?: ServerAccess | undefined;
  /** Owner of the written fields in metadata.managedFields. Default `thole-client`. */
  readonly fieldManager?: string | undefined;
  /** The words for `{domain}` and `{platform}` in definitions, as the server's --group-domain and --platform-name. Default: those of Kubernetes. */
  readonly names?: Names | undefined;
}

/** The API of a server over the network, with the methods that controllers have in process. */
export interface Client extends Omit<Api, "collections" | "followCollections" | "unknownVersions">, AsyncDisposable {
  /** Ends all requests and watches, and the connections. */
  close(): Promise<void>;
}

/**
 * A client of the server of a kubeconfig. It sends no request yet. Rejects if the credentials cannot be used, with an error without secrets.
 *
 * Its methods reject with the StatusError of an error response, with `reason`, `code` and `details`, and with another Error if there is no
 * response. Responses with a Retry-After header are retried. Watches and informers reconnect with growing pauses, and list again if
 * the server does not know their revision any more.
 *
 *     await using client = await clientFrom();
 *     const ship = await client.of(ships).get("default", "a"); // a Ship
 */
export async function clientFrom(options: ClientOptions = {}): Promise<Client> {
  const { fieldManager = "thole-client", names = defaultNames } = options;
  const read = await accessOf(options);
  let first: RemoteAccess | undefined = await read();
  const readNext = async () => {
    const access = first ?? await read();
    first = undefined;
    return access;
  };
  const calls = remoteClient(readNext), watches = remoteClient(read, undefined, Infinity);
  const closing = new AbortController();
  const close = () => {
    closing.abort(new Error("the client is closed"));
    calls.close();
    watches.close();
    return Promise.resolve();
  };
  return { ...objectApi(remoteApi(calls, watches, { fieldManager, names, closed: closing.signal })), close, [Symbol.asyncDispose]: close };
}

/** The function that reads the credentials. */
async function accessOf({ kubeconfig, kubeconfigText, context, server }: ClientOptions): Promise<() => Promise<RemoteAccess>> {
  if ([kubeconfig, kubeconfigText, server].filter((each) => each !== undefined).length > 1) {
    throw new Error("Cannot make a client: only one of kubeconfig, kubeconfigText and server may be set");
  }
  if (server !== undefined) {
    const access = givenAccess(server);
    return () => Promise.resolve(access);
  }
  if (kubeconfigText !== undefined) return () => accessIn(kubeconfigText, context);
  const path = kubeconfig ?? await defaultPath();
  return () => readAccess(path, context);
}

function givenAccess({ url, token, ca, cert, key }: ServerAccess): RemoteAccess {
  const server = URL.parse(url);
  if (server === null || (server.protocol !== "https:" && server.protocol !== "http:")) {
    throw new Error("Cannot make a client: the URL of the server is not valid");
  }
  if ((cert === undefined) !== (key === undefined)) throw new Error("Cannot make a client: a client certificate needs its key");
  return {
    server,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
}

/** As client-go: KUBECONFIG, else the file in the home folder, else the credentials of the pod. */
async function defaultPath(): Promise<string> {
  const { KUBECONFIG: named = "", KUBERNETES_SERVICE_HOST: host = "" } = process.env;
  const paths = named.split(delimiter).filter((path) => path !== "");
  if (paths.length > 1) throw new Error("Cannot make a client: KUBECONFIG names several files; choose one with the option kubeconfig");
  if (paths[0] !== undefined) return paths[0];
  const own = join(homedir(), ".kube", "config");
  if (host === "") return own;
  return await checkAccess(own).then(() => own, () => inCluster);
}
