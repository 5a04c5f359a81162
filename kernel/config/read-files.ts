/** Files that settings name. Errors say which setting the file is for. */
import { readFile } from "node:fs/promises";
import { reasonOf } from "../../core/reason-of.ts";
import type { KeyedCertificate } from "../listen/x509/certificate.ts";
import { checkKeyPair } from "../listen/tls-context.ts";

/** The text of a file; an Error that calls it `what` where it cannot be read. */
export async function readText(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new Error(`cannot read the ${what}: ${reasonOf(error)}`);
  }
}

/** PEM of a certificate and its key from their files; an Error that names both and calls it `what` where they do not make a pair. */
export async function keyed(certPath: string, keyPath: string, what: string): Promise<KeyedCertificate> {
  const [cert, key] = await Promise.all([readText(certPath, what), readText(keyPath, `key of the ${what}`)]);
  try {
    checkKeyPair(cert, key);
  } catch (error) {
    throw new Error(`cannot use the ${what} in "${certPath}" with the key in "${keyPath}": ${reasonOf(error)}`);
  }
  return { cert, key };
}
