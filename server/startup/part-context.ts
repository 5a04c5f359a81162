/** The server's side of `core/part.ts`: what it offers to the parts of plugins. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { join } from "node:path";
import { elapsedClock, type ServerClock } from "../../core/async.ts";
import type { Gates } from "../../core/controller.ts";
import type { Names } from "../../core/names.ts";
import type { PartContext, PartCrypto, PartFiles, PartInspection, PartKey, PartRemotes } from "../../core/part.ts";
import type { Plugin } from "../../core/plugin.ts";
import type { MetricOf } from "../../metrics/mod.ts";
import { describe, type Log, type LogFields } from "../../kernel/observe/log.ts";
import type { Tracing } from "../../kernel/observe/tracing.ts";
import { remoteClient } from "../../protocols/remote/remote-client.ts";
import { withRetries } from "../../protocols/remote/retry.ts";
import { parseCertificate } from "../../protocols/x509/parse-certificate.ts";
import { readAccess } from "../../client/kubeconfig.ts";
import { readText } from "../config/read-files.ts";
import type { ActiveConfig } from "../config/active-config.ts";
import { namesOf, settingOf } from "../config/plugin-settings.ts";
import type { Config } from "../config/settings.ts";
import { writePrivateFile } from "../listen/pki-files.ts";
import { peerVerifier } from "../listen/verify-peer.ts";
import { keyedHash } from "./keyed-hash.ts";
import { errorLog } from "./error-log.ts";
import { issuerFetch } from "./issuer-fetch.ts";
import { isInMemory } from "../config/in-memory.ts";
import { tracedClient } from "./traced-client.ts";

/** The dependencies of a part's context. */
export interface PartNeeds {
  readonly current: () => Pick<ActiveConfig, "config" | "plugins">;
  readonly names: () => Names;
  readonly gate: Gates;
  readonly clock: ServerClock;
  readonly metric: MetricOf;
  readonly log: Pick<Log, "info" | "error">;
  readonly tracing: Tracing | undefined;
}

/** The context of a part. `owner` begins the lines of errors: `authenticator signed-header`; "" for none. */
export function partContext(owner: string, needs: PartNeeds, signal: AbortSignal): PartContext {
  const { current, names, gate, clock, metric, log, tracing } = needs;
  const failed = errorLog(log);
  return {
    names: names(),
    setting: settingOf(current),
    files: filesOf(() => current().config),
    remotes: remotesOf(signal, tracing),
    crypto: cryptoOf(),
    clock,
    metric,
    gate,
    logInfo: (sentence, fields) => log.info(sentence, fields),
    logError: (sentence, error) => log.error(owner === "" ? sentence : `${owner}: ${sentence}`, fieldsOf(error)),
    logFailure: (sentence, error) => failed(owner === "" ? sentence : `${owner}: ${sentence}`, error),
    signal,
  };
}

function fieldsOf(error: unknown): LogFields {
  if (error === undefined) return {};
  // Fields are a plain object; anything else that was thrown is described.
  return typeof error === "object" && error !== null && Object.getPrototypeOf(error) === Object.prototype
    ? error as LogFields
    : describe(error);
}

/** For checks before the start. */
export function partInspection(config: Config, plugins: readonly Plugin[]): PartInspection {
  return {
    names: namesOf(config),
    setting: settingOf(() => ({ config, plugins })),
    files: { readText },
    remotes: { checkKubeconfig },
    crypto: cryptoOf(),
  };
}

/** What servers in memory have in place of files, by name. A fork has the settings of its parent. */
const memories = new WeakMap<Config, Map<string, unknown>>();

function inMemory<T>(config: Config, name: string, make: () => T): T {
  const known = memories.get(config) ?? new Map<string, unknown>();
  memories.set(config, known);
  if (!known.has(name)) known.set(name, make());
  return known.get(name) as T; // each name has one type
}

function filesOf(config: () => Config): PartFiles {
  return {
    readText,
    writePrivate: writePrivateFile,
    inMemory: (name, make) => inMemory(config(), name, make),
    inDataFolder: (name) => isInMemory(config()) ? undefined : join(config()["data-dir"], name),
  };
}

async function checkKubeconfig(path: string): Promise<void> {
  await readAccess(path);
}

function remotesOf(signal: AbortSignal, tracing: Tracing | undefined): PartRemotes {
  return {
    connect(kubeconfig, span) {
      const plain = remoteClient(() => readAccess(kubeconfig));
      signal.addEventListener("abort", () => plain.close(), { once: true });
      const client = span === undefined ? plain : tracedClient(plain, span.name, span.attributes, tracing);
      return {
        send({ retries, ...request }) {
          const send = () => client.send(request);
          return retries === undefined ? send() : withRetries(send, { clock: elapsedClock, random: Math.random, signal: request.signal });
        },
        stream: (path, signal) => client.stream(path, signal),
      };
    },
    checkKubeconfig,
    fetchDocument: (url, authorities) => issuerFetch(authorities)(url),
  };
}

function cryptoOf(): PartCrypto {
  return {
    keyedHash: keyedHash(),
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
    isCertificate(der) {
      try {
        parseCertificate(der);
        return true;
      } catch {
        return false; // Not a certificate.
      }
    },
    checkAuthorities: (pem) => void peerVerifier(pem),
    keysIn: (pem) => pemBlocks(pem).flatMap((block) => keyOf(block) ?? []),
  };
}

interface PemBlock {
  readonly label: string;
  readonly whole: string;
  readonly bytes: Uint8Array;
}

/** The PEM blocks of a text; text between them is ignored. */
function pemBlocks(text: string): readonly PemBlock[] {
  return text.split("-----BEGIN ").slice(1).flatMap((part) => {
    const start = part.indexOf("-----"), label = part.slice(0, start), end = part.indexOf(`-----END ${label}-----`);
    if (start <= 0 || end < 0) return [];
    const body = part.slice(start + 5, end);
    return [{
      label,
      whole: `-----BEGIN ${label}-----${body}-----END ${label}-----\n`,
      bytes: new Uint8Array(Buffer.from(body, "base64")),
    }];
  });
}

/** The key of a block; undefined for a block without one: other blocks may have one. */
function keyOf({ label, whole, bytes }: PemBlock): PartKey | undefined {
  try {
    if (["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"].includes(label)) {
      const key = createPrivateKey(whole);
      // `as`: the runtimes take a private key, the types of Node do not have it.
      const publicKey = createPublicKey(key as unknown as Parameters<typeof createPublicKey>[0]);
      return { spki: derOf(publicKey, "spki"), pkcs8: derOf(key, "pkcs8") };
    }
  } catch {
    // A wrong label, as upstream tolerates.
  }
  try {
    const spki = label === "CERTIFICATE" ? parseCertificate(bytes).publicKeyInfo : bytes;
    return { spki: derOf(createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" }), "spki") };
  } catch {
    return undefined;
  }
}

function derOf(key: KeyObject, type: "spki" | "pkcs8"): Uint8Array<ArrayBuffer> {
  return new Uint8Array(key.export({ format: "der", type }));
}
