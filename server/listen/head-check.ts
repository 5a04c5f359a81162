import { consistsOf, hostCharacters } from "./characters.ts";
import { headersMax } from "../../protocols/http2/client/hpack.ts";

/** What the head of an HTTP/1.1 request determines about the message. */
export interface HeadCheck {
  /** The answer if the head is rejected. */
  readonly refused?: Refusal;
  readonly hasBody?: boolean;
  /** Whether the body is chunked. */
  readonly chunked?: boolean;
  /** Whether the client offers a protocol upgrade. Node's parser drops bytes that arrive in one piece with such a head, so the
   *  connection cannot accept another request. */
  readonly upgrades?: boolean;
}

/** Status line and text of an answer that is sent without a handler. */
export interface Refusal {
  readonly status: string;
  readonly detail?: string;
}

const withoutBody: HeadCheck = Object.freeze({});
const tooMany: HeadCheck = { refused: { status: "431 Request Header Fields Too Large" } };
const badRequest = (detail: string): HeadCheck => ({ refused: { status: "400 Bad Request", detail } });
const badVersion = badRequest("unsupported protocol version");
const badCoding: HeadCheck = { refused: { status: "501 Not Implemented", detail: "Unsupported transfer encoding" } };

/**
 * Checks that node's parser lacks: it drops headers beyond a number, and accepts several hosts, several HTTP versions, and transfer
 * codings other than chunked. Responses are those of Go's server, except for versions, for which Go responds with 505.
 */
export function checkHead(
  { rawHeaders, httpVersion }: { readonly rawHeaders: readonly string[]; readonly httpVersion: string },
): HeadCheck {
  if (rawHeaders.length > 2 * headersMax) return tooMany;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return badVersion;
  let hosts = 0, codings = 0, host = "", coding = "", hasBody = false, upgrades = false;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!, value = rawHeaders[at + 1]!;
    // Compare lengths first: most names differ in length, which saves the comparison of text.
    if (name.length === 4 && name.toLowerCase() === "host") {
      hosts++;
      host = value;
    } else if (name.length === 7 && name.toLowerCase() === "upgrade") {
      upgrades = true;
    } else if (name.length === 14 && name.toLowerCase() === "content-length") {
      hasBody ||= value !== "0";
    } else if (name.length === 17 && name.toLowerCase() === "transfer-encoding") {
      codings++;
      coding = value;
    }
  }
  if (hosts > 1) return badRequest("too many Host headers");
  if (hosts === 0 && httpVersion === "1.1") return badRequest("missing required Host header");
  if (!consistsOf(host, hostCharacters)) return badRequest("malformed Host header");
  if (codings === 0) return hasBody || upgrades ? { hasBody, upgrades } : withoutBody;
  // An HTTP/1.0 proxy may have forwarded the coding without understanding it (RFC 9112, section 6.1).
  if (httpVersion === "1.0") return badRequest("transfer encoding in HTTP/1.0");
  if (codings > 1 || coding.toLowerCase() !== "chunked") return badCoding;
  return { hasBody: true, chunked: true, upgrades };
}
