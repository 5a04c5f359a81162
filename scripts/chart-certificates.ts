/**
 * What the hooks of the chart run inside of a cluster, with the rights of their service account.
 *
 * - `make WISHES` keeps an authority and the certificates that it signs in Secrets: makes what is missing, and makes anew what is about to
 *   expire, was signed by another authority or lacks a name. What is still good stays as it is.
 * - `register WHAT` writes the authority of the serving certificate into registrations (APIService).
 *
 * The last arguments may say where the API is: `--server=URL --ca-file=FILE --token-file=FILE`; the pod's own where they do not.
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
} from "../kernel/listen/x509/certificate.ts";

/** As `thole.certificates` in the chart tells them. */
interface Wish {
  readonly secret: string;
  readonly commonName: string;
  readonly usage: "server" | "client" | "both";
  readonly names: readonly string[];
}
interface Wishes {
  readonly namespace: string;
  readonly authority: string;
  readonly validityDays: number;
  readonly renewBeforeDays: number;
  readonly certificates: readonly Wish[];
}
interface Register {
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
/** Clocks of clients may be behind ours. */
const backdateMs = 3_600_000;
const answerMs = 10_000;
const triesMax = 5;
const mergePatch = "application/merge-patch+json";

type Ask = (
  method: string,
  path: string,
  body?: object,
  contentType?: string,
) => Promise<{ readonly status: number; readonly text: string }>;

function asker(args: readonly string[]): Ask {
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
      sent.setTimeout(answerMs, () => sent.destroy(new Error(`no answer to ${method} ${path} within ${answerMs} ms`)));
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
}

/** A certificate kept in a Secret; what `fresh` makes takes its place unless `good` says that it may stay. */
async function kept(
  ask: Ask,
  { namespace }: Wishes,
  name: string,
  good: (pair: KeyedCertificate) => boolean,
  fresh: () => KeyedCertificate,
  ca?: string,
): Promise<KeyedCertificate> {
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  for (let tries = 0; tries < triesMax; tries++) {
    const found = await ask("GET", `${path}/${name}`);
    if (found.status !== 200 && found.status !== 404) throw refused("read the Secret", name, found);
    // `as`: the API's own answer to a request for a Secret.
    const secret = found.status === 200 ? JSON.parse(found.text) as Secret : undefined;
    const pair = secret === undefined ? undefined : pairOf(secret);
    if (pair !== undefined && good(pair) && (ca === undefined || text(secret?.data?.["ca.crt"]) === ca)) {
      console.log(`secret/${name} unchanged`);
      return pair;
    }
    const made = fresh();
    const data = { "tls.crt": btoa(made.cert), "tls.key": btoa(made.key), ...(ca === undefined ? {} : { "ca.crt": btoa(ca) }) };
    const metadata = { name, labels: { "app.kubernetes.io/part-of": "thole" } };
    const wrote = secret === undefined
      ? await ask("POST", path, { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata, data })
      : await ask("PATCH", `${path}/${name}`, { metadata: { resourceVersion: secret.metadata.resourceVersion }, data }, mergePatch);
    if (wrote.status < 300) {
      console.log(`secret/${name} ${secret === undefined ? "created" : "renewed"}`);
      return made;
    }
    // Somebody else was quicker: their certificate is looked at again.
    if (wrote.status !== 409) throw refused("write the Secret", name, wrote);
  }
  throw new Error(`cannot write the Secret "${name}": it changed ${triesMax} times meanwhile`);
}

function text(base64: string | undefined): string {
  return base64 === undefined ? "" : atob(base64);
}
function pairOf({ data }: Secret): KeyedCertificate | undefined {
  const [cert, key] = [text(data?.["tls.crt"]), text(data?.["tls.key"])];
  return cert === "" || key === "" ? undefined : { cert, key };
}
function refused(what: string, name: string, { status, text: said }: { readonly status: number; readonly text: string }): Error {
  return new Error(`cannot ${what} "${name}": the API answered ${status} ${said.slice(0, 500)}`);
}

/** Signed by `ca`, for these names, and with more than `leastMs` to live. */
function stillGood(pair: KeyedCertificate, ca: KeyedCertificate | undefined, names: readonly string[], leastMs: number): boolean {
  try {
    const facts = certificateFacts(pemCertificates(pair.cert)[0] ?? new Uint8Array());
    const signed = ca === undefined ? facts.mayIssue : new X509Certificate(pair.cert).verify(new X509Certificate(ca.cert).publicKey);
    return signed && names.every((name) => facts.names.includes(name)) && facts.notAfter - Date.now() > leastMs;
  } catch {
    return false; // what does not parse is made anew
  }
}

async function make(ask: Ask, wishes: Wishes): Promise<void> {
  const now = Date.now();
  const leastMs = wishes.renewBeforeDays * dayMs;
  const life = (days: number) => ({ notBefore: now - backdateMs, notAfter: now + days * dayMs });
  const ca = await kept(
    ask,
    wishes,
    wishes.authority,
    (pair) => stillGood(pair, undefined, [], leastMs),
    () =>
      issueCertificate({ usage: "ca", commonName: `${wishes.authority}-${Math.floor(now / 1000)}`, pathLength: 0, ...life(authorityDays) }),
  );
  for (const { secret, commonName, usage, names } of wishes.certificates) {
    const wish: CertificateWish = {
      commonName,
      names,
      usage: usage === "both" ? "unspecified" : usage,
      ...life(wishes.validityDays),
    };
    await kept(ask, wishes, secret, (pair) => stillGood(pair, ca, names, leastMs), () => issueCertificate(wish, ca), ca.cert);
  }
}

async function register(ask: Ask, { namespace, secret, apiServices }: Register): Promise<void> {
  const found = await ask("GET", `/api/v1/namespaces/${namespace}/secrets/${secret}`);
  if (found.status !== 200) throw refused("read the Secret", secret, found);
  const caBundle = (JSON.parse(found.text) as Secret).data?.["ca.crt"]; // the API's own answer
  for (const name of apiServices) {
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/${name}`;
    const wrote = await ask("PATCH", path, { spec: { caBundle } }, mergePatch);
    if (wrote.status !== 200) throw refused("register", name, wrote);
    console.log(`apiservice/${name} knows the authority`);
  }
}

async function main(): Promise<void> {
  const [command, what = "", ...rest] = process.argv.slice(2);
  // `as`: the chart writes what it is given; a wrong shape fails the test of the rendered Job.
  if (command === "make") await make(asker(rest), JSON.parse(what) as Wishes);
  else if (command === "register") await register(asker(rest), JSON.parse(what) as Register);
  else throw new Error("usage: chart-certificates.ts make|register JSON [--server=URL --ca-file=FILE --token-file=FILE]");
}

main().catch((error: unknown) => {
  console.error(`chart-certificates: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
