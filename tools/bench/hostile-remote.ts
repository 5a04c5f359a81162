/** Requests whose remote servers answer in hostile ways: admission and conversion webhooks. */
import type { Before, HostileRequest } from "./hostile-request.ts";
import { type Answers, document, endless, type HostilePeer, type ReceivedReview } from "./hostile-peer.ts";
import { remoteAnswerBytesMax } from "../../protocols/remote/remote-client.ts";
import { conversionAnswerBytesMax } from "../../server/webhooks/webhook-client.ts";

const json = "application/json";
/** Seconds that a webhook may take: the whole duration of answers that never end. */
const timeoutSeconds = 2;
/** Room for what stands around the long part of an answer. */
const around = 4096;

const webhook: Before = {
  path: "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
  body: (_share, peer) =>
    JSON.stringify({
      metadata: { name: "hostile" },
      webhooks: [{
        name: "hostile.example.com",
        clientConfig: clientConfig(peer),
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
        ...{ admissionReviewVersions: ["v1"], sideEffects: "None", failurePolicy: "Fail", timeoutSeconds },
      }],
    }),
};
function clientConfig(peer: HostilePeer | undefined): object {
  return { url: peer?.url, caBundle: peer?.caBundle };
}
function admission(name: string, peer: Answers): HostileRequest {
  return {
    ...{ name: `webhook, ${name}`, method: "POST", path: "/api/v1/namespaces/default/configmaps", type: json, peer, before: [webhook] },
    body: () => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"x"},"data":{"a":"1"}}`,
  };
}
function patched({ apiVersion, request: { uid } }: ReceivedReview, operations: string) {
  const patch = Buffer.from(operations).toString("base64");
  return document({ kind: "AdmissionReview", apiVersion, response: { uid, allowed: true, patchType: "JSONPatch", patch } });
}
/** Operations that copy an object into itself: n of them add 2^n - 1 objects. */
export const doublingPatch = `[{"op":"add","path":"/data","value":{}}${
  Array.from({ length: 30 }, (_, index) => `,{"op":"copy","from":"/data","path":"/data/${index}"}`).join("")
}]`;
/** A patch in base64 has four thirds of its bytes. */
const patchBytes = Math.floor((remoteAnswerBytesMax - around) * 3 / 4) - around;

const group = "example.com", kind = "Converted", plural = "converteds";
const definition: Before = {
  path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  body: (_share, peer) => {
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const versions = ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema }));
    const webhook = { conversionReviewVersions: ["v1"], clientConfig: clientConfig(peer) };
    const names = { plural, kind };
    return JSON.stringify({
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: "Cluster", names, versions, conversion: { strategy: "Webhook", webhook } },
    });
  },
};
const stored: Before = {
  path: `/apis/${group}/v1/${plural}`,
  body: () => JSON.stringify({ apiVersion: `${group}/v1`, kind, metadata: { name: "a" } }),
};
function conversion(name: string, peer: Answers): HostileRequest {
  return {
    ...{ name: `conversion, ${name}`, method: "GET", path: `/apis/${group}/v2/${plural}/a`, type: json, body: () => "", peer },
    before: [definition, stored],
  };
}
/** Converts as asked, and adds members to each object. */
function converted({ apiVersion, request: { uid, desiredAPIVersion, objects = [] } }: ReceivedReview, more: string) {
  const convertedObjects = objects.map((each) => ({ ...each, apiVersion: desiredAPIVersion, ...JSON.parse(more) as object }));
  const result = { status: "Success" };
  return document({ kind: "ConversionReview", apiVersion, response: { uid, result, convertedObjects } });
}
const tiny = (bytes: number, item: string) => `{"x":[${`${item},`.repeat(Math.floor((bytes - around) / (item.length + 1)))}0]}`;

export const remoteRequests: readonly HostileRequest[] = Object.freeze([
  admission("endless informational answers", () => endless.informational),
  admission("a body without end", () => endless.body),
  admission("chunks of three bytes", () => endless.chunks),
  admission("a byte every 20 ms", () => endless.drip),
  admission("a patch whose copies double", (review) => patched(review, doublingPatch)),
  admission("a patch of 1 M numbers", (review) => patched(review, `[{"op":"add","path":"/x","value":${tiny(patchBytes, "0")}}]`)),
  admission(
    "a patch of 9,999 additions",
    (review) => patched(review, `[${`{"op":"add","path":"/data/a","value":"1"},`.repeat(9_998)}{"op":"remove","path":"/data/a"}]`),
  ),
  conversion("endless informational answers", () => endless.informational),
  conversion("a body without end", () => endless.body),
  conversion("chunks of three bytes", () => endless.chunks),
  conversion("a byte every 20 ms", () => endless.drip),
  conversion("8 M numbers", (review) => converted(review, tiny(conversionAnswerBytesMax, "0"))),
  conversion("2 M objects", (review) => converted(review, tiny(conversionAnswerBytesMax, '{"a":{}}'))),
]);
