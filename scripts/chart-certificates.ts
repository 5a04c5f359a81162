/**
 * The chart's hooks. They run in the cluster with the permissions of their service account.
 *
 * - `make JSON` keeps a CA and the certificates it signs in Secrets. It creates missing ones and renews those that expire soon, are
 *   signed by another CA or lack a name. Other Secrets stay unchanged.
 * - `register JSON` writes the CA of the serving certificate into `caBundle` of APIServices.
 *
 * Optional flags `--server=URL --ca-file=FILE --token-file=FILE` name the API server. Default: the pod's in-cluster configuration.
 */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import process from "node:process";
import {
  certificateFacts,
  type CertificateWish,
  issueCertificate,
  type KeyedCertificate,
  pemCertificates,
} from "../protocols/x509/certificate.ts";

/** A certificate as `thole.certificates` in the chart describes it. */
interface CertificateSpec {
  readonly secret: string;
  readonly commonName: string;
  readonly usage: "server" | "client" | "both";
  readonly names: readonly string[];
}
interface MakeOptions {
  readonly namespace: string;
  readonly authority: string;
  readonly validityDays: number;
  readonly renewBeforeDays: number;
  readonly certificates: readonly CertificateSpec[];
}
interface RegisterOptions {
  readonly namespace: string;
  readonly secret: string;
  readonly apiServices: readonly string[];
}
interface Secret {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

const dayMs = 86_400_000;
const authorityDays = 3650;
/** Tolerance for clients whose clock is behind. */
const backdateMs = 3_600_000;
const responseMs = 10_000;
const attemptsMax = 5;
const mergePatch = "application/merge-patch+json";

type Send = (
  method: string,
  path: string,
  body?: object,
  contentType?: string,
) => Promise<{ readonly status: number; readonly text: string }>;

function apiClient(args: readonly string[]): Send {
  const flag = (name: string, fallback: string) => args.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;
  const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  const server = flag("server", "https://kubernetes.default.svc");
  const ca = readFileSync(flag("ca-file", `${folder}/ca.crt`), "utf8");
  const token = readFileSync(flag("token-file", `${folder}/token`), "utf8").trim();
  return (method, path, body, contentType = "application/json") =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, accept: "application/json", "content-type": contentType };
      const sent = request(new URL(path, server), { method, ca, agent: false, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part) => text += part);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      });
      sent.on("error", reject);
      sent.setTimeout(responseMs, () => sent.destroy(new Error(`no response to ${method} ${path} within ${responseMs} ms`)));
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

/** Returns the certificate of a Secret if `isValid`, else issues a new one and writes it into the Secret. */
async function ensureCertificate(
  send: Send,
  { namespace }: MakeOptions,
  name: string,
  isValid: (pair: KeyedCertificate) => boolean,
  issue: () => KeyedCertificate,
  ca?: string,
): Promise<KeyedCertificate> {
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const found = await send("GET", `${path}/${name}`);
    if (found.status !== 200 && found.status !== 404) throw requestError("read the Secret", name, found);
    // `as`: the API's response to a GET of a Secret.
    const secret = found.status === 200 ? JSON.parse(found.text) as Secret : undefined;
    const pair = secret === undefined ? undefined : pairOf(secret);
    if (pair !== undefined && isValid(pair) && (ca === undefined || text(secret?.data?.["ca.crt"]) === ca)) {
      console.log(`secret/${name} unchanged`);
      return pair;
    }
    const issued = issue();
    const data = { "tls.crt": btoa(issued.cert), "tls.key": btoa(issued.key), ...(ca === undefined ? {} : { "ca.crt": btoa(ca) }) };
    const metadata = { name, labels: { "app.kubernetes.io/part-of": "thole" } };
    const written = secret === undefined
      ? await send("POST", path, { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata, data })
      : await send("PATCH", `${path}/${name}`, { metadata: { resourceVersion: secret.metadata.resourceVersion }, data }, mergePatch);
    if (written.status < 300) {
      console.log(`secret/${name} ${secret === undefined ? "created" : "renewed"}`);
      return issued;
    }
    // A concurrent write won: check its certificate.
    if (written.status !== 409) throw requestError("write the Secret", name, written);
  }
  throw new Error(`cannot write the Secret "${name}": conflict in ${attemptsMax} attempts`);
}

function text(base64: string | undefined): string {
  return base64 === undefined ? "" : atob(base64);
}
function pairOf({ data }: Secret): KeyedCertificate | undefined {
  const [cert, key] = [text(data?.["tls.crt"]), text(data?.["tls.key"])];
  return cert === "" || key === "" ? undefined : { cert, key };
}
function requestError(what: string, name: string, { status, text: body }: { readonly status: number; readonly text: string }): Error {
  return new Error(`cannot ${what} "${name}": the API returned ${status} ${body.slice(0, 500)}`);
}

/** Whether the certificate is signed by `ca` (or is a CA if that is absent), has all names, and is valid for more than `remainingMs`. */
function isCurrent(pair: KeyedCertificate, ca: KeyedCertificate | undefined, names: readonly string[], remainingMs: number): boolean {
  try {
    const facts = certificateFacts(pemCertificates(pair.cert)[0] ?? new Uint8Array());
    const signed = ca === undefined ? facts.mayIssue : new X509Certificate(pair.cert).verify(new X509Certificate(ca.cert).publicKey);
    return signed && names.every((name) => facts.names.includes(name)) && facts.notAfter - Date.now() > remainingMs;
  } catch {
    return false; // a certificate that does not parse is replaced
  }
}

async function make(send: Send, options: MakeOptions): Promise<void> {
  const now = Date.now();
  const remainingMs = options.renewBeforeDays * dayMs;
  const validity = (days: number) => ({ notBefore: now - backdateMs, notAfter: now + days * dayMs });
  const caName = `${options.authority}-${Math.floor(now / 1000)}`;
  const ca = await ensureCertificate(
    send,
    options,
    options.authority,
    (pair) => isCurrent(pair, undefined, [], remainingMs),
    () => issueCertificate({ usage: "ca", commonName: caName, pathLength: 0, ...validity(authorityDays) }),
  );
  for (const { secret, commonName, usage, names } of options.certificates) {
    const request: CertificateWish = {
      commonName,
      names,
      usage: usage === "both" ? "unspecified" : usage,
      ...validity(options.validityDays),
    };
    const isValid = (pair: KeyedCertificate) => isCurrent(pair, ca, names, remainingMs);
    await ensureCertificate(send, options, secret, isValid, () => issueCertificate(request, ca), ca.cert);
  }
}

async function register(send: Send, { namespace, secret, apiServices }: RegisterOptions): Promise<void> {
  const found = await send("GET", `/api/v1/namespaces/${namespace}/secrets/${secret}`);
  if (found.status !== 200) throw requestError("read the Secret", secret, found);
  const caBundle = (JSON.parse(found.text) as Secret).data?.["ca.crt"]; // `as`: the API's response
  for (const name of apiServices) {
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/${name}`;
    const written = await send("PATCH", path, { spec: { caBundle } }, mergePatch);
    if (written.status !== 200) throw requestError("register", name, written);
    console.log(`apiservice/${name} caBundle set`);
  }
}

async function main(): Promise<void> {
  const [command, what = "", ...rest] = process.argv.slice(2);
  // `as`: the chart's templates write the argument; the test of the rendered Job covers its shape.
  if (command === "make") await make(apiClient(rest), JSON.parse(what) as MakeOptions);
  else if (command === "register") await register(apiClient(rest), JSON.parse(what) as RegisterOptions);
  else throw new Error("usage: chart-certificates.ts make|register JSON [--server=URL --ca-file=FILE --token-file=FILE]");
}

main().catch((error: unknown) => {
  console.error(`chart-certificates: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
