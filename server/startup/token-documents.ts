/** The documents with which other programs verify service account tokens: exact paths, GET only. */
import { checkProduced } from "../../core/codec/negotiate.ts";
import type { PublicDocuments } from "../../core/authentication.ts";
import { methodNotAllowedError, noRouteError } from "../../core/status-error.ts";
import { type Exchange, header, type Reply } from "../../kernel/request/exchange.ts";
import { trimSlashes } from "../../kernel/request/request-info.ts";

/** The reply to the path of a document or below one; undefined for other paths. */
export async function tokenDocumentReply(exchange: Exchange, path: string, documents: PublicDocuments): Promise<Reply | undefined> {
  const root = documents.paths().find((each) => path === each || path.startsWith(`${each}/`));
  if (root === undefined) return undefined;
  // Trailing slashes are ignored; paths below are a Status 404.
  if (`/${trimSlashes(path)}` !== root) throw noRouteError();
  if (exchange.method !== "GET") throw methodNotAllowedError();
  const { mediaType, body, cacheSeconds } = await documents.read(root);
  checkProduced(header(exchange, "accept"), [mediaType]);
  return { status: 200, headers: { "content-type": mediaType, "cache-control": `public, max-age=${cacheSeconds}` }, body };
}
