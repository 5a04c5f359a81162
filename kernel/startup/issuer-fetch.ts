/** Fetches documents of token issuers over HTTPS. */
import { request } from "node:https";
import { limits } from "../../core/limits.ts";
import type { FetchDocument, FetchedDocument } from "../access/authentication/mod.ts";

interface Answer extends FetchedDocument {
  /** Target of a redirect. */
  readonly location: string | undefined;
}

/** A fetch that trusts only the CAs of this PEM bundle; an empty bundle means those of the system. */
export function issuerFetch(certificateAuthority: string): FetchDocument {
  return async (address) => {
    const deadline = performance.now() + limits.issuerFetchMs;
    let url = new URL(address);
    for (let redirects = 0;; redirects++) {
      if (url.protocol !== "https:") throw new Error(`the address ${url.origin} is not https`);
      const { location, ...document } = await get(url, certificateAuthority, Math.max(1, deadline - performance.now()));
      if (location === undefined) return document;
      if (redirects >= limits.issuerRedirectsMax) throw new Error(`stopped after ${limits.issuerRedirectsMax} redirects`);
      url = new URL(location, url);
    }
  };
}

const redirectCodes = new Set([301, 302, 303, 307, 308]);

function get(url: URL, certificateAuthority: string, timeoutMs: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      headers: { accept: "application/json", "user-agent": "thole" },
      // A connection for each document, because fetches are rare.
      agent: false,
      ...(certificateAuthority === "" ? {} : { ca: certificateAuthority }),
    };
    const sent = request(url, options, (received) => {
      const { statusCode: status = 0, headers: { location } } = received;
      const chunks: Uint8Array[] = [];
      let length = 0;
      received.on("data", (chunk: Uint8Array) => {
        length += chunk.length;
        if (length > limits.issuerDocumentBytesMax) {
          return fail(new Error(`the document has more than ${limits.issuerDocumentBytesMax} bytes`));
        }
        chunks.push(chunk);
      });
      received.on("error", fail);
      received.on("aborted", () => fail(new Error("the connection was closed")));
      received.on("end", () => {
        clearTimeout(timer);
        resolve({ status, body: Buffer.concat(chunks), location: redirectCodes.has(status) ? location : undefined });
      });
    });
    function fail(error: unknown): void {
      clearTimeout(timer);
      reject(error);
      sent.destroy();
    }
    const timer = setTimeout(() => fail(new Error(`no answer within ${limits.issuerFetchMs} ms`)), timeoutMs);
    sent.on("error", fail);
    sent.end();
  });
}
