/** Reads files of settings. Errors name the setting's purpose. */
import { readWholeText } from "../../protocols/files/bounded-files.ts";
import { allOrErrors } from "../../core/config/mistake.ts";
import { reasonOf } from "../../core/reason-of.ts";
import type { KeyedCertificate } from "../../protocols/x509/certificate.ts";
import { checkKeyPair } from "../listen/tls-context.ts";

/** The text of a file; throws an Error with `what` if it cannot be read. */
export async function readText(path: string, what: string): Promise<string> {
  try {
    return await readWholeText(path);
  } catch (error) {
    throw new Error(`cannot read the ${what}: ${reasonOf(error)}`);
  }
}

/** PEM of a certificate and its key from their files; throws an Error with both paths and `what` if they are not a pair. */
export async function readKeyed(certPath: string, keyPath: string, what: string): Promise<KeyedCertificate> {
  const [cert, key] = await allOrErrors([readText(certPath, what), readText(keyPath, `key of the ${what}`)]) as [string, string];
  try {
    checkKeyPair(cert, key);
  } catch (error) {
    throw new Error(`cannot use the ${what} in "${certPath}" with the key in "${keyPath}": ${reasonOf(error)}`);
  }
  return { cert, key };
}
