// Admission webhooks that behave: what they receive, and what their answers do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import {
  type AdmissionWebhook,
  answered,
  configMap,
  configMapRule,
  configMaps,
  configurationsOf,
  configure,
  openAdmissionWebhook,
  patched,
  samplesOf,
  webhookOf,
} from "./admission-webhook.ts";
import { done, refused, send } from "./requests.ts";
import { until } from "./real-server.ts";

async function withWebhook(use: (server: TestServer, webhook: AdmissionWebhook) => Promise<void>): Promise<void> {
  const webhook = await openAdmissionWebhook();
  try {
    await using server = await openTestServer();
    await use(server, webhook);
  } finally {
    await webhook.close();
  }
}
/** Waits until the configuration is in force: a dry run is sent to the webhook. Forgets the reviews. */
async function inForce(server: TestServer, webhook: AdmissionWebhook): Promise<void> {
  await until(async () => {
    await send(server, "POST", `${configMaps}?dryRun=All`, configMap("probe"));
    assert.ok(webhook.reviews.length > 0);
  });
  webhook.reviews.length = 0;
  webhook.queries.length = 0;
}

test("a validating webhook receives an AdmissionReview of every operation", () =>
  withWebhook(async (server, webhook) => {
    await configure(server, "validating", "all", webhookOf(webhook, { timeoutSeconds: 7 }));
    await inForce(server, webhook);
    const user = { name: "eve", uid: "7", groups: ["system:masters", "g"], extra: { "example.com/team": ["a", "b"] } };
    const created = await send(server, "POST", `${configMaps}?fieldManager=me`, configMap("a", { k: "v" }), { user });
    assert.equal(created.status, 201);
    await done(server, "PATCH", `${configMaps}/a`, { data: { k: "w" } }, "application/merge-patch+json");
    await done(server, "DELETE", `${configMaps}/a?dryRun=All&propagationPolicy=Foreground`);
    // An unconditional update has the version that it replaces.
    await done(server, "PUT", `${configMaps}/a?dryRun=All`, configMap("a"));
    const replaced = webhook.reviews.pop()!.request;
    assert.equal(replaced.object.metadata.resourceVersion, replaced.oldObject.metadata.resourceVersion);
    const [create, update, remove] = webhook.reviews.map(({ request }) => request);
    assert.deepEqual([...new Set(webhook.queries)], ["?timeout=7s"]);
    assert.deepEqual(
      webhook.reviews.map(({ kind, apiVersion }) => `${apiVersion} ${kind}`),
      Array(3).fill("admission.k8s.io/v1 AdmissionReview"),
    );
    const { uid, object, ...rest } = create;
    assert.match(uid, /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      kind: { group: "", version: "v1", kind: "ConfigMap" },
      resource: { group: "", version: "v1", resource: "configmaps" },
      requestKind: { group: "", version: "v1", kind: "ConfigMap" },
      requestResource: { group: "", version: "v1", resource: "configmaps" },
      name: "a",
      namespace: "default",
      operation: "CREATE",
      userInfo: { username: "eve", uid: "7", groups: user.groups, extra: user.extra },
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" },
    });
    assert.deepEqual([object.kind, object.apiVersion, object.data, typeof object.metadata.uid], ["ConfigMap", "v1", { k: "v" }, "string"]);
    assert.deepEqual([update.operation, update.object.data, update.oldObject.data], ["UPDATE", { k: "w" }, { k: "v" }]);
    assert.equal(update.options.kind, "UpdateOptions");
    assert.deepEqual([remove.operation, remove.object, remove.oldObject.data, remove.dryRun], ["DELETE", null, { k: "w" }, true]);
    assert.deepEqual(remove.options.propagationPolicy, "Foreground");
    assert.equal(webhook.connections(), 1);
  }));

test("a rejection has the webhook's code, reason, message and details; it is never a success", () =>
  withWebhook(async (server, webhook) => {
    await configure(server, "validating", "no", webhookOf(webhook));
    await inForce(server, webhook);
    const about = 'admission webhook "hook.example.com" denied the request';
    const cases: readonly (readonly [object | undefined, number, string, string | undefined])[] = [
      [undefined, 400, `${about} without explanation`, undefined],
      [{ code: 200, status: "Success" }, 400, `${about} without explanation`, undefined],
      [{ code: 403, message: "no" }, 403, `${about}: no`, undefined],
      [{ reason: "Sunday" }, 400, `${about}: Sunday`, "Sunday"],
      [
        { code: 418, reason: "Teapot", message: "short", details: { name: "n", causes: [{ field: "f" }] } },
        418,
        `${about}: short`,
        "Teapot",
      ],
      [{ code: 1000, message: "far" }, 500, `${about}: far`, undefined],
    ];
    for (const [status, code, message, reason] of cases) {
      webhook.answer = (review) => answered(review, { allowed: false, ...(status === undefined ? {} : { status }) });
      const response = await send(server, "POST", configMaps, configMap("a")), body = await response.json();
      assert.deepEqual([response.status, body.code, body.message, body.reason, body.status], [code, code, message, reason, "Failure"]);
      if (reason === "Teapot") assert.deepEqual(body.details, { name: "n", causes: [{ field: "f" }] });
    }
    assert.equal((await send(server, "GET", `${configMaps}/a`)).status, 404);
    webhook.answer = (review) => answered(review, { allowed: review.request.operation !== "DELETE", status: { message: "kept" } });
    await done(server, "POST", configMaps, configMap("a"));
    assert.deepEqual(await refused(server, "DELETE", `${configMaps}/a`), [400, `${about}: kept`]);
    assert.deepEqual(await refused(server, "DELETE", configMaps), [400, `${about}: kept`]);
    assert.equal((await send(server, "GET", `${configMaps}/a`)).status, 200);
    const rejections = await samplesOf(server, "apiserver_admission_webhook_rejection_count{");
    const deleted = rejections.find((line) => line.includes('operation="DELETE"'));
    assert.match(deleted ?? "", /name="hook.example.com",type="validating",.*error_type="no_error",rejection_code="400"} 2$/);
  }));

test("mutating webhooks change objects one after another, and the result is decoded and has defaults", () =>
  withWebhook(async (server, webhook) => {
    await configure(server, "mutating", "b", webhookOf(webhook, { name: "second.example.com" }));
    await configure(server, "mutating", "a", webhookOf(webhook, { name: "first.example.com" }));
    await inForce(server, webhook);
    const seen: unknown[] = [];
    webhook.answer = (review) => {
      const { data } = review.request.object;
      seen.push(data);
      const n = String(Object.keys(data ?? {}).length);
      return patched(
        review,
        data === undefined ? { op: "add", path: "/data", value: { [`k${n}`]: n } } : { op: "add", path: `/data/k${n}`, value: n },
        {
          op: "add",
          path: "/unknown",
          value: 1,
        },
      );
    };
    const { data, unknown } = await done(server, "POST", configMaps, configMap("a"));
    assert.deepEqual([data, unknown, seen], [{ k0: "0", k1: "1" }, undefined, [undefined, { k0: "0" }]]);
    // Updates, patches and applies as well.
    assert.deepEqual((await done(server, "PUT", `${configMaps}/a`, configMap("a"))).data, { k0: "0", k1: "1" });
    const apply = await done(server, "PATCH", `${configMaps}/c?fieldManager=me`, configMap("c"), "application/apply-patch+yaml");
    assert.deepEqual(apply.data, { k0: "0", k1: "1" });
    // Deletions cannot be changed.
    webhook.answer = (review) => patched(review, { op: "add", path: "/data", value: {} });
    const message =
      'Internal error occurred: admission webhook "first.example.com" attempted to modify the object, which is not supported for this operation';
    assert.deepEqual(await refused(server, "DELETE", `${configMaps}/a`), [500, message]);
    webhook.answer = (review) => answered(review);
    await done(server, "DELETE", `${configMaps}/a`);
  }));

test("a changed object is validated, and has the place of the request", () =>
  withWebhook(async (server, webhook) => {
    await configure(server, "mutating", "bad", webhookOf(webhook));
    await inForce(server, webhook);
    const change = (...operations: readonly object[]) => webhook.answer = (review) => patched(review, ...operations);
    change({ op: "add", path: "/data", value: { "a/b": "c" } });
    const [code, message] = await refused(server, "POST", configMaps, configMap("a"));
    assert.equal(code, 422);
    assert.match(message, /^ConfigMap "a" is invalid: data\[a\/b\]: /);
    change({ op: "replace", path: "/metadata/namespace", value: "other" });
    assert.equal((await refused(server, "POST", configMaps, configMap("a")))[0], 400);
    change({ op: "add", path: "/metadata/uid", value: "forged" }, { op: "add", path: "/metadata/labels", value: { x: "y" } });
    const { metadata } = await done(server, "POST", configMaps, configMap("a"));
    assert.notEqual(metadata.uid, "forged");
    assert.deepEqual(metadata.labels, { x: "y" });
  }));

test("with the policy IfNeeded a webhook is called again after a later change, others are not", () =>
  withWebhook(async (server, webhook) => {
    const named = (name: string, reinvocationPolicy: string, path = "") => ({
      ...webhookOf(webhook, { name: `${name}.example.com`, reinvocationPolicy }),
      clientConfig: { url: `${webhook.url}${path}`, caBundle: webhook.caBundle },
    });
    await configure(server, "mutating", "three", named("counts", "IfNeeded"), named("once", "Never"), named("adds", "Never"));
    await inForce(server, webhook);
    const calls: string[] = [];
    // Calls are told apart by the state of the object.
    webhook.answer = (review) => {
      const data = review.request.object.data ?? {};
      calls.push(Object.keys(data).sort().join());
      if (data.counted === undefined) return patched(review, { op: "add", path: "/data", value: { ...data, counted: "1" } });
      if (data.added === undefined) {
        if (calls.length === 2) return answered(review);
        return patched(review, { op: "add", path: "/data/added", value: "yes" });
      }
      return patched(review, { op: "replace", path: "/data/counted", value: "2" });
    };
    const { data } = await done(server, "POST", configMaps, configMap("a"));
    assert.deepEqual(calls, ["", "counted", "counted", "added,counted"]);
    assert.deepEqual(data, { added: "yes", counted: "2" });
  }));

test("a webhook without IfNeeded whose change is the last one is not called again", () =>
  withWebhook(async (server, webhook) => {
    await configure(server, "mutating", "one", webhookOf(webhook, { reinvocationPolicy: "IfNeeded" }));
    await inForce(server, webhook);
    webhook.answer = (review) => patched(review, { op: "add", path: "/data", value: { a: "b" } });
    await done(server, "POST", configMaps, configMap("a"));
    assert.equal(webhook.reviews.length, 1);
  }));

test("a dry run is sent to webhooks without side effects in it", () =>
  withWebhook(async (server, webhook) => {
    await configure(server, "validating", "dry", webhookOf(webhook, { sideEffects: "NoneOnDryRun" }));
    await inForce(server, webhook);
    await done(server, "POST", `${configMaps}?dryRun=All`, configMap("a"));
    await done(server, "POST", configMaps, configMap("a"));
    await done(server, "DELETE", `${configMaps}/a`, { gracePeriodSeconds: 5, dryRun: ["All"] });
    const seen = webhook.reviews.map(({ request: { dryRun, options } }) => [dryRun, options.dryRun, options.gracePeriodSeconds]);
    assert.deepEqual(seen, [[true, ["All"], undefined], [false, undefined, undefined], [true, ["All"], 5]]);
  }));

test("warnings and audit annotations of the answer are passed on; the version of the review is the first that is known", () =>
  withWebhook(async (server, webhook) => {
    await configure(server, "validating", "warns", webhookOf(webhook, { admissionReviewVersions: ["v7", "v1beta1", "v1"] }));
    await inForce(server, webhook);
    webhook.answer = (review) => answered(review, { uid: "any", warnings: ["first", "second"], auditAnnotations: { k: "v" } });
    const response = await send(server, "POST", configMaps, configMap("a"));
    assert.deepEqual([response.status, response.headers.get("warning")], [201, '299 - "first", 299 - "second"']);
    assert.equal(webhook.reviews[0]?.apiVersion, "admission.k8s.io/v1beta1");
  }));

test("rules, selectors and conditions choose requests; conditions that fail reject", () =>
  withWebhook(async (server, webhook) => {
    const matchConditions = [
      { name: "named", expression: "request.operation == 'DELETE' || object.metadata.name != 'free'" },
      { name: "data", expression: "request.operation == 'DELETE' || object.metadata.name == 'probe' || object.data.x == 'y'" },
    ];
    await configure(server, "validating", "some", webhookOf(webhook, { matchConditions }));
    await inForce(server, webhook);
    const create = (name: string, data?: object) => send(server, "POST", `${configMaps}?dryRun=All`, configMap(name, data));
    assert.equal((await create("free")).status, 201);
    assert.equal((await create("other", { x: "z" })).status, 201);
    assert.equal(webhook.reviews.length, 0);
    assert.equal((await create("other", { x: "y" })).status, 201);
    assert.equal(webhook.reviews.length, 1);
    const [code, message] = await refused(server, "POST", configMaps, configMap("other"));
    const expression = matchConditions[1]!.expression;
    assert.deepEqual([code, message], [
      403,
      `configmaps "other" is forbidden: expression '${expression}' resulted in error: no such key: data`,
    ]);
    const excluded = await samplesOf(server, "apiserver_admission_match_condition_exclusions_total{");
    assert.match(excluded[0] ?? "", /name="hook.example.com",kind="webhook",type="validate",operation="CREATE"} 2$/);
    await done(server, "PATCH", `${configurationsOf("validating")}/some`, {
      webhooks: [{ name: "hook.example.com", failurePolicy: "Ignore" }],
    }, "application/strategic-merge-patch+json");
    await until(async () => assert.equal((await create("other")).status, 201));
    assert.equal(webhook.reviews.length, 1);
  }));

test("a webhook for one version gets requests in others converted, unless it asks for exact matches", () =>
  withWebhook(async (server, webhook) => {
    const rules = [{ apiGroups: ["events.k8s.io"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["events"] }, configMapRule];
    await configure(server, "validating", "equal", webhookOf(webhook, { rules }));
    await configure(server, "mutating", "equal", webhookOf(webhook, { rules }));
    await inForce(server, webhook);
    webhook.answer = (review) =>
      review.request.resource.resource === "events" && review.request.object.metadata.uid === undefined
        ? patched(review, { op: "add", path: "/note", value: "changed" })
        : answered(review);
    const event = {
      metadata: { name: "e" },
      involvedObject: { kind: "X", namespace: "default" },
      message: "hello",
      type: "Normal",
      reason: "R",
    };
    const { message } = await done(server, "POST", "/api/v1/namespaces/default/events", event);
    assert.equal(message, "changed");
    const { kind, resource, requestKind, requestResource, object } = webhook.reviews[0]!.request;
    assert.deepEqual([kind.group, resource.group, requestKind.group, requestResource.group], ["events.k8s.io", "events.k8s.io", "", ""]);
    assert.deepEqual([object.apiVersion, object.note, object.regarding.kind], ["events.k8s.io/v1", "hello", "X"]);
    const count = webhook.reviews.length;
    for (const kind of ["validating", "mutating"] as const) {
      const exact = { webhooks: [{ name: "hook.example.com", matchPolicy: "Exact" }] };
      await done(server, "PATCH", `${configurationsOf(kind)}/equal`, exact, "application/strategic-merge-patch+json");
    }
    await until(async () => {
      const before = webhook.reviews.length;
      await done(server, "POST", "/api/v1/namespaces/default/events?dryRun=All", { ...event, metadata: { generateName: "e-" } });
      assert.equal(webhook.reviews.length, before);
    });
    assert.ok(webhook.reviews.length >= count);
  }));

test("custom resources, subresources and actions are sent", () =>
  withWebhook(async (server, webhook) => {
    const group = "hook.example.com", things = `/apis/${group}/v1/namespaces/default/things`;
    const schema = {
      type: "object",
      properties: { spec: { type: "object", properties: { size: { type: "integer" }, color: { type: "string", default: "red" } } } },
    };
    const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } }];
    const spec = { group, scope: "Namespaced", names: { plural: "things", kind: "Thing" }, versions };
    await done(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { metadata: { name: `things.${group}` }, spec });
    const rules = [
      configMapRule,
      { apiGroups: [group], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] },
      { apiGroups: [""], apiVersions: ["*"], operations: ["*"], resources: ["serviceaccounts/token"] },
    ];
    await configure(server, "mutating", "custom", webhookOf(webhook, { rules }));
    await inForce(server, webhook);
    webhook.answer = (review) =>
      review.request.kind.kind === "Thing"
        ? patched(review, { op: "add", path: "/spec/size", value: 3 }, { op: "add", path: "/spec/unknown", value: 1 })
        : patched(review, { op: "replace", path: "/spec/expirationSeconds", value: 1200 });
    const thing = { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "t" }, spec: {} };
    const made = await until(async () => {
      const response = await send(server, "POST", things, thing);
      assert.equal(response.status, 201);
      return await response.json();
    });
    assert.deepEqual(made.spec, { size: 3, color: "red" });
    await done(server, "PATCH", `${things}/t/status`, { status: {} }, "application/merge-patch+json");
    assert.equal(webhook.reviews.at(-1)?.request.subResource, "status");
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    const token = await done(server, "POST", `${accounts}/default/token`, {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {},
    });
    assert.equal(token.spec.expirationSeconds, 1200);
    const { kind, subResource, name, operation, object } = webhook.reviews.at(-1)!.request;
    assert.deepEqual([kind.kind, subResource, name, operation, object.kind], [
      "TokenRequest",
      "token",
      "default",
      "CREATE",
      "TokenRequest",
    ]);
    webhook.answer = (review) => answered(review, { allowed: false, status: { message: "no tokens" } });
    const [code] = await refused(server, "POST", `${accounts}/default/token`, { spec: {} });
    assert.equal(code, 400);
  }));

test("reviews that are never stored are sent", () =>
  withWebhook(async (server, webhook) => {
    const rules = [configMapRule, { apiGroups: ["authorization.k8s.io"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["*"] }];
    await configure(server, "mutating", "reviews", webhookOf(webhook, { rules }));
    await configure(server, "validating", "reviews", webhookOf(webhook, { rules }));
    await inForce(server, webhook);
    const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const review = { spec: { user: "ann", resourceAttributes: { verb: "get", resource: "configmaps" } } };
    webhook.answer = (sent) =>
      sent.request.kind.kind === "SubjectAccessReview" && sent.request.object.spec.user === "ann"
        ? patched(sent, { op: "replace", path: "/spec/user", value: "bob" })
        : answered(sent);
    const { spec } = await done(server, "POST", reviews, review);
    assert.equal(spec.user, "bob");
    webhook.answer = (sent) => answered(sent, { allowed: false, status: { message: "no questions" } });
    assert.deepEqual(await refused(server, "POST", reviews, review), [
      400,
      'admission webhook "hook.example.com" denied the request: no questions',
    ]);
  }));

test("kinds of admission are never sent", () =>
  withWebhook(async (server, webhook) => {
    const rules = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }];
    webhook.answer = (review) => answered(review, { allowed: false });
    await configure(server, "validating", "all", webhookOf(webhook, { rules }));
    await configure(server, "mutating", "all", webhookOf(webhook, { rules }));
    await inForce(server, webhook);
    const policy = { metadata: { name: "p" }, spec: { validations: [{ expression: "true" }], matchConstraints: { resourceRules: rules } } };
    await done(server, "POST", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies", policy);
    await done(server, "DELETE", `${configurationsOf("validating")}/all`);
    await done(server, "DELETE", `${configurationsOf("mutating")}/all`);
    // Controllers may write other kinds meanwhile.
    const own = webhook.reviews.filter(({ request }) => request.resource.group === "admissionregistration.k8s.io");
    assert.deepEqual(own, []);
    await until(async () => assert.equal((await send(server, "POST", `${configMaps}?dryRun=All`, configMap("a"))).status, 201));
  }));
