/** A keyed hash of texts, for caches of secrets. */
import { createHmac, randomBytes } from "node:crypto";

/** HMAC-SHA-256 with a key of this process. Lists that differ in a text or in the boundaries of texts have different hashes. */
export function keyedHash(): (texts: readonly string[]) => string {
  const key = randomBytes(32);
  return (texts) => {
    const mac = createHmac("sha256", key);
    for (const text of texts) mac.update(`${text.length}:`).update(text);
    return mac.digest("base64");
  };
}
