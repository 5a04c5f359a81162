/** The names of the server as a whole. */

/** The component that servers are, in labels and managed fields. */
export const component = "kube-apiserver";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
/** Bytes of the hash that the name has. */
const hashBytes = 16;

/** The identity of the server on a machine: the same after each restart. */
export async function identityOf(machine: string): Promise<string> {
  const part = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    return [bytes.length >> 8, bytes.length & 0xff, ...bytes];
  };
  const digest = await crypto.subtle.digest("SHA-256", Uint8Array.from([...part(machine), ...part(component)]));
  let bits = "";
  for (const byte of new Uint8Array(digest, 0, hashBytes)) bits += byte.toString(2).padStart(8, "0");
  let name = "";
  for (let at = 0; at < bits.length; at += 5) name += alphabet[parseInt(bits.slice(at, at + 5).padEnd(5, "0"), 2)];
  return `apiserver-${name}`;
}
