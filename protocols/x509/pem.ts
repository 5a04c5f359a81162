/** Reads PEM (RFC 1421) as Go's encoding/pem does, which decides what a certificate request or a bundle contains. */

export interface PemBlock {
  /** The text between `-----BEGIN ` and `-----`. */
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
  /** Where the rest of the text begins. */
  readonly end: number;
}

const beginMark = "-----BEGIN ", endMark = "\n-----END ", dashes = "-----";

/**
 * Returns the first block of a text from an index on; undefined if there is none. Text outside of blocks and blocks that are malformed
 * are skipped. A character of the text is a byte. The number of steps is linear in the text that is read.
 */
export function nextPemBlock(text: string, from = 0): PemBlock | undefined {
  let at = from, after = from;
  while (after >= at && after <= text.length) {
    at = after;
    const endAt = text.indexOf(endMark, at);
    if (endAt < 0) return undefined;
    after = endAt + endMark.length;
    // The last beginning before the end: earlier ones have no end.
    const before = text.slice(at, endAt), begin = before.lastIndexOf(beginMark);
    if (begin < 0 || (begin > 0 && before[begin - 1] !== "\n")) continue;
    const typeLine = lineAt(text, at + begin + beginMark.length);
    at = typeLine.next;
    if (!typeLine.text.endsWith(dashes)) continue;
    const type = typeLine.text.slice(0, -dashes.length);
    let hasHeaders = false;
    for (let line = lineAt(text, at); line.text.includes(":"); line = lineAt(text, at)) {
      hasHeaders = true;
      at = line.next;
    }
    if (at >= text.length) return undefined;
    if (hasHeaders && endAt < at) continue;
    const trailer = `${type}${dashes}`;
    if (!text.startsWith(trailer, after) || lineAt(text, after + trailer.length).text !== "") continue;
    const bytes = endAt > at ? decode(text.slice(at, endAt)) : new Uint8Array();
    if (bytes !== undefined) return { type, hasHeaders, bytes, end: lineAt(text, endAt + 1).next };
  }
  return undefined;
}

/** Returns all blocks of a text, in order. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let block = nextPemBlock(text); block !== undefined; block = nextPemBlock(text, block.end)) blocks.push(block);
  return blocks;
}

interface Line {
  /** The line without its end and without spaces before that. */
  readonly text: string;
  readonly next: number;
}
function lineAt(text: string, at: number): Line {
  const newline = text.indexOf("\n", at);
  let end = newline < 0 ? text.length : newline;
  if (newline > at && text[end - 1] === "\r") end--;
  while (end > at && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
  return { text: text.slice(at, end), next: newline < 0 ? text.length : newline + 1 };
}

/** Returns the bytes of strict base64 with padding, in which spaces and line ends are ignored. */
function decode(text: string): Uint8Array | undefined {
  const body = text.replace(/[ \t\r\n]/g, "");
  if (body.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(body)) return undefined;
  return new Uint8Array(Buffer.from(body, "base64"));
}
