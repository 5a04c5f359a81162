/** Fetches documents of token issuers over HTTPS. */
import { limits } from "../../core/limits.ts";
import type { FetchDocument } from "../access/authentication/mod.ts";
import { remoteClient, type RemoteText } from "../access/remote/remote-client.ts";

/** A fetch that trusts only the CAs of this PEM bundle; an empty bundle means those of the runtime. */
export function issuerFetch(certificateAuthority: string): FetchDocument {
  return async (address) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no answer within ${limits.issuerFetchMs} ms`)), limits.issuerFetchMs);
    try {
      let url = new URL(address);
      for (let redirects = 0;; redirects++) {
        if (url.protocol !== "https:") throw new Error(`the address ${url.origin} is not https`);
        const { status, text, location } = await get(url, certificateAuthority, late.signal);
        if (location === undefined || !redirectCodes.has(status)) return { status, body: new TextEncoder().encode(text) };
        if (redirects >= limits.issuerRedirectsMax) throw new Error(`stopped after ${limits.issuerRedirectsMax} redirects`);
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
    return await client.text({ method: "GET", path: "", signal, timeoutMs: Infinity }, limits.issuerDocumentBytesMax);
  } finally {
    client.close();
  }
}
