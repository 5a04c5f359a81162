// ImagePolicyWebhook beside a webhook on loopback. What was sent and answered is that of a kube-apiserver 1.36 emulating 1.35.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { imageAnswerLengthMax, imageAnswersMax, KeptAnswers } from "../../plugins/pods/admission/image-policy/kept-answers.ts";
import {
  imageAnnotationsLengthMax,
  imageAnnotationsMax,
  imageReasonLengthMax,
  imageReviewLengthMax,
  readAnswer,
} from "../../plugins/pods/admission/image-policy/image-review.ts";
import { configuration } from "../../plugins/pods/admission/image-policy/configuration.ts";
import { defaultNames } from "../../core/names.ts";
import { openTestServer, type TestServer } from "../../testing.ts";
import { type AccessReviewer, openAccessReviewer } from "../access-reviewer.ts";
import { served } from "../flags/served.ts";
import { refused, send } from "../requests.ts";

const pods = "/api/v1/namespaces/default/pods";
const pod = (name: string, image: string, annotations?: object) => ({
  metadata: { name, ...(annotations === undefined ? {} : { annotations }) },
  spec: { containers: [{ name: "c", image }], initContainers: [{ name: "i", image: "first" }] },
});

async function withWebhook(
  settings: object,
  use: (server: TestServer, webhook: AccessReviewer) => Promise<void>,
): Promise<void> {
  const webhook = await openAccessReviewer(), folder = await mkdtemp(join(tmpdir(), "thole-images-"));
  try {
    const kubeConfigFile = join(folder, "kubeconfig"), file = join(folder, "admission.yaml");
    await writeFile(kubeConfigFile, webhook.kubeconfig);
    const imagePolicy = { kubeConfigFile, retryBackoff: 1, ...settings };
    const plugins = [{ name: "ImagePolicyWebhook", configuration: { imagePolicy } }];
    await writeFile(file, JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration", plugins }));
    await using server = await openTestServer({
      settings: {
        "admission-control-config-file": file,
        "enable-admission-plugins": ["ImagePolicyWebhook"],
        "disable-admission-plugins": ["ServiceAccount"],
      },
    });
    await use(server, webhook);
  } finally {
    await webhook.close();
    await rm(folder, { recursive: true });
  }
}

test("readAnswer() refuses a longer answer than its bound", () => {
  const answer = (length: number) => {
    const text = (reason: string) =>
      JSON.stringify({ kind: "ImageReview", apiVersion: "imagepolicy.k8s.io/v1alpha1", status: { allowed: true, reason } });
    return text("x".repeat(length - text("").length));
  };
  assert.equal(readAnswer(answer(imageReviewLengthMax), defaultNames).ok, true);
  assert.equal(readAnswer(answer(imageReviewLengthMax + 1), defaultNames).ok, false);
});

test("the webhook gets the images of a new pod with the annotations for it, and its answer decides", () =>
  withWebhook({ denyTTL: -1 }, async (server, webhook) => {
    webhook.judge = () => ({ allowed: true });
    const annotations = { "x.image-policy.k8s.io/ticket": "1", other: "2" };
    assert.equal((await send(server, "POST", pods, pod("a", "one", annotations))).status, 201);
    assert.deepEqual(webhook.reviews.map(({ apiVersion, spec }) => ({ apiVersion, spec })), [{
      apiVersion: "imagepolicy.k8s.io/v1alpha1",
      spec: {
        containers: [{ image: "one" }, { image: "first" }],
        annotations: { "x.image-policy.k8s.io/ticket": "1" },
        namespace: "default",
      },
    }]);
    webhook.judge = () => ({ allowed: false });
    const denied = [403, 'pods "b" is forbidden: one or more images rejected by webhook backend'];
    assert.deepEqual(await refused(server, "POST", pods, pod("b", "two")), denied);
    webhook.judge = () => ({ allowed: false, reason: "not ours" });
    const why = 'pods "b" is forbidden: image policy webhook backend denied one or more images: not ours';
    assert.deepEqual(await refused(server, "POST", pods, pod("b", "two")), [403, why]);
  }));

test("an answer is used again for the same images, and new and ephemeral images are asked for", () =>
  withWebhook({}, async (server, webhook) => {
    webhook.judge = () => ({ allowed: true });
    const patch = async (path: string, body: object) =>
      (await send(server, "PATCH", `${pods}/a${path}`, body, { type: "application/strategic-merge-patch+json" })).status;
    for (const name of ["a", "b"]) assert.equal((await send(server, "POST", pods, pod(name, "one"))).status, 201);
    assert.equal(await patch("", { metadata: { labels: { a: "b" } } }), 200);
    assert.equal(await patch("/status", { status: { message: "m" } }), 200);
    assert.equal(webhook.reviews.length, 1);
    assert.equal(await patch("", { spec: { containers: [{ name: "c", image: "two" }] } }), 200);
    assert.deepEqual(webhook.reviews.at(-1)?.spec.containers, [{ image: "two" }, { image: "first" }]);
    webhook.judge = () => ({ allowed: false });
    assert.equal(await patch("/ephemeralcontainers", { spec: { ephemeralContainers: [{ name: "e", image: "three" }] } }), 403);
    assert.deepEqual(webhook.reviews.at(-1)?.spec, { containers: [{ image: "three" }], namespace: "default" });
    assert.equal(webhook.reviews.length, 3);
  }));

test("a webhook without a usable answer forbids pods; 500 is tried five times, 403 is passed on", () =>
  withWebhook({}, async (server, webhook) => {
    for (const [status, attempts] of [[500, 5], [503, 1], [403, 1]] as const) {
      const before = webhook.reviews.length;
      webhook.judge = () => status;
      assert.equal((await send(server, "POST", pods, pod("a", "one"))).status, 403);
      assert.equal(webhook.reviews.length - before, attempts, String(status));
    }
    webhook.judge = () => ({ allowed: "true" });
    const mistake = "json: cannot unmarshal string into Go struct field ImageReviewStatus.status.allowed of type bool";
    assert.deepEqual(await refused(server, "POST", pods, pod("a", "one")), [403, `pods "a" is forbidden: ${mistake}`]);
  }));

test("with defaultAllow, pods are admitted while the webhook fails, and asked about again", () =>
  withWebhook({ defaultAllow: true }, async (server, webhook) => {
    webhook.judge = () => 503;
    for (const name of ["a", "b"]) assert.equal((await send(server, "POST", pods, pod(name, "one"))).status, 201);
    assert.equal(webhook.reviews.length, 2);
  }));

test("a server with the step does not start without a configuration, or with a kubeconfig that cannot be used", async () => {
  const enabled = "--enable-admission-plugins=ImagePolicyWebhook", folder = await mkdtemp(join(tmpdir(), "thole-images-"));
  try {
    await assert.rejects(served([enabled], () => Promise.resolve()), /"ImagePolicyWebhook" needs a configuration/);
    const file = join(folder, "admission.yaml"), imagePolicy = { kubeConfigFile: join(folder, "none") };
    const plugins = [{ name: "ImagePolicyWebhook", configuration: { imagePolicy } }];
    await writeFile(file, JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration", plugins }));
    const flags = [`--admission-control-config-file=${file}`];
    await assert.rejects(served([enabled, ...flags], () => Promise.resolve()), /cannot use the kubeconfig/);
    await served(flags, () => Promise.resolve());
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("KeptAnswers keeps answers for their time, a bounded number of bounded size", () => {
  let now = 0;
  const kept = new KeptAnswers(() => now), answer = { allowed: true, reason: "", auditAnnotations: [], length: 0 };
  kept.keep("a", answer, 10);
  now = 9;
  assert.equal(kept.get("a"), answer);
  now = 10;
  assert.equal(kept.get("a"), undefined);
  kept.keep("long", { ...answer, length: imageAnswerLengthMax - "long".length }, 10);
  assert.notEqual(kept.get("long"), undefined);
  kept.keep("longer", { ...answer, length: imageAnswerLengthMax - "longer".length + 1 }, 10);
  assert.equal(kept.get("longer"), undefined);
  for (let i = 0; i < imageAnswersMax; i++) kept.keep(String(i), answer, 10);
  assert.equal(kept.get("long"), undefined);
  assert.equal(kept.get("0"), answer);
});

test("readAnswer() bounds the reason and the annotations of a hostile answer", () => {
  const read = (status: object) => {
    const found = readAnswer(JSON.stringify({ status }), defaultNames);
    assert.ok(found.ok);
    return found.answer;
  };
  const reason = "r".repeat(imageReasonLengthMax);
  assert.equal(read({ reason: `${reason}r` }).reason, reason);
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));
  assert.equal(read({ auditAnnotations: many(imageAnnotationsMax) }).auditAnnotations.length, imageAnnotationsMax);
  assert.equal(read({ auditAnnotations: many(imageAnnotationsMax + 1) }).auditAnnotations.length, imageAnnotationsMax);
  const fits = "v".repeat(imageAnnotationsLengthMax - 1);
  assert.equal(read({ auditAnnotations: { k: fits } }).auditAnnotations.length, 1);
  assert.equal(read({ auditAnnotations: { k: `${fits}v` } }).auditAnnotations.length, 0);
});

test("the configuration has kube-apiserver's ranges", () => {
  const mistakes = (more: object) =>
    configuration.validate!({ imagePolicy: { kubeConfigFile: "/k", ...more } }).map(({ path, detail }) => `${path}: ${detail}`);
  assert.deepEqual(mistakes({ allowTTL: 1800, denyTTL: -1, retryBackoff: 300_000 }), []);
  assert.deepEqual(mistakes({ allowTTL: 1801, denyTTL: -2, retryBackoff: 300_001 }), [
    "imagePolicy.retryBackoff: valid value is between 1ns and 5m0s, got 5m0.001s",
    "imagePolicy.allowTTL: valid value is between 1s and 30m0s, got 30m1s",
    "imagePolicy.denyTTL: valid value is between 1s and 30m0s, got -2s",
  ]);
  assert.deepEqual(mistakes({ kubeConfigFile: "" }), ["imagePolicy.kubeConfigFile: "]);
});
