/** Parsing of image references, to derive the default pull policy (github.com/distribution/reference). */

const name = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const domain =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?$/;
const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
/** An image ID, which is not a valid name. */
const identifier = /^[0-9a-f]{64}$/;
/** Maximum length of the path in bytes, including the prefix that is added to a single component. */
const pathBytesMax = 255, defaultHome = "library/", defaultHosts = ["docker.io", "index.docker.io"];
const digestPattern = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** The default pull policy: Always for the tag latest, explicit or implied, else IfNotPresent, also for invalid references. */
export function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  return tagOf(image) === "latest" ? "Always" : "IfNotPresent";
}

/** The tag of an image reference. Empty for a reference with a digest but no tag, and for an invalid one. */
function tagOf(image: string): string {
  const at = image.indexOf("@");
  const digest = at < 0 ? "" : image.slice(at + 1);
  const named = at < 0 ? image : image.slice(0, at);
  const colon = named.lastIndexOf(":");
  const tagged = colon > named.lastIndexOf("/");
  const tag = tagged ? named.slice(colon + 1) : "";
  const path = (tagged ? named.slice(0, colon) : named).split("/");
  const first = path[0]!;
  // The first component is a host if it has a dot or a port, is localhost, or has upper-case letters.
  const hosted = path.length > 1 && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase());
  const parts = hosted ? path.slice(1) : path;
  const home = parts.length === 1 && (!hosted || defaultHosts.includes(first)) ? defaultHome : "";
  if (identifier.test(image) || home.length + parts.join("/").length > pathBytesMax) return "";
  const readable = parts.every((part) => name.test(part)) && (!hosted || domain.test(first)) &&
    (!tagged || tagPattern.test(tag)) && (at < 0 || digestPattern.test(digest));
  if (!readable) return "";
  return tag !== "" || at >= 0 ? tag : "latest";
}
