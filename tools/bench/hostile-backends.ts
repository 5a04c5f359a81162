/** Requests that registered servers and the webhook of images answer in hostile ways. */
import { gzipSync } from "node:zlib";
import { type Answers, document, endless, type HostilePeer, type PeerAnswer } from "./hostile-peer.ts";
import type { Before, HostileRequest } from "./hostile-request.ts";

const json = "application/json", group = "hostile.example.com", version = "v1";
/** Bytes of an answer that is passed on whole. */
const passedBytes = 4 * 1024 * 1024;
/** Time in which the documents of a new server are read. */
const documentSeconds = 4;

const service: Before = {
  path: "/api/v1/namespaces/default/services",
  body: () => JSON.stringify({ metadata: { name: "hostile" }, spec: { type: "ExternalName", externalName: "localhost" } }),
};
const registration: Before = {
  path: "/apis/apiregistration.k8s.io/v1/apiservices",
  body: (_share, peer) => {
    const reference = { namespace: "default", name: "hostile", port: Number(new URL(peer?.url ?? "").port) };
    const priorities = { groupPriorityMinimum: 100, versionPriority: 10 };
    return JSON.stringify({
      metadata: { name: `${version}.${group}` },
      spec: { group, version, ...priorities, service: reference, caBundle: peer?.caBundle },
    });
  },
};

/** What a harmless server answers to the questions of the server in front of it. */
function described(path: string): PeerAnswer | undefined {
  if (path === `/apis/${group}/${version}`) {
    return document({ kind: "APIResourceList", apiVersion: "v1", groupVersion: `${group}/${version}`, resources: [] });
  }
  return path === "/apis" || path.startsWith("/openapi") ? { first: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" } : undefined;
}

const ready = `/apis/${group}/${version}/ready`;

/** A read of an object of the server. */
function passed(name: string, answer: PeerAnswer): HostileRequest {
  return {
    ...{ name: `registered server, ${name}`, method: "GET", path: `/apis/${group}/${version}/things/a`, type: json, body: () => "" },
    before: [service, registration],
    readyPath: ready,
    peer: (_review, path) => path === ready ? document({}) : described(path) ?? answer,
  };
}
/** The documents of a server that has just been registered. */
function documents(name: string, answer: PeerAnswer | ((path: string) => PeerAnswer)): HostileRequest {
  const answers: Answers = (_review, path) =>
    path === `/apis/${group}/${version}` ? described(path)! : typeof answer === "function" ? answer(path) : answer;
  return {
    ...{ name: `documents of a registered server, ${name}`, method: "GET", path: "/apis", type: json, body: () => "" },
    before: [service, registration],
    settleSeconds: documentSeconds,
    peer: answers,
  };
}

const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
/** A page of repeated text, of a length that is passed on. */
function pageOf(text: string, first = ""): PeerAnswer {
  const piece = text.repeat(Math.ceil(65_536 / text.length));
  return { first: `${page}Connection: close\r\n\r\n${first}`, endless: piece, times: Math.floor(passedBytes / piece.length) };
}
function compressedPage(text: string, bytes: number): PeerAnswer {
  const body = gzipSync(text.repeat(bytes / text.length));
  return { first: Buffer.concat([Buffer.from(`${page}Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`), body]) };
}
const finite = ({ first, endless = "" }: PeerAnswer): PeerAnswer => ({ first, endless, times: Math.floor(passedBytes / endless.length) });
const hugeHead: PeerAnswer = { first: "HTTP/1.1 200 OK\r\n", endless: `X-${"a".repeat(60)}: ${"b".repeat(900)}\r\n`.repeat(60) };
const nested = (bytes: number): PeerAnswer => {
  const half = bytes >> 1, body = "[".repeat(half) + "]".repeat(half);
  return { first: `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}` };
};
const many = <T>(count: number, item: (index: number) => T): readonly T[] => Array.from({ length: count }, (_, index) => item(index));

/** Discovery with many resources. */
const resources = (path: string): PeerAnswer => {
  if (path !== "/apis") return { first: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" };
  const responseKind = { group, version, kind: "Thing" };
  const list = many(
    50_000,
    (index) => ({ resource: `things${index}`, responseKind, scope: "Cluster", singularResource: "", verbs: ["get"] }),
  );
  return document({
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    items: [{ metadata: { name: group }, versions: [{ version, resources: list, freshness: "Current" }] }],
  }, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
};
/** The merged OpenAPI document, after that of a registered server was read. */
function merged(name: string, answer: (path: string) => PeerAnswer): HostileRequest {
  return { ...documents(name, answer), name: `merged OpenAPI with a registered server, ${name}`, path: "/openapi/v2" };
}

/** An OpenAPI document of version 2 with many schemas that refer to each other. */
const schemas = (count: number) => (path: string): PeerAnswer => {
  if (path !== "/openapi/v2") return { first: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" };
  const reference = (index: number) => ({ $ref: `#/definitions/a.S${index % count}` });
  const definitions = Object.fromEntries(
    many(count, (index) => [`a.S${index}`, { type: "object", properties: { a: reference(index + 1), b: reference(index + 7) } }]),
  );
  const operation = (index: number) => ({ get: { responses: { 200: { description: "", schema: reference(index) } } } });
  const paths = Object.fromEntries(many(5_000, (index) => [`/apis/${group}/${version}/things${index}`, operation(index)]));
  return document({ swagger: "2.0", info: { title: "a", version: "1" }, paths, definitions });
};

/** An OpenAPI document of version 2 with a long list, which is used. */
const numbers = (path: string): PeerAnswer => {
  if (path !== "/openapi/v2") return { first: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" };
  const paths = { [`/apis/${group}/${version}/things`]: { "x-numbers": Array(8_000_000).fill(0) } };
  return document({ swagger: "2.0", info: { title: "a", version: "1" }, paths });
};

/** The webhook of images. */
function images(name: string, peer: Answers): HostileRequest {
  const pod = { metadata: { generateName: "x" }, spec: { containers: [{ name: "c", image: "a" }] } };
  return {
    ...{
      name: `image webhook, ${name}`,
      method: "POST",
      path: "/api/v1/namespaces/default/pods",
      type: json,
      peer,
      body: () => JSON.stringify(pod),
    },
    flags: [
      "--enable-admission-plugins=ImagePolicyWebhook",
      "--disable-admission-plugins=ServiceAccount",
      "--admission-control-config-file=FOLDER/admission.json",
    ],
    files: (folder, peer) => ({ "kubeconfig": kubeconfigOf(peer), "admission.json": admissionOf(`${folder}/kubeconfig`) }),
  };
}
function kubeconfigOf(peer: HostilePeer | undefined): string {
  const cluster = { server: peer?.url, "certificate-authority-data": peer?.caBundle };
  return JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "c", users: [{ name: "c", user: {} }] },
    clusters: [{ name: "c", cluster }],
    contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
  });
}
function admissionOf(kubeConfigFile: string): string {
  const configuration = { imagePolicy: { kubeConfigFile, retryBackoff: 1, denyTTL: -1, allowTTL: -1, defaultAllow: false } };
  const plugins = [{ name: "ImagePolicyWebhook", configuration }];
  return JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration", plugins });
}
const review = (status: object): PeerAnswer => document({ kind: "ImageReview", apiVersion: "imagepolicy.k8s.io/v1alpha1", status });

export const backendRequests: readonly HostileRequest[] = Object.freeze([
  passed("endless informational answers", endless.informational),
  passed("headers without end", hugeHead),
  passed("chunks of three bytes", finite(endless.chunks)),
  passed("chunk extensions without end", {
    first: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    endless: `1;a=${"b".repeat(50)}\r\na\r\n`.repeat(1_000),
  }),
  passed("a page of links", pageOf("<a href=/>")),
  passed("a page of entities", pageOf(`<p a="${"&amp;&x;&#1;".repeat(5_000)}">`)),
  passed("a page of one tag", pageOf(" a=/", "<a ")),
  passed("a page of attributes", pageOf(`<a${" a".repeat(4_000)}>`)),
  passed("a page that was compressed a thousandfold", compressedPage("<a href=/>", 8 * 1024 * 1024)),
  documents("endless informational answers", endless.informational),
  documents("a body without end", endless.body),
  documents("chunks of three bytes", endless.chunks),
  documents("a byte every 20 ms", endless.drip),
  documents("headers without end", hugeHead),
  documents("nested lists", nested(15 * 1024 * 1024)),
  documents("50,000 resources", resources),
  documents("20,000 schemas in OpenAPI", schemas(20_000)),
  merged("100,000 schemas", schemas(100_000)),
  merged("8 M numbers", numbers),
  images("endless informational answers", () => endless.informational),
  images("a body without end", () => endless.body),
  images("a byte every 20 ms", () => endless.drip),
  images("nested lists", () => nested(15 * 1024 * 1024)),
  images(
    "100,000 annotations",
    () => review({ allowed: true, auditAnnotations: Object.fromEntries(many(100_000, (index) => [`a${index}`, "b"])) }),
  ),
  images("a reason of 3 MB", () => review({ allowed: false, reason: "&".repeat(3_000_000) })),
]);
