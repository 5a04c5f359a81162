/** Transformers for tests. */
import { cipherOf, type LocalProvider } from "./ciphers.ts";
import { encryptedPrefix, Transformer } from "./transformer.ts";

/** The keys in their order; "identity" for values in the clear. */
export function testTransformer(
  ...keys: readonly (readonly [provider: LocalProvider, name: string, secret: Uint8Array] | "identity")[]
): Transformer {
  return new Transformer(keys.map((key) => {
    if (key === "identity") return undefined;
    const [provider, name, secret] = key;
    return { prefix: new TextEncoder().encode(`${encryptedPrefix}${provider}:v1:${name}:`), cipher: cipherOf(provider, secret) };
  }));
}
