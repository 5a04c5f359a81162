/** What a request that offers a websocket says in its subprotocols. */
import { tokenProtocol } from "../../core/connect.ts";
import { badRequestError } from "../../core/status-error.ts";
import { type Exchange, headerList } from "./exchange.ts";

const tokenPrefix = `${tokenProtocol}k8s.io.`;

/** The subprotocols without the one that has a token. */
function protocolsOf(exchange: Exchange): readonly string[] {
  return headerList(exchange, "sec-websocket-protocol").split(",").map((word) => word.trim()).filter((word) => word !== "");
}

/** The subprotocol to answer with: the first that is no token. Browsers require one of those that they offered. */
export function chosenProtocol(exchange: Exchange): string | undefined {
  return protocolsOf(exchange).find((protocol) => !protocol.startsWith(tokenPrefix));
}

/**
 * The bearer token in the subprotocols, for browsers, which cannot send an Authorization header; undefined if there is none. Throws for several, for one that
 * is no text in base64url, and for one without another subprotocol, because the server must not answer with the token.
 */
export function protocolToken(exchange: Exchange): string | undefined {
  if (exchange.offersWebSocket !== true) return undefined;
  const [own, ...more] = protocolsOf(exchange).filter((protocol) => protocol.startsWith(tokenPrefix));
  if (own === undefined) return undefined;
  if (more.length > 0) throw new Error("multiple base64.bearer.authorization tokens specified");
  const encoded = own.slice(tokenPrefix.length), bytes = Buffer.from(encoded, "base64url");
  if (bytes.toString("base64url") !== encoded) throw new Error("invalid base64.bearer.authorization token encoding");
  const token = bytes.toString("utf8");
  if (Buffer.compare(Buffer.from(token), bytes) !== 0) throw new Error("invalid base64.bearer.authorization token");
  if (token !== "" && chosenProtocol(exchange) === undefined) throw new Error("missing additional subprotocol");
  return token === "" ? undefined : token;
}

/**
 * Whether a page of another site may have opened this websocket with the credentials of its visitor's browser: a client certificate goes along by itself, and
 * browsers let every page open websockets to every server. No page can send X-Forwarded-Host: the certificate is then that of a proxy, which checks its visitors.
 */
export function isCrossSite(exchange: Exchange): boolean {
  const origin = exchange.headers["origin"], { peer, headers: { authorization, host, "x-forwarded-host": proxied } } = exchange;
  if (origin === undefined || peer === undefined || authorization !== undefined || proxied !== undefined) return false;
  return typeof origin !== "string" || URL.parse(origin)?.host !== host;
}

/** Throws 400 for a websocket that a page of another site may have opened with its visitor's certificate. */
export function refuseCrossSite(exchange: Exchange): void {
  if (exchange.offersWebSocket !== true || !isCrossSite(exchange)) return;
  throw badRequestError("a websocket of another origin must not use a client certificate: send a bearer token");
}
