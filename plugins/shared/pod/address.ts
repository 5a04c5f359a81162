/** IP addresses as upstream parses them: leading zeros in IPv4 and IPv4-mapped IPv6 addresses are accepted. */

const groupMax = 255;
/** An IPv4-mapped IPv6 address as the URL standard writes it. */
const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** A parsed address. */
export interface Address {
  /** The canonical form. */
  readonly text: string;
  /** Whether it has leading zeros or is IPv4-mapped. Other programs parse such addresses differently or reject them. */
  readonly ambiguous: boolean;
}

/** Parses an IPv4 or IPv6 address. Undefined if the text is not an address. */
export function readAddress(text: string): Address | undefined {
  return text.includes(":") ? readIPv6(text) : readIPv4(text);
}

function readIPv4(text: string): Address | undefined {
  const groups = text.split(".");
  if (groups.length !== 4 || !groups.every((group) => /^[0-9]{1,9}$/.test(group) && Number(group) <= groupMax)) return undefined;
  const plain = groups.map(Number).join(".");
  return { text: plain, ambiguous: plain !== text };
}

function readIPv6(text: string): Address | undefined {
  if (!/^[0-9a-fA-F:.]+$/.test(text) || !URL.canParse(`http://[${text}]`)) return undefined;
  const plain = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const pair = mapped.exec(plain);
  if (pair === null) return { text: plain, ambiguous: false };
  const bytes = pair.slice(1).map((group) => parseInt(group, 16)).flatMap((group) => [group >> 8, group & groupMax]);
  return { text: bytes.join("."), ambiguous: true };
}

/** The warning for an address that is not canonical. */
export function warnOfAddress(text: string, path: string): readonly string[] {
  const read = readAddress(text);
  if (read === undefined || read.text === text) return [];
  return [
    read.ambiguous
      ? `${path}: non-standard IP address "${text}" is invalid: use "${read.text}"`
      : `${path}: IPv6 address "${text}" should be in RFC 5952 canonical format ("${read.text}")`,
  ];
}
