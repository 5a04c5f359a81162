import { readFile } from "node:fs/promises";
import type { KeyedCertificate } from "./listen/certificate.ts";
import { checkKeyPair } from "./listen/secured.ts";

/** PEM of a certificate and its key from their files; an Error that names both and calls it `what` where they do not make a pair. */
export async function keyed(certPath: string, keyPath: string, what: string): Promise<KeyedCertificate> {
  const [cert, key] = await Promise.all([readFile(certPath, "utf8"), readFile(keyPath, "utf8")]);
  try {
    checkKeyPair(cert, key);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot use the ${what} in "${certPath}" with the key in "${keyPath}": ${reason}`);
  }
  return { cert, key };
}
