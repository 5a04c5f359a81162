/**
 * Kubeconfig files and in-cluster credentials: address and credentials for a server of a cluster. The format is client-go's `clientcmd` v1;
 * webhook configurations use the same.
 */
import { dirname, resolve } from "node:path";
import process from "node:process";
import { bytesOf, parseBase64 } from "../core/scalars/base64.ts";
import { reasonOf } from "../core/reason-of.ts";
import { isObject, type Json, type JsonObject } from "../core/schema.ts";
import { jsonFromTree } from "../core/tree/json.ts";
import { readYaml } from "../core/tree/yaml.ts";
import { faultOf, FaultyFile, FaultyText } from "../core/config/mistake.ts";
import type { RemoteAccess } from "../protocols/remote/remote-access.ts";
import { readWholeText } from "../protocols/files/bounded-files.ts";
import { bound } from "../core/bound.ts";

/** Bytes of a kubeconfig file. */
export const kubeconfigBytesMax = bound(1024 * 1024);

/** The credentials of a user. */
export type Credentials = Pick<RemoteAccess, "cert" | "key" | "authorization">;

/** The value for in-cluster credentials in settings of kubeconfig files. */
export const inCluster = "in-cluster";
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The files that `readAccess` reads for these credentials, for permissions; `text` is the content of the kubeconfig. */
export function filesOfAccess(path: string, text: string): readonly string[] {
  if (path === inCluster) return [`${accountFolder}/token`, `${accountFolder}/ca.crt`];
  const { cluster, user } = entriesOf(parse(text), path);
  const named = [cluster.get("certificate-authority"), user.get("client-certificate"), user.get("client-key"), user.get("tokenFile")];
  return [path, ...named.flatMap((file) => file === undefined || file === "" ? [] : [resolve(dirname(path), file)])];
}

/**
 * Host and port of the server of these credentials, for permissions; undefined if there is none.
 *
 * @param text the content of the kubeconfig; not used for in-cluster credentials
 */
export function addressOfAccess(path: string, text: string): string | undefined {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = path === inCluster ? process.env : {};
  const server = path === inCluster ? serverOfPod(host, port) : URL.parse(entriesOf(parse(text), path).cluster.get("server") ?? "");
  if (server === null || server.hostname === "") return undefined;
  return `${server.hostname}:${server.port || (server.protocol === "https:" ? "443" : "80")}`;
}

/** Credentials in the text of a kubeconfig, without a file. Paths in it are relative to the working folder. Rejects with an error without secrets. */
export async function accessIn(text: string, context?: string): Promise<RemoteAccess> {
  try {
    if (text.length > kubeconfigBytesMax) throw new Error(`it is larger than ${kubeconfigBytesMax} bytes`);
    return await accessOf(parse(text), "", context);
  } catch (error) {
    throw new Error(`cannot use the kubeconfig: ${reasonOf(error)}`);
  }
}

/**
 * Credentials of a kubeconfig file, or of the pod for `in-cluster`. Rejects with an error that has the path and no secret.
 *
 * @param context default: the current context of the file
 */
export async function readAccess(path: string, context?: string): Promise<RemoteAccess> {
  if (path === inCluster) return await podAccess();
  try {
    const text = await readWholeText(path);
    if (text.length > kubeconfigBytesMax) throw new Error(`it is larger than ${kubeconfigBytesMax} bytes`);
    return await accessOf(parse(text), path, context);
  } catch (error) {
    const message = `cannot use the kubeconfig "${path}": ${reasonOf(error)}`;
    throw error instanceof FaultyText ? new FaultyFile(path, message, error) : new Error(message);
  }
}

async function podAccess(): Promise<RemoteAccess> {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = process.env;
  if (host === "" || port === "") {
    throw new Error("there are no in-cluster credentials: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set");
  }
  try {
    const [token, ca] = await Promise.all([readWholeText(`${accountFolder}/token`), readWholeText(`${accountFolder}/ca.crt`)]);
    const server = serverOfPod(host, port);
    if (server === null) throw new Error("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not a host and a port");
    return { server, ca, authorization: `Bearer ${token.trim()}` };
  } catch (error) {
    throw new Error(`cannot read the in-cluster credentials: ${reasonOf(error)}`);
  }
}

function serverOfPod(host: string, port: string): URL | null {
  return URL.parse(`https://${host.includes(":") ? `[${host}]` : host}:${port}`);
}

function parse(text: string): Json {
  const read = readYaml(new TextEncoder().encode(text));
  if (!read.ok) throw new FaultyText(read.error, [faultOf(read.error)]);
  return jsonFromTree(read.tree);
}

/** The members of an entry as texts, and the field of the entry. */
interface Entry extends ReadonlyMap<string, string> {
  readonly path: string;
}
const noEntry: Entry = Object.freeze(Object.assign(new Map<string, string>(), { path: "" }));

function faulty(text: string, path?: string): FaultyText {
  return new FaultyText(text, [path === undefined ? { text } : { text, path }]);
}

/** Returns one error that holds the faults of several. */
function allFaults(errors: readonly FaultyText[]): FaultyText {
  return new FaultyText(errors.map(({ message }) => message).join(", "), errors.flatMap(({ faults }) => faults));
}

/** Runs the checks of an entry. Rejects with every fault; those without a place are at the field. */
async function runChecks<const T extends readonly (readonly [path: string, run: () => unknown])[]>(
  parts: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<ReturnType<T[Index][1]>> }> {
  const outcomes = await Promise.allSettled(parts.map(async ([, run]) => await run()));
  const errors = outcomes.flatMap((outcome, index) => {
    if (outcome.status === "fulfilled") return [];
    const { reason } = outcome;
    return [reason instanceof FaultyText ? reason : faulty(reasonOf(reason), parts[index]![0])];
  });
  if (errors.length > 0) throw allFaults(errors);
  // One outcome for each part, in its order.
  return outcomes.map((outcome) => outcome.status === "fulfilled" ? outcome.value : undefined) as never;
}

/** The cluster and the user of the current context. A user is optional. */
function entriesOf(config: Json, path: string, wanted?: string): { readonly cluster: Entry; readonly user: Entry } {
  if (!isObject(config)) throw faulty("it is not a map");
  const current = wanted ?? config["current-context"];
  const contexts = named(config, "contexts", "context");
  const context = typeof current === "string" && current !== "" ? contexts.get(current) : undefined;
  if (context === undefined) {
    const where = path === "" ? "the file" : `"${path}"`;
    if (wanted !== undefined) throw faulty(`there is no context "${wanted}" in ${where}`, "contexts");
    throw faulty(`current-context names no context of ${where}`, "current-context");
  }
  const cluster = named(config, "clusters", "cluster").get(context.get("cluster") ?? "");
  const userName = context.get("user") ?? "";
  const user = userName === "" ? noEntry : named(config, "users", "user").get(userName);
  if (cluster !== undefined && user !== undefined) return { cluster, user };
  const missing = [...(cluster === undefined ? ["cluster"] : []), ...(user === undefined ? ["user"] : [])];
  throw allFaults(missing.map((what) => faulty(`the context "${current}" names no ${what} of the file`, `${context.path}.${what}`)));
}

/** The entries of a named list, each with its values as texts. A list or map is represented by a non-empty text. */
function named(config: JsonObject, list: string, member: string): ReadonlyMap<string, Entry> {
  const entries = config[list];
  if (!Array.isArray(entries)) return new Map();
  return new Map(
    entries.flatMap((entry, index) => isObject(entry) ? [{ entry, index }] : []).map(({ entry, index }) => {
      const value = entry[member];
      const texts = Object.entries(isObject(value) ? value : {}).flatMap(([key, each]): [string, string][] =>
        each === null || each === undefined ? [] : [[key, typeof each === "object" ? "{}" : String(each)]]
      );
      const { name = null } = entry;
      const found: Entry = Object.assign(new Map(texts), { path: `${list}[${index}].${member}` });
      return [typeof name === "string" ? name : "", found];
    }),
  );
}

/** Settings of client-go that start programs or change the route. They are not supported, and ignoring them would be unsafe. */
const unsupported = Object.freeze({
  cluster: ["proxy-url"],
  user: ["exec", "auth-provider", "as", "as-uid", "as-groups", "as-user-extra"],
});

async function accessOf(config: Json, path: string, context?: string): Promise<RemoteAccess> {
  const { cluster, user } = entriesOf(config, path, context);
  const folder = dirname(path), insecure = cluster.get("insecure-skip-tls-verify") === "true";
  const hasCa = ["certificate-authority", "certificate-authority-data"].some((key) => (cluster.get(key) ?? "") !== "");
  const [, server, ca, , credentials] = await runChecks([
    [cluster.path, () => rejectUnsupported(cluster, "cluster")],
    [`${cluster.path}.server`, () => serverOf(cluster)],
    [`${cluster.path}.certificate-authority`, () => pem(cluster, "certificate-authority", folder)],
    [`${cluster.path}.insecure-skip-tls-verify`, () => {
      if (insecure && hasCa) throw new Error("insecure-skip-tls-verify and a certificate authority exclude each other");
    }],
    [user.path, () => credentialsOf(user, folder)],
  ]);
  const serverName = cluster.get("tls-server-name") ?? "";
  return {
    server,
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === "" ? {} : { serverName }),
    ...(insecure ? { insecure } : {}),
    ...credentials,
  };
}

/** Certificate and Authorization header of a user. */
async function credentialsOf(user: Entry, folder: string): Promise<Credentials> {
  const [, cert, key, token] = await runChecks([
    [user.path, () => rejectUnsupported(user, "user")],
    [`${user.path}.client-certificate`, () => pem(user, "client-certificate", folder)],
    [`${user.path}.client-key`, () => pem(user, "client-key", folder)],
    [`${user.path}.tokenFile`, () => tokenOf(user, folder)],
  ]);
  if ((cert === undefined) !== (key === undefined)) throw faulty("a client certificate needs its key", user.path);
  const authorization = authorizationOf(user, token);
  return {
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    ...(authorization === undefined ? {} : { authorization }),
  };
}

function rejectUnsupported(entry: Entry, what: keyof typeof unsupported): void {
  const wrong = unsupported[what].filter((key) => (entry.get(key) ?? "") !== "");
  if (wrong.length > 0) throw allFaults(wrong.map((key) => faulty(`"${key}" of a ${what} is not supported`, `${entry.path}.${key}`)));
}

function serverOf(cluster: Entry): URL {
  const server = URL.parse(cluster.get("server") ?? "");
  if (server === null || (server.protocol !== "https:" && server.protocol !== "http:")) {
    throw new Error("the cluster has no valid server URL");
  }
  return server;
}

/** The users of a kubeconfig. */
export interface KubeconfigUsers {
  readonly names: ReadonlySet<string>;
  /** The name of the user of the current context, if there is one. */
  readonly current: string | undefined;
  /** The credentials of a user. Rejects with an error without secrets. */
  credentials(name: string): Promise<Credentials>;
}

/** The users of a kubeconfig file, which needs no cluster and no context. */
export async function readUsers(path: string): Promise<KubeconfigUsers> {
  const explained = (error: unknown) => new Error(`cannot use the kubeconfig "${path}": ${reasonOf(error)}`);
  try {
    const text = await readWholeText(path);
    if (text.length > kubeconfigBytesMax) throw new Error(`it is larger than ${kubeconfigBytesMax} bytes`);
    const { users, current } = usersOf(parse(text));
    return {
      names: new Set(users.keys()),
      current,
      credentials: (name) =>
        credentialsOf(users.get(name) ?? noEntry, dirname(path)).catch((error: unknown) => Promise.reject(explained(error))),
    };
  } catch (error) {
    throw explained(error);
  }
}

/** The files that `readUsers` and the credentials of its users need, for permissions. */
export function filesOfUsers(path: string, text: string): readonly string[] {
  const keys = ["client-certificate", "client-key", "tokenFile"];
  const named = [...usersOf(parse(text)).users.values()].flatMap((user) => keys.map((key) => user.get(key) ?? ""));
  return [path, ...named.filter((file) => file !== "").map((file) => resolve(dirname(path), file))];
}

function usersOf(config: Json): { readonly users: ReadonlyMap<string, Entry>; readonly current: string | undefined } {
  if (!isObject(config)) throw new Error("it is not a map");
  const users = named(config, "users", "user"), { "current-context": context } = config;
  const current = typeof context === "string" ? named(config, "contexts", "context").get(context)?.get("user") : undefined;
  return { users, current: current !== undefined && users.has(current) ? current : undefined };
}

/** `<name>-data` in base64, else the file `<name>`. */
async function pem(entry: Entry, name: string, folder: string): Promise<string | undefined> {
  const data = entry.get(`${name}-data`) ?? "", file = entry.get(name) ?? "";
  if (data !== "") {
    const parsed = parseBase64(data);
    if (typeof parsed !== "string") throw faulty(`${name}-data is not base64`, `${entry.path}.${name}-data`);
    return new TextDecoder().decode(bytesOf(parsed));
  }
  return file === "" ? undefined : await readWholeText(resolve(folder, file));
}

/** As in client-go, a token file takes precedence over a token. */
async function tokenOf(user: Entry, folder: string): Promise<string> {
  const file = user.get("tokenFile") ?? "";
  return file === "" ? user.get("token") ?? "" : (await readWholeText(resolve(folder, file))).trim();
}

function authorizationOf(user: Entry, token: string): string | undefined {
  const name = user.get("username") ?? "";
  if (token !== "" && name !== "") throw faulty("a user has either a token or a user name", user.path);
  if (token !== "") return `Bearer ${token}`;
  return name === "" ? undefined : `Basic ${Buffer.from(`${name}:${user.get("password") ?? ""}`).toString("base64")}`;
}
