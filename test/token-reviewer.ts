/** A webhook on loopback that reviews tokens. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { defaultNames } from "../core/names.ts";
import { openPki } from "../server/listen/pki.ts";
import { receivedBody } from "./received-body.ts";

export interface Reviewer {
  /** The kubeconfig of the webhook. */
  readonly kubeconfig: string;
  /** Users by token. */
  readonly users: Map<string, unknown>;
  /** Every received review. */
  readonly reviews: { readonly apiVersion: string; readonly spec: { readonly token: string; readonly audiences?: readonly string[] } }[];
  /** Overrides responses; undefined selects the usual one. */
  answer: (review: Reviewer["reviews"][number]) => { readonly status: number; readonly body: unknown } | undefined;
  close(): Promise<void>;
}

export async function openReviewer(): Promise<Reviewer> {
  const pki = await openPki({ directory: undefined, bindAddress: "127.0.0.1", names: defaultNames, now: Date.now(), replaced() {} });
  const server = createServer({ cert: pki.serving.cert, key: pki.serving.key }, async (request, response) => {
    const text = await receivedBody(request);
    if (text === undefined) return;
    const review = JSON.parse(text) as Reviewer["reviews"][number]; // Sent by our own server.
    reviewer.reviews.push(review);
    const { token } = review.spec, user = reviewer.users.get(token);
    const status = user === undefined ? { error: `nobody has ${token}` } : { authenticated: true, user };
    const found = reviewer.answer(review) ?? { status: 200, body: { kind: "TokenReview", apiVersion: review.apiVersion, status } };
    response.writeHead(found.status, { "content-type": "application/json" }).end(JSON.stringify(found.body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/review`; // A TCP server.
  const reviewer: Reviewer = {
    kubeconfig: JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "webhook",
      contexts: [{ name: "webhook", context: { cluster: "webhook", user: "" } }],
      clusters: [{ name: "webhook", cluster: { server: url, "certificate-authority-data": btoa(pki.ca.cert) } }],
    }),
    users: new Map(),
    reviews: [],
    answer: () => undefined,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return reviewer;
}
