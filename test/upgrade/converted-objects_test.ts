// Converted objects of kinds that the server has are valid there: those of the cases, and generated definitions and webhook configurations.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { writeYaml } from "../../core/codec/yaml.ts";
import { pluralOf } from "../../core/define/plural.ts";
import type { Json } from "../../core/json.ts";
import type { ConvertedObject } from "../../kernel/upgrade/convert.ts";
import { partsOf } from "../../kernel/upgrade/document.ts";
import { plugins } from "../../plugins/mod.ts";
import { randomOf } from "../../core/random.ts";
import { startTestServer, type TestServer } from "../harness.ts";
import { type Client, httpsClient } from "../https.ts";
import { caseNames, convertCase, inputOf } from "./cases.ts";

let server: TestServer, client: Client;
before(async () => {
  server = await startTestServer();
  client = httpsClient({ port: server.port, ca: server.ca, token: server.tokens.admin });
});
after(async () => {
  client.close();
  await server.close();
});

const resources = plugins.flatMap(({ resources = [] }) => resources);

/** Creates the object of a document in a dry run, and returns its kind; undefined for a kind that the server does not have. */
async function create(text: string, { kind, name, to }: ConvertedObject): Promise<string | undefined> {
  const resource = resources.find((each) => each.kind === kind && Object.hasOwn(each.served, to.replace("k8s.io", "{domain}")));
  if (resource === undefined) return undefined;
  const isReview = kind.endsWith("Review"), body = isReview ? text.replace(/^metadata:\n {2}name: .*\n/m, "") : text;
  const path = `/apis/${to}/${resource.scope === "Namespaced" ? "namespaces/default/" : ""}${resource.plural ?? pluralOf(kind)}`;
  const answer = await client.ask(`${path}?dryRun=All&fieldValidation=Strict`, {
    method: "POST",
    body,
    headers: { "content-type": "application/yaml" },
  });
  assert.equal(answer.status, 201, `${kind} ${name}: ${answer.text}\n${text}`);
  return kind;
}

test("the objects of the cases that need no choice are valid", async () => {
  const created = new Set<string | undefined>();
  for (const name of caseNames) {
    for (const { text } of partsOf(inputOf(name))) {
      const { objects: [object, ...others], findings, text: written } = convertCase(text);
      if (object === undefined || others.length > 0 || findings.some(({ level }) => level === "choice")) continue;
      created.add(await create(written, object));
    }
  }
  created.delete(undefined);
  assert.ok(created.size >= 15, [...created].join(", "));
});

const seed = 20;

for (const [name, make] of [["definitions", definition], ["webhook configurations", webhooks]] as const) {
  test(`generated ${name} are valid after their conversion, if no choice is left (seed ${seed})`, async () => {
    const next = randomOf(seed);
    let created = 0;
    for (let count = 0; count < 60; count++) {
      const text = writeYaml(make(next));
      const { objects, findings, errors, text: written } = convertCase(text);
      assert.deepEqual(errors, []);
      assert.equal(objects.length, 1);
      if (findings.some(({ level }) => level === "choice")) continue;
      await create(written, objects[0]!);
      created++;
    }
    assert.ok(created >= 15, `${created} objects`);
  });
}

const chance = (next: () => number, part = 0.5) => next() < part;
const pick = <T>(next: () => number, items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
/** The fields, each with the given chance. */
const some = (next: () => number, fields: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(Object.entries(fields).filter(() => chance(next)));

function schema(next: () => number, depth: number): Record<string, Json> {
  const type = depth === 0 ? pick(next, ["string", "integer", "boolean"]) : pick(next, ["object", "object", "array", "string"]);
  const inner: Record<string, Json> = type === "array"
    ? { items: schema(next, depth - 1) }
    : type !== "object"
    ? {}
    : chance(next, 0.2)
    ? { additionalProperties: schema(next, depth - 1) }
    : { properties: { one: schema(next, depth - 1), ...chance(next) ? { two: schema(next, depth - 1) } : {} } };
  return { ...chance(next, 0.98) ? { type } : {}, ...some(next, { description: "text: with a colon" }), ...inner };
}

function definition(next: () => number): Json {
  const columns = [{ name: "Size", type: "integer", JSONPath: ".spec.size" }];
  const root = (): Json => ({ openAPIV3Schema: { ...some(next, { type: "object" }), properties: { spec: schema(next, 3) } } });
  const own = chance(next);
  const names = ["v1", "v1beta1", "v1alpha1"].slice(0, 1 + Math.floor(next() * 3));
  const versions = names.map((name, index): Json => ({
    name,
    served: true,
    storage: index === 0,
    ...own ? { ...some(next, { schema: root(), additionalPrinterColumns: columns, subresources: { status: {} } }) } : {},
  }));
  return {
    apiVersion: "apiextensions.k8s.io/v1beta1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.org" },
    spec: {
      group: "example.org",
      names: { kind: "Widget", plural: "widgets" },
      ...some(next, { scope: "Cluster" }),
      ...chance(next) ? { preserveUnknownFields: chance(next) } : {},
      ...own || chance(next) ? { ...some(next, { version: "v1" }), versions } : { version: "v1" },
      ...own ? {} : some(next, { validation: root(), additionalPrinterColumns: columns, subresources: { status: {} } }),
      ...chance(next, 0.3)
        ? {
          conversion: {
            strategy: "Webhook",
            webhookClientConfig: { service: { namespace: "default", name: "c" } },
            ...some(next, { conversionReviewVersions: ["v1"] }),
          },
        }
        : some(next, { conversion: { strategy: "None" } }),
    },
  };
}

function webhooks(next: () => number): Json {
  const kind = pick(next, ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]);
  const webhook = (name: string): Json => ({
    name,
    clientConfig: { url: "https://example.org/check" },
    ...chance(next, 0.9) ? { sideEffects: pick(next, ["None", "NoneOnDryRun"]) } : some(next, { sideEffects: "Unknown" }),
    ...some(next, {
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      timeoutSeconds: 5,
      admissionReviewVersions: ["v1"],
      rules: [{ apiGroups: ["*"], apiVersions: ["v1beta1"], operations: ["CREATE"], resources: ["*"] }],
    }),
  });
  return {
    apiVersion: "admissionregistration.k8s.io/v1beta1",
    kind,
    metadata: { name: "checks" },
    webhooks: [webhook("a.example.org"), ...chance(next) ? [webhook("b.example.org")] : []],
  };
}
