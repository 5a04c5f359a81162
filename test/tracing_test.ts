// Traces over OTLP: what a collector receives, whose trace is continued, and what an absent collector costs.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { configMap, configMaps, configurationsOf, openAdmissionWebhook, webhookOf } from "./admission-webhook.ts";
import { startHeavyThread } from "../server/heavy/thread.ts";
import { openAccessReviewer } from "./access-reviewer.ts";
import { openConversionWebhook } from "./conversion-webhook.ts";
import { startTestServer, type TestServer } from "./harness.ts";
import { type Client, httpsClient } from "./https.ts";
import { type Collector, openCollector, type ReceivedSpan } from "./otlp-receiver.ts";
import { openReviewer } from "./token-reviewer.ts";
import { ownRuntime, startRealServer, startSkipped, until } from "./real-server.ts";
import { inlineBodyBytesMax } from "../kernel/request-context.ts";

const trace = "0af7651916cd43dd8448eb211c80319c", parent = "b7ad6b7169203331";
const sampled = { traceparent: `00-${trace}-${parent}-01` };
const isWrite = ({ name }: ReceivedSpan) => name === "POST /api/v1/namespaces/{:namespace}/configmaps";

describe("tracing", () => {
  let folder = "", collector: Collector;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "thole-tracing-"));
    collector = await openCollector();
  });
  after(async () => {
    collector.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function flagFor(endpoint: string, rate: number): Promise<string> {
    const path = join(folder, `tracing-${rate}.yaml`);
    await writeFile(
      path,
      `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: ${endpoint}\nsamplingRatePerMillion: ${rate}\n`,
    );
    return `--tracing-config-file=${path}`;
  }
  /** Serves with this rate; `use` gets clients of an administrator and of another user. The spans that were sent are returned. */
  async function traced(
    rate: number,
    use: (admin: Client, other: Client, server: TestServer) => Promise<void>,
    { args = [], ...options }: Parameters<typeof startTestServer>[0] = {},
  ): Promise<readonly ReceivedSpan[]> {
    collector.spans.length = 0;
    const server = await startTestServer({ ...options, args: [await flagFor(`127.0.0.1:${collector.port}`, rate), ...args] });
    const admin = httpsClient({ ...server, token: server.tokens.admin }), other = httpsClient({ port: server.port, ca: server.ca });
    try {
      await use(admin, other, server);
    } finally {
      admin.close();
      other.close();
      await server.close(); // sends what is left
    }
    return [...collector.spans];
  }

  it("a write is a span of the server with its admission, its calls of webhooks and its store as children", async () => {
    const webhook = await openAdmissionWebhook();
    try {
      const spans = await traced(1_000_000, async (admin) => {
        const made = await admin.ask(configurationsOf("validating"), {
          method: "POST",
          body: { metadata: { name: "checks" }, webhooks: [webhookOf(webhook)] },
        });
        assert.equal(made.status, 201, made.text);
        await until(async () => {
          await admin.ask(`${configMaps}?dryRun=All`, { method: "POST", body: configMap("probe") });
          assert.ok(webhook.reviews.length > 0);
        });
        webhook.headers.length = 0;
        assert.equal((await admin.ask(`${configMaps}?token=s3cret`, { method: "POST", body: configMap("a") })).status, 201);
      });
      const write = spans.findLast(isWrite)!;
      assert.equal(write.kind, 2);
      assert.equal(write.parent, "");
      assert.deepEqual([write.resource["service.name"], write.attributes["http.response.status_code"], write.status], ["thole", "201", 0]);
      assert.equal(write.attributes["http.target"], `${configMaps}?token=REDACTED`);
      assert.match(String(write.attributes["audit-id"]), /^[0-9a-f-]{36}$/);
      assert.deepEqual(write.events, [
        "authenticated",
        "authorized",
        "body read",
        "admission has changed the object",
        "validated and admitted",
        "verb done",
      ]);
      const parts = spans.filter(({ parent }) => parent === write.id);
      assert.deepEqual(parts.map(({ name }) => name).toSorted(), [
        "admission admit",
        "admission validate",
        "call of ValidatingAdmissionWebhook",
        "store create",
      ]);
      for (const part of parts) {
        assert.equal(part.trace, write.trace, part.name);
        assert.ok(write.start <= part.start && part.start <= part.end && part.end <= write.end, part.name);
      }
      const call = parts.find(({ name }) => name.startsWith("call"))!;
      assert.equal(call.kind, 3);
      assert.deepEqual(webhook.headers.map((headers) => headers["traceparent"]), [`00-${write.trace}-${call.id}-01`]);
      const fill = spans.find(({ name }) => name === "fill of the watch cache")!;
      assert.ok(spans.some(({ name, parent }) => name === "store list" && parent === fill.id));
    } finally {
      await webhook.close();
    }
  });

  /** The spans below this one, by its id, directly. */
  const below = (spans: readonly ReceivedSpan[], { id }: ReceivedSpan) => spans.filter(({ parent }) => parent === id);
  const namesOf = (spans: readonly ReceivedSpan[]) => spans.map(({ name }) => name).toSorted();
  const configFile = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };

  it("calls of the webhooks that authenticate and authorize are parts of their request", async () => {
    const tokens = await openReviewer(), access = await openAccessReviewer();
    tokens.users.set("opensesame", { username: "ali", groups: ["readers"] });
    access.judge = ({ user }) => ({ allowed: user === "ali" });
    try {
      const spans = await traced(1_000_000, async (_admin, _other, { port, ca }) => {
        const ali = httpsClient({ port, ca, token: "opensesame" }), nobody = httpsClient({ port, ca, token: "wrong" });
        // The second answer is cached.
        for (let index = 0; index < 2; index++) assert.equal((await ali.ask(configMaps)).status, 200);
        assert.equal((await nobody.ask(configMaps)).status, 401);
        ali.close();
        nobody.close();
      }, {
        args: [
          `--authentication-token-webhook-config-file=${await configFile("token.yaml", tokens.kubeconfig)}`,
          "--authorization-mode=Webhook",
          `--authorization-webhook-config-file=${await configFile("access.yaml", access.kubeconfig)}`,
        ],
      });
      const [first, second, ...more] = spans.filter(({ name, kind }) =>
        kind === 2 && name === "GET /api/v1/namespaces/{:namespace}/configmaps"
      );
      assert.deepEqual(more, []);
      const calls = below(spans, first!).filter(({ kind }) => kind === 3);
      assert.deepEqual(calls.map(({ name, attributes, status }) => [name, attributes, status]), [
        ["Call authentication webhook", { authenticator: "webhook" }, 0],
        ["Call authorization webhook", { authorizer: "default" }, 0],
      ]);
      for (const call of calls) assert.ok(first!.start <= call.start && call.start <= call.end && call.end <= first!.end, call.name);
      assert.deepEqual(below(spans, second!).filter(({ kind }) => kind === 3), []);
      assert.equal(access.parents.at(-1), `00-${first!.trace}-${calls[1]!.id}-01`);
    } finally {
      await Promise.all([tokens.close(), access.close()]);
    }
  });

  it("calls of a conversion webhook are parts of their request, with upstream's attributes", async () => {
    const webhook = await openConversionWebhook(), things = "/apis/conv.example.com/v1beta1/namespaces/default/things";
    const version = (name: string, storage: boolean, properties: object) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
    });
    const text = { type: "string" };
    try {
      const spans = await traced(1_000_000, async (admin) => {
        const made = await admin.ask("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
          method: "POST",
          body: {
            metadata: { name: "things.conv.example.com" },
            spec: {
              group: "conv.example.com",
              scope: "Namespaced",
              names: { plural: "things", kind: "Thing" },
              versions: [version("v1", true, { host: text, port: text }), version("v1beta1", false, { hostPort: text })],
              conversion: {
                strategy: "Webhook",
                webhook: { clientConfig: { url: webhook.url, caBundle: webhook.caBundle }, conversionReviewVersions: ["v1"] },
              },
            },
          },
        });
        assert.equal(made.status, 201, made.text);
        await until(async () => assert.equal((await admin.ask(things)).status, 200));
        webhook.parents.length = 0;
        const body = { apiVersion: "conv.example.com/v1beta1", kind: "Thing", metadata: { name: "a" }, spec: { hostPort: "a:1" } };
        assert.equal((await admin.ask(things, { method: "POST", body })).status, 201);
      });
      const write = spans.find(({ name }) => name.startsWith("POST /apis/conv.example.com"))!;
      const calls = below(spans, write).filter(({ kind }) => kind === 3);
      assert.deepEqual(
        calls.map(({ name, attributes: { UID, ...attributes } }) => [name, typeof UID, attributes]),
        ["v1", "v1beta1"].map((to) => ["Call conversion webhook", "string", {
          "custom-resource-definition": "things.conv.example.com",
          "desired-api-version": `conv.example.com/${to}`,
          "object-count": "1",
        }]),
      );
      for (const { id } of calls) assert.ok(webhook.parents.includes(`00-${write.trace}-${id}-01`));
    } finally {
      await webhook.close();
    }
  });

  it("what the heavy thread asks for is below its span, also webhooks", async () => {
    const webhook = await openAdmissionWebhook();
    try {
      const spans = await traced(1_000_000, async (admin) => {
        const body = { metadata: { name: "checks" }, webhooks: [webhookOf(webhook)] };
        assert.equal((await admin.ask(configurationsOf("validating"), { method: "POST", body })).status, 201);
        await until(async () => {
          await admin.ask(`${configMaps}?dryRun=All`, { method: "POST", body: configMap("probe") });
          assert.ok(webhook.reviews.length > 0);
        });
        webhook.headers.length = 0;
        const large = { ...configMap("large"), data: { a: "x".repeat(inlineBodyBytesMax) } };
        assert.equal((await admin.ask(configMaps, { method: "POST", body: large })).status, 201);
      }, { startHeavy: startHeavyThread });
      const write = spans.findLast(isWrite)!;
      assert.deepEqual(namesOf(below(spans, write)), ["heavy thread"]);
      const [heavy] = below(spans, write), parts = below(spans, heavy!);
      assert.equal(heavy!.kind, 1);
      // The thread has no cache: it reads the store for its admission steps.
      assert.deepEqual([...new Set(namesOf(parts))], [
        "admission admit",
        "admission validate",
        "call of ValidatingAdmissionWebhook",
        "store create",
        "store get",
        "store list",
        "wait for the heavy thread",
      ]);
      const call = parts.find(({ name }) => name.startsWith("call"))!;
      assert.deepEqual(webhook.headers.map((headers) => headers["traceparent"]), [`00-${write.trace}-${call.id}-01`]);
    } finally {
      await webhook.close();
    }
  });

  it("with a rate of 0, requests are traced whose sender decided so; only administrators continue their own trace", async () => {
    const spans = await traced(0, async (admin, other) => {
      await admin.ask("/version");
      await admin.ask(`${configMaps}/x`, { headers: sampled });
      await admin.ask("/version", { headers: { traceparent: `00-${trace}-${parent}-00` } });
      await admin.ask("/version", { headers: { traceparent: "00-nonsense" } });
      await other.ask("/version", { headers: sampled });
    });
    const requests = spans.filter(({ kind }) => kind === 2);
    assert.deepEqual(requests.map((span) => [span.name, span.trace, span.parent, span.attributes["http.response.status_code"]]), [
      ["GET /api/v1/namespaces/{:namespace}/configmaps/{:name}", trace, parent, "404"],
    ]);
  });

  it("another user's trace is linked, not continued", async () => {
    const spans = await traced(1_000_000, async (_admin, other) => {
      await other.ask("/version", { headers: sampled });
    });
    const span = spans.find(({ name }) => name === "GET")!;
    assert.notEqual(span.trace, trace);
    assert.deepEqual([span.parent, span.links], ["", [parent]]);
  });

  it("without a collector requests are answered, and the log says once that spans are dropped", async () => {
    const closed = await openCollector();
    closed.close();
    const server = await startTestServer({ args: [await flagFor(`127.0.0.1:${closed.port}`, 1_000_000)] });
    const admin = httpsClient({ ...server, token: server.tokens.admin });
    try {
      for (let index = 0; index < 1000; index++) assert.equal((await admin.ask("/version")).status, 200);
    } finally {
      admin.close();
      await server.close();
    }
    assert.equal(server.logged.filter((line) => line.includes("spans cannot be sent")).length, 1);
  });

  it("the program traces under its permissions, to a host and to a socket", { skip: startSkipped(ownRuntime) }, async () => {
    const socket = join(folder, "otel.sock"), local = await openCollector(`unix:${socket}`);
    collector.spans.length = 0;
    try {
      for (const [endpoint, { spans }] of [[`localhost:${collector.port}`, collector], [`unix://${socket}`, local]] as const) {
        const server = await startRealServer({ runtime: ownRuntime, args: [await flagFor(endpoint, 1_000_000)] });
        try {
          const client = httpsClient(server);
          assert.equal((await client.ask("/version")).status, 200);
          client.close();
        } finally {
          await server.close();
        }
        assert.ok(spans.some(({ name }) => name === "GET"), endpoint);
      }
    } finally {
      local.close();
    }
  });
});
