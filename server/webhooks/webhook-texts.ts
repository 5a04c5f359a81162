/** Texts of failed calls of webhooks, as upstream's client words them. */
import type { WebhookAddress } from "../../core/conversion.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { goQuote } from "../../core/tree/go-quote.ts";
import { messageOf, type RemoteText } from "../../protocols/remote/remote-client.ts";
import { bound } from "../../core/bound.ts";

/** UTF-16 units of an answer of a webhook in an error message. */
const webhookExcerptLengthMax = bound(1024);

/** How a call is addressed. */
export interface Target {
  /** The URL as upstream writes it: with the port of a service, also if it is the default. */
  readonly shown: string;
  /** Below the URL of the webhook. */
  readonly path: string;
  /** The name of the Service; undefined for a webhook with a URL. */
  readonly service: string | undefined;
}

export function targetOf({ url, serverName }: WebhookAddress, timeoutSeconds: number): Target {
  const { protocol, hostname, port, pathname } = new URL(url);
  const query = `?timeout=${timeoutSeconds}s`, shownPort = port === "" && serverName !== undefined ? "443" : port;
  const shown = `${protocol}//${hostname}${shownPort === "" ? "" : `:${shownPort}`}${pathname}${query}`;
  return { shown, path: query, service: serverName?.slice(0, serverName.indexOf(".")) };
}

/** The error of a response without a document; undefined for one with a document. As upstream, other codes of success have none. */
export function answerMistake(answer: RemoteText): string | undefined {
  if (answer.status < 200 || answer.status > 206) return statusText(answer);
  return answer.text === "" ? `0-length response with status code: ${answer.status} and content type: ${answer.contentType}` : undefined;
}

/** Go's text for the usual failures of a connection; the own text for others. `service`: of the target. */
export function connectionText(error: unknown, service?: string): string {
  const { cause } = error as { readonly cause?: unknown };
  const { name, message = "", code, address, port, hostname, errors } = (cause ?? error) as {
    readonly name?: string;
    readonly message?: string;
    readonly code?: string;
    readonly address?: string;
    readonly port?: number;
    readonly hostname?: string;
    readonly errors?: readonly unknown[];
  };
  if (errors !== undefined && errors.length > 0) return connectionText(errors[0], service);
  const place = address === undefined ? "" : ` ${address.includes(":") ? `[${address}]` : address}:${port}`;
  if (code === "ECONNREFUSED") return `dial tcp${place}: connect: connection refused`;
  // Deno's error for an address that `npm start` did not permit. It has others for files, variables and the system's authorities.
  if (name === "NotCapable" && message.startsWith("Requires net access")) {
    return `dial tcp${place}: connect: permission denied; --webhook-addresses must name it`;
  }
  // Upstream looks the Service up; here its DNS name is the only trace of it.
  if (code === "ENOTFOUND" && service !== undefined) return `service ${goQuote(service)} not found`;
  if (code === "ENOTFOUND" && hostname !== undefined) return `dial tcp: lookup ${hostname}: no such host`;
  if (code === "ECONNRESET") return "EOF";
  if (code !== undefined && untrusted.has(code)) return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  return reasonOf(error);
}
const untrusted: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Upstream's texts of error responses. */
function statusText({ status, contentType, text }: RemoteText): string {
  const written = contentType === "" || contentType.startsWith("text/") ? text.trim().slice(0, webhookExcerptLengthMax) : "unknown";
  const own = messageOf(statusOf(text));
  if (own !== undefined) return own.slice(0, webhookExcerptLengthMax);
  if (status === 403) return written;
  const known = statusTexts.get(status);
  if (known !== undefined) return known;
  return status >= 500
    ? `an error on the server (${goQuote(written)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`;
}
const statusTexts: ReadonlyMap<number, string> = new Map([
  [400, "the server rejected our request for an unknown reason"],
  [401, "the server has asked for the client to provide credentials"],
  [404, "the server could not find the requested resource"],
  [405, "the server does not allow this method on the requested resource"],
  [409, "the server reported a conflict"],
  [415, "the body of the request was in an unknown format - accepted media types include: "],
  [422, "the server rejected our request due to an error in our request"],
  [429, "the server has received too many requests and has asked us to try again later"],
  [503, "the server is currently unable to handle the request"],
  [504, "the server was unable to return a response in the time allotted, but may still be processing the request"],
]);

function statusOf(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    const value = JSON.parse(text) as { readonly kind?: unknown };
    return value.kind === "Status" ? value : undefined;
  } catch {
    return undefined;
  }
}
