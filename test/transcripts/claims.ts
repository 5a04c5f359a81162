/** The content of a token, in the form of the recordings. */
import { type Json, parseJson } from "./recording.ts";
import { decodedText, dig, isObject } from "./values.ts";

/** The names in a token's header and its claims, with times relative to the time of issue; null for other text. */
export function claimsOf(token: Json): Json {
  if (typeof token !== "string") return null;
  const [header, claims] = token.split(".").map(partOf);
  if (!isObject(header) || !isObject(claims)) return null;
  const issued = claims["iat"];
  const since = Object.entries(claims).flatMap(([name, value]) =>
    (name === "exp" || name === "nbf") && typeof value === "number" && typeof issued === "number" ? [[name, value - issued]] : []
  );
  const own = claims["kubernetes.io"];
  const warned = isObject(own) && dig(own, "warnafter") !== null ? { "kubernetes.io": { ...own, warnafter: "<time>" } } : {};
  return {
    header: Object.keys(header).sort(),
    claims: { ...claims, ...Object.fromEntries(since), iat: "<time>", ...warned },
  };
}

function partOf(part: string): Json {
  const text = decodedText(part);
  try {
    return text === null ? null : parseJson(text);
  } catch {
    return null; // Not JSON: not a token.
  }
}
