/** The setting --webhook-addresses. */

/** What is wrong with the entries: each has host and port on both sides. */
export function webhookAddressMistakes(addresses: ReadonlyMap<string, string>): readonly string[] {
  const isAddress = (text: string) => {
    const url = URL.parse(`http://${text}/`);
    return url !== null && hasPort(text) && url.pathname === "/" && url.username === "" && text.includes(url.hostname);
  };
  return [...addresses].flatMap(([name, address]) =>
    isAddress(name) && isAddress(address) ? [] : [`--webhook-addresses: "${name}=${address}" is not of the form host:port=host:port`]
  );
}

function hasPort(text: string): boolean {
  return /^[0-9]+$/.test(text.slice(text.lastIndexOf(":") + 1)) && text.includes(":");
}
