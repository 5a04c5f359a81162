// In Deno's suite only: the runtime does not matter.
// Rules of one version see the writes of another one, also where a conversion webhook converts between them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { answered, configurationsOf, configure, openAdmissionWebhook, patched, webhookOf } from "../admission-webhook.ts";
import { done, refused, send } from "../requests.ts";
import { answered as convertedAs, openConversionWebhook } from "../conversion-webhook.ts";
import { until } from "../real-server.ts";

const group = "conv.example.com", plural = "things", base = `/apis/${group}`;
const things = (version: string) => `${base}/${version}/namespaces/default/things`;
const text = { type: "string" };
const version = (name: string, storage: boolean, spec: object) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: spec } } } },
  subresources: { status: {} },
});
const rule = { apiGroups: [group], apiVersions: ["v1"], operations: ["*"], resources: [plural] };
const beta = (name: string, hostPort: string) => ({
  apiVersion: `${group}/v1beta1`,
  kind: "Thing",
  metadata: { name, labels: { made: "by-hand" } },
  spec: { hostPort },
});
const settings = {
  "feature-gates": { MutatingAdmissionPolicy: true },
  "runtime-config": { "admissionregistration.k8s.io/v1beta1": true },
};

test("webhooks and policies of v1 see and change objects of v1beta1, converted by the webhook of the definition", async () => {
  await using server = await openTestServer({ settings });
  const conversion = await openConversionWebhook(), hook = await openAdmissionWebhook();
  try {
    const clientConfig = { url: conversion.url, caBundle: conversion.caBundle };
    const versions = [version("v1", true, { host: text, port: text }), version("v1beta1", false, { hostPort: text })];
    const spec = {
      group,
      scope: "Namespaced",
      names: { plural, kind: "Thing" },
      versions,
      conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } },
    };
    await done(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: `${plural}.${group}` },
      spec,
    });
    await until(async () => assert.equal((await send(server, "GET", things("v1beta1"))).status, 200));

    const more = { rules: [rule] };
    await configure(server, "mutating", "one", webhookOf(hook, more));
    await configure(server, "validating", "one", webhookOf(hook, more));
    const home = "/apis/admissionregistration.k8s.io", named = { metadata: { name: "hosts" } };
    const matchConstraints = { resourceRules: [{ ...rule, operations: ["CREATE", "UPDATE"] }] };
    const validations = [{ expression: "object.spec.host != 'bad'", message: "a bad host" }];
    await done(server, "POST", `${home}/v1/validatingadmissionpolicies`, { ...named, spec: { matchConstraints, validations } });
    const binding = { ...named, spec: { policyName: "hosts", validationActions: ["Deny"] } };
    await done(server, "POST", `${home}/v1/validatingadmissionpolicybindings`, binding);
    const mutations = [{
      patchType: "ApplyConfiguration",
      applyConfiguration: { expression: "Object{spec: Object.spec{port: object.spec.port + '0'}}" },
    }];
    const mutating = { ...named, spec: { matchConstraints, mutations, reinvocationPolicy: "Never" } };
    await done(server, "POST", `${home}/v1beta1/mutatingadmissionpolicies`, mutating);
    await done(server, "POST", `${home}/v1beta1/mutatingadmissionpolicybindings`, { ...named, spec: { policyName: "hosts" } });

    hook.answer = (review, _, path) => {
      const { object } = review.request;
      return object === null || object.spec.host !== "a"
        ? answered(review, { allowed: object?.spec.host !== "no" && path === "/hook" })
        : patched(
          review,
          { op: "replace", path: "/spec/host", value: "b" },
          { op: "add", path: "/metadata/labels/seen", value: "yes" },
        );
    };
    const made = await done(server, "POST", things("v1beta1"), beta("one", "a:1"));
    assert.deepEqual([made.spec, made.metadata.labels], [{ hostPort: "b:10" }, { made: "by-hand", seen: "yes" }]);
    const kinds = hook.reviews.map(({ request: { kind, requestKind, object } }) => [kind.version, requestKind.version, object.spec]);
    assert.deepEqual(kinds, [["v1", "v1beta1", { host: "a", port: "10" }], ["v1", "v1beta1", { host: "b", port: "10" }]]);
    assert.equal(hook.reviews[1]!.request.object.metadata.uid, made.metadata.uid);

    hook.reviews.length = 0;
    const merge = "application/merge-patch+json";
    const changed = await done(server, "PATCH", `${things("v1beta1")}/one`, { spec: { hostPort: "c:2" } }, merge);
    assert.equal(changed.spec.hostPort, "c:20");
    const specs = hook.reviews.map(({ request: { oldObject, object } }) => [oldObject.spec, object.spec]);
    assert.deepEqual(specs, Array(2).fill([{ host: "b", port: "10" }, { host: "c", port: "20" }]));
    // The status is another subresource, which the rules do not name.
    await done(server, "PATCH", `${things("v1beta1")}/one/status`, { metadata: { labels: { other: "x" } } }, merge);
    assert.equal(hook.reviews.length, 2);

    assert.match((await refused(server, "POST", things("v1beta1"), beta("two", "bad:1")))[1], /denied request: a bad host/);
    assert.match((await refused(server, "POST", things("v1beta1"), beta("two", "no:1")))[1], /admission webhook "hook.example.com" denied/);
    await done(server, "DELETE", `${things("v1beta1")}/one`);
    assert.deepEqual(hook.reviews.at(-1)!.request.oldObject.spec, { host: "c", port: "20" });

    // A conversion that fails lets nothing pass by; nor one that changes what it may not.
    conversion.answer = () => ({ status: 500, body: "" });
    const broken = await refused(server, "POST", things("v1beta1"), beta("three", "a:1"));
    assert.deepEqual([broken[0], /^Internal error occurred: conversion webhook for .* failed/.test(broken[1])], [500, true], broken[1]);
    conversion.answer = (review) => convertedAs(review, review.request.objects.map((object) => ({ ...object, metadata: { name: "x" } })));
    assert.equal((await refused(server, "POST", things("v1beta1"), beta("three", "a:1")))[0], 500);
    conversion.answer = () => undefined;

    // `Exact` rules see their version only.
    for (const kind of ["mutating", "validating"] as const) {
      await done(server, "DELETE", `${configurationsOf(kind)}/one`);
      await configure(server, kind, "exact", webhookOf(hook, { ...more, matchPolicy: "Exact" }));
    }
    hook.reviews.length = 0;
    await done(server, "POST", things("v1beta1"), beta("four", "d:1"));
    assert.equal(hook.reviews.length, 0);
  } finally {
    await conversion.close();
    await hook.close();
  }
});
