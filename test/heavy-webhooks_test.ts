// In Deno's suite only: the result does not depend on the runtime. Long patches of webhooks and policies are applied by the heavy thread.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, configMap, configMaps, openAdmissionWebhook, patched, webhookOf } from "./admission-webhook.ts";
import { responseOf, statusOf, withHeavyThread } from "./heavy-server.ts";
import { until } from "./real-server.ts";
import { inlineStepsMax } from "../kernel/request-context.ts";

/** The data of the object in a reply, whose body may be in pieces. */
async function dataOf({ body }: Awaited<ReturnType<typeof responseOf>>): Promise<any> {
  const pieces: Uint8Array[] = [];
  if (typeof body === "string" || body instanceof Uint8Array) pieces.push(Buffer.from(body));
  else for await (const piece of body) pieces.push(piece);
  return JSON.parse(String(Buffer.concat(pieces))).data;
}

test(
  "a patch of a webhook that takes long to read or to apply is repeated in the heavy thread",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server, jobs) => {
      const webhook = await openAdmissionWebhook();
      try {
        const configuration = { metadata: { name: "hostile" }, webhooks: [webhookOf(webhook)] };
        const home = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
        assert.equal(await statusOf(server, "POST", home, configuration), 201);
        const create = (name: string) => responseOf(server, "POST", `${configMaps}?dryRun=All`, configMap(name));
        await until(async () => {
          await create("a");
          assert.ok(webhook.reviews.length > 0);
        });
        const patch = (characters: number) => {
          webhook.answer = (review) =>
            review.request.operation === "CREATE"
              ? patched(review, { op: "add", path: "/data", value: { a: "x".repeat(characters) } })
              : answered(review);
        };
        patch(inlineStepsMax / 2);
        assert.equal((await create("b")).status, 201);
        assert.equal(jobs(), 0);
        patch(inlineStepsMax);
        const reply = await create("c");
        assert.equal(reply.status, 201);
        assert.equal((await dataOf(reply)).a.length, inlineStepsMax);
        assert.equal(jobs(), 1);
      } finally {
        await webhook.close();
      }
    }),
);

test(
  "a patch of a policy that takes long to apply is repeated in the heavy thread, and not ignored",
  { timeout: 120_000 },
  () =>
    withHeavyThread(async (server, jobs) => {
      const [policies, bindings] = ["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"].map((plural) =>
        `/apis/admissionregistration.k8s.io/v1beta1/${plural}`
      );
      const copies = (key: string, count: number) =>
        `[${
          [
            `JSONPatch{op: 'add', path: '/data', value: {'a': 'x'}}`,
            ...Array.from({ length: count }, () => `JSONPatch{op: 'copy', from: '/data', path: '/x'}`),
            ...Array.from({ length: 14 }, (_, at) => `JSONPatch{op: 'copy', from: '/x', path: '/x/${at}'}`),
            `JSONPatch{op: 'remove', path: '/x'}`,
            `JSONPatch{op: 'add', path: '/data/${key}', value: 'y'}`,
          ].join(", ")
        }]`;
      const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] };
      const mutations = [{ patchType: "JSONPatch", jsonPatch: { expression: copies("done", 1) } }];
      const spec = { failurePolicy: "Ignore", reinvocationPolicy: "Never", matchConstraints: { resourceRules: [rule] }, mutations };
      const metadata = { name: "hostile" };
      assert.equal(await statusOf(server, "POST", policies!, { metadata, spec }), 201);
      assert.equal(await statusOf(server, "POST", bindings!, { metadata, spec: { policyName: "hostile" } }), 201);
      await until(async () => {
        const reply = await responseOf(server, "POST", `${configMaps}?dryRun=All`, configMap("a"));
        assert.equal(reply.status, 201);
        assert.deepEqual(await dataOf(reply), { a: "x", done: "y" });
      });
      assert.ok(jobs() > 0);
    }, { "feature-gates": { MutatingAdmissionPolicy: true }, "runtime-config": { "admissionregistration.k8s.io/v1beta1": true } }),
);
