/** An address as it may be logged: without the user and password that may stand before its host. */
export function withoutUser(address: string): string {
  const start = address.indexOf("//"), end = address.lastIndexOf("@");
  return start >= 0 && end > start ? `${address.slice(0, start)}//${address.slice(end + 1)}` : address;
}
