/** Warnings for certificates in use that have expired, expire soon or are not yet valid, and metrics of their expiry. */
import { reasonOf } from "../../core/reason-of.ts";
import { guide } from "../../core/guide.ts";
import { type CertificateFacts, certificateFacts, pemCertificates } from "../../protocols/x509/certificate.ts";
import type { Log } from "../../kernel/observe/log.ts";
import type { KernelRecord } from "../metrics/metrics.ts";
import { valueText } from "../../core/value-text.ts";

/** Active certificates from one source. */
export interface InUse {
  /** For messages and the label `certificate`: `serving certificate`. */
  readonly what: string;
  /** The file, or undefined for a certificate in memory. */
  readonly path: string | undefined;
  /** PEM: one certificate with its chain, or a bundle of authorities. */
  readonly pem: string;
  /** Whether one valid certificate is enough: a CA bundle expires with its last certificate, a chain with its first. */
  readonly anyWillDo: boolean;
}

const dayMs = 86_400_000;
const soonMs = 30 * dayMs;

type State = "valid" | "soon" | "expired" | "early" | "unreadable";

interface Finding {
  readonly state: State;
  readonly text: string;
}

/**
 * The certificates of a PEM text, with an Error for each that cannot be parsed. TLS libraries accept some certificates that this parser
 * does not, and the CA file of etcd is not checked before.
 */
function certificatesOf(pem: string): readonly (CertificateFacts | Error)[] {
  try {
    return pemCertificates(pem).map((bytes) => orError(() => certificateFacts(bytes)));
  } catch (error) {
    return [asError(error)];
  }
}
function orError<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    return asError(error);
  }
}
function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The findings on each certificate at this time, each under its own key. */
function findings({ what, path }: InUse, certificates: readonly (CertificateFacts | Error)[], now: number): ReadonlyMap<string, Finding> {
  const where = path === undefined ? "" : ` in "${path}"`;
  return new Map(
    certificates.map((facts, index): readonly [string, Finding] => {
      if (facts instanceof Error) {
        const text = `the dates of the ${what}${where} (certificate ${index + 1}) cannot be read: ${reasonOf(facts)}`;
        return [`${what} ${index} ${text}`, { state: "unreadable", text }];
      }
      const { commonName, notBefore, notAfter } = facts;
      const name = `the ${what}${where} (certificate ${index + 1}, CN=${valueText(commonName)})`;
      const [begins, ends] = [notBefore, notAfter].map((ms) => new Date(ms).toISOString());
      const key = `${what} ${index} ${commonName} ${begins} ${ends}`;
      if (now > notAfter) return [key, { state: "expired", text: `${name} has expired: it ended at ${ends}` }];
      if (now < notBefore) return [key, { state: "early", text: `${name} is not valid yet: it begins at ${begins}; is the clock right?` }];
      return [key, { state: notAfter - now < soonMs ? "soon" : "valid", text: `${name} ends soon: at ${ends}` }];
    }),
  );
}

/** Logs each new finding, and repeats it once a day. `now` is in milliseconds since 1970. */
export function validityWatch(log: Pick<Log, "info" | "error">, record: Pick<KernelRecord, "certificateEnds" | "certificateBegins">): {
  readonly look: (used: readonly InUse[], now: number) => void;
} {
  let said = new Map<string, { readonly state: State; readonly at: number }>();
  return {
    look(used, now) {
      const next: typeof said = new Map();
      record.certificateEnds.reset();
      record.certificateBegins.reset();
      for (const each of used) {
        const certificates = certificatesOf(each.pem);
        for (const [key, { state, text }] of findings(each, certificates, now)) {
          const before = said.get(key);
          const isNew = state !== "valid" && (before?.state !== state || now - before.at >= dayMs);
          next.set(key, isNew || before === undefined ? { state, at: now } : { ...before, state });
          if (!isNew) continue;
          const todo = { todo: guide("certificates-that-are-not-valid") };
          if (state === "soon" || state === "unreadable") log.info(`Warning: ${text}`, todo);
          else log.error(text, todo);
        }
        const facts = certificates.flatMap((one) => one instanceof Error ? [] : [one]);
        if (facts.length === 0) continue;
        const ends = facts.map(({ notAfter }) => notAfter), begins = facts.map(({ notBefore }) => notBefore);
        const [last, first] = each.anyWillDo ? [Math.max, Math.min] : [Math.min, Math.max];
        record.certificateEnds.with({ certificate: each.what }).set(last(...ends) / 1000);
        record.certificateBegins.with({ certificate: each.what }).set(first(...begins) / 1000);
      }
      said = next;
    },
  };
}
