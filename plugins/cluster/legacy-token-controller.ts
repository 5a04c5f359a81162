/**
 * Maintains Secrets of the type `service-account-token`: writes the token into new ones, and deletes those of deleted accounts. These
 * tokens do not expire; tokens of the `token` subresource replace them.
 */
import { type Api, type ApiObject, type Controller, type ControllerContext, objectKey, runWorkQueue, StatusError } from "../../plugin.ts";
import {
  base64Of,
  type IssueLegacyToken,
  type Names,
  spell,
  type StatusReason,
  untilAborted,
  valueText,
  type WorkQueue,
} from "../../toolbox.ts";

/** The fields of a Secret that the controller uses. */
interface Secret extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}
interface Account extends ApiObject {
  readonly secrets?: readonly { readonly name?: string }[];
}

/** The cached fields of a Secret, without the token. */
interface Known {
  readonly uid: string;
  readonly account: string;
  /** The UID of the account that the Secret names; "" if it names none. */
  readonly accountUid: string;
  readonly resourceVersion: string;
  readonly isComplete: boolean;
}

export const legacyTokenController: Controller = {
  name: "serviceaccount-token",
  serviceAccount: "tokens-controller",
  fieldManager: "kube-controller-manager",
  needs: ["serviceaccounts", "secrets"].map((resource) => ({ resource, groupVersions: ["v1"] })),
  async run(context, signal) {
    const { api, names, issueLegacyToken, rootCertificates } = context;
    if (issueLegacyToken === undefined) return untilAborted(signal);
    const world: World = {
      ...context,
      issueLegacyToken,
      certificates: rootCertificates === undefined ? undefined : base64Of(new TextEncoder().encode(rootCertificates)),
      secrets: new Map(),
      secretsOf: new Map(),
      accounts: new Map(),
    };
    const fieldSelector = `type=${spell(names, "{platform}.io/service-account-token")}`;
    await runWorkQueue({ context, signal, workers, work: (key, queue) => work(world, key, queue) }, async (queue, until) => {
      // If one watch fails, the other is ended too, and the controller restarts as a whole.
      await Promise.all([
        each(api.watch("v1", "serviceaccounts", "", {}, until), (type, object) => seeAccount(world, queue, type, object)),
        each(api.watch("v1", "secrets", "", { fieldSelector }, until), (type, object) => seeSecret(world, queue, type, object)),
      ]);
    });
  },
};
/** Number of Secrets that are processed at the same time. It is upstream's default (--concurrent-serviceaccount-token-syncs). */
const workers = 5;

interface World extends ControllerContext {
  readonly issueLegacyToken: IssueLegacyToken;
  /** The root certificates in base64. */
  readonly certificates: string | undefined;
  /** The known Secrets by `namespace/name`. */
  readonly secrets: Map<string, Known>;
  /** The keys of the Secrets of an account, by the account's `namespace/name`. */
  readonly secretsOf: Map<string, Set<string>>;
  /** The UIDs of accounts, by `namespace/name`. */
  readonly accounts: Map<string, string>;
}

type Change = "ADDED" | "MODIFIED" | "DELETED";
async function each(changes: ReturnType<Api["watch"]>, see: (type: Change, object: ApiObject) => void): Promise<void> {
  for await (const { type, object } of changes) see(type, object);
}

/** An item of the queue: a Secret as its last event has shown it, or a deleted account. */
type Key =
  | readonly [what: "secret", namespace: string, name: string, uid: string, account: string, accountUid: string]
  | readonly [what: "account", namespace: string, name: string, uid: string];

function seeAccount({ accounts }: World, queue: WorkQueue, type: Change, { metadata }: ApiObject): void {
  const { namespace = "", name = "", uid = "" } = metadata, key = objectKey({ metadata });
  if (type !== "DELETED") return void accounts.set(key, uid);
  if (accounts.get(key) === uid) accounts.delete(key);
  add(queue, ["account", namespace, name, uid]);
}

function seeSecret(world: World, queue: WorkQueue, type: Change, secret: Secret): void {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = secret.metadata, key = objectKey(secret);
  const { account, accountUid } = accountIn(secret, world.names);
  forget(world, key, namespace);
  if (type !== "DELETED") {
    world.secrets.set(key, { uid, account, accountUid, resourceVersion, isComplete: isComplete(missingIn(world, secret)) });
    const owner = `${namespace}/${account}`, own = world.secretsOf.get(owner) ?? new Set();
    world.secretsOf.set(owner, own.add(key));
  }
  if (account !== "") add(queue, ["secret", namespace, name, uid, account, accountUid]);
}

function forget({ secrets, secretsOf }: World, key: string, namespace: string): void {
  const owner = `${namespace}/${secrets.get(key)?.account}`, own = secretsOf.get(owner);
  secrets.delete(key);
  if (own?.delete(key) === true && own.size === 0) secretsOf.delete(owner);
}

function add(queue: WorkQueue, key: Key): void {
  queue.add(valueText(key));
}

async function work(world: World, text: string, queue: WorkQueue): Promise<void> {
  const key = JSON.parse(text) as Key; // `add` has written this text
  if (key[0] === "account") return await deleteTokens(world, key);
  const [, namespace, name, uid, account, accountUid] = key;
  const known = world.secrets.get(`${namespace}/${name}`);
  if (known?.uid !== uid) return await removeReference(world, key, queue);
  const owner = await accountOf(world, namespace, account, accountUid);
  if (owner === undefined) await deleteSecret(world.api, namespace, name, uid);
  else if (!known.isComplete) await complete(world, { namespace, name, known, account: { name: account, uid: owner } });
}

/** Returns the UID of the account if it exists. An empty `uid` matches any account. */
async function accountOf({ api, accounts }: World, namespace: string, name: string, uid: string): Promise<string | undefined> {
  const known = accounts.get(`${namespace}/${name}`);
  if (known !== undefined && (uid === "" || known === uid)) return known;
  // The watch may be behind, so the account is read.
  const found = (await orNone(api.get("v1", "serviceaccounts", namespace, name), "NotFound"))?.metadata.uid;
  return uid === "" || found === uid ? found : undefined;
}

/** Deletes the Secrets of a deleted account. */
async function deleteTokens({ api, secrets, secretsOf, accounts }: World, [, namespace, name, uid]: Key): Promise<void> {
  const owner = `${namespace}/${name}`;
  if (accounts.get(owner) === uid) return;
  for (const key of [...secretsOf.get(owner) ?? []]) {
    const known = secrets.get(key);
    if (known === undefined || (known.accountUid !== "" && known.accountUid !== uid)) continue;
    await deleteSecret(api, namespace, key.slice(namespace.length + 1), known.uid);
  }
}

async function deleteSecret(api: Api, namespace: string, name: string, uid: string): Promise<void> {
  await orNone(api.delete("v1", "secrets", namespace, name, { preconditions: { uid } }), "NotFound", "Conflict");
}

/** Removes a deleted Secret from the list of its account. */
async function removeReference({ api, accounts }: World, [, namespace, name, , account, accountUid]: Key, queue: WorkQueue): Promise<void> {
  const known = accounts.get(`${namespace}/${account}`);
  if (known === undefined || (accountUid !== "" && accountUid !== known)) return;
  const found: Account | undefined = await orNone(api.get("v1", "serviceaccounts", namespace, account ?? ""), "NotFound");
  if (found === undefined || (accountUid !== "" && accountUid !== found.metadata.uid)) return;
  const { secrets = [] } = found, left = secrets.filter((secret) => secret.name !== name);
  if (left.length === secrets.length) return;
  const { secrets: _, ...rest } = found;
  const next = left.length === 0 ? rest : { ...rest, secrets: left };
  const done = await orNone(api.update("v1", "serviceaccounts", namespace, account ?? "", next).then(() => true), "NotFound", "Conflict");
  if (done !== true) queue.retry(valueText(["secret", namespace, name, "", account, accountUid]));
}

/** The fields that a Secret lacks. */
interface Missing {
  readonly certificates: boolean;
  readonly namespace: boolean;
  readonly token: boolean;
}
function missingIn({ certificates }: Pick<World, "certificates">, { data = {} }: Secret): Missing {
  return {
    certificates: certificates !== undefined && data["ca.crt"] !== certificates,
    namespace: (data["namespace"] ?? "") === "",
    token: (data["token"] ?? "") === "",
  };
}
function isComplete({ certificates, namespace, token }: Missing): boolean {
  return !certificates && !namespace && !token;
}

interface Incomplete {
  readonly namespace: string;
  readonly name: string;
  readonly known: Known;
  readonly account: { readonly name: string; readonly uid: string };
}

/** Adds the missing fields of the Secret, and the UID of its account. A Secret that changed meanwhile is processed again at its event. */
async function complete(world: World, { namespace, name, known, account }: Incomplete): Promise<void> {
  const { api, names, certificates, issueLegacyToken, logError } = world;
  const live: Secret | undefined = await orNone(api.get("v1", "secrets", namespace, name), "NotFound");
  if (live === undefined || live.metadata.resourceVersion !== known.resourceVersion) return;
  const missing = missingIn(world, live), utf8 = new TextEncoder();
  if (isComplete(missing)) return;
  const data = {
    ...live.data,
    ...(missing.certificates ? { "ca.crt": certificates } : {}),
    ...(missing.namespace ? { namespace: base64Of(utf8.encode(namespace)) } : {}),
    ...(missing.token ? { token: base64Of(utf8.encode(await issueLegacyToken(namespace, account, name))) } : {}),
  };
  const keys = annotationsOf(names);
  const annotations = { ...live.metadata.annotations, [keys.account]: account.name, [keys.uid]: account.uid };
  try {
    await orNone(
      api.update("v1", "secrets", namespace, name, { ...live, metadata: { ...live.metadata, annotations }, data }),
      "NotFound",
      "Conflict",
    );
  } catch (error) {
    // An immutable Secret is unchanged; a retry would not help.
    if (!(error instanceof StatusError) || error.reason !== "Invalid") throw error;
    logError(`cannot put a token into the Secret ${valueText(`${namespace}/${name}`)}`, error);
  }
}

function annotationsOf(names: Names): { readonly account: string; readonly uid: string } {
  const key = (name: string): string => spell(names, `{platform}.io/service-account.${name}`);
  return { account: key("name"), uid: key("uid") };
}
function accountIn({ metadata: { annotations = {} } }: Secret, names: Names): { readonly account: string; readonly accountUid: string } {
  const keys = annotationsOf(names);
  const value = (key: string): string => Object.hasOwn(annotations, key) ? annotations[key]! : "";
  return { account: value(keys.account), accountUid: value(keys.uid) };
}

/** Resolves with undefined if the request fails with one of these reasons, because a retry would not help. */
async function orNone<T>(request: Promise<T>, ...reasons: readonly StatusReason[]): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof StatusError && reasons.includes(error.reason)) return undefined;
    throw error;
  }
}
