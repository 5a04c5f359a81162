/** Credentials of other servers. */
import { readFile } from "node:fs/promises";
import { bound } from "../../core/bound.ts";
import type { RemoteAccess } from "../remote/remote-access.ts";

/** Sets of credential files that are kept in memory. */
const peersKeptMax = bound(1024);
/** Milliseconds for which credentials are used before their files are read again. */
const peerCredentialsMs = bound(10_000);

/** Names of the files with credentials, as in `core/connect.ts`. */
export interface PeerFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly verify?: { readonly ca: string; readonly serverName: string };
  readonly keeps?: true;
}

/** Credentials of other servers, read from their files and kept for a while. */
export class Credentials {
  readonly #now: () => number;
  readonly #known = new Map<string, { readonly at: number; readonly texts: Promise<Omit<RemoteAccess, "server">> }>();

  constructor(now: () => number) {
    this.#now = now;
  }
  async of(server: URL, files: PeerFiles): Promise<RemoteAccess> {
    const { caFile = "", certFile = "", keyFile = "", verify } = files, key = [caFile, certFile, keyFile].join("\n");
    let known = this.#known.get(key);
    if (known === undefined || this.#now() - known.at > peerCredentialsMs) {
      if (this.#known.size >= peersKeptMax) this.#known.clear();
      known = { at: this.#now(), texts: readAll(caFile, certFile, keyFile) };
      this.#known.set(key, known);
      known.texts.catch(() => this.#known.delete(key));
    }
    const texts = await known.texts;
    if (verify === undefined) return { server, ...texts };
    const { insecure: _, ca: __, ...own } = texts, { ca, serverName } = verify;
    return { server, ...own, serverName, ...(ca === "" ? {} : { ca }) };
  }
}

async function readAll(caFile: string, certFile: string, keyFile: string): Promise<Omit<RemoteAccess, "server">> {
  const [ca, cert, key] = await Promise.all([caFile, certFile, keyFile].map((path) => path === "" ? "" : readFile(path, "utf8")));
  return {
    ...(ca === "" || ca === undefined ? { insecure: true } : { ca }),
    ...(cert === "" || cert === undefined ? {} : { cert }),
    ...(key === "" || key === undefined ? {} : { key }),
  };
}
