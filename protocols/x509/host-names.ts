/** Names of hosts, mailboxes and addresses in the alternative names and name constraints of certificates. */

/** Whether Go accepts a text as a domain: labels of printable ASCII, without an empty one; a constraint may begin with a dot. */
export function isDomain(text: string, constraint: boolean): boolean {
  if (text === "") return true;
  if (text.endsWith(".")) return false;
  const labels = (constraint && text.startsWith(".") ? text.slice(1) : text).split(".");
  return labels.every((label) => label !== "" && isPrintable(label));
}
function isPrintable(label: string): boolean {
  for (let i = 0; i < label.length; i++) if (label.charCodeAt(i) < 33 || label.charCodeAt(i) > 126) return false;
  return true;
}

export interface Mailbox {
  readonly local: string;
  /** In lower case. */
  readonly domain: string;
}
/** Returns a mailbox whose local part has no quotes; undefined for another text. */
export function mailboxOf(text: string): Mailbox | undefined {
  const at = text.indexOf("@");
  const local = text.slice(0, Math.max(0, at)), domain = text.slice(at + 1);
  if (at < 1 || local.startsWith(".") || local.endsWith(".") || local.includes("..")) return undefined;
  if (!/^[0-9A-Za-z!#$%&'*+\-/=?^_`{|}~.]+$/.test(local)) return undefined;
  return isDomain(domain, false) ? { local, domain: domain.toLowerCase() } : undefined;
}

/** Host and port of a URI as written; "" without an authority. An Error where Go's net/url refuses the URI. */
export function uriHost(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new Error("URI with a control character");
  const withoutFragment = text.split("#", 1)[0] ?? "";
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(withoutFragment)?.[0] ?? "";
  let rest = withoutFragment.slice(scheme.length).split("?", 1)[0] ?? "";
  if (scheme === "" && rest.startsWith(":")) throw new Error("URI without a scheme");
  if (!rest.startsWith("/")) {
    if (scheme !== "") return ""; // opaque
    if ((rest.split("/", 1)[0] ?? "").includes(":")) throw new Error("URI with a colon in its first segment");
  }
  if (badEscapes(text.slice(withoutFragment.length))) throw new Error("URI with a malformed escape");
  let authority = "";
  if (rest.startsWith("//") && (scheme !== "" || !rest.startsWith("///"))) {
    const end = rest.indexOf("/", 2);
    authority = rest.slice(2, end < 0 ? undefined : end);
    rest = end < 0 ? "" : rest.slice(end);
  }
  if (badEscapes(rest)) throw new Error("URI with a malformed escape");
  return hostOf(authority);
}
function badEscapes(text: string): boolean {
  return /%(?![0-9A-Fa-f]{2})/.test(text);
}
function hostOf(authority: string): string {
  const at = authority.lastIndexOf("@");
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, Math.max(0, at))) || badEscapes(authority.slice(0, Math.max(0, at)))) {
    throw new Error("URI with malformed user information");
  }
  const host = authority.slice(at + 1);
  const port = host.startsWith("[") ? /^\[[^\]%]*\](.*)$/.exec(host)?.[1] : host.includes(":") ? host.slice(host.lastIndexOf(":")) : "";
  if (port === undefined || !/^(:[0-9]*)?$/.test(port)) throw new Error("URI with a malformed port");
  if (!/^[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"]*$/.test(host)) throw new Error("URI with a malformed host");
  return host;
}
