// Conversion of custom resources by a webhook.
// In Deno's suite only: requests to webhooks are made as in test/admission-webhooks_test.ts, which runs on both.
import assert from "node:assert/strict";
import { test } from "node:test";
import { issue } from "../server/listen/testing/clients.ts";
import { openTestServer, type TestServer } from "../testing.ts";
import type { Json } from "../core/json.ts";
import { decoded, encoded, type } from "./cbor.ts";
import {
  answered,
  type ConversionWebhook,
  converted,
  openConversionWebhook,
  type ReceivedReview,
  type Sent,
} from "./conversion-webhook.ts";
import { documents } from "./https.ts";
import { freePort } from "./ports.ts";
import { ask as request, done, refused, send } from "./requests.ts";
import { conversionAnswerValuesMin, conversionErrorLengthMax } from "../plugins/apiextensions/conversion/webhook.ts";
import { conversionAnswerFreeBytes, conversionGrowthMax } from "../server/webhooks/webhook-client.ts";

const group = "conv.example.com", definition = `things.${group}`;
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = (version: string) => `/apis/${group}/${version}/namespaces/default/things`;
const v1 = (name: string, spec: object = { host: "a", port: "1" }, metadata: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: "Thing",
  metadata: { name, ...metadata },
  spec,
});
const beta = (name: string, spec: object = { hostPort: "a:1" }, metadata: object = {}) => ({
  ...v1(name, spec, metadata),
  apiVersion: `${group}/v1beta1`,
});

async function until(attempt: () => Promise<void>): Promise<void> {
  for (const end = AbortSignal.timeout(30_000);;) {
    try {
      return await attempt();
    } catch (error) {
      if (end.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

function version(name: string, storage: boolean, properties: object): object {
  return {
    name,
    served: true,
    storage,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: { type: "object", properties: { extra: { type: "string" }, replicas: { type: "integer" }, ...properties } },
          status: { type: "object", properties: { ready: { type: "string" }, replicas: { type: "integer" } } },
        },
      },
    },
    subresources: { status: {}, scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
    selectableFields: [{ jsonPath: Object.hasOwn(properties, "host") ? ".spec.host" : ".spec.hostPort" }],
  };
}
const text = { type: "string" };
const hostPort = { host: text, port: text }, joined = { hostPort: text };

function definitionOf({ url, caBundle }: Pick<ConversionWebhook, "url" | "caBundle">, reviewVersions = ["v1"], stored = "v1"): any {
  const versions = [version("v1", stored === "v1", hostPort), version("v1beta1", stored === "v1beta1", joined)];
  const conversion = { strategy: "Webhook", webhook: { clientConfig: { url, caBundle }, conversionReviewVersions: reviewVersions } };
  const spec = { group, scope: "Namespaced", names: { plural: "things", kind: "Thing" }, versions, conversion };
  return { metadata: { name: definition }, spec };
}
async function define(server: TestServer, webhook: ConversionWebhook, reviewVersions?: string[]): Promise<void> {
  await done(server, "POST", definitions, definitionOf(webhook, reviewVersions));
  await until(async () => assert.equal((await send(server, "GET", things("v1beta1"))).status, 200));
}
/** Changes the definition, and waits until the change is served. */
async function redefine(server: TestServer, next: any, isServed: () => Promise<boolean>): Promise<void> {
  await done(server, "PATCH", `${definitions}/${definition}`, { spec: next.spec }, "application/merge-patch+json");
  await until(async () => assert.ok(await isServed()));
}

test("objects are converted by the webhook in every verb", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook();
  try {
    await define(server, webhook);
    const created = await done(server, "POST", things("v1beta1"), beta("one"));
    assert.deepEqual([created.apiVersion, created.spec], [`${group}/v1beta1`, { hostPort: "a:1" }]);
    assert.deepEqual(webhook.reviews.map(({ request }) => request.desiredAPIVersion), [`${group}/v1`, `${group}/v1beta1`]);
    const review = webhook.reviews[0]!;
    assert.deepEqual([review.kind, review.apiVersion], ["ConversionReview", "apiextensions.k8s.io/v1"]);
    assert.equal(review.request.objects[0].metadata.resourceVersion, undefined);

    webhook.reviews.length = 0;
    const stored = await done(server, "GET", `${things("v1")}/one`);
    assert.deepEqual([stored.apiVersion, stored.spec, webhook.reviews], [`${group}/v1`, { host: "a", port: "1" }, []]);
    const shown = await done(server, "GET", `${things("v1beta1")}/one`);
    assert.deepEqual([shown.spec, shown.metadata.resourceVersion], [{ hostPort: "a:1" }, stored.metadata.resourceVersion]);

    await done(server, "POST", things("v1"), v1("two", { host: "b", port: "2" }));
    webhook.reviews.length = 0;
    const listed = await done(server, "GET", things("v1beta1"));
    assert.deepEqual(listed.items.map(({ apiVersion, spec }: any) => [apiVersion, spec.hostPort]), [
      [`${group}/v1beta1`, "a:1"],
      [`${group}/v1beta1`, "b:2"],
    ]);
    assert.deepEqual(webhook.reviews.map(({ request }) => request.objects.length), [2], "a list is one request");
    const chosen = await done(server, "GET", `${things("v1beta1")}?fieldSelector=spec.hostPort%3Db:2`);
    assert.deepEqual(chosen.items.map(({ metadata }: any) => metadata.name), ["two"]);

    const put = await done(server, "PUT", `${things("v1beta1")}/one`, { ...shown, spec: { hostPort: "c:3" } });
    assert.deepEqual([put.spec, put.metadata.generation], [{ hostPort: "c:3" }, 2]);
    const merged = await done(server, "PATCH", `${things("v1beta1")}/one`, { spec: { extra: "e" } }, "application/merge-patch+json");
    assert.deepEqual(merged.spec, { extra: "e", hostPort: "c:3" });
    assert.deepEqual((await done(server, "GET", `${things("v1")}/one`)).spec, { extra: "e", host: "c", port: "3" });
    const unchanged = await done(server, "PATCH", `${things("v1beta1")}/one`, { spec: { extra: "e" } }, "application/merge-patch+json");
    assert.equal(unchanged.metadata.resourceVersion, merged.metadata.resourceVersion, "an equal object is not written");

    const status = await done(
      server,
      "PATCH",
      `${things("v1beta1")}/one/status`,
      { status: { ready: "yes" } },
      "application/merge-patch+json",
    );
    assert.deepEqual([status.status, status.spec], [{ ready: "yes" }, merged.spec]);
    const scaled = await done(server, "PATCH", `${things("v1beta1")}/one/scale`, { spec: { replicas: 4 } }, "application/merge-patch+json");
    assert.equal(scaled.spec.replicas, 4);
    assert.deepEqual((await done(server, "GET", `${things("v1")}/one`)).spec, { extra: "e", host: "c", port: "3", replicas: 4 });

    await done(server, "DELETE", `${things("v1beta1")}/two`);
    assert.equal((await send(server, "GET", `${things("v1")}/two`)).status, 404);
    await done(server, "DELETE", things("v1beta1"));
    assert.deepEqual((await done(server, "GET", things("v1"))).items, []);
  } finally {
    await webhook.close();
  }
});

test("fields applied in one version belong to their manager in the other", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook();
  try {
    await define(server, webhook);
    const apply = (body: any, manager: string, more = "") =>
      send(
        server,
        "PATCH",
        `${things(body.apiVersion.split("/")[1])}/one?fieldManager=${manager}${more}`,
        body,
        "application/apply-patch+yaml",
      );
    assert.equal((await apply(v1("one", { host: "a", port: "1" }), "first")).status, 201);
    const conflict = await apply(beta("one", { hostPort: "b:2" }), "second");
    const { code, details } = await conflict.json();
    assert.deepEqual([code, details.causes.map(({ field }: any) => field)], [409, [".spec.host", ".spec.port"]]);
    const forced = await apply(beta("one", { hostPort: "b:2" }), "second", "&force=true");
    assert.deepEqual((await forced.json()).spec, { hostPort: "b:2" });
    const managers = (object: any) =>
      object.metadata.managedFields.map((each: any) => `${each.manager} ${each.apiVersion} ${Object.keys(each.fieldsV1["f:spec"])}`);
    const live = await done(server, "GET", `${things("v1")}/one`);
    assert.deepEqual([live.spec, managers(live)], [{ host: "b", port: "2" }, [`second ${group}/v1beta1 f:hostPort`]]);
  } finally {
    await webhook.close();
  }
});

test("a watch gets each event in its version, and in order", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook();
  try {
    await define(server, webhook);
    await done(server, "POST", things("v1"), v1("one"));
    const events: string[] = [];
    const { body } = await send(server, "GET", `${things("v1beta1")}?watch=1`);
    void (async () => {
      for await (const { type, object } of documents(body!)) {
        events.push(`${type} ${object.metadata?.name} ${object.apiVersion} ${object.spec?.hostPort}`);
      }
    })();
    await until(async () => assert.equal(events.length, 1));
    for (const port of ["2", "3"]) await done(server, "PATCH", `${things("v1")}/one`, { spec: { port } }, "application/merge-patch+json");
    await done(server, "DELETE", `${things("v1")}/one`);
    await until(async () => assert.equal(events.length, 4));
    assert.deepEqual(events, [
      `ADDED one ${group}/v1beta1 a:1`,
      `MODIFIED one ${group}/v1beta1 a:2`,
      `MODIFIED one ${group}/v1beta1 a:3`,
      `DELETED one ${group}/v1beta1 a:3`,
    ]);
  } finally {
    await webhook.close();
  }
});

test("a watch stays open while its events cannot be converted, and gets them when the webhook works again", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook();
  try {
    await define(server, webhook);
    await done(server, "POST", things("v1"), v1("one"));
    const events: string[] = [];
    const follow = async (path: string) => {
      const { body } = await send(server, "GET", path);
      for await (const { type, object } of documents(body!)) events.push(`${type} ${object.spec?.hostPort ?? object.message}`);
    };
    void follow(`${things("v1beta1")}?watch=1`);
    await until(async () => assert.deepEqual(events, ["ADDED a:1"]));
    let isBroken = true, failures = 0;
    webhook.answer = (review) => {
      if (!isBroken) return undefined;
      failures++;
      return answered(review, [], { result: { status: "Failure", message: "no" } });
    };
    await done(server, "PATCH", `${things("v1")}/one`, { spec: { port: "2" } }, "application/merge-patch+json");
    await done(server, "PATCH", `${things("v1")}/one`, { spec: { port: "3" } }, "application/merge-patch+json");
    await until(async () => assert.ok(failures >= 3));
    assert.deepEqual(events, ["ADDED a:1"]);
    isBroken = false;
    await until(async () => assert.deepEqual(events, ["ADDED a:1", "MODIFIED a:2", "MODIFIED a:3"]));
    // A watch that cannot begin ends at once.
    isBroken = true;
    events.length = 0;
    await follow(`${things("v1beta1")}?watch=1`);
    assert.deepEqual(events, [`ERROR conversion webhook for ${group}/v1, Kind=Thing failed: no`]);
  } finally {
    await webhook.close();
  }
});

test("a dry run calls the webhook as the write would, and stores nothing", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook();
  try {
    await define(server, webhook);
    const { spec, metadata } = await done(server, "POST", things("v1"), v1("one", undefined, { finalizers: ["example.com/hold"] }));
    // Conversion to v1 changes the host.
    webhook.answer = (review) => {
      const { desiredAPIVersion, objects } = review.request;
      const upper = (object: any) =>
        object.spec.host === undefined ? object : { ...object, spec: { ...object.spec, host: object.spec.host.toUpperCase() } };
      return answered(review, objects.map((object) => upper(converted(object, desiredAPIVersion))));
    };
    const calls = async (run: () => Promise<any>): Promise<readonly unknown[]> => {
      webhook.reviews.length = 0;
      const result = await run(), versions = webhook.reviews.map(({ request }) => request.desiredAPIVersion.split("/")[1]);
      return [result.spec, versions.at(-2), versions.at(-1)];
    };
    const one = `${things("v1beta1")}/one?dryRun=All`, apply = "application/apply-patch+yaml";
    const created = () => done(server, "POST", `${things("v1beta1")}?dryRun=All`, beta("two", { hostPort: "b:2" }));
    assert.deepEqual(await calls(created), [{ hostPort: "B:2" }, "v1", "v1beta1"]);
    assert.equal((await created()).metadata.resourceVersion, undefined);
    const shown = await done(server, "GET", `${things("v1beta1")}/one`);
    const writes = [
      () => done(server, "PUT", one, { ...shown, spec: { hostPort: "c:3" } }),
      () => done(server, "PATCH", one, { spec: { hostPort: "c:3" } }, "application/merge-patch+json"),
      () => done(server, "PATCH", `${one}&fieldManager=x&force=true`, beta("one", { hostPort: "c:3" }), apply),
    ];
    for (const write of writes) assert.deepEqual(await calls(write), [{ hostPort: "C:3" }, "v1", "v1beta1"]);
    webhook.reviews.length = 0;
    await done(server, "POST", `${things("v1")}?dryRun=All`, v1("two"));
    assert.deepEqual(webhook.reviews, [], "the version of the store needs no conversion");
    webhook.answer = (review) =>
      review.request.desiredAPIVersion.endsWith("/v1beta1")
        ? undefined
        : answered(review, [], { result: { status: "Failure", message: "no" } });
    const message = `conversion webhook for ${group}/v1beta1, Kind=Thing failed: no`;
    assert.deepEqual(await refused(server, "POST", `${things("v1beta1")}?dryRun=All`, beta("two")), [500, message]);
    assert.deepEqual(await refused(server, "DELETE", one), [500, message], "the finalizer would have kept it");
    const after = await done(server, "GET", `${things("v1")}/one`);
    assert.deepEqual([after.spec, after.metadata.resourceVersion], [spec, metadata.resourceVersion]);
    assert.equal((await done(server, "GET", things("v1"))).items.length, 1);
  } finally {
    await webhook.close();
  }
});

test("each wrong answer is refused with upstream's message, and written objects stay as they are", async () => {
  await using server = await openTestServer({ unexpectedErrors: "answer" });
  const webhook = await openConversionWebhook();
  try {
    await define(server, webhook);
    await done(server, "POST", things("v1"), v1("one", undefined, { labels: { a: "b" } }));
    const about = `conversion webhook for ${group}/v1, Kind=Thing`;
    const head = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    const change = (changes: (object: any) => unknown): ConversionWebhook["answer"] => (review) =>
      answered(review, review.request.objects.map((object) => changes(converted(object, review.request.desiredAPIVersion))));
    const meta = (changes: object) => change((object) => ({ ...object, metadata: { ...object.metadata, ...changes } }));
    const cases: readonly (readonly [ConversionWebhook["answer"], string])[] = [
      [(review) => answered(review, [], { uid: "x" }), `${about} failed: expected response.uid="UID", got "x"`],
      [(review) => answered(review, []), `${about} returned 0 objects, expected 1`],
      [(review) => answered(review, [], { result: { status: "Failure", message: "no" } }), `${about} failed: no`],
      [
        (review) => answered(review, [], { result: { status: "Failure" } }),
        `${about} failed: response.result.status was 'Failure', not 'Success'`,
      ],
      [(review) => ({ body: { kind: review.kind, apiVersion: review.apiVersion } }), `${about} failed: no response provided`],
      [
        () => ({ body: "nothing", status: 500 }),
        `${about} failed: an error on the server ("unknown") has prevented the request from succeeding`,
      ],
      [
        () => ({ body: "" }),
        `${about} failed: 0-length response with status code: 200 and content type: application/json`,
      ],
      [
        (review) => ({ body: { kind: review.kind } }),
        `${about} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=ConversionReview`,
      ],
      [
        (review) => ({ body: { kind: review.kind, apiVersion: "apiextensions.k8s.io/v1beta1" } }),
        `${about} failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion`,
      ],
      [
        () => ({ body: { kind: "Pod", apiVersion: "v1" } }),
        `${about} failed: no kind "Pod" is registered for version "v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"`,
      ],
      [
        () => ({ body: "[".repeat(10_001) }),
        `${about} failed: couldn't get version/kind; json parse error: invalid character '[' exceeded max depth`,
      ],
      [
        () => ({ body: "[]" }),
        `${about} failed: couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${head}`,
      ],
      [(review) => answered(review, [null]), "unexpected end of JSON input"],
      [(review) => answered(review, [1]), "json: cannot unmarshal number into Go value of type map[string]interface {}"],
      [() => ({ body: "", status: 404 }), `${about} failed: the server could not find the requested resource`],
      [
        change((object) => ({ ...object, apiVersion: `${group}/v3` })),
        `${about} returned invalid object at index 0: invalid groupVersion (expected ${group}/v1beta1, received ${group}/v3)`,
      ],
      [
        change((object) => ({ ...object, kind: "Other" })),
        `${about} returned invalid object at index 0: invalid kind (expected Thing, received Other)`,
      ],
      [meta({ name: "two" }), `${about} returned invalid object: must have the same name: one != two`],
      [meta({ namespace: "other" }), `${about} returned invalid object: must have the same namespace: default != other`],
      [meta({ uid: "0" }), `${about} returned invalid object: must have the same UID: UID != 0`],
      [change(({ metadata: _, ...object }) => ({ ...object })), `${about} returned invalid object: must have the same name: one != `],
      [meta({ labels: 1 }), `${about} returned invalid metadata: invalid metadata.labels of type int64 in converted object`],
      [
        meta({ labels: { a: 1 } }),
        `${about} returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
      ],
    ];
    const { metadata } = await done(server, "GET", `${things("v1")}/one`);
    for (const [answer, expected] of cases) {
      webhook.answer = answer;
      webhook.reviews.length = 0;
      const [code, message] = await refused(server, "GET", `${things("v1beta1")}/one`);
      const sent = webhook.reviews[0]?.request.uid ?? "";
      assert.deepEqual([code, message.replace(sent, "UID").replace(metadata.uid, "UID")], [500, expected]);
    }
    webhook.answer = (review) => answered(review, [], { result: { status: "Failure", message: "no" } });
    const none = `conversion webhook for ${group}/v1beta1, Kind=Thing failed: no`;
    assert.deepEqual(await refused(server, "POST", things("v1beta1"), beta("two")), [500, none]);
    assert.deepEqual(await refused(server, "GET", things("v1beta1")), [500, `${about} failed: no`]);
    assert.deepEqual(await refused(server, "DELETE", `${things("v1beta1")}/one`), [500, `${about} failed: no`]);
    webhook.answer = () => undefined;
    assert.deepEqual((await done(server, "GET", things("v1beta1"))).items.map((object: any) => object.metadata.name), ["one"]);
  } finally {
    await webhook.close();
  }
});

test("labels and annotations may change in a conversion, other metadata is restored", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook();
  try {
    await define(server, webhook);
    await done(server, "POST", things("v1"), v1("one", undefined, { labels: { a: "b" }, finalizers: ["example.com/hold"] }));
    webhook.answer = (review) =>
      answered(
        review,
        review.request.objects.map((object) => {
          const next = converted(object, review.request.desiredAPIVersion), { finalizers: _, ...metadata } = next.metadata;
          return { ...next, metadata: { ...metadata, labels: { c: "d" }, annotations: { e: "f" }, generateName: "x" } };
        }),
      );
    const { metadata } = await done(server, "GET", `${things("v1beta1")}/one`);
    assert.deepEqual([metadata.labels, metadata.annotations, metadata.finalizers, metadata.generateName], [
      { c: "d" },
      { e: "f" },
      ["example.com/hold"],
      undefined,
    ]);
    const chosen = await done(server, "GET", `${things("v1beta1")}?labelSelector=c%3Dd`);
    assert.equal(chosen.items.length, 1);
  } finally {
    await webhook.close();
  }
});

test("a webhook that does not answer holds only the requests that need it; a changed definition has another client", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook(), other = await openConversionWebhook();
  try {
    await define(server, webhook);
    await done(server, "POST", things("v1"), v1("one"));
    const held = Promise.withResolvers<undefined>();
    webhook.answer = () => held.promise;
    const waiting = send(server, "GET", `${things("v1beta1")}/one`);
    await until(async () => assert.ok(webhook.reviews.length > 0));
    assert.equal((await done(server, "GET", `${things("v1")}/one`)).spec.host, "a");
    await done(server, "POST", things("v1"), v1("two"));
    await redefine(server, definitionOf(other), async () => {
      const before = other.reviews.length;
      const got = send(server, "GET", `${things("v1beta1")}/one`);
      const response = await Promise.race([got, new Promise<undefined>((resolve) => setTimeout(resolve, 100))]);
      return response?.status === 200 && other.reviews.length > before;
    });
    held.resolve(undefined);
    assert.equal((await waiting).status, 200, "a request in progress finishes with the earlier client");
  } finally {
    await Promise.all([webhook.close(), other.close()]);
  }
});

test("a webhook that cannot be reached, is not trusted, or sends too much is an error of its requests only", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook(), port = await freePort();
  try {
    await define(server, webhook);
    await done(server, "POST", things("v1"), v1("one"));
    const about = `conversion webhook for ${group}/v1, Kind=Thing failed: `;
    const cases = [
      [{ url: `https://127.0.0.1:${port}/x`, caBundle: webhook.caBundle }, `Post "https://127.0.0.1:${port}/x?timeout=30s": `],
      [{ url: webhook.url, caBundle: btoa(issue({ usage: "ca", commonName: "other" }).cert) }, `Post "${webhook.url}?timeout=30s": `],
      [
        { url: null, service: { name: "a", namespace: "b", path: "/x" }, caBundle: webhook.caBundle },
        'Post "https://a.b.svc:443/x?timeout=30s": ',
      ],
    ] as const;
    for (const [clientConfig, expected] of cases) {
      const patch = { spec: { conversion: { webhook: { clientConfig } } } };
      await done(server, "PATCH", `${definitions}/${definition}`, patch, "application/merge-patch+json");
      await until(async () => {
        const [code, message] = await refused(server, "GET", `${things("v1beta1")}/one`);
        assert.equal(code, 500);
        assert.ok(message.startsWith(`${about}${expected}`), message);
      });
      assert.equal((await send(server, "GET", `${things("v1")}/one`)).status, 200);
    }
    const again = definitionOf(webhook);
    again.spec.conversion.webhook.clientConfig.service = null;
    await redefine(server, again, async () => (await send(server, "GET", `${things("v1beta1")}/one`)).status === 200);
    // An answer may be so much longer than its request.
    const answerOf = (more: number) => (review: ReceivedReview) => {
      const { objects, desiredAPIVersion } = review.request;
      const text = JSON.stringify(answered(review, objects.map((object) => converted(object, desiredAPIVersion))).body);
      const bytesMax = conversionAnswerFreeBytes + JSON.stringify(review).length * conversionGrowthMax;
      return { body: text + " ".repeat(bytesMax - text.length + more) };
    };
    webhook.answer = answerOf(0);
    assert.equal((await send(server, "GET", `${things("v1beta1")}/one`)).status, 200);
    webhook.answer = answerOf(1);
    assert.equal((await send(server, "GET", `${things("v1beta1")}/one`)).status, 500);
    webhook.answer = () => undefined;
    assert.equal((await send(server, "GET", `${things("v1beta1")}/one`)).status, 200);
  } finally {
    await webhook.close();
  }
});

test("objects stored in an earlier version are served and written again in the version of the store", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook();
  try {
    await define(server, webhook, ["v2", "v1beta1"]);
    await done(server, "POST", things("v1"), v1("one"));
    const before = await done(server, "GET", `${things("v1beta1")}/one`);
    assert.equal(webhook.reviews.at(-1)!.apiVersion, "apiextensions.k8s.io/v1beta1");
    const next = definitionOf(webhook, ["v1beta1"], "v1beta1");
    await redefine(
      server,
      next,
      async () =>
        (await done(server, "POST", `${things("v1beta1")}?dryRun=All`, beta("x"))).spec.hostPort === "a:1" &&
        (await isStoredAs(server, "v1beta1")),
    );
    const before1 = reviewsTo(webhook, "v1");
    const own = await done(server, "GET", `${things("v1")}/one`);
    assert.deepEqual([own.spec, reviewsTo(webhook, "v1")], [{ host: "a", port: "1" }, before1], "it is stored in v1");
    const put = await done(server, "PUT", `${things("v1beta1")}/one`, before);
    assert.notEqual(put.metadata.resourceVersion, before.metadata.resourceVersion, "an equal object is written in the new version");
    const before2 = reviewsTo(webhook, "v1beta1");
    assert.equal((await done(server, "GET", `${things("v1beta1")}/one`)).spec.hostPort, "a:1");
    assert.equal(reviewsTo(webhook, "v1beta1"), before2, "it is stored in v1beta1");
  } finally {
    await webhook.close();
  }
});

function reviewsTo({ reviews }: ConversionWebhook, name: string): number {
  return reviews.filter(({ request }) => request.desiredAPIVersion === `${group}/${name}`).length;
}

/** Whether discovery has the hash of that stored version. */
async function isStoredAs(server: TestServer, name: string): Promise<boolean> {
  const { resources } = await done(server, "GET", `/apis/${group}/v1`);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${group}/${name}/Thing`));
  const expected = btoa(String.fromCharCode(...new Uint8Array(digest, 0, 8)));
  return resources.find((each: any) => each.name === "things").storageVersionHash === expected;
}

test("a request with a timeout ends in time, also while the webhook does not answer", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook();
  try {
    await define(server, webhook);
    await done(server, "POST", things("v1"), v1("one"));
    const held = Promise.withResolvers<undefined>();
    webhook.answer = () => held.promise;
    for (const path of [`${things("v1beta1")}/one?timeout=50ms`, `${things("v1beta1")}?timeout=50ms`]) {
      assert.equal((await refused(server, "GET", path))[0], 504);
    }
    assert.equal((await refused(server, "POST", `${things("v1beta1")}?timeout=50ms`, beta("two")))[0], 504);
    held.resolve(undefined);
    webhook.answer = () => undefined;
    assert.equal((await done(server, "GET", `${things("v1beta1")}/one`)).spec.hostPort, "a:1");
  } finally {
    await webhook.close();
  }
});

test("objects in CBOR are converted by the webhook, which gets JSON", async () => {
  await using server = await openTestServer({ settings: { "feature-gates": { CBORServingAndStorage: true } } });
  const webhook = await openConversionWebhook();
  const ask = async (method: string, path: string, body?: object) => {
    const sent = body === undefined ? undefined : encoded(body as Json);
    const { status, headers, bytes } = await request(server, method, path, sent, { accept: type, type });
    assert.deepEqual([status < 300, headers.get("content-type")], [true, type]);
    return decoded(bytes);
  };
  try {
    await define(server, webhook);
    const created = await ask("POST", things("v1beta1"), beta("one"));
    assert.deepEqual([created.apiVersion, created.spec], [`${group}/v1beta1`, { hostPort: "a:1" }]);
    assert.deepEqual((await ask("GET", `${things("v1")}/one`)).spec, { host: "a", port: "1" });
    assert.deepEqual((await ask("GET", `${things("v1beta1")}/one`)).spec, { hostPort: "a:1" });
    const put = await ask("PUT", `${things("v1beta1")}/one`, {
      ...await ask("GET", `${things("v1beta1")}/one`),
      spec: { hostPort: "b:2" },
    });
    assert.deepEqual([put.spec, put.metadata.generation], [{ hostPort: "b:2" }, 2]);
    const { items } = await ask("GET", things("v1beta1"));
    assert.deepEqual(items.map(({ spec }: any) => spec), [{ hostPort: "b:2" }]);
    assert.deepEqual((await done(server, "GET", `${things("v1beta1")}/one`)).spec, { hostPort: "b:2" }, "the same in JSON");
    assert.ok(webhook.reviews.every(({ request }) => typeof request.objects[0].metadata.name === "string"));
  } finally {
    await webhook.close();
  }
});

test("conversions are counted and timed", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook();
  try {
    await define(server, webhook);
    await done(server, "POST", things("v1"), v1("one"));
    await done(server, "GET", `${things("v1beta1")}/one`);
    webhook.answer = () => ({ body: "", status: 500 });
    await send(server, "GET", `${things("v1beta1")}/one`);
    const metrics = await (await send(server, "GET", "/metrics")).text();
    for (
      const line of [
        'apiserver_conversion_webhook_request_total{result="success",failure_type=""} 1',
        'apiserver_conversion_webhook_request_total{result="failure",failure_type="conversion_webhook_call_failure"} 1',
        'apiserver_conversion_webhook_duration_seconds_count{result="success",failure_type=""} 1',
        `apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="${definition}",from_version="v1",to_version="v1beta1",succeeded="true"} 1`,
        `apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="${definition}",from_version="v1",to_version="v1beta1",succeeded="false"} 1`,
      ]
    ) assert.ok(metrics.includes(line), line);
    assert.match(metrics, /apiserver_storage_objects\{resource="things\.conv\.example\.com"\} 1\n/);
  } finally {
    await webhook.close();
  }
});

test("hostile contents of an answer end as errors of bounded length, and cost no more than the request allows", async () => {
  await using server = await openTestServer();
  const webhook = await openConversionWebhook();
  try {
    await define(server, webhook);
    await done(server, "POST", things("v1"), v1("one"));
    const path = `${things("v1beta1")}/one`, long = "x".repeat(100_000), failed = "conversion webhook for conv.example.com/v1, Kind=Thing";
    const of = (review: ReceivedReview) => ({ ...review.request.objects[0], apiVersion: `${group}/v1beta1`, spec: {} });
    /** An answer whose object has further members, as text. */
    const withText = (review: ReceivedReview, members: string) => {
      const { body } = answered(review, [{ ...of(review), more: "here" }]);
      return { body: JSON.stringify(body).replace('"more":"here"', members) };
    };
    const many = (key: (at: number) => string) => Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [key(at), "-"]));
    const values = conversionAnswerValuesMin;
    const length = conversionErrorLengthMax;
    const table: readonly (readonly [string, (review: ReceivedReview) => Sent, RegExp])[] = [
      ["a long message", (review) => answered(review, [], { result: { status: "Failure", message: long } }), /failed: x+\.\.\.$/],
      ["a long status", (review) => answered(review, [], { result: { status: long } }), /status was 'x+\.\.\.$/],
      ["a long uid", (review) => answered(review, [], { uid: "\0".repeat(10_000) }), /got "(\\x00)+[\\x0]*\.\.\.$/],
      ["a long kind of review", () => ({ body: { kind: long, apiVersion: "apiextensions.k8s.io/v1" } }), /no kind "x+\.\.\.$/],
      ["a long kind", (review) => answered(review, [{ ...of(review), kind: long }]), /received x+\.\.\.$/],
      ["a long name", (review) => answered(review, [{ ...of(review), metadata: { name: long } }]), /one != x+\.\.\.$/],
      [
        "a thousand labels",
        (review) => answered(review, [{ ...of(review), metadata: { ...of(review).metadata, labels: many((at) => `-${at}`) } }]),
        /invalid metadata: \[/,
      ],
      [
        "a thousand annotations",
        (review) => answered(review, [{ ...of(review), metadata: { ...of(review).metadata, annotations: many((at) => `-${at}`) } }]),
        /invalid metadata: \[/,
      ],
      [
        "annotations of too many bytes",
        (review) => answered(review, [{ ...of(review), metadata: { ...of(review).metadata, annotations: { a: "x".repeat(256 * 1024) } } }]),
        /Too long/,
      ],
      ["many objects", (review) => answered(review, Array(100).fill({})), /returned 100 objects, expected 1$/],
      ["more values", (review) => answered(review, Array(2 * values).fill(1)), /the answer has more than \d+ values$/],
      ["a number without a value", (review) => withText(review, '"spec":{"replicas":1e400}'), /cannot unmarshal number/],
      ["no number", (review) => withText(review, '"spec":{"replicas":NaN}'), /json parse error/],
      [
        "deep lists",
        (review) => withText(review, `"x":${"[".repeat(10_001)}`),
        /json parse error/,
      ],
      ["a compressed answer", (review) => ({ ...answered(review, [of(review)]), headers: { "content-encoding": "gzip" } }), /./],
    ];
    for (const [what, answer, why] of table) {
      webhook.answer = answer;
      const { status, text } = await send(server, "GET", path).then(async (reply) => ({ status: reply.status, text: await reply.text() }));
      if (what === "a compressed answer" && status === 200) continue; // the header is not heeded: nothing is inflated
      const { message } = JSON.parse(text);
      assert.deepEqual([status, why.test(message)], [500, true], `${what}: ${message.slice(0, 300)}`);
      assert.ok(message.length <= length + 3, `${what}: ${message.length}`);
      assert.ok(message.startsWith(failed) || /^json: /.test(message), `${what}: ${message.slice(0, 300)}`);
    }

    // The last of duplicates counts, also of the identity; `__proto__` is a name; integers keep their digits.
    webhook.answer = (review) => withText(review, '"spec":{"hostPort":"b:2"},"spec":{"hostPort":"c:3","replicas":9007199254740993}');
    const last = await (await send(server, "GET", path)).text();
    assert.ok(last.includes('"hostPort":"c:3"') && last.includes("9007199254740993"), last);
    webhook.answer = (review) => withText(review, '"metadata":{"name":"two"}');
    assert.match((await refused(server, "GET", path))[1], /must have the same name: one != two$/);
    webhook.answer = (review) => withText(review, '"__proto__":{"kind":"Other"},"spec":{"__proto__":{"hostPort":"x:1"}}');
    const shown = await done(server, "GET", path);
    assert.deepEqual([shown.kind, Object.keys(shown.spec ?? {})], ["Thing", []]);
    // Metadata but for labels and annotations stays as it was.
    webhook.answer = (review) =>
      answered(review, [{ ...of(review), metadata: { ...of(review).metadata, generation: 7, finalizers: ["a/b"], labels: { a: "b" } } }]);
    const { metadata } = await done(server, "GET", path);
    assert.deepEqual([metadata.generation, metadata.finalizers, metadata.labels], [1, undefined, { a: "b" }]);
  } finally {
    await webhook.close();
  }
});
