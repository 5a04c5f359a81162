// Writes that cannot compute the managed fields of a custom resource keep those that it has.
// In Deno's suite only: the result does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer, type TestServer } from "../testing.ts";
import { ask } from "./requests.ts";

const group = "keeps.example.com", definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/keeps.${group}`;
const path = (version: string) => `/apis/${group}/${version}/namespaces/default/keeps`;

const apply = (server: TestServer, version: string, name: string, spec: object, manager: string, more = "") =>
  ask(
    server,
    "PATCH",
    `${path(version)}/${name}?fieldManager=${manager}${more}`,
    { apiVersion: `${group}/${version}`, kind: "Keep", metadata: { name }, spec },
    "application/apply-patch+yaml",
  );
const label = (server: TestServer) =>
  ask(server, "PATCH", `${path("v1")}/a?fieldManager=labeller`, { metadata: { labels: { l: "1" } } }, "application/merge-patch+json");
const managers = ({ body }: any): readonly string[] => (body.metadata?.managedFields ?? []).map((entry: any) => entry.manager).toSorted();

async function until(attempt: () => Promise<boolean>): Promise<void> {
  for (const end = AbortSignal.timeout(30_000); !await attempt();) {
    assert.ok(!end.aborted, "timed out");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A definition whose versions have this schema of `spec.a`, and are converted so. */
async function define(server: TestServer, a: object): Promise<void> {
  const schema = { type: "object", properties: { spec: { type: "object", properties: { a, b: { type: "string" } } } } };
  const versions = ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema: { openAPIV3Schema: schema } }));
  const body = {
    metadata: { name: `keeps.${group}` },
    spec: { group, scope: "Namespaced", names: { plural: "keeps", kind: "Keep" }, versions },
  };
  await ask(server, "POST", definition.slice(0, definition.lastIndexOf("/")), body);
  await until(async () => (await ask(server, "GET", path("v2"))).status === 200);
}
async function change(server: TestServer, edit: (spec: any) => void): Promise<void> {
  const { body } = await ask(server, "GET", definition);
  edit(body.spec);
  assert.equal((await ask(server, "PUT", definition, body)).status, 200);
}

test("a write while the conversion webhook is down keeps the managed fields of every version", async () => {
  await using server = await openTestServer();
  await define(server, { type: "string" });
  await apply(server, "v2", "a", { a: "1" }, "second");
  assert.deepEqual(managers(await apply(server, "v1", "a", { b: "1" }, "first")), ["first", "second"]);
  const webhook = { conversionReviewVersions: ["v1"], clientConfig: { url: "https://127.0.0.1:9/convert" } };
  await change(server, (spec) => spec.conversion = { strategy: "Webhook", webhook });
  await until(async () => (await ask(server, "GET", `${path("v2")}/a`)).status === 500);
  const labelled = await label(server);
  assert.equal(labelled.status, 200, JSON.stringify(labelled.body));
  assert.deepEqual(managers(labelled), ["first", "second"]);
});

test("a write of an object that no longer fits its definition keeps its managed fields", async () => {
  await using server = await openTestServer();
  await define(server, { type: "string" });
  await apply(server, "v1", "a", { a: "text", b: "1" }, "first");
  await change(server, ({ versions }) => {
    for (const version of versions) version.schema.openAPIV3Schema.properties.spec.properties.a = { type: "integer" };
  });
  await until(async () => (await apply(server, "v1", "probe", { a: "text" }, "first", "&dryRun=All")).status !== 201);
  assert.deepEqual(managers(await label(server)), ["first"]);
});
