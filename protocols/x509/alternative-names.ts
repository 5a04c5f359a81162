/** Reads the subject alternative names of a certificate (RFC 5280, 4.2.1.6). */
import { DerReader } from "./der-reader.ts";
import { isDomain, uriHost } from "./host-names.ts";
import { ia5 } from "./read-name.ts";

export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
  /** The host of each URI; "" for one without. */
  readonly uriHosts: readonly string[];
  /** 4 or 16 bytes each. */
  readonly addresses: readonly Uint8Array[];
}
export const noAlternativeNames: AlternativeNames = { dns: [], emails: [], uriHosts: [], addresses: [] };

/** Context tags of GeneralName. */
export const generalName = Object.freeze({ email: 0x81, dns: 0x82, uri: 0x86, address: 0x87 });

export function readAlternativeNames(extension: Uint8Array): AlternativeNames {
  const dns: string[] = [], emails: string[] = [], uriHosts: string[] = [], addresses: Uint8Array[] = [];
  for (const names = new DerReader(extension).inside(); !names.empty;) {
    const { tag, content } = names.any();
    if (tag === generalName.email) emails.push(ia5(content));
    else if (tag === generalName.dns) dns.push(ia5(content));
    else if (tag === generalName.uri) {
      const host = uriHost(ia5(content));
      if (!isDomain(host, false)) throw new Error("URI with an invalid domain");
      uriHosts.push(host);
    } else if (tag === generalName.address) {
      if (content.length !== 4 && content.length !== 16) throw new Error(`IP address of ${content.length} bytes`);
      addresses.push(content);
    }
  }
  return { dns, emails, uriHosts, addresses };
}

/** Whether a name of a known type was read. */
export function hasNames({ dns, emails, uriHosts, addresses }: AlternativeNames): boolean {
  return dns.length + emails.length + uriHosts.length + addresses.length > 0;
}
