/** A running server as a source: its metric of deprecated requests, the objects that it stores, and the releases of Helm among them. */
import { isObject, type JsonObject } from "../../core/json.ts";
import { reasonOf } from "../../core/reason-of.ts";
import { readAccess } from "../../client/kubeconfig.ts";
import { messageOf, remoteClient, type TextClient } from "../../protocols/remote/remote-client.ts";
import type { Evidence, Source } from "../upgrade/advise/evidence.ts";
import { requestsInMetrics } from "../upgrade/advise/metrics-text.ts";
import { objectsOfRelease } from "./helm-release.ts";
import { bound } from "../../core/bound.ts";

/** Objects that `thole advise` reads from one server. */
const advisedObjectsMax = bound(200_000);
/** Requests that `thole advise` sends to one server, which can make endless ones by pages without objects. */
const advisedRequestsMax = bound(20_000);
/** Objects that `thole advise` asks a server for in one request. */
const advisedPageObjects = bound(500);
/** Bytes of one answer of a server to `thole advise`. */
const advisedAnswerBytesMax = bound(256 * 1024 * 1024);
/** Milliseconds for one request of `thole advise` to a server. */
const advisedRequestMs = bound(60_000);

/** Resources of which more than metadata is checked, as `plural.group`. */
const wholeGroups = Object.freeze(["rbac.authorization.", "admissionregistration.", "apiextensions.", "autoscaling"]);
/** Many, and gone within an hour. */
const passedOver = "events";
const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

/** Yields what the server of a kubeconfig has. Parts that may not be read are reported, and the others are read. */
export async function* liveSource(kubeconfig: string): Source {
  const client = limitTime(remoteClient(() => readAccess(kubeconfig)));
  try {
    yield* metricsOf(client);
    let objects = 0;
    for await (const listed of resourcesOf(client)) {
      if ("tag" in listed) {
        yield listed;
        continue;
      }
      for await (const evidence of objectsOf(client, listed)) {
        yield evidence;
        if (++objects < advisedObjectsMax) continue;
        yield { tag: "unread", place: { name: "the server" }, reason: `more than ${advisedObjectsMax} objects` };
        return;
      }
    }
    yield* releasesOf(client);
  } finally {
    client.close();
  }
}

/** Returns the client, with a bound on its requests. */
function limitTime(client: TextClient): TextClient {
  let left: number = advisedRequestsMax;
  return {
    send: (request) => client.send(request),
    stream: (path, signal) => client.stream(path, signal),
    begin: (request) => client.begin(request),
    close: () => client.close(),
    text: (request, bytesMax) =>
      left-- > 0 ? client.text(request, bytesMax) : Promise.reject(new Error(`more than ${advisedRequestsMax} requests`)),
  };
}

/** Resolves with the text of a path. Rejects with the message of the server for other answers than 200. */
async function textOf(client: TextClient, path: string, accept = "application/json"): Promise<string> {
  const signal = AbortSignal.timeout(advisedRequestMs);
  const { status, text } = await client.text({ method: "GET", path, headers: { accept }, signal }, advisedAnswerBytesMax);
  if (status !== 200) throw new Error(messageOf(parseObject(text)) ?? `status ${status}`);
  return text;
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const unread = (name: string, error: unknown): Evidence => ({ tag: "unread", place: { name }, reason: reasonOf(error) });

async function* metricsOf(client: TextClient): Source {
  try {
    yield* requestsInMetrics(await textOf(client, "/metrics", "text/plain"), { name: "the metrics of the server" });
  } catch (error) {
    yield unread("/metrics", error);
  }
}

/** A resource in the preferred version of its group. */
interface Listed {
  readonly path: string;
  readonly groupVersion: string;
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
}

async function* resourcesOf(client: TextClient): AsyncGenerator<Listed | Evidence> {
  let groups: readonly JsonObject[];
  try {
    groups = objectsIn(parseObject(await textOf(client, "/apis")).groups);
  } catch (error) {
    yield unread("/apis", error);
    return;
  }
  const versions = groups.map(({ name, preferredVersion }) => ({
    group: String(name),
    version: isObject(preferredVersion) ? String(preferredVersion.groupVersion) : "",
  }));
  for (const { group, version } of [{ group: "", version: "v1" }, ...versions]) {
    const path = group === "" ? "/api/v1" : `/apis/${version}`;
    try {
      for (const { name, kind, verbs } of objectsIn(parseObject(await textOf(client, path)).resources)) {
        if (String(name).includes("/") || name === passedOver || !Array.isArray(verbs) || !verbs.includes("list")) continue;
        yield { path: `${path}/${name}`, groupVersion: version, group, resource: String(name), kind: String(kind) };
      }
    } catch (error) {
      yield unread(path, error);
    }
  }
}

async function* objectsOf(client: TextClient, { path, groupVersion, group, resource, kind }: Listed): Source {
  const isWhole = wholeGroups.some((each) => group.startsWith(each));
  try {
    for await (const item of itemsOf(client, path, "", isWhole ? "application/json" : metadataOnly)) {
      // Items of a list have no version and kind; those of metadata have others.
      const object = { ...item, apiVersion: groupVersion, kind };
      yield { tag: "object", place: { name: `${resource}${group === "" ? "" : `.${group}`} of the server` }, object };
    }
  } catch (error) {
    yield unread(path, error);
  }
}

/** Yields the newest revision of each release, which Helm compares with the server. */
async function* releasesOf(client: TextClient): Source {
  const query = `&fieldSelector=${encodeURIComponent("type=helm.sh/release.v1")}&labelSelector=${
    encodeURIComponent("owner=helm,status=deployed")
  }`;
  try {
    for await (const secret of itemsOf(client, "/api/v1/secrets", query, "application/json")) yield* objectsOfRelease(secret);
  } catch (error) {
    yield unread("the releases of Helm", error);
  }
}

async function* itemsOf(client: TextClient, path: string, query: string, accept: string): AsyncGenerator<JsonObject> {
  for (let token = "";;) {
    const page = `limit=${advisedPageObjects}${token === "" ? "" : `&continue=${encodeURIComponent(token)}`}`;
    const { items, metadata } = parseObject(await textOf(client, `${path}?${page}${query}`, accept));
    yield* objectsIn(items);
    token = isObject(metadata) && typeof metadata.continue === "string" ? metadata.continue : "";
    if (token === "") return;
  }
}

const objectsIn = (value: unknown): readonly JsonObject[] => Array.isArray(value) ? value.filter(isObject) : [];
