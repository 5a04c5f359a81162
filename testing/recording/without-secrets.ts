/** Values of requests and answers without secrets. */
import { isObject, type Json, type JsonObject } from "../../core/json.ts";

/** What replaces a secret. */
export const secretPlaceholder = "<secret>";

/** The annotation in which kubectl keeps the whole object that it has applied. */
const appliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
/** The members of a Secret with its values. */
const secretMembers: ReadonlySet<string> = new Set(["data", "stringData"]);
/** Tokens, by kind: the object in which they are. */
const tokenPlaces: Readonly<Record<string, string>> = Object.freeze({ TokenRequest: "status", TokenReview: "spec" });

/** Returns a value without secrets. `ofSecrets`: the request is for Secrets, so that its body may be a patch, which does not name its kind. */
export function withoutSecrets(value: Json, ofSecrets: boolean): Json {
  if (Array.isArray(value)) {
    return value.map((each) => isOperation(each) && ofSecrets ? withoutValue(each) : withoutSecrets(each, ofSecrets));
  }
  if (!isObject(value)) return value;
  const { kind } = value,
    hides = ofSecrets || kind === "Secret" || kind === "SecretList",
    tokens = typeof kind === "string" ? tokenPlaces[kind] : undefined;
  const members = Object.entries(value).map(([name, each]): [string, Json] => {
    if (hides && secretMembers.has(name)) return [name, hidden(each)];
    if (hides && name === appliedAnnotation) return [name, secretPlaceholder];
    if (name === tokens && isObject(each) && "token" in each) return [name, { ...each, token: secretPlaceholder }];
    return [name, withoutSecrets(each, hides)];
  });
  return Object.fromEntries(members);
}

/** The keys of a value of a Secret, without their values. */
function hidden(value: Json): Json {
  if (!isObject(value)) return secretPlaceholder;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, each === null ? null : secretPlaceholder]));
}

/** Whether a value is an operation of a JSON patch. */
function isOperation(value: Json): value is JsonObject {
  return isObject(value) && "op" in value && "value" in value;
}
function withoutValue(operation: JsonObject): Json {
  return { ...operation, value: secretPlaceholder };
}
