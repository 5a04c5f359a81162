/** The documents by which other programs verify tokens of service accounts: exact paths, for GET only. */
import { checkProduced } from "../../core/codec/negotiate.ts";
import { methodNotAllowedError, noRouteError } from "../../core/status-error.ts";
import { type Exchange, header, type Reply } from "../request/exchange.ts";
import { trimSlashes } from "../request/request-info.ts";

export interface TokenDocument {
  readonly mediaType: string;
  readonly body: string;
  /** For how long clients and proxies may keep it. */
  readonly cacheSeconds: number;
}
/** The documents of a server. */
export interface TokenDocuments {
  /** Their paths; none where the issuer of tokens is no address. */
  paths(): readonly string[];
  read(path: string): Promise<TokenDocument>;
}

/** The answer to a path of a document or below one; undefined for other paths. */
export async function tokenDocumentReply(exchange: Exchange, path: string, documents: TokenDocuments): Promise<Reply | undefined> {
  const root = documents.paths().find((each) => path === each || path.startsWith(`${each}/`));
  if (root === undefined) return undefined;
  // Slashes at the end do not matter; what is below the path is a resource that is not found.
  if (`/${trimSlashes(path)}` !== root) throw noRouteError();
  if (exchange.method !== "GET") throw methodNotAllowedError();
  const { mediaType, body, cacheSeconds } = await documents.read(root);
  checkProduced(header(exchange, "accept"), [mediaType]);
  return { status: 200, headers: { "content-type": mediaType, "cache-control": `public, max-age=${cacheSeconds}` }, body };
}
