/** Fetches documents over HTTPS, such as those of token issuers. */
import type { PartRemotes } from "../../core/part.ts";
import { remoteClient, type RemoteText } from "../../protocols/remote/remote-client.ts";
import { bound } from "../../core/bound.ts";

/** Bytes of a document of an issuer. */
export const issuerDocumentBytesMax = bound(512 * 1024);
/** Milliseconds to fetch a document of an issuer. */
export const issuerFetchMs = bound(10_000);
/** Redirects to other origins on the way to a document of an issuer (Go's http.Client). */
const issuerRedirectsMax = bound(10);

type FetchDocument = (url: string) => ReturnType<PartRemotes["fetchDocument"]>;

/** A fetch that trusts only the CAs of this PEM bundle; an empty bundle means those of the runtime. */
export function issuerFetch(certificateAuthority: string): FetchDocument {
  return async (address) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no answer within ${issuerFetchMs} ms`)), issuerFetchMs);
    try {
      let url = new URL(address);
      for (let redirects = 0;; redirects++) {
        if (url.protocol !== "https:") throw new Error(`the address ${url.origin} is not https`);
        const { status, text, location } = await get(url, certificateAuthority, late.signal);
        if (location === undefined || !redirectCodes.has(status)) return { status, body: new TextEncoder().encode(text) };
        if (redirects >= issuerRedirectsMax) throw new Error(`stopped after ${issuerRedirectsMax} redirects`);
        url = new URL(location, url);
      }
    } finally {
      clearTimeout(timer);
    }
  };
}

const redirectCodes = new Set([301, 302, 303, 307, 308]);

async function get(url: URL, certificateAuthority: string, signal: AbortSignal): Promise<RemoteText> {
  // A connection for each document, because fetches are rare.
  const client = remoteClient(() => Promise.resolve({ server: url, ...(certificateAuthority === "" ? {} : { ca: certificateAuthority }) }));
  try {
    return await client.text({ method: "GET", path: "", signal, timeoutMs: Infinity }, issuerDocumentBytesMax);
  } finally {
    client.close();
  }
}
