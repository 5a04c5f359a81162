/**
 * What the server offers to the parts of plugins that run in its process, such as authenticators: settings, files, other servers, keys. Files and
 * answers of servers are read with the server's bounds and time limits.
 */
import type { ServerClock } from "./async.ts";
import type { PlacedMistake } from "./config/mistake.ts";
import type { Gates } from "./controller.ts";
import type { MetricOf } from "../metrics/mod.ts";
import type { Names } from "./names.ts";
import type { SettingKey, SettingKind, SettingOf, SettingValues } from "./setting.ts";

export type { SettingKey, SettingKind, SettingOf, SettingValues };

/** Files of which content is used while the server runs. */
export interface FollowedFiles {
  /** For the log: "the token file was renewed" has `token file`. */
  readonly what: string;
  /** The files. */
  readonly paths: readonly string[];
  /**
   * Reads the files again and activates them as a whole. Called when a file may have changed, never twice at a time. Resolves with the fields for the log, or
   * undefined if nothing has changed. Rejects for invalid files, which is logged; what was active stays active.
   */
  readonly renew: () => Promise<Readonly<Record<string, unknown>> | undefined>;
}

/** Files that settings name. */
export interface PartFiles {
  /** The text of a file. Rejects with an error that begins with `cannot read the` and `what`. */
  readText(path: string, what: string): Promise<string>;
  /** Replaces a file whose content is a secret; only the user of the server can read it. */
  writePrivate(path: string, text: string): Promise<void>;
  /** The path of a file in the server's data folder; undefined if everything is in memory. */
  inDataFolder(name: string): string | undefined;
  /** Returns what a server in memory has in place of a file: `make` is called once for it and its forks. Absent in tests of parts. */
  inMemory?<T>(name: string, make: () => T): T;
}

/** A request to another server. */
export interface PartRequest {
  /** The method: POST with a body, GET without. */
  readonly method: "GET" | "POST";
  /** Path and query below the path of the server's URL; "" for the URL itself. */
  readonly path: string;
  /** The value to send as JSON. */
  readonly body?: unknown;
  /** The request and all of its attempts end when this signal aborts. */
  readonly signal: AbortSignal;
  /**
   * Whether a request is repeated if it has no answer, or an answer with 429 or 5xx. The pauses are those of kube-apiserver's webhooks.
   * Default: one attempt.
   */
  readonly retries?: true;
}
/** An answer of another server: the status, and the value of its JSON body; undefined if the body is not JSON. */
export interface PartAnswer {
  /** The status code. */
  readonly status: number;
  /** The value of the body. */
  readonly body: unknown;
}
/** A client of another server, whose connections end with the part. */
export interface PartClient {
  /** Sends a request. If there is no answer, rejects with an error that has the host and no secret, or with the reason of the signal. */
  send(request: PartRequest): Promise<PartAnswer>;
  /** Yields the JSON values of a streamed answer, one per line. An error answer rejects with an error that has its `status`. */
  stream(path: string, signal: AbortSignal): AsyncIterable<unknown>;
}

/** Makes connections to other servers. */
export interface PartRemotes {
  /**
   * Makes a client of the server in a kubeconfig file, or `in-cluster` for that of the pod. Its files are read again when they change.
   *
   * @param span the name of the spans of its requests in traces, and their attributes
   */
  connect(
    kubeconfig: string,
    span?: { readonly name: string; readonly attributes: Readonly<Record<string, string>> },
  ): PartClient;
  /** Rejects for a kubeconfig file that cannot be used. */
  checkKubeconfig(path: string): Promise<void>;
  /**
   * Reads a document over HTTPS. It follows redirects to https addresses only. Rejects if there is no answer in time, if the server's
   * certificate is not trusted, and if the document is too large.
   *
   * @param authorities PEM of the CAs that are trusted; "" for those of the system
   */
  fetchDocument(url: string, authorities: string): Promise<{ readonly status: number; readonly body: Uint8Array }>;
}

/** A key, encoded in DER. */
export interface PartKey {
  /** The public key as SubjectPublicKeyInfo. */
  readonly spki: Uint8Array<ArrayBuffer>;
  /** The private key as PKCS #8. Absent for a public key. */
  readonly pkcs8?: Uint8Array<ArrayBuffer>;
}

/** Functions of cryptography that Web Crypto lacks. */
export interface PartCrypto {
  /**
   * Returns a hash with a key of this part, for caches of secrets. Lists that differ in a text or in the boundaries of texts have different
   * hashes.
   */
  keyedHash(texts: readonly string[]): string;
  /** Returns the SHA-256 of a text, in hexadecimal. */
  sha256(text: string): string;
  /** Whether these bytes are an X.509 certificate. */
  isCertificate(der: Uint8Array): boolean;
  /** Throws for a text without PEM certificates of CAs that can verify others. */
  checkAuthorities(pem: string): void;
  /** Returns the keys of the PEM blocks of a text: private keys, public keys, and those of certificates. Other blocks are left out. */
  keysIn(pem: string): readonly PartKey[];
}

/** What a part can read before the server starts. */
export interface PartInspection {
  /** The names that replace `{domain}` and `{platform}`. */
  readonly names: Names;
  /** Reads settings. */
  readonly setting: SettingOf;
  /** Reads the files of settings. */
  readonly files: Pick<PartFiles, "readText">;
  /** Reads the kubeconfig files of settings. */
  readonly remotes: Pick<PartRemotes, "checkKubeconfig">;
  /** Hashes, certificates and keys. */
  readonly crypto: PartCrypto;
}

/** What a part gets. It is valid while the part runs. */
export interface PartContext extends PartInspection {
  /** Files that settings name, and those of the part itself. */
  readonly files: PartFiles;
  /** Clients of other servers. */
  readonly remotes: PartRemotes;
  /** The recorder of a metric that the plugin declares in `metrics`. Throws for any other. */
  readonly metric: MetricOf;
  /** The time of the server, and its timers. A test may advance it. */
  readonly clock: ServerClock;
  /** Returns whether a feature gate is on now. */
  readonly gate: Gates;
  /** Logs a sentence without secrets. */
  readonly logInfo: (sentence: string, fields?: Readonly<Record<string, unknown>>) => void;
  /** Logs an error: a sentence without secrets, and the error, or fields. */
  readonly logError: (sentence: string, error?: unknown) => void;
  /**
   * Logs an error that may occur with every request. Each sentence is logged once in a while, with the number of times that it was left
   * out.
   */
  readonly logFailure: (sentence: string, error: unknown) => void;
  /** Aborts when the server stops, or when the plugin is removed. */
  readonly signal: AbortSignal;
}

/** A setting that names files, and the check of these files. The check rejects for a file that cannot be used. */
export type CheckedSetting = readonly [setting: string, check: Promise<unknown>];

/** Finds what the settings of a part have wrong, before the server starts. */
export interface PartChecks {
  /** Reads the files of the settings without using them. */
  files?(inspection: PartInspection): readonly CheckedSetting[];
  /** Returns mistakes of values, such as settings that exclude each other. The start and a reload refuse them. */
  mistakes?(inspection: Pick<PartInspection, "names" | "setting">): readonly string[];
  /** Returns warnings about values. The start logs them and `thole check` prints them. After a reload, new ones are logged. */
  warnings?(inspection: Pick<PartInspection, "names" | "setting">): readonly string[];
  /** Returns what in the files is probably a mistake, for `thole check`. Rejects for a file that cannot be used. */
  fileWarnings?(inspection: PartInspection): Promise<readonly PlacedMistake[]>;
}

/** Returns the current values of several settings by name. `kinds` has the kind of each. */
export function settingsOf<Kinds extends Readonly<Record<string, SettingKind>>>(
  setting: SettingOf,
  kinds: Kinds,
): { readonly [Name in keyof Kinds]: SettingValues[Kinds[Name]] } {
  // `as`: there is an entry for each name, with the type of its kind. A loop cannot express this mapped type.
  return Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, setting({ name, kind })])) as {
    readonly [Name in keyof Kinds]: SettingValues[Kinds[Name]];
  };
}
