// Audit annotations of admission webhooks: what changed the object and how, whose failure was ignored, and those that webhooks send.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { answered, configMap, configMaps, configurationsOf, openAdmissionWebhook, webhookOf } from "../admission-webhook.ts";
import { startTestServer } from "../harness.ts";
import { httpsClient } from "../https.ts";
import { until } from "../real-server.ts";

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  resources: [{group: "", resources: [configmaps], resourceNames: [meta]}]
- level: Metadata
  verbs: [create]
  users: [alice]
- level: Request
  resources: [{group: "", resources: [configmaps]}]
- level: None
`;

test(
  "events say which webhook changed an object, how at the level Request, and whose failure was ignored",
  { timeout: 60_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "thole-audit-")), webhook = await openAdmissionWebhook();
    try {
      const log = join(folder, "log");
      await writeFile(join(folder, "policy"), policy);
      const server = await startTestServer({ args: [`--audit-policy-file=${join(folder, "policy")}`, `--audit-log-path=${log}`] });
      const client = httpsClient({ ...server, token: server.tokens.admin });
      const ask = (method: string, path: string, body: object, type = "application/json") =>
        client.ask(path, { method, body: JSON.stringify(body), headers: { "content-type": type } });
      try {
        const named = (name: string, more: object = {}) =>
          webhookOf(webhook, { name: `${name}.example.com`, failurePolicy: "Ignore", ...more });
        const webhooks = [named("first"), named("second")];
        assert.equal((await ask("POST", configurationsOf("mutating"), { metadata: { name: "changes" }, webhooks })).status, 201);
        assert.equal(
          (await ask("POST", configurationsOf("validating"), { metadata: { name: "checks" }, webhooks: [named("third")] })).status,
          201,
        );
        await until(async () => {
          await ask("POST", `${configMaps}?dryRun=All`, configMap("probe"));
          assert.ok(webhook.reviews.length >= 3);
        });
        const operation = { op: "add", path: "/data", value: { a: "b" } };
        const answer = (): void => {
          let calls = 0;
          webhook.answer = (review) => {
            calls++;
            if (calls === 1) {
              const auditAnnotations = { why: "because", "not/valid": "x", "": "x" };
              return answered(review, { patchType: "JSONPatch", patch: btoa(JSON.stringify([operation])), auditAnnotations });
            }
            return calls === 2 ? answered(review) : { status: 500, body: "" };
          };
        };
        answer();
        assert.equal((await ask("POST", configMaps, configMap("full"))).status, 201);
        answer();
        assert.equal(
          (await ask("PATCH", `${configMaps}/full`, { metadata: { labels: { a: "b" } } }, "application/merge-patch+json")).status,
          200,
        );
        answer();
        assert.equal((await ask("PUT", `${configMaps}/full`, configMap("full"))).status, 200);
        webhook.answer = (review) => answered(review);
        assert.equal((await ask("POST", configMaps, configMap("meta"))).status, 201);
        answer();
        assert.equal((await ask("PUT", `${configMaps}/meta`, configMap("meta"))).status, 200);
        const events = await until(async () => {
          const found = (await readFile(log, "utf8")).split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
          assert.ok(found.some(({ verb, objectRef }) => verb === "update" && objectRef.name === "meta"));
          return found;
        });
        const annotationsOf = (verb: string, name: string) => {
          const event = events.find((each) => each.verb === verb && each.objectRef.name === name && !each.requestURI.includes("dryRun"));
          return Object.fromEntries(Object.entries(event.annotations).filter(([key]) => !key.startsWith("authorization.")));
        };
        const by = { configuration: "changes", webhook: "first.example.com" };
        const common = {
          "first.example.com/why": "because",
          "mutation.webhook.admission.k8s.io/round_0_index_0": JSON.stringify({ ...by, mutated: true }),
          "mutation.webhook.admission.k8s.io/round_0_index_1": JSON.stringify({ ...by, webhook: "second.example.com", mutated: false }),
          "failed-open.validating.webhook.admission.k8s.io/round_0_index_0": "third.example.com",
        };
        const patch = {
          "patch.webhook.admission.k8s.io/round_0_index_0": JSON.stringify({ ...by, patch: [operation], patchType: "JSONPatch" }),
        };
        assert.deepEqual(annotationsOf("create", "full"), { ...common, ...patch });
        // Without bodies of requests there are no patches.
        assert.deepEqual(annotationsOf("update", "meta"), common);
      } finally {
        client.close();
        await server.close();
      }
    } finally {
      await webhook.close();
      await rm(folder, { recursive: true });
    }
  },
);
