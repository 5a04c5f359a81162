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
  /** Flags of the server. */
  readonly flags?: readonly string[];
  /** What a remote server answers that the request needs. */
  readonly peer?: Answers;
}
export interface Before {
  readonly path: string;
  /** `peer`: the remote server, if the request needs one. */
  readonly body: (share: number, peer?: HostilePeer) => string;
}
