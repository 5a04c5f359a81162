/** The certificate in the status of a signing request. */
import { bytesOf, parseBase64 } from "../../../core/scalars/base64.ts";

const begin = "-----BEGIN ", end = "-----END ", dashes = "-----";

/** Whether the base64 of a field is PEM with blocks of certificates, and no others. Text between blocks is allowed. */
export function isCertificateChain(field: string): boolean {
  const pem = decodeBlock(field);
  if (pem === undefined) return false;
  const lines = new TextDecoder().decode(pem).split("\n").map((line) => line.trim());
  let blocks = 0;
  for (let at = 0; at < lines.length; at++) {
    const type = markOf(lines[at]!, begin);
    if (type === undefined) continue;
    const last = lines.findIndex((line, index) => index > at && markOf(line, end) !== undefined);
    // Lines of headers have a colon, which base64 has not.
    if (type !== "CERTIFICATE" || last < 0 || markOf(lines[last]!, end) !== type) return false;
    if (!isSequence(decodeBlock(lines.slice(at + 1, last).join("")))) return false;
    blocks++;
    at = last;
  }
  return blocks > 0;
}

/** Returns the type in a line that begins or ends a block. */
function markOf(line: string, mark: string): string | undefined {
  return line.startsWith(mark) && line.endsWith(dashes) ? line.slice(mark.length, -dashes.length) : undefined;
}

function decodeBlock(text: string): Uint8Array | undefined {
  const parsed = parseBase64(text);
  return typeof parsed === "string" ? bytesOf(parsed) : undefined;
}

/** Whether the bytes are one sequence of DER, as a certificate is. */
function isSequence(der: Uint8Array | undefined): boolean {
  const [tag, first = 0] = der ?? [];
  if (der === undefined || tag !== 0x30) return false;
  if (first < 0x80) return der.length === 2 + first;
  const size = first - 0x80;
  if (size < 1 || size > 4) return false;
  return der.length === 2 + size + der.subarray(2, 2 + size).reduce((length, byte) => length * 256 + byte, 0);
}
