/**
 * The states in which bytes of HTML are read, as by the tokenizer that upstream's proxy uses (golang.org/x/net/html). It follows the
 * standard but for foreign content, and for the content of `noscript`, which is text to it.
 */

/** What the states know and do. Bytes are held from a `<` on, until it is known whether they are a tag. */
export interface Scan {
  /** Reads the same byte once more, in the next state. */
  isAgain: boolean;
  /** Begins to hold, with this byte. */
  hold(): void;
  /** Passes on what is held. */
  pass(): void;
  /** The name of the tag has ended. */
  named(): void;
  /** The tag has ended, with this byte. Returns the state after it. */
  close(): State;
  /** The key of an attribute begins with this byte. */
  keyBegins(): void;
  /** The key has ended before this byte. */
  keyEnds(): void;
  /** The value begins with this byte, or after it. */
  valueBegins(isAfter: boolean): void;
  /** The value has ended before this byte. */
  valueEnds(): void;
  /** The kind of tag that is being read; `none` in text, comments and what else is no tag. */
  tag: "none" | "start" | "end";
  /** The quote around a value. */
  quote: number;
  /** The element whose content is text until its end tag, in lower case. */
  rawName: string;
  /** How many of the characters of a word have been met. */
  met: number;
  /** The state after a word that is not met. */
  otherwise: State;
  /** Dashes at the end of a comment so far. */
  dashes: number;
  /** Whether a comment has only dashes so far. */
  isBeginning: boolean;
}

/** Reads one byte and returns the next state. */
export type State = (byte: number, scan: Scan) => State;

export const [lessThan, greaterThan, slash] = [0x3c, 0x3e, 0x2f] as const;
const [bang, question, dash, equals, doubleQuote, singleQuote] = [0x21, 0x3f, 0x2d, 0x3d, 0x22, 0x27];

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0x0c;
}
export function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}
/** Whether a name ends here. */
export function endsName(byte: number): boolean {
  return isSpace(byte) || byte === slash || byte === greaterThan;
}

/** Reads the byte once more, in another state. */
export function again(scan: Scan, state: State): State {
  scan.isAgain = true;
  return state;
}

/** Text between tags. */
export const text: State = (byte, scan) => {
  if (byte !== lessThan) return text;
  scan.hold();
  return opened;
};

/** After `<`. */
const opened: State = (byte, scan) => {
  if (isLetter(byte)) return beginTag(scan, false);
  if (byte === slash) return endOpened;
  scan.pass();
  if (byte === bang) return declaration;
  return byte === question ? untilClosed : again(scan, text);
};

/** After `</`. */
const endOpened: State = (byte, scan) => {
  if (isLetter(byte)) return beginTag(scan, true);
  scan.pass();
  return byte === greaterThan ? text : again(scan, untilClosed);
};

/** Begins a tag, of whose name bytes have been read. */
export function beginTag(scan: Scan, isEnd: boolean): State {
  scan.tag = isEnd ? "end" : "start";
  return tagName;
}

export const tagName: State = (byte, scan) => {
  if (!endsName(byte)) return tagName;
  scan.named();
  return again(scan, beforeKey);
};

const beforeKey: State = (byte, scan) => {
  if (byte === greaterThan) return scan.close();
  if (isSpace(byte) || byte === slash) return beforeKey;
  // The first character may be any, also "=".
  scan.keyBegins();
  return key;
};

const key: State = (byte, scan) => {
  if (byte !== equals && !endsName(byte)) return key;
  scan.keyEnds();
  return again(scan, afterKey);
};

const afterKey: State = (byte, scan) => {
  if (isSpace(byte)) return afterKey;
  if (byte === slash) return beforeKey;
  return byte === equals ? beforeValue : again(scan, beforeKey);
};

const beforeValue: State = (byte, scan) => {
  if (isSpace(byte)) return beforeValue;
  if (byte === greaterThan) return again(scan, beforeKey);
  const isQuoted = byte === doubleQuote || byte === singleQuote;
  scan.quote = isQuoted ? byte : 0;
  scan.valueBegins(isQuoted);
  return isQuoted ? quotedValue : plainValue;
};

const quotedValue: State = (byte, scan) => {
  if (byte !== scan.quote) return quotedValue;
  scan.valueEnds();
  return beforeKey;
};

const plainValue: State = (byte, scan) => {
  if (!isSpace(byte) && byte !== greaterThan) return plainValue;
  scan.valueEnds();
  return again(scan, beforeKey);
};

/** After `<!`. */
const declaration: State = (byte, scan) => byte === dash ? declarationDash : again(scan, untilClosed);
const declarationDash: State = (byte, scan) => {
  if (byte !== dash) return again(scan, untilClosed);
  scan.dashes = 0;
  scan.isBeginning = true;
  return comment;
};

/** A document type, an instruction or a wrong comment. */
const untilClosed: State = (byte) => byte === greaterThan ? text : untilClosed;

const comment: State = (byte, scan) => {
  if (byte === dash) {
    scan.dashes++;
    return comment;
  }
  if (byte === greaterThan && (scan.dashes >= 2 || scan.isBeginning)) return text;
  const isBang = byte === bang && scan.dashes >= 2;
  scan.dashes = 0;
  scan.isBeginning = false;
  return isBang ? commentBang : comment;
};
/** After `--!` in a comment. */
const commentBang: State = (byte, scan) => {
  if (byte === greaterThan) return text;
  if (byte === dash) scan.dashes = 1;
  return comment;
};
