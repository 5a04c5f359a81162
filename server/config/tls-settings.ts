/** Versions and cipher suites of the listener, with the names of Go. */
import { valueText } from "../../core/value-text.ts";
import { nearest } from "../../core/nearest.ts";
import { append } from "../../core/append.ts";
import { namedPairs } from "./named-certificates.ts";
import { fixed, list, text } from "./setting.ts";

/** The settings of this file. */
export interface TlsConfig {
  readonly "tls-min-version": string;
  readonly "tls-cipher-suites": readonly string[];
  readonly "tls-sni-cert-key": readonly string[];
}

const isOpened = "the listener is opened at the start";

export const tlsSettings = Object.freeze({
  "tls-min-version": fixed(
    isOpened,
    text("", "Oldest version of TLS that clients may use: VersionTLS12, which is the default, or VersionTLS13."),
  ),
  "tls-cipher-suites": fixed(
    isOpened,
    list(
      "Cipher suites for TLS 1.2, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256; empty: those of the runtime. Deno's cannot be chosen: there it has no effect.",
    ),
  ),
  "tls-sni-cert-key": fixed(
    "its files are followed",
    list(
      "Certificate and key for the names in the certificate, or for further ones: cert,key or cert,key:name,*.name. Can be repeated. Paths need a slash. " +
        "Clients that ask for another name get the serving certificate.",
    ),
  ),
});

const versions: ReadonlyMap<string, "TLSv1.2" | "TLSv1.3"> = new Map([["VersionTLS12", "TLSv1.2"], ["VersionTLS13", "TLSv1.3"]]);

/** By the names of Go, the names of OpenSSL. Of TLS 1.3 no suite can be left out, as in Go. */
const suites: ReadonlyMap<string, string> = new Map([
  ...["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"].map((name) => [name, name] as const),
  ...["ECDSA", "RSA"].flatMap((key) => ([
    [`TLS_ECDHE_${key}_WITH_AES_128_GCM_SHA256`, `ECDHE-${key}-AES128-GCM-SHA256`],
    [`TLS_ECDHE_${key}_WITH_AES_256_GCM_SHA384`, `ECDHE-${key}-AES256-GCM-SHA384`],
    [`TLS_ECDHE_${key}_WITH_CHACHA20_POLY1305_SHA256`, `ECDHE-${key}-CHACHA20-POLY1305`],
    [`TLS_ECDHE_${key}_WITH_CHACHA20_POLY1305`, `ECDHE-${key}-CHACHA20-POLY1305`],
    [`TLS_ECDHE_${key}_WITH_AES_128_CBC_SHA256`, `ECDHE-${key}-AES128-SHA256`],
    [`TLS_ECDHE_${key}_WITH_AES_128_CBC_SHA`, `ECDHE-${key}-AES128-SHA`],
    [`TLS_ECDHE_${key}_WITH_AES_256_CBC_SHA`, `ECDHE-${key}-AES256-SHA`],
  ] as const)),
  ["TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"],
  ["TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384"],
  ["TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256"],
  ["TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"],
  ["TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA"],
]);
const ofTls13 = [...suites.values()].filter((name) => name.startsWith("TLS_"));

export function tlsMistakes(config: TlsConfig): readonly string[] {
  const version = config["tls-min-version"], mistakes: string[] = [];
  if (version !== "" && !versions.has(version)) {
    mistakes.push(
      `flag "--tls-min-version": ${valueText(version)} must be ${[...versions.keys()].join(" or ")}: older ones are not offered`,
    );
  }
  append(mistakes, namedPairs(config["tls-sni-cert-key"]).mistakes);
  for (const name of config["tls-cipher-suites"]) {
    if (suites.has(name)) continue;
    const near = nearest(name, [...suites.keys()]);
    mistakes.push(
      `flag "--tls-cipher-suites": there is no cipher suite ${valueText(name)}${
        near === undefined ? "" : `: did you mean ${valueText(near)}?`
      }`,
    );
  }
  return mistakes;
}

/** What a listener may agree on with its clients. */
export interface TlsBounds {
  readonly minVersion: "TLSv1.2" | "TLSv1.3";
  /** Suites with the names of OpenSSL, separated by colons; undefined for those of the runtime. */
  readonly ciphers: string | undefined;
}

export function tlsBounds(config: TlsConfig): TlsBounds {
  const chosen = config["tls-cipher-suites"].flatMap((name) => suites.get(name) ?? []);
  return {
    minVersion: versions.get(config["tls-min-version"]) ?? "TLSv1.2",
    ciphers: chosen.length === 0 ? undefined : [...new Set([...ofTls13, ...chosen])].join(":"),
  };
}

/** What the runtime cannot do of these settings, for the log at the start. */
export function tlsWarnings(config: TlsConfig, runtime: "deno" | "node"): readonly string[] {
  return runtime === "node" || config["tls-cipher-suites"].length === 0 ? [] : [
    "--tls-cipher-suites has no effect on Deno, whose cipher suites cannot be chosen: it offers those with forward secrecy and authenticated encryption only",
  ];
}
