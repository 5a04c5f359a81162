/** The documents by which other programs verify tokens of service accounts: exact paths, for GET only. */
import { noRouteError } from "../../core/status-error.ts";
import type { Exchange, Reply } from "../request/exchange.ts";
import { trimSlashes } from "../request/request-info.ts";
import { checkRoute } from "./discovery/reply.ts";

export interface TokenDocument {
  readonly mediaType: string;
  readonly body: string;
  /** For how long clients and proxies may keep it. */
  readonly cacheSeconds: number;
}
export type TokenDocuments = (path: string) => Promise<TokenDocument | undefined>;

const paths = ["/.well-known/openid-configuration", "/openid/v1/jwks"] as const;

/** The answer to a path of a document or below one; undefined for other paths, and where there are no documents. */
export async function tokenDocumentReply(exchange: Exchange, path: string, documents: TokenDocuments): Promise<Reply | undefined> {
  const root = paths.find((each) => path === each || path.startsWith(`${each}/`));
  const document = root && await documents(root);
  if (document === undefined) return undefined;
  // Slashes at the end do not matter; what is below the path is a resource that is not found.
  if (`/${trimSlashes(path)}` !== root) throw noRouteError();
  const { mediaType, body, cacheSeconds } = document;
  checkRoute(exchange, [mediaType]);
  return { status: 200, headers: { "content-type": mediaType, "cache-control": `public, max-age=${cacheSeconds}` }, body };
}
