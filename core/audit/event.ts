/** Encodes audit events: the JSON of `audit.{domain}/v1` Event, and kube-apiserver's legacy line. */
import { encoder } from "../derive/encode.ts";
import { Status as StatusSchema } from "../meta/status.ts";
import type { Status, StatusDetails } from "../status-error.ts";
import { goQuote } from "../tree/go-quote.ts";
import { goString } from "../tree/json-text.ts";
import type { UserInfo } from "../user-info.ts";
import type { AuditLevel, AuditStage } from "./policy.ts";

/** The object of a request. An absent member is "". */
export interface AuditedObject {
  /** The plural name of the resource. */
  readonly resource: string;
  /** The namespace of the object. */
  readonly namespace: string;
  /** The name of the object. */
  readonly name: string;
  /** The UID of the object, if the request has a body. */
  readonly uid: string;
  /** The group; "" for the core group. */
  readonly apiGroup: string;
  /** The version, without the group. */
  readonly apiVersion: string;
  /** The resource version of the object, if the request has a body. */
  readonly resourceVersion: string;
  /** The subresource of the request. */
  readonly subresource: string;
}

/** One stage of a request. Objects are JSON texts. */
export interface AuditEvent {
  /** How much of the request is recorded. */
  readonly level: AuditLevel;
  /** The id that the client, the log and all stages of the request have. */
  readonly auditId: string;
  /** The stage that the request has reached. */
  readonly stage: AuditStage;
  /** Path and query as the client has written them. */
  readonly requestUri: string;
  /** The verb, such as `list`. For a path that is no resource, it is the method in lower case. */
  readonly verb: string;
  /** The user of the request; undefined before authentication. */
  readonly user: UserInfo | undefined;
  /** The user that the request impersonates; undefined if it impersonates nobody. */
  readonly impersonatedUser: UserInfo | undefined;
  /** The verb by which constrained impersonation was allowed, such as `impersonate:user-info`; absent for the legacy one. */
  readonly impersonationConstraint?: string;
  /** The addresses of the client and of proxies. The client can choose all but the last one. */
  readonly sourceIps: readonly string[];
  /** The User-Agent header, cut to a bounded length; "" if there is none. */
  readonly userAgent: string;
  /** The object of a request for a resource. */
  readonly objectRef: AuditedObject | undefined;
  /** The response, from the stage ResponseStarted on. */
  readonly responseStatus: AuditedStatus | undefined;
  /** The body of the request, from the level Request on. */
  readonly requestObject: string | undefined;
  /** The response, at the level RequestResponse. */
  readonly responseObject: string | undefined;
  /** The time of the request in milliseconds since 1970. */
  readonly requestReceived: number;
  /** The time of the stage in milliseconds since 1970. */
  readonly stageReached: number;
  /** Annotations of the server and of admission, such as the reason of a decision. */
  readonly annotations: ReadonlyMap<string, string>;
}

/** The status of a response. A response of success has only a code. */
export interface AuditedStatus {
  /** Whether the request has failed, if the response is a Status. */
  readonly status?: "Success" | "Failure";
  /** The message for people. */
  readonly message?: string;
  /** The reason for programs, such as `NotFound`. */
  readonly reason?: string;
  /** The object and the causes of an error. */
  readonly details?: StatusDetails;
  /** The HTTP code. */
  readonly code?: number;
}

/** Returns the beginning of an event or of a list of events: `{"kind":"Event","apiVersion":"audit.k8s.io/v1"`. */
export function eventHead(domain: string, kind: "Event" | "EventList"): string {
  return `{"kind":"${kind}","apiVersion":"audit.${domain}/v1"`;
}

/** Writes the members of an event as JSON, without the braces around them. In lists, events have no kind and apiVersion. */
export function eventMembers(event: AuditEvent): string {
  const { user, impersonatedUser, sourceIps, userAgent, objectRef, responseStatus, requestObject, responseObject, annotations } = event;
  const members = [
    `"level":"${event.level}"`,
    `"auditID":${goString(event.auditId)}`,
    `"stage":"${event.stage}"`,
    `"requestURI":${goString(event.requestUri)}`,
    `"verb":${goString(event.verb)}`,
    `"user":${userJson(user)}`,
  ];
  if (impersonatedUser !== undefined) members.push(`"impersonatedUser":${userJson(impersonatedUser)}`);
  if (event.impersonationConstraint !== undefined) {
    members.push(`"authenticationMetadata":{"impersonationConstraint":${goString(event.impersonationConstraint)}}`);
  }
  if (sourceIps.length > 0) members.push(`"sourceIPs":${textsJson(sourceIps)}`);
  if (userAgent !== "") members.push(`"userAgent":${goString(userAgent)}`);
  if (objectRef !== undefined) members.push(`"objectRef":${referenceJson(objectRef)}`);
  if (responseStatus !== undefined) members.push(`"responseStatus":${statusJson(responseStatus)}`);
  if (requestObject !== undefined) members.push(`"requestObject":${requestObject}`);
  if (responseObject !== undefined) members.push(`"responseObject":${responseObject}`);
  members.push(`"requestReceivedTimestamp":"${microTime(event.requestReceived)}"`, `"stageTimestamp":"${microTime(event.stageReached)}"`);
  if (annotations.size > 0) members.push(`"annotations":${pairsJson([...annotations], goString)}`);
  return members.join(",");
}

function textsJson(texts: readonly string[]): string {
  return `[${texts.map(goString).join(",")}]`;
}
function pairsJson<T>(pairs: readonly (readonly [string, T])[], text: (value: T) => string): string {
  const sorted = pairs.toSorted(([one], [other]) => one < other ? -1 : 1);
  return `{${sorted.map(([key, value]) => `${goString(key)}:${text(value)}`).join(",")}}`;
}

/** The JSON of users. Most requests of a user have the same object, so it is kept. */
const knownUsers = new WeakMap<UserInfo, string>();

function userJson(user: UserInfo | undefined): string {
  if (user === undefined) return "{}";
  const known = knownUsers.get(user);
  if (known !== undefined) return known;
  const json = writtenUser(user);
  knownUsers.set(user, json);
  return json;
}

function writtenUser(user: UserInfo): string {
  const { name, uid = "", groups, extra = {} } = user;
  const pairs = Object.entries(extra);
  return `{${
    [
      ...(name === "" ? [] : [`"username":${goString(name)}`]),
      ...(uid === "" ? [] : [`"uid":${goString(uid)}`]),
      ...(groups.length === 0 ? [] : [`"groups":${textsJson(groups)}`]),
      ...(pairs.length === 0 ? [] : [`"extra":${pairsJson(pairs, textsJson)}`]),
    ].join(",")
  }}`;
}

function referenceJson(reference: AuditedObject): string {
  const members = referenceKeys.filter((key) => reference[key] !== "").map((key) => `"${key}":${goString(reference[key])}`);
  return `{${members.join(",")}}`;
}
const referenceKeys = Object.freeze(
  ["resource", "namespace", "name", "uid", "apiGroup", "apiVersion", "resourceVersion", "subresource"] as const,
);

const encodeStatus = encoder(StatusSchema);
/** Writes a Status without its kind. A status of success has only a code. */
function statusJson({ status, message, reason, details, code }: AuditedStatus): string {
  if (status === undefined && message === undefined && reason === undefined && details === undefined) {
    return code === undefined ? '{"metadata":{}}' : `{"metadata":{},"code":${code}}`;
  }
  const present = { status, message, reason, details, code };
  const given = Object.fromEntries(Object.entries(present).filter(([, value]) => value !== undefined));
  // `as`: an empty kind and apiVersion are not written.
  return encodeStatus({ kind: "", apiVersion: "", metadata: {}, ...given } as unknown as Status);
}

/** Writes a time as RFC 3339 with microseconds. The last three digits are zero. */
function microTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`;
}

/** Writes the line of `--audit-log-format=legacy`, without a line end. Values from clients are quoted. */
export function legacyLine(event: AuditEvent): string {
  const { user, impersonatedUser, sourceIps, objectRef, responseStatus } = event;
  const pairs: readonly (readonly [string, string])[] = [
    ["id", event.auditId],
    ["stage", event.stage],
    ["ip", sourceIps[0] ?? "<unknown>"],
    ["method", event.verb],
    ["user", user === undefined || user.name === "" ? "<none>" : user.name],
    ["groups", user === undefined || user.name === "" || user.groups.length === 0 ? "<none>" : user.groups.map(goQuote).join(",")],
    ["as", impersonatedUser?.name ?? "<self>"],
    ["asgroups", impersonatedUser === undefined ? "<lookup>" : impersonatedUser.groups.map(goQuote).join(",")],
    ["user-agent", event.userAgent],
    ["namespace", objectRef === undefined || objectRef.namespace === "" ? "<none>" : objectRef.namespace],
    ["uri", event.requestUri],
    ["response", responseStatus === undefined ? "<deferred>" : String(responseStatus.code ?? 0)],
  ];
  return `${nanoTime(event.requestReceived)} AUDIT: ${pairs.map(([key, value]) => `${key}=${goQuote(value)}`).join(" ")}`;
}

/** Writes a time in Go's format RFC3339Nano, without zeros at the end of the fraction. */
function nanoTime(milliseconds: number): string {
  const text = new Date(milliseconds).toISOString();
  const [seconds = "", fraction = ""] = text.slice(0, -1).split(".");
  const digits = fraction.replace(/0{1,3}$/, "");
  return `${seconds}${digits === "" ? "" : `.${digits}`}Z`;
}
