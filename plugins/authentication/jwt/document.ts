/** Documents of issuers: the discovery document and the key set. */

/** A fetched document. */
export interface FetchedDocument {
  readonly status: number;
  readonly body: Uint8Array;
}
/**
 * Fetches a document over HTTPS. Rejects if the server does not respond in time, its certificate is not trusted, or the document is larger
 * than `issuerDocumentBytesMax`. Follows redirects to https addresses only.
 */
export type FetchDocument = (url: string) => Promise<FetchedDocument>;

/** The JSON object in a document. Throws for a status other than 200 and for other content; the error has no text of the document. */
export async function fetchObject(
  fetch: FetchDocument,
  url: string,
  what: string,
): Promise<{ readonly text: string; readonly value: Readonly<Record<string, unknown>> }> {
  const { status, body } = await fetch(url);
  if (status !== 200) throw new Error(`oidc: get ${what} failed: status ${status}`);
  const text = new TextDecoder().decode(body);
  const value = parsed(text);
  if (value === undefined) throw new Error(`oidc: ${what} is no JSON object`);
  return { text, value };
}

/** The JSON object in a text; undefined for anything else. */
export function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Readonly<Record<string, unknown>> : undefined; // Checked above.
  } catch {
    return undefined;
  }
}
