/** A conversion webhook on loopback. `v1` has `spec.host` and `spec.port`, `v1beta1` has `spec.hostPort`. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { defaultNames } from "../core/names.ts";
import { openPki } from "../server/listen/pki.ts";
import { receivedBody } from "./received-body.ts";

export interface ReceivedReview {
  readonly kind: string;
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly any[] };
}
/** What the webhook sends; `status` default 200. A text is sent as it is. */
export interface Sent {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface ConversionWebhook {
  readonly url: string;
  /** PEM of its authority in base64. */
  readonly caBundle: string;
  readonly reviews: ReceivedReview[];
  /** The header `traceparent` of each. */
  readonly parents: (string | undefined)[];
  /** Overrides answers; undefined selects the usual one. `text`: the review as it was sent, with all digits. */
  answer: (review: ReceivedReview, text: string) => Sent | undefined | Promise<Sent | undefined>;
  close(): Promise<void>;
}

/** The object in the wanted version. */
export function converted(object: any, apiVersion: string): any {
  const { spec = {} } = object, next = { ...object, apiVersion };
  if (object.apiVersion === apiVersion) return next;
  if (apiVersion.endsWith("/v1beta1")) {
    const { host, port, ...rest } = spec;
    return { ...next, spec: { ...rest, ...(host === undefined ? {} : { hostPort: `${host}:${port}` }) } };
  }
  const { hostPort, ...rest } = spec, [host, port] = String(hostPort ?? "").split(":");
  return { ...next, spec: { ...rest, ...(hostPort === undefined ? {} : { host, port }) } };
}

/** A review with this answer to it. */
export function answered({ apiVersion, request }: ReceivedReview, objects: readonly unknown[], response: object = {}): Sent {
  const result = { status: "Success" };
  return { body: { kind: "ConversionReview", apiVersion, response: { uid: request.uid, result, convertedObjects: objects, ...response } } };
}

export async function openConversionWebhook(): Promise<ConversionWebhook> {
  const pki = await openPki({ directory: undefined, bindAddress: "127.0.0.1", names: defaultNames, now: Date.now(), replaced() {} });
  const server = createServer({ cert: pki.serving.cert, key: pki.serving.key }, async (request, response) => {
    const text = await receivedBody(request);
    if (text === undefined) return;
    if (text === "") return void response.writeHead(405).end();
    const review = JSON.parse(text) as ReceivedReview; // sent by our own server
    webhook.reviews.push(review);
    webhook.parents.push(request.headers["traceparent"]?.toString());
    const { desiredAPIVersion, objects } = review.request;
    const { status = 200, headers = {}, body } = await webhook.answer(review, text) ??
      answered(review, objects.map((object) => converted(object, desiredAPIVersion)));
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(
      typeof body === "string" ? body : JSON.stringify(body),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const webhook: ConversionWebhook = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`, // a TCP server
    caBundle: btoa(pki.ca.cert),
    reviews: [],
    parents: [],
    answer: () => undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return webhook;
}
