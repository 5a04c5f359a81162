/** How images are named, as far as it decides whether they are pulled anew. */

const name = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const domain =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9a-fA-F:]+\])(?::[0-9]+)?$/;
const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
/** What would be taken for the identifier of an image cannot be its name. */
const identifier = /^[0-9a-f]{64}$/;
/** Of the path behind the host; a name of one part gets its first part before it is measured. */
const pathBytesMax = 255, defaultHome = "library/", defaultHosts = ["docker.io", "index.docker.io"];
const digestPattern = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** The tag latest, also where neither tag nor digest is written, is pulled always; a name that cannot be read is not. */
export function pullPolicyOf(image: string): "Always" | "IfNotPresent" {
  return tagOf(image) === "latest" ? "Always" : "IfNotPresent";
}

/** The tag of an image; empty beside a digest, and for a name that cannot be read. */
function tagOf(image: string): string {
  const at = image.indexOf("@");
  const digest = at < 0 ? "" : image.slice(at + 1);
  const named = at < 0 ? image : image.slice(0, at);
  const colon = named.lastIndexOf(":");
  const tagged = colon > named.lastIndexOf("/");
  const tag = tagged ? named.slice(colon + 1) : "";
  const path = (tagged ? named.slice(0, colon) : named).split("/");
  const first = path[0]!;
  // What looks like a host is one: it has a dot or a port, is localhost, or is no lower-case word.
  const hosted = path.length > 1 && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase());
  const parts = hosted ? path.slice(1) : path;
  const home = parts.length === 1 && (!hosted || defaultHosts.includes(first)) ? defaultHome : "";
  if (identifier.test(image) || home.length + parts.join("/").length > pathBytesMax) return "";
  const readable = parts.every((part) => name.test(part)) && (!hosted || domain.test(first)) &&
    (!tagged || tagPattern.test(tag)) && (at < 0 || digestPattern.test(digest));
  if (!readable) return "";
  return tag !== "" || at >= 0 ? tag : "latest";
}
