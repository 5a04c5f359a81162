/** Returns an address for the log: without user and password. */
export function withoutUser(address: string): string {
  const start = address.indexOf("//"), end = address.lastIndexOf("@");
  return start >= 0 && end > start ? `${address.slice(0, start)}//${address.slice(end + 1)}` : address;
}
