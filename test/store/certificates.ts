/** A certificate authority and certificates that it signed, as files and PEM, for tests of TLS; made with openssl. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Signed {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  readonly ca: Signed;
  /** For 127.0.0.1. */
  readonly server: Signed;
  readonly client: Signed;
}

const newKey = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];

/** Creates them in a folder; undefined without openssl. */
export async function makeCertificates(folder: string): Promise<Certificates | undefined> {
  const openssl = (...flags: string[]) => promisify(execFile)("openssl", flags, { timeout: 120_000 });
  try {
    await openssl("version");
  } catch {
    return undefined;
  }
  // An own configuration: the extensions that the system's adds differ.
  const config = join(folder, "openssl.cnf");
  await writeFile(config, "[req]\ndistinguished_name = dn\n[dn]\n");
  async function make(name: string, signer: Signed | undefined, extensions: readonly string[]): Promise<Signed> {
    const [certFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
    const by = signer === undefined ? [] : ["-CA", signer.certFile, "-CAkey", signer.keyFile];
    const added = extensions.flatMap((extension) => ["-addext", extension]);
    await openssl(...newKey, "-config", config, "-subj", `/CN=${name}`, "-keyout", keyFile, "-out", certFile, ...by, ...added);
    return { certFile, keyFile, cert: await readFile(certFile, "utf8"), key: await readFile(keyFile, "utf8") };
  }
  const ca = await make("authority", undefined, ["basicConstraints=critical,CA:TRUE", "keyUsage=keyCertSign"]);
  const leaf = ["basicConstraints=CA:FALSE", "extendedKeyUsage=serverAuth,clientAuth"];
  return { ca, server: await make("server", ca, [...leaf, "subjectAltName=IP:127.0.0.1"]), client: await make("client", ca, leaf) };
}

/** The flags of an etcd with TLS that requires client certificates of this authority. */
export function etcdFlags({ ca, server }: Certificates): readonly string[] {
  return [`--cert-file=${server.certFile}`, `--key-file=${server.keyFile}`, `--trusted-ca-file=${ca.certFile}`, "--client-cert-auth"];
}
