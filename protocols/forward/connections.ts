/** How many connections to other servers there are, and those that are kept. */
import type { Agent } from "node:http";
import { bound } from "../../core/bound.ts";
import { valueText } from "../../core/value-text.ts";
import type { RemoteAccess } from "../remote/remote-access.ts";
import { agentOf } from "../remote/remote-agent.ts";

/** Milliseconds for which a connection without requests is kept. Servers close such connections later, usually after 90 seconds. */
const peerIdleMs = bound(30_000);
/** Servers, each with its credentials, to which connections are kept. */
export const peersConnectedMax = bound(256);
/** Connections without requests that are kept to one server (client-go's value). */
const peerIdleConnectionsMax = bound(25);
/** Connections with requests to one host and port, such as a kubelet, a pod or a registered server. Further requests are refused. */
export const peerConnectionsMax = bound(2048);

/** Bounds that tests make smaller. */
export interface PeerBounds {
  readonly connectionsMax?: number;
  readonly idleMs?: number;
  readonly handshakeMs?: number;
}

/** Counts the connections with requests, by host and port. */
export class BusyConnections {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor(most: number = peerConnectionsMax) {
    this.#most = most;
  }
  /** Takes the place of one connection until the returned function is called, or `signal` aborts. Undefined if all places are taken. */
  take(host: string, signal: AbortSignal): (() => void) | undefined {
    const count = this.#counts.get(host) ?? 0;
    if (count >= this.#most) return undefined;
    this.#counts.set(host, count + 1);
    const release = (): void => {
      signal.removeEventListener("abort", over);
      const left = this.#counts.get(host)! - 1; // it is counted until now
      if (left === 0) this.#counts.delete(host);
      else this.#counts.set(host, left);
    };
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      release();
    };
    signal.addEventListener("abort", over, { once: true });
    return over;
  }
  /** The message for a request that has no place. */
  refusal(host: string): string {
    return `too many connections to ${host}: the limit is ${this.#most}`;
  }
}

/** The connections to servers, by address and credentials. */
export class KeptAgents {
  readonly #agents = new Map<string, Agent>();
  /** The last access to each origin, and its key: texts of certificates are long. */
  readonly #keys = new Map<string, { readonly access: RemoteAccess; readonly key: string }>();
  readonly #bounds: PeerBounds;

  constructor(bounds: PeerBounds = {}) {
    this.#bounds = bounds;
  }
  of(access: RemoteAccess): Agent {
    const key = this.#keyOf(access);
    const known = this.#agents.get(key) ?? this.#made(access);
    this.#agents.delete(key);
    this.#agents.set(key, known); // the one that was used last
    if (this.#agents.size > peersConnectedMax) {
      const [oldest, agent] = this.#agents.entries().next().value!; // there is one
      this.#agents.delete(oldest);
      closeIdle(agent);
    }
    return known;
  }
  #keyOf(access: RemoteAccess): string {
    const { origin } = access.server, last = this.#keys.get(origin);
    if (last !== undefined && isSame(last.access, access)) return last.key;
    if (this.#keys.size >= peersConnectedMax) this.#keys.clear();
    const key = valueText({ ...access, server: origin });
    this.#keys.set(origin, { access, key });
    return key;
  }
  #made(access: RemoteAccess): Agent {
    const { idleMs = peerIdleMs, handshakeMs } = this.#bounds;
    const agent = agentOf(access, { connectionsMax: Infinity, idleMs, ...(handshakeMs === undefined ? {} : { handshakeMs }) });
    agent.maxFreeSockets = peerIdleConnectionsMax;
    return agent;
  }
}

/** Whether two accesses to one origin have the same credentials. */
function isSame({ server: _, ...one }: RemoteAccess, { server: __, ...other }: RemoteAccess): boolean {
  const names = Object.keys(one) as (keyof typeof one)[];
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** Closes the connections that have no request; the others end with theirs. */
function closeIdle(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}
