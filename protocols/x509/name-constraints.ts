/** Reads and applies name constraints (RFC 5280, 4.2.1.10), as Go's crypto/x509 does. */
import { isIP } from "node:net";
import { type AlternativeNames, generalName } from "./alternative-names.ts";
import { DerReader } from "./der-reader.ts";
import { isDomain, type Mailbox, mailboxOf } from "./host-names.ts";
import { ia5 } from "./read-name.ts";
import { bound } from "../../core/bound.ts";

/** Comparisons of names with name constraints in one chain. */
export const nameConstraintComparisonsMax = bound(250_000);

/** Subtrees of one list, by the type of the constrained names. */
interface Subtrees {
  readonly dns: string[];
  readonly emails: string[];
  readonly uriHosts: string[];
  readonly addresses: { readonly address: Uint8Array; readonly mask: Uint8Array }[];
}
export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
  /** Whether it constrains names of unknown types. */
  readonly unknownTypes: boolean;
}

export function readNameConstraints(extension: Uint8Array): NameConstraints {
  const outer = new DerReader(extension);
  const lists = outer.inside();
  const permitted = lists.optional(0xa0)?.content ?? new Uint8Array();
  const excluded = lists.optional(0xa1)?.content ?? new Uint8Array();
  if (!outer.empty || !lists.empty) throw new Error("malformed name constraints");
  if (permitted.length + excluded.length === 0) throw new Error("empty name constraints");
  const [first, second] = [readSubtrees(permitted), readSubtrees(excluded)];
  return { permitted: first.subtrees, excluded: second.subtrees, unknownTypes: first.unknownTypes || second.unknownTypes };
}

function readSubtrees(bytes: Uint8Array): { subtrees: Subtrees; unknownTypes: boolean } {
  const subtrees: Subtrees = { dns: [], emails: [], uriHosts: [], addresses: [] };
  let unknownTypes = false;
  for (const list = new DerReader(bytes); !list.empty;) {
    const { tag, content } = list.inside().any();
    if (tag === generalName.dns) subtrees.dns.push(domain(ia5(content)));
    else if (tag === generalName.email) subtrees.emails.push(mailboxOrDomain(ia5(content)));
    else if (tag === generalName.uri) subtrees.uriHosts.push(uriDomain(ia5(content)));
    else if (tag === generalName.address) subtrees.addresses.push(network(content));
    else unknownTypes = true;
  }
  return { subtrees, unknownTypes };
}
function domain(text: string): string {
  if (!isDomain(text, true)) throw new Error("name constraint that is no domain");
  return text;
}
function mailboxOrDomain(text: string): string {
  if (!text.includes("@")) return domain(text);
  if (mailboxOf(text) === undefined) throw new Error("name constraint that is no mailbox");
  return text;
}
function uriDomain(text: string): string {
  if (isIP(text) !== 0) throw new Error("name constraint of a URI that is an address");
  return domain(text);
}
function network(content: Uint8Array): { address: Uint8Array; mask: Uint8Array } {
  if (content.length !== 8 && content.length !== 32) throw new Error(`address constraint of ${content.length} bytes`);
  const half = content.length / 2, mask = content.subarray(half);
  const bits = [...mask].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  if (bits.lastIndexOf("1") > bits.indexOf("0") && bits.includes("0")) throw new Error("address constraint with an invalid mask");
  return { address: content.subarray(0, half), mask };
}

/** The names of a certificate in a chain. */
export interface Named {
  readonly alternativeNames?: AlternativeNames;
  readonly nameConstraints?: NameConstraints;
}

/** Whether the names of each certificate satisfy the constraints of all certificates above it in the chain, the last one included.
 *  Alternative names that cannot be compared satisfy no constraint. */
export function namesAllowed(chain: readonly Named[]): boolean {
  let comparisons = 0;
  return chain.every(({ alternativeNames: names }, at) => {
    const above = chain.slice(at + 1).flatMap(({ nameConstraints }) => nameConstraints ?? []);
    if (names === undefined || above.length === 0) return true;
    const wanted = comparable(names);
    if (wanted === undefined) return false;
    const count = ({ dns, emails, uriHosts, addresses }: AlternativeNames | Subtrees) =>
      dns.length + emails.length + uriHosts.length + addresses.length;
    for (const { permitted, excluded } of above) comparisons += count(names) * (count(permitted) + count(excluded));
    return comparisons <= nameConstraintComparisonsMax && above.every((constraints) => allowedBy(constraints, wanted));
  });
}

interface Comparable {
  readonly dns: readonly string[];
  readonly emails: readonly Mailbox[];
  readonly uriHosts: readonly string[];
  readonly addresses: readonly Uint8Array[];
}
function comparable({ dns, emails, uriHosts, addresses }: AlternativeNames): Comparable | undefined {
  const mailboxes = emails.flatMap((email) => mailboxOf(email) ?? []);
  const hosts = uriHosts.map((host) => withoutPort(host).toLowerCase());
  const bad = mailboxes.length !== emails.length || !dns.every((name) => isDomain(name, false)) ||
    hosts.some((host) => host === "" || host.startsWith("[") || host.includes(":") || isIP(host) !== 0 || !isDomain(host, false));
  return bad ? undefined : { dns: dns.map((name) => name.toLowerCase()), emails: mailboxes, uriHosts: hosts, addresses };
}

function withoutPort(host: string): string {
  return host.includes(":") ? host.slice(0, host.lastIndexOf(":")) : host;
}

function allowedBy({ permitted, excluded }: NameConstraints, names: Comparable): boolean {
  const each = <Name, Base>(all: readonly Name[], yes: readonly Base[], no: readonly Base[], matches: Match<Name, Base>) =>
    all.every((name) =>
      (yes.length === 0 || yes.some((base) => matches(base, name, true))) && !no.some((base) => matches(base, name, false))
    );
  return each(names.dns, permitted.dns, excluded.dns, inDomain) &&
    each(names.uriHosts, permitted.uriHosts, excluded.uriHosts, inDomain) &&
    each(names.emails, permitted.emails, excluded.emails, inMailboxes) &&
    each(names.addresses, permitted.addresses, excluded.addresses, inNetwork);
}
type Match<Name, Base> = (base: Base, name: Name, permitted: boolean) => boolean;

/** Returns a base with a leading dot requires one more label. A wildcard is excluded with each name that it matches. */
function inDomain(base: string, name: string, permitted: boolean): boolean {
  const suffix = base.toLowerCase();
  if (suffix === "" || name === suffix || name.endsWith(suffix.startsWith(".") ? suffix : `.${suffix}`)) return true;
  return !permitted && name.startsWith("*") && afterFirstLabel(suffix) !== "" && afterFirstLabel(suffix) === afterFirstLabel(name);
}
function afterFirstLabel(name: string): string {
  return name.includes(".") ? name.slice(name.indexOf(".")) : "";
}
function inMailboxes(base: string, name: Mailbox, permitted: boolean): boolean {
  if (!base.includes("@")) return inDomain(base, name.domain, permitted);
  const mailbox = mailboxOf(base);
  return mailbox?.local === name.local && mailbox.domain === name.domain;
}
function inNetwork({ address, mask }: Subtrees["addresses"][number], name: Uint8Array): boolean {
  return address.length === name.length && name.every((byte, i) => ((byte ^ (address[i] ?? 0)) & (mask[i] ?? 0)) === 0);
}
