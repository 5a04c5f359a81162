/**
 * Handles the POST of a ServiceAccount's `token`, which returns a new token with an expiration (KEP-1205). The order of the checks and the
 * messages are upstream's.
 */
import {
  type ApiObject,
  badRequestError,
  conflictError,
  field,
  type FieldError,
  type Infer,
  int64,
  invalid,
  list,
  notFoundError,
  object,
  type RequestHookContext,
  string,
  structsOf,
  type Subresource,
  time,
  tooLong,
} from "../../plugin.ts";
import {
  type GateStage,
  goQuote,
  invalidError,
  named,
  type ObjectMeta,
  pathSegmentName,
  spell,
  type TokenToIssue,
  valueText,
} from "../../toolbox.ts";
import { bound } from "../../core/bound.ts";

/**
 * Maximum bytes of the audiences of a new token, as JSON. A longer token could not be verified, because it would exceed the bound of
 * verification.
 */
export const tokenAudiencesBytesMax = bound(64 * 1024);

const home = "authentication/v1", groupVersion = "authentication.{domain}/v1";
const struct = structsOf(home);

const BoundObjectReference = struct("BoundObjectReference", {
  kind: field(1, string, "Kind of the object: Secret, Pod or Node."),
  apiVersion: field(2, string, "API version of the object."),
  name: field(3, string, "Name of the object."),
  uid: field(4, named("types.UID", string), "UID of the object. If it is set, the object must have it."),
}, { doc: "An object with whose deletion a token ends." });
type BoundObjectReference = Infer<typeof BoundObjectReference>;

const TokenRequestSpec = struct("TokenRequestSpec", {
  audiences: field(
    1,
    list(string),
    "The intended recipients of the token. A recipient must reject a token that does not name it. Empty: the API server.",
    { required: true },
  ),
  expirationSeconds: field(
    4,
    int64,
    "The requested validity in seconds. The issued token may be valid for another time: see status.expirationTimestamp.",
    { pointer: true, written: "always", unpublishedDefault: 3600 },
  ),
  boundObjectRef: field(
    3,
    BoundObjectReference,
    "An object of the account's namespace with whose deletion the token ends. It adds no audience and no expiration.",
    { pointer: true, written: "always" },
  ),
}, { doc: "The requested properties of a token." });

const TokenRequestStatus = struct("TokenRequestStatus", {
  token: field(1, string, "The bearer token.", { required: true }),
  expirationTimestamp: field(2, time, "The time at which the token expires.", { required: true }),
}, { doc: "The issued token." });

export const TokenRequest = object("TokenRequest", {
  spec: field(2, TokenRequestSpec, "The requested properties of the token.", { required: true }),
  status: field(3, TokenRequestStatus, "The token. Set by the server.", { written: "always" }),
}, { package: home, doc: "A request for a token of a service account." });
type TokenRequest = Infer<typeof TokenRequest>;

const since = (alpha: string, beta: string, ga: string): readonly GateStage[] => [
  { since: alpha, stage: "Alpha", default: false },
  { since: beta, stage: "Beta", default: true },
  { since: ga, stage: "GA", default: true, locked: true },
];
/** The feature gates of tokens. Locked ones are always enabled. */
export const tokenGates: Readonly<Record<string, readonly GateStage[]>> = {
  ServiceAccountTokenJTI: since("1.29", "1.30", "1.32"),
  ServiceAccountTokenNodeBinding: since("1.29", "1.31", "1.33"),
  ServiceAccountTokenNodeBindingValidation: since("1.29", "1.30", "1.32"),
  ServiceAccountTokenPodNodeInfo: since("1.29", "1.30", "1.32"),
  TokenRequestServiceAccountUIDValidation: [{ since: "1.34", stage: "Beta", default: true }],
};
export const tokenGateDependencies = { ServiceAccountTokenNodeBinding: ["ServiceAccountTokenNodeBindingValidation"] };

const kind = { groupVersion, schema: TokenRequest };
const secondsMin = 600, secondsMax = 2 ** 32;

/** The `token` subresource of service accounts. */
export const tokenSubresource: Subresource = {
  create: {
    request: kind,
    response: kind,
    validateRequest: ({ metadata: { name = "" }, spec }: TokenRequest, account) => [
      ...(name === "" || name === account ? [] : [invalid("metadata.name", name, "must match the service account name if specified")]),
      ...audiencesErrors(spec.audiences ?? []),
    ],
    respond: issue,
  },
};

async function issue(request: TokenRequest, account: ApiObject, context: RequestHookContext) {
  const { spec } = request, { name = "", namespace = "", uid = "" } = account.metadata;
  checkUid(request.metadata, account.metadata, context);
  const errors = expirationErrors(spec.expirationSeconds ?? 0);
  if (errors.length > 0) throw invalidError(kindName(context), "", errors);
  // If a field that is never omitted is absent, its value is null.
  const reference = spec.boundObjectRef ?? undefined;
  const bound = reference === undefined ? undefined : await boundObject(reference, account, context);
  const asked = Number(spec.expirationSeconds);
  const issued = await context.access.issueToken({
    namespace,
    account: { name, uid },
    bound,
    audiences: spec.audiences ?? [],
    expirationSeconds: asked,
  });
  const { token, audiences, expirationSeconds, id } = issued;
  // The key is upstream's and independent of the group domain. Requests with the token have the id in `extra`.
  context.annotate("authentication.kubernetes.io/issued-credential-id", `JTI=${id}`);
  if (expirationSeconds !== asked) {
    context.warn(`requested expiration of ${asked} seconds shortened to ${expirationSeconds} seconds`);
  }
  const metadata: ObjectMeta = { ...request.metadata, name, namespace, uid: request.metadata.uid ?? uid, creationTimestamp: context.now };
  const expirationTimestamp = new Date(issued.issued + expirationSeconds * 1000).toISOString().slice(0, 19) + "Z";
  return { metadata, spec: { ...spec, audiences, expirationSeconds }, status: { token, expirationTimestamp } };
}

function kindName({ names }: RequestHookContext) {
  return { group: `authentication.${names.domain}`, name: "TokenRequest" };
}

/** Checks that a UID in the request is the account's. Without the gate, another UID causes a warning. */
function checkUid({ uid = "" }: ObjectMeta, account: ObjectMeta, context: RequestHookContext): void {
  if (uid === "" || uid === account.uid) return;
  const why = `the UID in the token request (${uid}) does not match the UID of the service account (${account.uid})`;
  if (context.gates("TokenRequestServiceAccountUIDValidation")) throw conflictError(kindName(context), account.name ?? "", why);
  context.annotate(spell(context.names, "authentication.{domain}/token-request-uid-mismatch"), why);
  context.warn(`${why} but TokenRequestServiceAccountUIDValidation is not enabled. In the future, this will return a conflict error`);
}

function expirationErrors(seconds: number | bigint): readonly FieldError[] {
  const path = "spec.expirationSeconds";
  return [
    ...(seconds < secondsMin ? [invalid(path, seconds, "may not specify a duration less than 10 minutes")] : []),
    ...(seconds > secondsMax ? [invalid(path, seconds, "may not specify a duration larger than 2^32 seconds")] : []),
  ];
}

/** Returns the error of too long audiences. Upstream issues tokens of any length, which no server accepts in a header. */
function audiencesErrors(audiences: readonly string[]): readonly FieldError[] {
  const bytes = new TextEncoder().encode(valueText(audiences)).length;
  return bytes <= tokenAudiencesBytesMax ? [] : [tooLong("spec.audiences", tokenAudiencesBytesMax)];
}

/** The kinds of objects that a token can be bound to. Where a kind is not served, no object of it exists. */
const bindable: Readonly<
  Record<string, { readonly resource: string; readonly bound: "secret" | "pod" | "node"; readonly namespaced: boolean }>
> = {
  Secret: { resource: "secrets", bound: "secret", namespaced: true },
  Pod: { resource: "pods", bound: "pod", namespaced: true },
  Node: { resource: "nodes", bound: "node", namespaced: false },
};

/** Reads the current object of a reference. Rejects if it does not exist or has another UID. */
async function boundObject(
  reference: BoundObjectReference,
  account: ApiObject,
  { read }: RequestHookContext,
): Promise<TokenToIssue["bound"]> {
  const { kind = "", name = "", uid = "" } = reference;
  const { group, version } = parsedVersion(reference.apiVersion ?? "");
  const found = group === "" && Object.hasOwn(bindable, kind) ? bindable[kind] : undefined;
  if (found === undefined) throw badRequestError(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const { resource, bound, namespaced } = found;
  if (name === "") throw badRequestError("Name parameter required.");
  const wrong = pathSegmentName(name, false);
  if (wrong.length > 0) throw badRequestError(`Name parameter invalid: ${goQuote(name)}: ${wrong.join(";")}`);
  const object = await read.get("v1", resource, namespaced ? account.metadata.namespace ?? "" : "", name);
  if (object === undefined) throw notFoundError({ group: "", name: resource }, name);
  if (bound === "pod") checkPod(object, account.metadata.name ?? "");
  const own = object.metadata.uid ?? "";
  if (uid !== "" && uid !== own) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
      "The object might have been deleted and then recreated";
    throw conflictError({ group: "", name: kind }, name, why);
  }
  return { kind: bound, name, uid: own };
}

function checkPod(pod: ApiObject & { readonly spec?: { readonly serviceAccountName?: string } }, account: string): void {
  if (pod.spec?.serviceAccountName === account) return;
  throw badRequestError(`cannot bind token for serviceaccount ${goQuote(account)} to pod running with different serviceaccount name.`);
}

/** Parses a version. As upstream, a malformed one counts as absent. */
function parsedVersion(text: string): { readonly group: string; readonly version: string } {
  const [first = "", second, ...more] = text.split("/");
  if (second === undefined) return { group: "", version: first };
  return more.length > 0 || text === "/" ? { group: "", version: "" } : { group: first, version: second };
}
