/** Addresses of IP as upstream reads and writes them: it still takes leading zeros, and versions 4 within 6. */

const groupMax = 255;
/** What an address of version 4 within version 6 begins with, as the URL standard writes the rest. */
const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** An address in its one right form. */
export interface Address {
  readonly text: string;
  /** Leading zeros, or version 4 within 6: other programs read such an address otherwise, or not at all. */
  readonly odd: boolean;
}

/** The address that a text is; undefined where it is none. */
export function readAddress(text: string): Address | undefined {
  return text.includes(":") ? readLong(text) : readShort(text);
}

function readShort(text: string): Address | undefined {
  const groups = text.split(".");
  if (groups.length !== 4 || !groups.every((group) => /^[0-9]{1,9}$/.test(group) && Number(group) <= groupMax)) return undefined;
  const plain = groups.map(Number).join(".");
  return { text: plain, odd: plain !== text };
}

function readLong(text: string): Address | undefined {
  if (!/^[0-9a-fA-F:.]+$/.test(text) || !URL.canParse(`http://[${text}]`)) return undefined;
  const plain = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const pair = mapped.exec(plain);
  if (pair === null) return { text: plain, odd: false };
  const bytes = pair.slice(1).map((group) => parseInt(group, 16)).flatMap((group) => [group >> 8, group & groupMax]);
  return { text: bytes.join("."), odd: true };
}

/** What to say of an address that is not in its right form. */
export function warnOfAddress(text: string, path: string): readonly string[] {
  const read = readAddress(text);
  if (read === undefined || read.text === text) return [];
  return [
    read.odd
      ? `${path}: non-standard IP address "${text}" is invalid: use "${read.text}"`
      : `${path}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${read.text}")`,
  ];
}
