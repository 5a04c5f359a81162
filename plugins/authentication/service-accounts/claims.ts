/** Claims of service account tokens: bound tokens with an expiration, and legacy tokens, which Secrets contain. */

/** The issuer of legacy tokens. It is upstream's, independent of --service-account-issuer. */
export const legacyIssuer = "kubernetes/serviceaccount";
const legacyPrefix = "kubernetes.io/serviceaccount/";

/** A reference to an object by name and UID. */
export interface ObjectClaim {
  readonly name: string;
  readonly uid: string;
}

interface RegisteredClaims {
  readonly subject: string;
  /** Empty for tokens without a restriction, which are for the server itself. */
  readonly audiences: readonly string[];
  /** `jti`; "" if absent. */
  readonly id: string;
  /** Seconds since the epoch. */
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
  readonly issuedAt: number | undefined;
}
/** Claims of a token with an expiration. */
export interface BoundClaims extends RegisteredClaims {
  readonly kind: "bound";
  readonly namespace: string;
  readonly account: ObjectClaim;
  readonly secret: ObjectClaim | undefined;
  readonly pod: ObjectClaim | undefined;
  readonly node: ObjectClaim | undefined;
  /** Seconds since the epoch after which the token counts as stale. */
  readonly warnAfter: number | undefined;
}
/** Claims of a token in a Secret. It does not expire. */
export interface LegacyClaims extends RegisteredClaims {
  readonly kind: "legacy";
  readonly namespace: string;
  readonly account: ObjectClaim;
  readonly secretName: string;
}
export type Claims = BoundClaims | LegacyClaims;

/** The content of a new token with an expiration. */
export interface BoundToken {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly namespace: string;
  readonly account: ObjectClaim;
  /** The object that the token is bound to. */
  readonly bound: { readonly kind: "secret" | "pod" | "node" } & ObjectClaim | undefined;
  readonly id: string;
  /** Seconds since the epoch. */
  readonly now: number;
  readonly seconds: number;
  /** Seconds after which the token counts as stale. */
  readonly warnAfterSeconds: number | undefined;
}

export function accountName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The payload of a token. Members are in upstream's order. */
export function boundPayload(token: BoundToken): object {
  const { issuer, audiences, namespace, account, bound, id, now, seconds, warnAfterSeconds } = token;
  const reference = ({ name, uid }: ObjectClaim) => ({ name, uid });
  const own = {
    namespace,
    ...(bound === undefined || bound.kind === "secret" ? {} : { [bound.kind]: reference(bound) }),
    ...(bound?.kind === "secret" ? { secret: reference(bound) } : {}),
    serviceaccount: reference(account),
    ...(warnAfterSeconds === undefined ? {} : { warnafter: now + warnAfterSeconds }),
  };
  const subject = accountName(namespace, account.name);
  return { aud: audiences, exp: now + seconds, iat: now, iss: issuer, jti: id, "kubernetes.io": own, nbf: now, sub: subject };
}

/** The payload of a legacy token. */
export function legacyPayload(namespace: string, account: ObjectClaim, secretName: string): object {
  return {
    iss: legacyIssuer,
    [`${legacyPrefix}namespace`]: namespace,
    [`${legacyPrefix}secret.name`]: secretName,
    [`${legacyPrefix}service-account.name`]: account.name,
    [`${legacyPrefix}service-account.uid`]: account.uid,
    sub: accountName(namespace, account.name),
  };
}

type Json = Readonly<Record<string, unknown>>;

/** The claims of a verified payload. Undefined if claims have other types than this server writes. */
export function readClaims(payload: Json): Claims | undefined {
  try {
    return payload["iss"] === legacyIssuer ? legacyClaims(payload) : boundClaims(payload);
  } catch (error) {
    if (error instanceof WrongType) return undefined;
    throw error;
  }
}

class WrongType extends Error {}

function boundClaims(payload: Json): BoundClaims {
  const own = object(payload["kubernetes.io"]);
  const reference = (name: string): ObjectClaim | undefined => {
    const found = own[name];
    return found === undefined || found === null ? undefined : { name: text(object(found)["name"]), uid: text(object(found)["uid"]) };
  };
  return {
    ...registered(payload),
    kind: "bound",
    namespace: text(own["namespace"]),
    account: reference("serviceaccount") ?? { name: "", uid: "" },
    secret: reference("secret"),
    pod: reference("pod"),
    node: reference("node"),
    warnAfter: seconds(own["warnafter"]),
  };
}

function legacyClaims(payload: Json): LegacyClaims {
  const own = (name: string): string => text(payload[legacyPrefix + name]);
  return {
    ...registered(payload),
    kind: "legacy",
    namespace: own("namespace"),
    account: { name: own("service-account.name"), uid: own("service-account.uid") },
    secretName: own("secret.name"),
  };
}

function registered(payload: Json): RegisteredClaims {
  const { aud: audience = [] } = payload;
  if (audience === null) throw new WrongType();
  return {
    subject: text(payload["sub"]),
    audiences: Array.isArray(audience) ? audience.map(text) : [text(audience)],
    id: text(payload["jti"]),
    expires: seconds(payload["exp"]),
    notBefore: seconds(payload["nbf"]),
    issuedAt: seconds(payload["iat"]),
  };
}

function object(value: unknown): Json {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new WrongType();
  return value as Json; // Neither null nor a list.
}
function text(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string") throw new WrongType();
  return value;
}
function seconds(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "number" || !(Math.abs(value) < 2 ** 63)) throw new WrongType();
  return Math.trunc(value);
}
