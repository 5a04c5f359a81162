/** A request that costs a server much more than its bytes suggest. */
import type { Answers, HostilePeer } from "./hostile-peer.ts";

export interface HostileRequest {
  readonly name: string;
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE" | "GET";
  /** `#` is replaced by a number that differs in each request. */
  readonly path: string;
  readonly type: string;
  /** Made when it is needed: all of them together are large. `share` scales its size in a smoke run. */
  readonly body: (share: number) => Uint8Array | string;
  /** The bearer token, where it is not the administrator's. */
  readonly token?: (share: number) => string;
  /** Objects that must exist before; sent once by POST to their paths. */
  readonly before?: readonly Before[];
  /** A path that has the status 200 when the server can answer the request. Default: it always can. */
  readonly readyPath?: string;
  /** Seconds that are measured after the request. The objects that must exist before it are created in the measured time then. */
  readonly settleSeconds?: number;
  /** Headers beside those of each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds that are measured after the head of the answer, which begins a session. Default: until its end. */
  readonly sessionSeconds?: number;
  /** Files in the folder of the server. */
  readonly files?: (folder: string, peer?: HostilePeer) => Readonly<Record<string, string>>;
  /** Flags of the server; FOLDER is the folder with its files. */
  readonly flags?: readonly string[];
  /** What a remote server answers that the request needs. */
  readonly peer?: Answers;
  /** Opens another remote server than one of HTTPS, which may use the folder of the server. */
  readonly listen?: (folder: string) => Promise<HostilePeer>;
}
export interface Before {
  readonly path: string;
  /** `peer`: the remote server, if the request needs one. */
  readonly body: (share: number, peer?: HostilePeer) => string;
}
