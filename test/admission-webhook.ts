/** An admission webhook over HTTPS on loopback, well behaved or not, and what tests do with it. */
import { once } from "node:events";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { defaultNames } from "../core/names.ts";
import { openPki } from "../server/listen/pki.ts";
import type { TestServer } from "../testing.ts";
import { receivedBody } from "./received-body.ts";
import { done, textOf } from "./requests.ts";

export interface ReceivedReview {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: any;
}
/** A response: the document of a review, or a text. */
export interface Sent {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface AdmissionWebhook {
  readonly url: string;
  readonly port: number;
  /** PEM of its authority in base64. */
  readonly caBundle: string;
  /** All received reviews. */
  readonly reviews: ReceivedReview[];
  /** The headers of each call. */
  readonly headers: IncomingHttpHeaders[];
  /** The query of each call, such as `?timeout=10s`. */
  readonly queries: string[];
  /** Number of connections so far. */
  connections(): number;
  /** The response to a review; undefined if this function has sent its own, or none. */
  answer: (review: ReceivedReview, response: ServerResponse, path: string) => Sent | undefined | Promise<Sent | undefined>;
  close(): Promise<void>;
}

/** A review that answers, with these members of its response beside the uid. */
export function answered({ apiVersion, request }: ReceivedReview, response: object = {}): Sent {
  return { body: { kind: "AdmissionReview", apiVersion, response: { uid: request.uid, allowed: true, ...response } } };
}
/** An answer with a JSON patch. */
export function patched(review: ReceivedReview, ...operations: readonly object[]): Sent {
  return answered(review, { patchType: "JSONPatch", patch: btoa(JSON.stringify(operations)) });
}

export async function openAdmissionWebhook(answer: AdmissionWebhook["answer"] = (review) => answered(review)): Promise<AdmissionWebhook> {
  const names = { ...defaultNames };
  const pki = await openPki({ directory: undefined, bindAddress: "127.0.0.1", names, now: Date.now(), replaced() {} });
  let connections = 0;
  const server = createServer({ cert: pki.serving.cert, key: pki.serving.key }, async (request, response) => {
    const text = await receivedBody(request);
    if (text === undefined) return;
    if (text === "") return void response.writeHead(405).end();
    const review = JSON.parse(text) as ReceivedReview; // sent by our own server
    webhook.reviews.push(review);
    webhook.headers.push(request.headers);
    const { search, pathname } = new URL(request.url ?? "", "https://webhook");
    webhook.queries.push(search);
    const sent = await webhook.answer(review, response, pathname);
    if (sent === undefined) return;
    const { status = 200, headers = {}, body } = sent;
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(
      typeof body === "string" ? body : JSON.stringify(body),
    );
  });
  server.on("connection", () => connections++);
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server
  const webhook: AdmissionWebhook = {
    url: `https://127.0.0.1:${port}/hook`,
    port,
    caBundle: btoa(pki.ca.cert),
    reviews: [],
    headers: [],
    queries: [],
    connections: () => connections,
    answer,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return webhook;
}

export const configMapRule = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] };

export type WebhookKind = "validating" | "mutating";
const base = "/apis/admissionregistration.k8s.io/v1";
export const configurationsOf = (kind: WebhookKind): string => `${base}/${kind}webhookconfigurations`;

/** One webhook of a configuration. */
export function webhookOf({ url, caBundle }: Pick<AdmissionWebhook, "url" | "caBundle">, more: object = {}): object {
  const clientConfig = { url, caBundle };
  return {
    name: "hook.example.com",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    clientConfig,
    rules: [configMapRule],
    timeoutSeconds: 30,
    ...more,
  };
}

/** Stores a configuration. It is in force at once: the test server reads its own writes. */
export async function configure(server: TestServer, kind: WebhookKind, name: string, ...webhooks: readonly object[]): Promise<void> {
  await done(server, "POST", configurationsOf(kind), { metadata: { name }, webhooks });
}

export const configMaps = "/api/v1/namespaces/default/configmaps";
export const configMap = (name: string, data?: object, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  ...(data === undefined ? {} : { data }),
});

/** The samples of /metrics whose line begins with the prefix. */
export async function samplesOf(server: TestServer, prefix: string): Promise<readonly string[]> {
  const text = await textOf(server, "/metrics");
  return text.split("\n").filter((line) => line.startsWith(prefix));
}
