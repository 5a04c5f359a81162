// Admission webhooks that misbehave: the failure policy decides, in upstream's words.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { issue } from "../server/listen/testing/clients.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import {
  type AdmissionWebhook,
  answered,
  configMap,
  configMaps,
  configurationsOf,
  configure,
  openAdmissionWebhook,
  patched,
  type ReceivedReview,
  samplesOf,
  type Sent,
  type WebhookKind,
  webhookOf,
} from "./admission-webhook.ts";
import { done, refused, send } from "./requests.ts";
import { freePort } from "./ports.ts";
import { until } from "./real-server.ts";
import { webhookAnswerBytesMax } from "../server/webhooks/admission-webhooks.ts";
import { jsonPatchOperationsMax } from "../core/patch/json-patch.ts";

const failed = 'Internal error occurred: failed calling webhook "hook.example.com": ';
const called = "failed to call webhook: ", invalid = "received invalid webhook response: ";

async function withWebhook(
  kind: WebhookKind,
  more: object,
  use: (server: TestServer, webhook: AdmissionWebhook) => Promise<void>,
): Promise<void> {
  const webhook = await openAdmissionWebhook();
  try {
    await using server = await openTestServer();
    await configure(server, kind, "it", webhookOf(webhook, more));
    await until(async () => {
      await done(server, "POST", `${configMaps}?dryRun=All`, configMap("probe"));
      assert.ok(webhook.reviews.length > 0);
    });
    await use(server, webhook);
  } finally {
    await webhook.close();
  }
}
const create = (server: TestServer) => refused(server, "POST", configMaps, configMap("a"));

const body = (document: unknown, more: Partial<Sent> = {}) => (): Sent => ({ body: document, ...more });
const text = (status: number, words = "") => body(words, { status, headers: { "content-type": "text/plain" } });
const response = (members: object) => (review: ReceivedReview): Sent => answered(review, members);
const document = (members: object) => (review: ReceivedReview): Sent => ({
  body: { response: { uid: review.request.uid, allowed: true }, ...members },
});
const field = (name: string, type: string, got: string) =>
  `${called}json: cannot unmarshal ${got} into Go struct field ${name} of type ${type}`;

/** The answer, and the message after the common words; a pattern where it has a uid. */
const answers: Readonly<Record<string, readonly [AdmissionWebhook["answer"], string | RegExp]>> = {
  "no JSON": [body("{"), `${called}couldn't get version/kind; json parse error: unexpected end of JSON input`],
  "a number": [body("7"), /json parse error: json: cannot unmarshal number into Go value of type struct/],
  "nothing": [body(""), `${called}0-length response with status code: 200 and content type: application/json`],
  "no content": [body("", { status: 204 }), `${called}0-length response with status code: 204 and content type: application/json`],
  "no response": [body({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" }), `${invalid}webhook response was absent`],
  "another uid": [response({ uid: "other" }), /received invalid webhook response: expected response\.uid="[0-9a-f-]{36}", got "other"$/],
  "no kind": [document({}), `${invalid}expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=`],
  "another version": [
    document({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1beta1" }),
    `${called}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
  ],
  "another kind": [
    document({ kind: "Pod", apiVersion: "v1" }),
    `${called}no kind "Pod" is registered for version "v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"`,
  ],
  "a text for allowed": [response({ allowed: "true" }), field("AdmissionResponse.response.allowed", "bool", "string")],
  "a text for the status": [response({ allowed: false, status: "no" }), field("AdmissionResponse.response.status", "v1.Status", "string")],
  "a text for the code": [response({ status: { code: "no" } }), field("Status.response.status.code", "int32", "string")],
  "a text for warnings": [response({ warnings: "no" }), field("AdmissionResponse.response.warnings", "[]string", "string")],
  "a list of annotations": [
    response({ auditAnnotations: [] }),
    field("AdmissionResponse.response.auditAnnotations", "map[string]string", "array"),
  ],
  "a patch of a validating webhook": [
    (review) => patched(review, { op: "add", path: "/data", value: {} }),
    `${invalid}validating webhook may not return response.patch`,
  ],
  "500": [text(500, "oops"), `${called}an error on the server ("oops") has prevented the request from succeeding`],
  "a Status": [body({ kind: "Status", message: "down" }, { status: 500 }), `${called}down`],
  "404": [text(404), `${called}the server could not find the requested resource`],
  "a redirect, which is not followed": [
    body("", { status: 307, headers: { location: "https://127.0.0.1:1/other" } }),
    `${called}the server responded with the status code 307 but did not return more information`,
  ],
};

test("an answer that cannot be used is a failure", () =>
  withWebhook("validating", {}, async (server, webhook) => {
    for (const [name, [answer, expected]] of Object.entries(answers)) {
      webhook.answer = answer;
      const [code, message] = await create(server);
      assert.equal(code, 500, name);
      assert.ok(message.startsWith(failed), `${name}: ${message}`);
      if (typeof expected === "string") assert.equal(message.slice(failed.length), expected, name);
      else assert.match(message.slice(failed.length), expected, name);
    }
    webhook.answer = (review) => answered(review);
    assert.equal((await send(server, "POST", configMaps, configMap("a"))).status, 201);
  }));

test("a closed connection, an answer cut off, and an answer that is too large are failures", () =>
  withWebhook("validating", {}, async (server, webhook) => {
    const post = `${failed}${called}Post "${webhook.url}?timeout=30s": `;
    const cut = `${failed}${called}unexpected error when reading response body. Please retry. Original error: `;
    webhook.answer = (_review, { socket }) => void socket?.destroy();
    assert.deepEqual(await create(server), [500, `${post}EOF`]);
    webhook.answer = (_review, sent: ServerResponse) => {
      sent.writeHead(200, { "content-length": 100 });
      sent.write("{", () => sent.socket?.destroy());
      return undefined;
    };
    assert.deepEqual(await create(server), [500, `${cut}unexpected EOF`]);
    webhook.answer = body(" ".repeat(webhookAnswerBytesMax + 1));
    assert.deepEqual(await create(server), [500, `${cut}the answer is larger than ${webhookAnswerBytesMax} bytes`]);
    webhook.answer = (review) => ({ body: JSON.stringify(answered(review).body).padEnd(webhookAnswerBytesMax) });
    await done(server, "POST", configMaps, configMap("a"));
  }));

test("silence and slow bytes end with the timeout of the webhook", () =>
  withWebhook("validating", { timeoutSeconds: 1 }, async (server, webhook) => {
    webhook.answer = () => undefined;
    const late = "context deadline exceeded";
    assert.deepEqual(await create(server), [500, `${failed}${called}Post "${webhook.url}?timeout=1s": ${late}`]);
    const timers: ReturnType<typeof setInterval>[] = [];
    webhook.answer = (_review, sent) => {
      sent.writeHead(200, { "content-type": "application/json" });
      timers.push(setInterval(() => sent.write(" "), 50));
      return undefined;
    };
    const cut = "unexpected error when reading response body. Please retry. Original error: ";
    assert.deepEqual(await create(server), [500, `${failed}${called}${cut}${late}`]);
    for (const timer of timers) clearInterval(timer);
  }));

test("a webhook that cannot be reached or is not trusted is a failure", async () => {
  await using server = await openTestServer();
  const webhook = await openAdmissionWebhook(), port = await freePort();
  try {
    const other = btoa(issue({ usage: "ca", commonName: "other" }).cert), service = { name: "none", namespace: "default", path: "/x" };
    const cases = [
      [
        { url: `https://127.0.0.1:${port}/x` },
        `Post "https://127.0.0.1:${port}/x?timeout=30s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
      ],
      [{ url: webhook.url, caBundle: other }, `Post "${webhook.url}?timeout=30s": tls: failed to verify certificate: `],
      [{ url: webhook.url, caBundle: btoa("garbage") }, ""],
      [{ service }, 'Post "https://none.default.svc:443/x?timeout=30s": service "none" not found'],
    ] as const;
    for (const [index, [clientConfig, expected]] of cases.entries()) {
      await configure(server, "validating", `case-${index}`, webhookOf(webhook, { clientConfig }));
      await until(async () => {
        const [code, message] = await create(server);
        assert.equal(code, 500);
        assert.ok(message.startsWith(`${failed}${called}${expected}`), message);
      });
      await done(server, "DELETE", `${configurationsOf("validating")}/case-${index}`);
    }
    assert.equal(webhook.reviews.length, 0);
  } finally {
    await webhook.close();
  }
});

test("with the policy Ignore a failure admits the request, and is counted; a rejection is no failure", () =>
  withWebhook("validating", { failurePolicy: "Ignore" }, async (server, webhook) => {
    webhook.answer = body("{}");
    await done(server, "POST", configMaps, configMap("a"));
    const [line] = await samplesOf(server, "apiserver_admission_webhook_fail_open_count{");
    assert.equal(line, 'apiserver_admission_webhook_fail_open_count{name="hook.example.com",type="validating"} 1');
    const calls = await samplesOf(server, "apiserver_admission_webhook_request_total{");
    assert.ok(calls.some((each) => each.endsWith('operation="CREATE",code="503",rejected="false"} 1')), calls.join("\n"));
    webhook.answer = response({ allowed: false });
    assert.equal((await create(server))[0], 400);
  }));

const operation = (op: string, path: string, value?: unknown) => (review: ReceivedReview): Sent => patched(review, { op, path, value });
const patches: Readonly<Record<string, readonly [AdmissionWebhook["answer"], string]>> = {
  "no type": [response({ patch: btoa("[]") }), `${failed}${invalid}webhook returned response.patch but not response.patchType`],
  "no patch": [response({ patchType: "JSONPatch" }), `${failed}${invalid}webhook returned response.patchType but not response.patch`],
  "an empty type": [
    response({ patch: btoa("[]"), patchType: "" }),
    `${failed}${invalid}webhook returned invalid response.patchType of ""`,
  ],
  "another type": [response({ patch: btoa("[{}]"), patchType: "Merge" }), `${failed}unsupported patch type "Merge"`],
  "no base64": [response({ patch: "*", patchType: "JSONPatch" }), `${failed}${called}illegal base64 data at input byte 0`],
  "no list": [
    response({ patch: btoa("{}"), patchType: "JSONPatch" }),
    `${failed}received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch`,
  ],
  "a missing path": [
    operation("add", "/a/b/c", 1),
    'Internal error occurred: add operation does not apply: doc is missing path: "/a/b/c": missing value',
  ],
  "a failed test": [operation("test", "/metadata/name", "z"), "Internal error occurred: testing value /metadata/name failed: test failed"],
  "a value of another type": [
    operation("add", "/data", 7),
    "Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string",
  ],
  "another kind": [
    operation("replace", "/kind", "Nothing"),
    'Internal error occurred: no kind "Nothing" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
  ],
};

test("a patch that cannot be applied, and a result that is no object of the kind, are errors", () =>
  withWebhook("mutating", {}, async (server, webhook) => {
    for (const [name, [answer, expected]] of Object.entries(patches)) {
      webhook.answer = answer;
      assert.deepEqual(await create(server), [500, expected], name);
    }
    for (const patch of ["[]", "null"]) {
      webhook.answer = response({ patch: btoa(patch), patchType: "JSONPatch" });
      await done(server, "POST", `${configMaps}?dryRun=All`, configMap("a"));
    }
  }));

test("a mutating webhook whose failure is ignored changes nothing, and later ones are called; a patch above a bound is refused", () =>
  withWebhook("mutating", { failurePolicy: "Ignore" }, async (server, webhook) => {
    webhook.answer = (review) => patched(review, ...Array<object>(jsonPatchOperationsMax + 1).fill({ op: "test", path: "" }));
    assert.deepEqual(await create(server), [
      413,
      `Request entity too large: The allowed maximum operations in a JSON patch is ${jsonPatchOperationsMax}, got ${
        jsonPatchOperationsMax + 1
      }`,
    ]);
    await configure(server, "mutating", "later", webhookOf(webhook, { name: "later.example.com" }));
    await until(() => assert.equal(webhook.reviews.length > 0, true));
    let calls = 0;
    webhook.answer = (review) =>
      ++calls === 1 ? { status: 500, body: "" } : patched(review, { op: "add", path: "/data", value: { a: "b" } });
    await until(async () => {
      calls = 0;
      const { data } = await done(server, "POST", `${configMaps}?dryRun=All`, configMap("a"));
      assert.deepEqual([data, calls], [{ a: "b" }, 2]);
    });
  }));

test("a dry run is rejected if a stored webhook has side effects, which only older releases allowed", async () => {
  const { verdictOf } = await import("../plugins/admissionregistration/webhooks/call.ts");
  const webhook: any = { webhook: { name: "old.example.com", sideEffects: "Some", admissionReviewVersions: ["v1"] }, address: { url: "" } };
  const run = verdictOf(webhook, undefined as any, { context: { isDryRun: true } } as any);
  await assert.rejects(run, { code: 400, message: 'admission webhook "old.example.com" does not support dry run' });
});
