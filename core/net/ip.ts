/** Returns the canonical text of an IP address, as Go writes it; undefined for other texts. Leading zeros of IPv4 numbers are ignored. */
export function parseIp(text: string): string | undefined {
  if (text.length > ipLengthMax) return undefined;
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}
/** More than `ffff:` seven times and an IPv4 address. */
const ipLengthMax = 64;

function parseIpv4(text: string): string | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255)) return undefined;
  return parts.map(Number).join(".");
}

/** An IPv4 address that is mapped to IPv6 is written as IPv4. */
function parseIpv6(text: string): string | undefined {
  if (!/^[\da-fA-F:.]+$/.test(text)) return undefined;
  const host = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
  if (host === undefined) return undefined;
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(host);
  if (mapped === null) return host;
  const [high, low] = [parseInt(mapped[1]!, 16), parseInt(mapped[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
