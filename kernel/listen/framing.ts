import { limits } from "../../core/limits.ts";
import { consistsOf, hostCharacters } from "./characters.ts";

/** What the head of an HTTP/1.1 request says about the message. */
export interface Framing {
  /** The answer, where the head is refused. */
  readonly refused?: Refusal;
  readonly hasBody?: boolean;
  /** The body comes in chunks. */
  readonly chunked?: boolean;
  /** The client offers to go on in another protocol. Node's parser drops bytes that come in one piece with such a head, so the
   *  connection cannot take another request. */
  readonly upgrades?: boolean;
}

/** Status line and text of an answer without a handler. */
export interface Refusal {
  readonly status: string;
  readonly detail?: string;
}

const withoutBody: Framing = Object.freeze({});
const tooMany: Framing = { refused: { status: "431 Request Header Fields Too Large" } };
const badRequest = (detail: string): Framing => ({ refused: { status: "400 Bad Request", detail } });
const badVersion = badRequest("unsupported protocol version");
const badCoding: Framing = { refused: { status: "501 Not Implemented", detail: "Unsupported transfer encoding" } };

/**
 * Checks what node's parser lets through: it drops headers past a number, takes several hosts, every version that it knows, and
 * transfer codings that are not chunked alone. Answers are those of Go's server, but for the versions: Go answers them with 505.
 */
export function framingOf({ rawHeaders, httpVersion }: { readonly rawHeaders: readonly string[]; readonly httpVersion: string }): Framing {
  if (rawHeaders.length > 2 * limits.headersMax) return tooMany;
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
  // A proxy of HTTP/1.0 may have forwarded the coding without knowing it (RFC 9112, 6.1).
  if (httpVersion === "1.0") return badRequest("transfer encoding in HTTP/1.0");
  if (codings > 1 || coding.toLowerCase() !== "chunked") return badCoding;
  return { hasBody: true, chunked: true, upgrades };
}
