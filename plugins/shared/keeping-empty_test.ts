// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { ask } from "../../test/requests.ts";
import { emptyDropper, keepingEmpty } from "./keeping-empty.ts";
import { field, type Infer, list, record, string, structsOf } from "../../plugin.ts";

const struct = structsOf("test/v1");

test("keepingEmpty() marks lists and maps at any depth, or those of some fields", () => {
  const Part = struct("Part", { tags: field(1, list(string), "Tags.") }, { doc: "A part." });
  const Whole = struct("Whole", {
    part: field(1, Part, "A part."),
    parts: field(2, list(Part), "Parts."),
    always: field(3, list(string), "Always there.", { written: "always" }),
    labels: field(4, record(string), "Labels."),
  }, { doc: "A whole." });
  const empty: Infer<typeof Whole> = { part: { tags: [] }, parts: [{ tags: [] }], always: [], labels: {} };
  assert.deepEqual(emptyDropper(keepingEmpty(Whole))(empty), { part: {}, parts: [{}], always: [] });
  assert.deepEqual(emptyDropper(keepingEmpty(Whole, ["labels"]))(empty), { part: { tags: [] }, parts: [{ tags: [] }], always: [] });
  assert.equal(emptyDropper(Whole)(empty), empty);
});

const namespace = "/api/v1/namespaces/default", apps = "/apis/apps/v1/namespaces/default/deployments";
const containers = [{ name: "c", image: "i" }];
const labels = { app: "a" };

test("empty lists and maps are refused where a kube-apiserver refuses them, and change no stored object", async () => {
  await using server = await openTestServer();
  const send = async (method: string, path: string, body: object) => {
    const answer = await ask(server, method, path, body);
    return { ...answer, causes: (answer.body.details?.causes ?? []).map((each: any) => `${each.field}: ${each.message}`) };
  };
  const pod = (name: string, spec: object) => ({ metadata: { name }, spec: { containers, ...spec } });
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const template = (metadata: object) => ({ volumes: [{ name: "v", ephemeral: { volumeClaimTemplate: { metadata, spec: claim } } }] });
  const empty = { ownerReferences: [], finalizers: [], managedFields: [], deletionGracePeriodSeconds: 0, generation: 0, labels: {} };
  const at = "spec.volumes[0].ephemeral.volumeClaimTemplate.metadata", cannot = "Forbidden: cannot be set";
  for (
    const [spec, ...causes] of [
      [{ resources: { claims: [] } }, "spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level"],
      [
        template(empty),
        `${at}.deletionGracePeriodSeconds: ${cannot}`,
        `${at}.ownerReferences: ${cannot}`,
        `${at}.finalizers: ${cannot}`,
        `${at}.managedFields: ${cannot}`,
      ],
    ] as const
  ) assert.deepEqual((await send("POST", `${namespace}/pods`, pod("p", spec))).causes, causes);
  assert.match(
    (await send("POST", `${namespace}/pods`, pod("p", { overhead: {} }))).body.message,
    /Pod Overhead set without corresponding/,
  );

  const made = await send("POST", `${namespace}/pods`, pod("p", {}));
  assert.equal(made.status, 201, made.text);
  const put = await send("PUT", `${namespace}/pods/p`, { ...made.body, spec: { ...made.body.spec, overhead: {} } });
  assert.deepEqual([put.status, put.body.metadata.resourceVersion], [200, made.body.metadata.resourceVersion], put.text);
  const debug = {
    name: "d",
    image: "i",
    ports: [],
    resources: { limits: {} },
    resizePolicy: [],
    restartPolicyRules: [],
    env: [],
  };
  const added = await send("PUT", `${namespace}/pods/p/ephemeralcontainers`, {
    ...made.body,
    spec: { ...made.body.spec, ephemeralContainers: [debug] },
  });
  assert.deepEqual(
    added.causes,
    ["ports", "resources", "resizePolicy", "restartPolicyRules"].map((key) =>
      `spec.ephemeralContainers[0].${key}: Forbidden: cannot be set for an Ephemeral Container`
    ),
  );

  const deployment = (spec: object) => ({
    metadata: { name: "d" },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers, ...spec } } },
  });
  await send("POST", apps, deployment({}));
  assert.equal((await send("PUT", `${apps}/d`, deployment({ overhead: {} }))).body.metadata.generation, 1);
  assert.equal((await send("PUT", `${apps}/d`, deployment({ resources: { claims: [] } }))).causes.length, 1);
});

test("an empty list or map raises the generation where a kube-apiserver compares exactly", async () => {
  await using server = await openTestServer();
  const networking = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
  const admission = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const webhook = {
    name: "a.example.com",
    clientConfig: { url: "https://192.0.2.1/" },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    failurePolicy: "Ignore",
  };
  for (
    const [path, first, ...others] of [
      [networking, { spec: { podSelector: {} } }, { spec: { podSelector: {}, ingress: [] } }, {
        spec: { podSelector: { matchLabels: {} }, egress: [] },
      }],
      [admission, { webhooks: [webhook] }, { webhooks: [{ ...webhook, rules: [] }] }, {
        webhooks: [{ ...webhook, objectSelector: { matchExpressions: [] } }],
      }],
    ] as const
  ) {
    const metadata = { name: "a" }, made = (await ask(server, "POST", path, { metadata, ...first })).body;
    assert.equal(made.metadata.generation, 1, JSON.stringify(made));
    const put = async (body: object) => (await ask(server, "PUT", `${path}/a`, body)).body.metadata;
    const kept = await put(made);
    assert.deepEqual([kept.generation, kept.resourceVersion], [1, made.metadata.resourceVersion]);
    for (const [i, each] of others.entries()) {
      const { resourceVersion } = (await ask(server, "GET", `${path}/a`)).body.metadata;
      assert.equal((await put({ metadata: { ...metadata, resourceVersion }, ...each })).generation, i + 2);
    }
  }
});
