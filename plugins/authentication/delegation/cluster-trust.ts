/**
 * The trust that a cluster publishes for API servers behind its kube-apiserver: the ConfigMap
 * `kube-system/extension-apiserver-authentication` with the CA of client certificates, and CA, names and headers of the front proxy. Read
 * once at start, then followed by a watch. Source: `RequestHeaderAuthRequestController` and `ConfigMapCAController` of apiserver 1.35.
 */
import { type Clock, pause } from "../../../core/async.ts";
import { reasonOf } from "../../../core/reason-of.ts";
import type { FrontProxyOptions } from "../front-proxy.ts";
import { bound } from "../../../core/bound.ts";

/** Seconds of one watch of the cluster in front. */
const clusterWatchSeconds = bound(60);
/** Milliseconds after which a watch of the cluster in front counts as lost: its connection may be dead. */
export const clusterWatchMsMax = bound(75_000);
/** Milliseconds before a failed watch of the cluster in front is opened again. The pause doubles with each failure. */
const clusterRetryMs = bound(1_000);
/** Longest pause, in milliseconds, before a failed watch of the cluster in front is opened again. */
const clusterRetryMsMax = bound(60_000);

/** The used part of the cluster's API. */
export interface ClusterApi {
  /** The object at a path. Rejects with a `ClusterError` for an error response, and with the cause if there is no response. */
  get(path: string, signal: AbortSignal): Promise<unknown>;
  /** The events of a watch, until the server ends it. Rejects as `get`. */
  watch(path: string, signal: AbortSignal): AsyncIterable<unknown>;
}
/** An error response of the cluster. */
export class ClusterError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The published trust. PEM texts are "" if the ConfigMap has none. */
export interface ClusterTrust {
  readonly clientCa: string;
  readonly frontProxyCa: string;
  readonly frontProxy: FrontProxyOptions;
}

export interface ClusterTrustNeeds {
  readonly api: ClusterApi;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Receives a failure that is retried, once for consecutive equal reasons. */
  readonly failed: (reason: string) => void;
}

const namespace = "kube-system", name = "extension-apiserver-authentication";
const collection = `/api/v1/namespaces/${namespace}/configmaps`;
const hint = `Usually fixed by "kubectl create rolebinding -n ${namespace} ROLEBINDING_NAME ` +
  `--role=extension-apiserver-authentication-reader --serviceaccount=YOUR_NS:YOUR_SA".`;

/** Without published trust no certificate is trusted. */
export const noTrust: ClusterTrust = Object.freeze<ClusterTrust>({
  clientCa: "",
  frontProxyCa: "",
  frontProxy: Object.freeze<FrontProxyOptions>({
    "requestheader-allowed-names": [],
    "requestheader-username-headers": [],
    "requestheader-uid-headers": [],
    "requestheader-group-headers": [],
    "requestheader-extra-headers-prefix": [],
  }),
});

/** Reads the ConfigMap once. Without it nothing is trusted. Rejects with a sentence for the operator. */
export async function readClusterTrust(api: ClusterApi, signal: AbortSignal): Promise<ClusterTrust> {
  try {
    return trustOf(await api.get(`${collection}/${name}`, signal));
  } catch (error) {
    if (error instanceof ClusterError && error.status === 404) return noTrust;
    const forbidden = error instanceof ClusterError && error.status === 403;
    throw new Error(`cannot read ConfigMap ${namespace}/${name} of the cluster: ${reasonOf(error)}${forbidden ? `. ${hint}` : ""}`);
  }
}

/**
 * Lists and watches the ConfigMap until the signal aborts: `changed` is called with every state. A state that `changed` or the parser rejects
 * is reported, and the previous one stays active; so it does when the ConfigMap is deleted. A watch whose connection died without an end is
 * opened again after `clusterWatchMsMax`. Never rejects.
 */
export async function followClusterTrust(needs: ClusterTrustNeeds, changed: (trust: ClusterTrust) => void): Promise<void> {
  const { api, clock, random, signal, failed } = needs;
  let reported = "", failures = 0;
  const report = (error: unknown) => {
    const reason = reasonOf(error);
    if (reason !== reported && !signal.aborted) failed(reason);
    reported = reason;
  };
  const take = (object: unknown) => {
    try {
      changed(trustOf(object));
      reported = "";
    } catch (error) {
      report(error);
    }
  };
  while (!signal.aborted) {
    const lost = new AbortController();
    const inTime = clock.after(clusterWatchMsMax, () => lost.abort(new Error("the watch did not end in time")));
    try {
      const ends = AbortSignal.any([signal, lost.signal]), fieldSelector = `metadata.name=${name}`;
      const { version, items } = listOf(await api.get(`${collection}?${new URLSearchParams({ fieldSelector })}`, ends));
      for (const item of items) take(item);
      const timeoutSeconds = String(clusterWatchSeconds);
      const query = new URLSearchParams({ fieldSelector, watch: "1", resourceVersion: version, timeoutSeconds });
      for await (const event of api.watch(`${collection}?${query}`, ends)) {
        const { type, object } = event as { readonly type?: unknown; readonly object?: unknown };
        if (type === "ERROR") throw new Error(`the watch of ConfigMap ${namespace}/${name} failed: ${messageOf(object)}`);
        failures = 0;
        if (type === "ADDED" || type === "MODIFIED") take(object);
      }
      failures = 0;
    } catch (error) {
      report(error);
      failures++;
    } finally {
      inTime();
    }
    const backoff = Math.min(clusterRetryMsMax, clusterRetryMs * 2 ** Math.min(failures, 10));
    await pause(backoff * (0.5 + random()), signal, clock);
  }
}

/** A watch from this version misses nothing. Without a version it would wait until the cluster's cache is current, which an old etcd delays. */
function listOf(list: unknown): { readonly version: string; readonly items: readonly unknown[] } {
  const { metadata, items } = (list ?? {}) as {
    readonly metadata?: { readonly resourceVersion?: unknown } | null;
    readonly items?: unknown;
  };
  const version = metadata?.resourceVersion;
  if (typeof version !== "string" || version === "") throw new Error(`the list of ConfigMaps in ${namespace} has no version`);
  return { version, items: Array.isArray(items) ? items : [] };
}

function messageOf(status: unknown): string {
  const { message } = (status ?? {}) as { readonly message?: unknown };
  return typeof message === "string" ? message : "no message";
}

/** Throws for a value that differs from upstream's format. */
function trustOf(object: unknown): ClusterTrust {
  const data = dataOf(object);
  const text = (key: string) => data.get(key) ?? "";
  return {
    clientCa: text("client-ca-file"),
    frontProxyCa: text("requestheader-client-ca-file"),
    frontProxy: {
      "requestheader-allowed-names": namesOf(data, "requestheader-allowed-names"),
      "requestheader-username-headers": namesOf(data, "requestheader-username-headers"),
      "requestheader-uid-headers": namesOf(data, "requestheader-uid-headers"),
      "requestheader-group-headers": namesOf(data, "requestheader-group-headers"),
      "requestheader-extra-headers-prefix": namesOf(data, "requestheader-extra-headers-prefix"),
    },
  };
}

function dataOf(object: unknown): ReadonlyMap<string, string> {
  const { data = {} } = (object ?? {}) as { readonly data?: unknown };
  if (typeof data !== "object" || data === null) throw new Error(`data of ConfigMap ${namespace}/${name} is not a map`);
  return new Map(Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** A JSON list of strings; empty if the key is absent or empty. */
function namesOf(data: ReadonlyMap<string, string>, key: string): readonly string[] {
  const text = data.get(key) ?? "";
  if (text === "") return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) {
    throw new Error(`${key} of ConfigMap ${namespace}/${name} is not a JSON list of strings`);
  }
  return value;
}
