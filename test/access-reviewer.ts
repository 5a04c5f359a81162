/** A webhook on loopback that answers SubjectAccessReviews. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { receivedBody } from "./received-body.ts";

export interface AccessReviewer {
  /** The kubeconfig of the webhook. */
  readonly kubeconfig: string;
  /** Every received review. */
  readonly reviews: { readonly apiVersion: string; readonly spec: any }[];
  /** The header `traceparent` of each. */
  readonly parents: (string | undefined)[];
  /** The status in the response to a review; a number is the HTTP status of a response without a review. */
  judge: (spec: any) => object | number;
  close(): Promise<void>;
}

export async function openAccessReviewer(): Promise<AccessReviewer> {
  const server = createServer(async (request, response) => {
    const text = await receivedBody(request);
    if (text === undefined) return;
    const review = JSON.parse(text) as AccessReviewer["reviews"][number]; // Sent by our own server.
    reviewer.reviews.push(review);
    reviewer.parents.push(request.headers["traceparent"]?.toString());
    const status = reviewer.judge(review.spec);
    response.writeHead(typeof status === "number" ? status : 200, { "content-type": "application/json" });
    response.end(typeof status === "number" ? "{}" : JSON.stringify({ ...review, status }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const reviewer: AccessReviewer = {
    kubeconfig: JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "webhook",
      contexts: [{ name: "webhook", context: { cluster: "webhook", user: "" } }],
      // A TCP server.
      clusters: [{ name: "webhook", cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}/review` } }],
    }),
    reviews: [],
    parents: [],
    judge: () => ({ allowed: false }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return reviewer;
}
