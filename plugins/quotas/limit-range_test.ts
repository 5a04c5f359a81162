// In Deno's suite only: what the API answers does not depend on the runtime.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestServer } from "../../testing.ts";
import { ask } from "../../test/requests.ts";

const path = "/api/v1/namespaces/default/limitranges", merge = "application/merge-patch+json";

test("a limit range without a name gets one, also in place of a generated one that is empty", async () => {
  await using server = await openTestServer();
  for (const body of [{}, { metadata: {} }, { metadata: { name: "" } }]) {
    const { status, body: made } = await ask(server, "POST", path, body);
    assert.equal(status, 201, JSON.stringify(made));
    assert.match(made.metadata.name, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal((await ask(server, "GET", `${path}/${made.metadata.name}`)).status, 200);
  }
  const { body: generated } = await ask(server, "POST", path, { metadata: { generateName: "some-" } });
  assert.match(generated.metadata.name, /^some-.{5}$/);
});

test("an update of a limit range checks all its metadata", async () => {
  await using server = await openTestServer();
  await ask(server, "POST", path, { metadata: { name: "a" } });
  for (
    const [metadata, field] of [[{ finalizers: ["x"] }, "metadata.finalizers[0]"], [
      { generateName: "A" },
      "metadata.generateName",
    ]] as const
  ) {
    const { status, body } = await ask(server, "PATCH", `${path}/a`, { metadata }, merge);
    assert.equal(status, 422);
    assert.deepEqual(body.details.causes.map((cause: { field: string }) => cause.field), [field]);
  }
});

test("an update that creates keeps the deletion fields of its object, and a create removes them", async () => {
  await using server = await openTestServer();
  const metadata = { name: "b", deletionTimestamp: "2001-02-03T04:05:06Z", deletionGracePeriodSeconds: 5 };
  const put = await ask(server, "PUT", `${path}/b?dryRun=All`, { metadata });
  assert.deepEqual([put.status, put.body.metadata.deletionTimestamp, put.body.metadata.deletionGracePeriodSeconds], [
    201,
    "2001-02-03T04:05:06Z",
    5,
  ]);
  const posted = await ask(server, "POST", `${path}?dryRun=All`, { metadata });
  assert.deepEqual([posted.status, posted.body.metadata.deletionTimestamp, posted.body.metadata.deletionGracePeriodSeconds], [
    201,
    undefined,
    undefined,
  ]);
});
