/** Values of requests and answers without secrets. */
import { isObject, type Json, type JsonObject } from "../../core/json.ts";
import { requestInfo } from "../../kernel/request/request-info.ts";

/** What replaces a secret. */
export const secretPlaceholder = "<secret>";

/**
 * What a request and its answer may have:
 *
 * - `secret`: values of Secrets, also in bodies that do not name their kind, such as patches
 * - `token`: a token of an account, also in bodies that do not name their kind
 * - `foreign`: bodies of a program behind a proxy, of which nothing is known
 * - `none`: secrets only in objects that name their kind
 */
export type Sensitivity = "secret" | "token" | "foreign" | "none";

/** The annotation in which kubectl keeps the whole object that it has applied. */
const appliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
/** Annotations of Secrets without values of them. Other programs keep whole objects in annotations, as kubectl does. */
const plainAnnotation = /^(?:[^/]+\.)?(?:kubernetes|k8s)\.io\//;
/** The members of a Secret with its values, in lower case: a client that writes them in another way has the same values. */
const secretMembers: ReadonlySet<string> = new Set(["data", "stringdata"]);
/** The objects in which tokens are, by kind. */
const tokenPlaces: Readonly<Record<string, string>> = Object.freeze({ TokenRequest: "status", TokenReview: "spec" });
const anyTokenPlace: ReadonlySet<string> = new Set(Object.values(tokenPlaces));
/** Reasons of errors whose messages have names only. Others may quote a body. */
const plainReasons: ReadonlySet<unknown> = new Set(["NotFound", "AlreadyExists", "Conflict", "Unauthorized", "Expired"]);

/** What a request of this method and this path with its query may have. */
export function sensitivityOf(method: string, url: string): Sensitivity {
  const info = requestInfo(method, url);
  if (info === undefined) return "none"; // such a request is refused before its body is read
  if (info.verb === "proxy" || info.subresource === "proxy") return "foreign";
  if (info.resource === "secrets") return "secret";
  return info.resource === "tokenreviews" || info.resource === "serviceaccounts" && info.subresource === "token" ? "token" : "none";
}

/** The URL without its query, if that is for a program behind a proxy. */
export function urlWithoutSecrets(url: string, sensitivity: Sensitivity): string {
  const mark = url.indexOf("?");
  return sensitivity === "foreign" && mark >= 0 ? url.slice(0, mark) : url;
}

/** Returns a value without secrets. */
export function withoutSecrets(value: Json, sensitivity: Sensitivity): Json {
  if (Array.isArray(value)) {
    return value.map((each) => isOperation(each) && sensitivity === "secret" ? withoutValue(each) : withoutSecrets(each, sensitivity));
  }
  if (!isObject(value)) return value;
  const { kind } = value;
  if (kind === "Status" && sensitivity !== "none" && value.message !== undefined && !plainReasons.has(value.reason)) {
    return withoutMessages(value);
  }
  const hides = sensitivity === "secret" || kind === "Secret" || kind === "SecretList", inner = hides ? "secret" : sensitivity;
  const isTokenPlace = (name: string) =>
    typeof kind === "string" && tokenPlaces[kind] === name || sensitivity === "token" && anyTokenPlace.has(name);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]): [string, Json] => {
      if (hides && secretMembers.has(name.toLowerCase())) return [name, hidden(each)];
      if (name === "annotations" && isObject(each)) return [name, withoutCopies(each, hides)];
      if (isTokenPlace(name)) return [name, withoutToken(each)];
      return [name, withoutSecrets(each, inner)];
    }),
  );
}

/** The keys of a value of a Secret, without their values. */
function hidden(value: Json): Json {
  if (!isObject(value)) return secretPlaceholder;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, each === null ? null : secretPlaceholder]));
}

/** Annotations without copies of Secrets. Another object may have Secrets within it. */
function withoutCopies(annotations: JsonObject, ofSecret: boolean): Json {
  return Object.fromEntries(
    Object.entries(annotations).map(([name, each]) => {
      const isCopy = ofSecret
        ? name === appliedAnnotation || !plainAnnotation.test(name)
        : typeof each === "string" && each.startsWith("{") && each.includes('"Secret"');
      return [name, isCopy && each !== null ? secretPlaceholder : each];
    }),
  );
}

function withoutToken(value: Json): Json {
  if (!isObject(value)) return secretPlaceholder;
  return "token" in value ? { ...value, token: secretPlaceholder } : value;
}

/** An error that may quote what a client has sent, or what is stored. */
function withoutMessages(status: JsonObject): Json {
  const { details } = status, causes = isObject(details) ? details.causes : undefined;
  if (!isObject(details) || !Array.isArray(causes)) return { ...status, message: secretPlaceholder };
  const shown = causes.map((cause) => isObject(cause) ? { ...cause, message: secretPlaceholder } : secretPlaceholder);
  return { ...status, message: secretPlaceholder, details: { ...details, causes: shown } };
}

/** Whether a value is an operation of a JSON patch. */
function isOperation(value: Json): value is JsonObject {
  return isObject(value) && "op" in value && "value" in value;
}
function withoutValue(operation: JsonObject): Json {
  return { ...operation, value: secretPlaceholder };
}
